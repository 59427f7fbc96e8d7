package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/money"
)

// tableOptions returns the options of tables; nil if the inputs are none.
func (i *importCommand) tableOptions() (*feed.TableOptions, error) {
	if !i.CSV {
		if i.Decimal != "" || len(i.Columns) > 0 || i.Platform != "" || i.Region != "" {
			return nil, errors.New("--decimal, --columns, --platform and --region are only for tables: add --csv")
		}
		return nil, nil
	}
	platform, region, err := (&filterFlags{i.Platform, i.Region}).parse()
	if err != nil {
		return nil, err
	}
	o := feed.TableOptions{Columns: make(map[string]string), Platform: platform.String(), Region: region.String()}
	for _, renamed := range i.Columns {
		at := strings.LastIndexByte(renamed, '=')
		if at < 1 {
			return nil, fmt.Errorf("--columns %q: must be HEADER=FIELD, such as Game=title", renamed)
		}
		header := strings.TrimSpace(renamed[:at])
		for other := range o.Columns {
			if strings.EqualFold(other, header) {
				return nil, fmt.Errorf("--columns %q: the column %q has a field already", renamed, other)
			}
		}
		o.Columns[header] = strings.TrimSpace(renamed[at+1:])
	}
	switch i.Decimal {
	case "":
	case ".", ",":
		o.Decimal = rune(i.Decimal[0])
	default:
		return nil, fmt.Errorf("--decimal %q: must be \",\" or \".\"", i.Decimal)
	}
	return &o, nil
}

// shownRows is how many rows the summary of a table shows.
const shownRows = 3

// writeSummary prints what an import did, and how it understood the first rows.
func (i *importCommand) writeSummary(w io.Writer, s importer.Summary) {
	repeated := ""
	if s.Repeated > 0 {
		repeated = fmt.Sprintf(", repeated %d", s.Repeated)
	}
	if i.DryRun {
		fmt.Fprintf(w, "dry run, nothing is stored: read %d, rejected %d%s\n", s.Read, s.Rejected, repeated)
	} else {
		fmt.Fprintf(w, "read %d, stored %d (%d new, %d changed), unchanged %d, older %d, rejected %d%s, withdrawn %d\n",
			s.Read, s.Stored(), s.Saved.New, s.Saved.Changed, s.Saved.Unchanged, s.Saved.Older, s.Rejected, repeated, s.Withdrawn)
	}
	if s.Saved.Older > 0 {
		fmt.Fprintln(w, "older: observed before the stored listing was last seen, so it is not replaced; to replace it, raise observedAt")
	}
	for _, note := range s.Notes {
		fmt.Fprintf(w, "%s: %s\n", note.Input, printable(note.Text))
	}
	if s.Decoded > 0 {
		fmt.Fprintf(w, "HTML entities such as &amp; decoded in titles and names, lines: %d\n", s.Decoded)
	}
	unknown := "field"
	if i.CSV {
		unknown = "column"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown %s %q ignored, lines: %d\n", unknown, name, s.Unknown[name])
	}
	for _, l := range i.firstRows(s) {
		fmt.Fprintln(w, understood(&l))
	}
}

// firstRows returns the rows that the summary shows.
func (i *importCommand) firstRows(s importer.Summary) []catalog.Listing {
	if i.DryRun {
		return s.First
	}
	return s.First[:min(shownRows, len(s.First))]
}

// understood returns how a row is understood: "Star Forge, Germany: 29.99 EUR, was 39.99".
func understood(l *catalog.Listing) string {
	about := printed(cmp.Or(l.Facts.Title, l.Product)) + ", " + cmp.Or(l.Region.Name(), l.Region.String()) + ": "
	p := l.Price
	switch {
	case l.Withdrawn:
		return about + "withdrawn"
	case p == nil:
		return about + "no price"
	case !p.Current.Known() && !p.Base.Known():
		return about + printed(cmp.Or(p.CurrentText, p.BaseText))
	case !p.Current.Known():
		return about + "not for sale, was " + units(p.Base) + " " + string(p.Currency)
	case p.Base > p.Current:
		return about + units(p.Current) + " " + string(p.Currency) + ", was " + units(p.Base)
	}
	return about + units(p.Current) + " " + string(p.Currency)
}

func units(a money.Amount) string { return fmt.Sprintf("%d.%02d", a/100, a%100) }

// printed returns a text of a table for a terminal: short, and without control characters.
func printed(s string) string { return shorten(printable(s), 100) }

// printable returns a text without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
