package money

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseRates parses a table in the format of the exchange-rates answer:
//
//	{"base":"USD","rates":{"UAH":41.95},"updatedAt":"2026-11-20T03:00:00Z"}
//
// It keeps numbers exactly as written. Currency codes may be in any case; other fields
// are ignored. It refuses codes that are not ISO 4217, numbers in quotes, a repeated key,
// anything after the object, and tables that NewRates refuses. Errors name the field.
func ParseRates(data []byte) (Rates, error) { return parseRates(data, ParseCurrency, nil) }

// ParsePastRates parses a table that ParseRates accepted when it was new: currencies that
// have gone out of use since are rates, too. It keeps only the rates of some currencies and
// of USD, which takes less time.
func ParsePastRates(data []byte, of map[Currency]bool) (Rates, error) {
	known := func(code string) (Currency, error) { return Currency(code), nil }
	return parseRates(data, known, func(c Currency) bool { return c == USD || of[c] })
}

// parseRates parses a table whose codes are currencies by parse. It keeps the rates of the
// currencies that keep reports, or all if keep is nil.
func parseRates(data []byte, parse func(code string) (Currency, error), keep func(Currency) bool) (Rates, error) {
	t, err := readTable(data, parse, keep)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	base, err := parse(t.base)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: base: %w", err)
	}
	if t.updatedAt == "" {
		return Rates{}, errors.New("parse rates: updatedAt: is missing")
	}
	at, err := time.Parse(time.RFC3339, t.updatedAt)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: updatedAt: %.40q is not an RFC 3339 time such as 2026-11-20T03:00:00Z", t.updatedAt)
	}
	r, err := newRates(base, t.decimals, at.UnixMilli(), parse)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	return r, nil
}

// rawTable is a table as its JSON has it.
type rawTable struct {
	base, updatedAt string
	decimals        map[Currency]string
}

// readTable reads the JSON of a table, which must have a base. parse and keep are those of
// parseRates.
func readTable(data []byte, parse func(code string) (Currency, error), keep func(Currency) bool) (rawTable, error) {
	t := rawTable{decimals: make(map[Currency]string)}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	readRate := func(code string) error {
		c, err := parse(code)
		if err != nil {
			return err
		}
		if keep != nil && !keep(c) {
			return d.SkipValue()
		}
		if _, twice := t.decimals[c]; twice {
			return fmt.Errorf("%s: is given twice", c)
		}
		value, err := d.ReadValue()
		t.decimals[c] = string(value)
		return err
	}
	err := eachMember(d, func(name string) error {
		switch name {
		case "base":
			return readString(d, name, &t.base)
		case "updatedAt":
			return readString(d, name, &t.updatedAt)
		case "rates":
			if err := eachMember(d, readRate); err != nil {
				return fmt.Errorf("rates: %w", err)
			}
			return nil
		}
		return d.SkipValue()
	})
	return t, tableError(d, err, t.base)
}

// tableError returns what is wrong with a table that d has read with err, in words.
func tableError(d *jsontext.Decoder, err error, base string) error {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("%.40s: is given twice", strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ": "))
	case syntax != nil, err == io.EOF:
		return fmt.Errorf("not JSON: %w", err)
	case err != nil:
		return err
	case base == "":
		return errors.New("base: is missing")
	}
	if _, more := d.ReadToken(); more != io.EOF {
		return errors.New("there is something after the object")
	}
	return nil
}

// eachMember calls read for each name of the object that comes next; read must
// read the value.
func eachMember(d *jsontext.Decoder, read func(name string) error) error {
	if kind := d.PeekKind(); kind != '{' && kind != 0 { // 0: invalid JSON
		return errors.New("must be an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// readString reads a string; null counts as absent.
func readString(d *jsontext.Decoder, name string, into *string) error {
	value, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case '"':
		*into = value.String()
	case 'n':
	default:
		return fmt.Errorf("%s: must be a string", name)
	}
	return nil
}
