package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gamedex/internal/catalog"
)

// ParseOverrides reads the operator's corrections: one JSON object a line with
// "platform", "product" and any of "family", "edition", "type", all of them
// texts. Empty lines and lines that begin with # are skipped. Anything else,
// an unknown field or a product that comes twice included, is an error that
// names line and field: a correction that is half understood corrects wrongly.
func ParseOverrides(text []byte) (Overrides, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var list []Override
	lines := map[productKey]int{}
	for n := 1; len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		var o Override
		err := readTextFields(line, o.setField)
		switch {
		case err != nil:
		case o.Platform == 0:
			err = errors.New("platform: is missing")
		case o.Product == "":
			err = errors.New("product: is missing")
		case o.Family == nil && o.Edition == nil && o.Type == nil:
			err = errors.New("says nothing: give family, edition or type")
		}
		if err != nil {
			return Overrides{}, fmt.Errorf("line %d: %w", n, err)
		}
		key := productKey{o.Platform, o.Product}
		if before, twice := lines[key]; twice {
			return Overrides{}, fmt.Errorf("line %d: product: %q is overridden in line %d already", n, o.Product, before)
		}
		lines[key] = n
		list = append(list, o)
	}
	return NewOverrides(list...), nil
}

func (o *Override) setField(name, value string) (err error) {
	switch name {
	case "platform":
		o.Platform, err = catalog.ParsePlatform(value)
	case "product":
		o.Product = value
	case "family":
		o.Family = &value
	case "edition":
		o.Edition = &value
	case "type":
		var t catalog.Type
		t, err = catalog.ParseType(value)
		o.Type = &t
	default:
		err = errors.New("is not a field; there are platform, product, family, edition, type")
	}
	return err
}

// readTextFields reads a JSON object that holds nothing but texts.
func readTextFields(line []byte, take func(name, value string) error) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("is not a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		first, err := dec.Token()
		if err != nil {
			return fmt.Errorf("is not JSON: %w", err)
		}
		second, err := dec.Token()
		if err != nil {
			return fmt.Errorf("is not JSON: %w", err)
		}
		name, isName := first.(string)
		value, isText := second.(string)
		switch {
		case !isName || !isText:
			return fmt.Errorf("%v: is not a text", first)
		case seen[name]:
			return fmt.Errorf("%s: is given twice", name)
		}
		seen[name] = true
		if err := take(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more after the object")
	}
	return nil
}
