package money

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
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
	var table struct {
		Base      string   `json:"base"`
		Rates     decimals `json:"rates"`
		UpdatedAt string   `json:"updatedAt"`
	}
	table.Rates = decimals{parse: parse, keep: keep, of: make(map[Currency]string)}
	if err := json.Unmarshal(data, &table); err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", tableError(err))
	}
	if table.Base == "" {
		return Rates{}, errors.New("parse rates: base: is missing")
	}
	base, err := parse(table.Base)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: base: %w", err)
	}
	if table.UpdatedAt == "" {
		return Rates{}, errors.New("parse rates: updatedAt: is missing")
	}
	at, err := time.Parse(time.RFC3339, table.UpdatedAt)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: updatedAt: %.40q is not an RFC 3339 time such as 2026-11-20T03:00:00Z", table.UpdatedAt)
	}
	r, err := newRates(base, table.Rates.of, at.UnixMilli(), parse)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	return r, nil
}

// decimals are the rates of a table, as written. parse and keep are those of parseRates.
type decimals struct {
	parse func(code string) (Currency, error)
	keep  func(Currency) bool
	of    map[Currency]string
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It copies only the rates that it keeps,
// because tables of the past have many that nobody needs.
func (t *decimals) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '{' {
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
		c, err := t.parse(name.String())
		if err != nil {
			return err
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if t.keep != nil && !t.keep(c) {
			continue
		}
		if _, twice := t.of[c]; twice {
			return fmt.Errorf("%s: is given twice", c)
		}
		t.of[c] = string(value)
	}
	_, err := d.ReadToken()
	return err
}

// tableError says in words why a table cannot be read, and names the field.
func tableError(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("%.40s: is given twice", strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ": "))
		}
		return fmt.Errorf("not JSON: %w", syntax)
	}
	bad, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("not JSON: %w", err)
	}
	field, _, _ := strings.Cut(strings.TrimPrefix(string(bad.JSONPointer), "/"), "/")
	switch {
	case field == "":
		return errors.New("must be an object")
	case bad.Err != nil:
		return fmt.Errorf("%s: %w", field, bad.Err)
	}
	return fmt.Errorf("%s: must be a string", field)
}
