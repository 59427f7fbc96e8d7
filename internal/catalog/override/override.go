// Package override reads the operator's corrections of what listings say. Merging
// applies them.
package override

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
)

// Rule overrides what the listings of one product say. A nil field leaves the
// decision to the listings.
type Rule struct {
	Platform catalog.Platform
	Product  string
	Family   *string // empty: no other product is in its family
	Edition  *string // empty: the standard edition
	Type     *catalog.Type
}

// Set holds the rules of some products. The zero value is empty. The set
// never changes after New.
type Set struct {
	by map[catalog.Key]Rule // without regions
}

// New returns the set of a list. If a product repeats, its last override
// counts.
func New(list ...Rule) Set {
	by := make(map[catalog.Key]Rule, len(list))
	for _, o := range list {
		by[catalog.Key{Platform: o.Platform, Product: o.Product}] = o
	}
	return Set{by: by}
}

// ErrUnavailable means that the overrides cannot be read now. Whoever makes
// cards must wait.
var ErrUnavailable = errors.New("the overrides are unavailable")

// Find returns the override of a product.
func (s Set) Find(p catalog.Platform, product string) (Rule, bool) {
	found, ok := s.by[catalog.Key{Platform: p, Product: product}]
	return found, ok
}

// Len returns the number of overridden products.
func (s Set) Len() int { return len(s.by) }

// Unmatched returns the products, sorted, that are overridden and have no listing.
func (s Set) Unmatched(entries []catalog.Entry) (products []string) {
	if len(s.by) == 0 {
		return nil
	}
	left := maps.Clone(s.by)
	for i := range entries {
		delete(left, catalog.Key{Platform: entries[i].Platform, Product: entries[i].Product})
	}
	for k := range left {
		products = append(products, k.Product)
	}
	slices.Sort(products)
	return products
}

// Hash returns a number that differs between different sets. The order of lines does
// not matter. The hash of the empty set is 0.
func (s Set) Hash() uint64 {
	if len(s.by) == 0 {
		return 0
	}
	var b []byte
	for _, k := range slices.SortedFunc(maps.Keys(s.by), catalog.Key.Compare) {
		override := s.by[k]
		b = catalog.AppendString(append(b, byte(k.Platform)), k.Product)
		for _, text := range [...]*string{override.Family, override.Edition} {
			if text == nil {
				b = append(b, 0)
			} else {
				b = catalog.AppendString(append(b, 1), *text)
			}
		}
		if override.Type == nil {
			b = append(b, 0)
		} else {
			b = append(b, 1, byte(*override.Type))
		}
	}
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}

// Parse reads a file of rules: one JSON object a line with
// "platform", "product" and any of "family", "edition", "type", all of them
// strings. Empty lines and lines that begin with # are skipped. Anything else is
// an error that names line and field, even an unknown field or a repeated product,
// because a correction that is understood only in part would be wrong.
func Parse(text []byte) (Set, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var list []Rule
	lines := map[catalog.Key]int{}
	for n := 1; len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		o, err := parseRule(line)
		switch {
		case err != nil:
		case o.Platform == 0:
			err = errors.New("platform: is missing")
		case o.Product == "":
			err = errors.New("product: is missing")
		case o.Family == nil && o.Edition == nil && o.Type == nil:
			err = errors.New("corrects nothing: add family, edition or type")
		}
		if err != nil {
			return Set{}, fmt.Errorf("line %d: %w", n, err)
		}
		key := catalog.Key{Platform: o.Platform, Product: o.Product}
		if before, twice := lines[key]; twice {
			return Set{}, fmt.Errorf("line %d: product: %q is overridden in line %d already", n, o.Product, before)
		}
		lines[key] = n
		list = append(list, o)
	}
	return New(list...), nil
}

// maxText is the bound of these texts in the feed, in bytes.
const maxText = 4096

// checkText refuses what the feed refuses in these texts. Package json gives the
// character U+FFFD for bytes that are not UTF-8.
func checkText(s string) error {
	switch {
	case len(s) > maxText:
		return fmt.Errorf("is longer than %d bytes", maxText)
	case strings.Contains(s, "\ufffd"):
		return errors.New("is not valid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("has a control character")
	}
	return nil
}

// parseRule reads a JSON object in which all values are strings.
func parseRule(line []byte) (o Rule, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return o, errors.New("is not a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		first, err := dec.Token()
		if err != nil {
			return o, fmt.Errorf("is not JSON: %w", err)
		}
		second, err := dec.Token()
		if err != nil {
			return o, fmt.Errorf("is not JSON: %w", err)
		}
		name, isName := first.(string)
		value, isText := second.(string)
		switch {
		case !isName || !isText:
			return o, fmt.Errorf("%v: is not a string", first)
		case seen[name]:
			return o, fmt.Errorf("%s: is given twice", name)
		}
		seen[name] = true
		if err := checkText(value); err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
		if err := o.set(name, value); err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return o, fmt.Errorf("is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("has more after the object")
	}
	return o, nil
}

// set sets the field with a name.
func (o *Rule) set(name, value string) (err error) {
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
		o.Type = new(catalog.Type)
		*o.Type, err = catalog.ParseType(value)
	default:
		err = errors.New("is not a field; there are platform, product, family, edition, type")
	}
	return err
}
