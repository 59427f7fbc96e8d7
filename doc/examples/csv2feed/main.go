// Command csv2feed converts a table with decimal prices to one with whole
// hundredths, which import reads:
//
//	go run ./doc/examples/csv2feed < prices.csv | gamedex import --csv -
//
// The first row names fields of the feed. Cells of the columns base and current may
// be 1299, 1299.5, 1299.50 or 1299,50; all become whole hundredths. A number such as
// 1,299 is refused, because it could be read in two ways. All other cells stay.
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
)

func main() {
	if err := convert(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func convert(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	table := strings.TrimPrefix(string(text), "\ufeff") // Excel writes a byte order mark
	comma := separator(table)
	if first, rest, _ := strings.Cut(table, "\n"); strings.HasPrefix(first, "sep=") { // Excel's line that names the separator
		table = rest
	}
	rows, lines := csv.NewReader(strings.NewReader(table)), csv.NewWriter(out)
	rows.Comma = comma
	lines.Comma = rows.Comma
	all, err := rows.ReadAll()
	if err != nil {
		return err
	}
	for n, row := range all {
		for i, name := range all[0] {
			if name = strings.ToLower(strings.TrimSpace(name)); n == 0 || name != "base" && name != "current" {
				continue
			}
			if row[i], err = hundredths(row[i]); err != nil {
				return fmt.Errorf("row %d: %s %w", n+1, name, err)
			}
		}
	}
	return lines.WriteAll(all)
}

// separator returns what separates the cells: of comma, semicolon and tab the one that
// the first line has most often.
func separator(table string) rune {
	first, _, _ := strings.Cut(table, "\n")
	most := ','
	for _, r := range ";\t" {
		if strings.Count(first, string(r)) > strings.Count(first, string(most)) {
			most = r
		}
	}
	return most
}

var decimal = regexp.MustCompile(`^([0-9]+)(?:[.,]([0-9]{1,2}))?$`)

// hundredths returns the price in hundredths; an empty cell stays empty.
func hundredths(price string) (string, error) {
	price = strings.TrimSpace(price)
	if price == "" {
		return "", nil
	}
	parts := decimal.FindStringSubmatch(price)
	if parts == nil {
		return "", fmt.Errorf("%q is not a price with at most two decimals", price)
	}
	all := parts[1] + (parts[2] + "00")[:2]
	return strings.TrimLeft(all[:len(all)-1], "0") + all[len(all)-1:], nil // import refuses leading zeros
}
