package money

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// ParseRates reads a table in the shape of the exchange-rates answer:
//
//	{"base":"USD","rates":{"UAH":41.95},"updatedAt":"2026-11-20T03:00:00Z"}
//
// Numbers are kept exactly as written. Currency codes may be in any case; other
// fields are ignored. It refuses what NewRates refuses, codes that are not ISO
// 4217, numbers in quotes, a key given twice, and anything after the object;
// errors name the field.
func ParseRates(data []byte) (Rates, error) {
	var raw rawRates
	d := json.NewDecoder(bytes.NewReader(data))
	if err := eachField(d, raw.readField); err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Rates{}, errors.New("parse rates: something follows the object")
	}
	r, err := raw.table()
	if err != nil {
		return Rates{}, fmt.Errorf("parse rates: %w", err)
	}
	return r, nil
}

// rawRates is the table as read, before it is judged.
type rawRates struct {
	base, updatedAt string
	decimals        map[Currency]string
}

// readField takes one field of the table.
func (raw *rawRates) readField(name string, value json.RawMessage) error {
	switch name {
	case "base":
		return readString(name, value, &raw.base)
	case "updatedAt":
		return readString(name, value, &raw.updatedAt)
	case "rates":
		raw.decimals = make(map[Currency]string)
		if err := eachField(json.NewDecoder(bytes.NewReader(value)), raw.readRate); err != nil {
			return fmt.Errorf("rates: %w", err)
		}
	}
	return nil
}

// readRate takes one entry of the rates object.
func (raw *rawRates) readRate(code string, value json.RawMessage) error {
	c, err := ParseCurrency(code)
	if err != nil {
		return err
	}
	if _, twice := raw.decimals[c]; twice {
		return fmt.Errorf("%s: is given twice", c)
	}
	raw.decimals[c] = string(value)
	return nil
}

// table judges what was read.
func (raw *rawRates) table() (Rates, error) {
	if raw.base == "" {
		return Rates{}, errors.New("base: is missing")
	}
	base, err := ParseCurrency(raw.base)
	if err != nil {
		return Rates{}, fmt.Errorf("base: %w", err)
	}
	at, err := time.Parse(time.RFC3339, raw.updatedAt)
	if err != nil {
		return Rates{}, fmt.Errorf("updatedAt: %.40q is not an RFC 3339 time", raw.updatedAt)
	}
	return NewRates(base, raw.decimals, at.UnixMilli())
}

// eachField calls take with every field of the object that comes next in d, in
// order, and refuses a name given twice.
func eachField(d *json.Decoder, take func(name string, value json.RawMessage) error) error {
	open, err := d.Token()
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if open != json.Delim('{') {
		return errors.New("must be an object")
	}
	seen := make(map[string]bool)
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
		key := name.(string) // between the braces a token before a value is a name
		if seen[key] {
			return fmt.Errorf("%.40s: is given twice", key)
		}
		seen[key] = true
		if err := take(key, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return nil
}

// readString takes a string; null is as good as absent.
func readString(name string, value json.RawMessage, into *string) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%s: must be a string", name)
	}
	return nil
}
