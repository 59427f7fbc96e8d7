package feed

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/feed/table"
)

// TableWriter writes listings as rows of a table in CSV, which a Reader of NewTableReader
// reads as the same listings.
type TableWriter struct {
	rows *csv.Writer
	at   map[string]int // of a column, by its field: "price.base"
	row  []string
	line []byte
	json *jsontext.Decoder // of line
}

// NewTableWriter writes the header: all fields in the order of the format, with a column
// for each of the locales of further titles.
func NewTableWriter(w io.Writer, locales []string) (*TableWriter, error) {
	t := &TableWriter{rows: csv.NewWriter(w), at: map[string]int{}, json: jsontext.NewDecoder(new(bytes.Buffer))}
	t.addColumns("", listingMembers, locales)
	size := 0
	for field, at := range t.at {
		t.row[at] = strings.TrimPrefix(field, "price.")
		size += len(field) + len(",")
	}
	if size > readSize {
		return nil, fmt.Errorf("titles in %d locales are too many for the columns of a table: export without --csv", len(locales))
	}
	return t, t.rows.Write(t.row)
}

func (t *TableWriter) addColumns(object string, members []member, locales []string) {
	objects := map[string][]member{"rating": ratingMembers, "images": imageMembers, "price": priceMembers}
	for _, m := range members {
		if inner := objects[m.name]; inner != nil {
			t.addColumns(m.name+".", inner, nil)
		} else if m.name == "titles" {
			for _, locale := range locales {
				t.addColumn("titles." + locale)
			}
		} else {
			t.addColumn(object + m.name)
		}
	}
}

func (t *TableWriter) addColumn(field string) {
	t.at[field] = len(t.row)
	t.row = append(t.row, "")
}

// Write appends a row. It returns an error if the header lacks a locale of the listing.
func (t *TableWriter) Write(l *catalog.Listing) error {
	clear(t.row)
	t.line = appendListing(t.line[:0], l)
	t.json.Reset(bytes.NewBuffer(t.line))
	err := t.fill("")
	if err == nil {
		err = t.rows.Write(t.row)
	}
	if err != nil {
		return fmt.Errorf("write listing %s %s %s: %w", l.Platform, l.Region, l.Product, err)
	}
	return nil
}

// Flush writes what Write has kept in memory.
func (t *TableWriter) Flush() error {
	t.rows.Flush()
	return t.rows.Error()
}

// fill fills the row with the members of the next object of the line.
func (t *TableWriter) fill(object string) error {
	if _, err := t.json.ReadToken(); err != nil {
		return err
	}
	for t.json.PeekKind() != '}' {
		name, err := t.json.ReadToken()
		if err != nil {
			return err
		}
		field := object + name.String()
		if t.json.PeekKind() == '{' {
			if err := t.fill(field + "."); err != nil {
				return err
			}
			continue
		}
		value, err := t.json.ReadValue()
		if err != nil {
			return err
		}
		at, known := t.at[field]
		if !known {
			return fmt.Errorf("%s: has no column, because it was stored during the export: export again", field)
		}
		if t.row[at], err = table.Cell(value); err != nil {
			return err
		}
	}
	_, err := t.json.ReadToken()
	return err
}
