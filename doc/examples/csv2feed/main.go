// Command csv2feed converts a price list in CSV to the listing feed:
//
//	go run ./doc/examples/csv2feed < prices.csv > feed.ndjson
//
// The first row names fields of the feed. The columns currency, base and
// current form the price; 1299.50 becomes 129950 hundredths.
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"os"
)

func main() {
	if err := convert(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func convert(in io.Reader, out io.Writer) error {
	rows, lines := csv.NewReader(in), json.NewEncoder(out)
	header, err := rows.Read()
	for err == nil {
		var row []string
		if row, err = rows.Read(); err != nil {
			break
		}
		listing, price := make(map[string]any), make(map[string]any)
		for i, value := range row {
			switch name := header[i]; {
			case value == "":
			case name == "base" || name == "current":
				amount, ok := new(big.Rat).SetString(value)
				if !ok || !amount.Mul(amount, big.NewRat(100, 1)).IsInt() {
					return fmt.Errorf("%s %q is not a price with at most two decimals", name, value)
				}
				price[name], listing["price"] = amount.Num(), price
			case name == "currency":
				price[name] = value
			default:
				listing[name] = value
			}
		}
		err = lines.Encode(listing)
	}
	if err == io.EOF {
		return nil
	}
	return err
}
