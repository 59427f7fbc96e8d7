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
// are ignored. An entry whose code was no currency in use at updatedAt, or whose rate is
// not a number above zero, is skipped: see [Rates.Skipped]. ParseRates refuses a repeated
// key, anything after the object, and tables that NewRates refuses without these entries.
// Errors name the field.
func ParseRates(data []byte) (Rates, error) { return parseRates(data, nil) }

// ParsePastRates is ParseRates for the rates of some currencies and of USD, which takes
// less time.
func ParsePastRates(data []byte, of map[Currency]bool) (Rates, error) {
	return parseRates(data, func(c Currency) bool { return c == USD || of[c] })
}

// parseRates parses the rates of the currencies that keep reports, or all if keep is nil.
func parseRates(data []byte, keep func(Currency) bool) (Rates, error) {
	var table struct {
		Base      string   `json:"base"`
		Rates     decimals `json:"rates"`
		UpdatedAt string   `json:"updatedAt"`
	}
	table.Rates = decimals{keep: keep, of: make(map[Currency]string)}
	if err := json.Unmarshal(data, &table); err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", tableError(err))
	}
	if table.Base == "" {
		return Rates{}, errors.New("parse rates: base: is missing")
	}
	if table.UpdatedAt == "" {
		return Rates{}, errors.New("parse rates: updatedAt: is missing")
	}
	at, err := time.Parse(time.RFC3339, table.UpdatedAt)
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: updatedAt: %.40q is not an RFC 3339 time such as 2026-11-20T03:00:00Z", table.UpdatedAt)
	}
	r, err := newRates(codeOf(table.Base), table.Rates.of, at.UnixMilli())
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	return r, nil
}

// codeOf returns the form that the code of a currency would have.
func codeOf(s string) Currency { return Currency(strings.ToUpper(strings.TrimSpace(s))) }

// decimals are the rates of a table as written, by codes that may be of no currency. keep
// is that of parseRates.
type decimals struct {
	keep func(Currency) bool
	of   map[Currency]string
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
		c := codeOf(name.String())
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if t.keep != nil && !t.keep(c) {
			continue
		}
		if _, twice := t.of[c]; twice {
			return fmt.Errorf("%.20s: is given twice", c)
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
