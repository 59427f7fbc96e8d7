package feed

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// decoder turns the text of a line into a listing. It knows names and types
// only; Check knows the rules.
type decoder struct {
	scanner
	l       *catalog.Listing
	strings memo
	regions map[string]catalog.Region // codes met before
	unknown map[string]int
}

func newDecoder() decoder {
	return decoder{
		strings: make(memo),
		regions: make(map[string]catalog.Region),
		unknown: make(map[string]int),
	}
}

// line decodes one line into l, which must be zero.
func (d *decoder) line(data []byte, l *catalog.Listing) error {
	if !utf8.Valid(data) {
		return refuse("", "", "is not valid UTF-8")
	}
	d.reset(data)
	d.l = l
	if d.space() != '{' {
		return refuse("", shorten(string(data)), "is not a JSON object")
	}
	if err := d.members("", listingMembers); err != nil {
		return err
	}
	if d.space() != 0 || d.pos < len(d.data) {
		return d.unexpected()
	}
	return nil
}

// members reads an object by its table. The search for a name begins behind
// the one found last, because most feeds keep one order. Path is the object's
// own name in the count of unknown members: "price.".
func (d *decoder) members(path string, table []member) error {
	if d.space() != '{' {
		return d.wrongType("an object")
	}
	var seen uint64 // by place in the table
	var others map[string]struct{}
	next := 0
	return d.object(func(name []byte) error {
		at := find(table, next, name)
		if at < 0 {
			return d.other(&others, path, string(name))
		}
		if seen&(1<<at) != 0 {
			return refuse(table[at].name, "", "is given twice")
		}
		seen |= 1 << at
		next = at + 1
		return d.member(table[at])
	})
}

func find(table []member, from int, name []byte) int {
	for i := range table {
		at := from + i
		if at >= len(table) {
			at -= len(table)
		}
		if table[at].name == string(name) {
			return at
		}
	}
	return -1
}

func (d *decoder) member(m member) error {
	if d.absent() {
		return nil
	}
	err := m.read(d)
	if refused, ok := err.(*LineError); ok {
		return refused.inside(m.name)
	}
	return err
}

// absent steps over a null or an empty string.
func (d *decoder) absent() bool {
	d.space()
	rest := d.data[d.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("null")):
		d.pos += len("null")
	case bytes.HasPrefix(rest, []byte(`""`)):
		d.pos += len(`""`)
	default:
		return false
	}
	return true
}

// other counts and skips a member that the table does not have.
func (d *decoder) other(seen *map[string]struct{}, path, name string) error {
	if _, twice := (*seen)[name]; twice {
		return refuse(shorten(name), "", "is given twice")
	}
	if *seen == nil {
		*seen = make(map[string]struct{})
	}
	(*seen)[name] = struct{}{}
	d.countUnknown(path + shorten(name))
	return d.skip()
}

// maxUnknown bounds how many names are counted; further ones are left out.
const maxUnknown = 100

func (d *decoder) countUnknown(name string) {
	if _, known := d.unknown[name]; known || len(d.unknown) < maxUnknown {
		d.unknown[name]++
	}
}

// wrongType refuses the value that stands here.
func (d *decoder) wrongType(want string) error {
	kind, start := kindOf(d.space()), d.pos
	if err := d.skip(); err != nil {
		return err
	}
	return refuse("", shorten(string(d.data[start:d.pos])), "is "+kind+", not "+want)
}

func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// str reads a string; its bytes are valid until the next one is read.
func (d *decoder) str() ([]byte, error) {
	if d.space() != '"' {
		return nil, d.wrongType("a string")
	}
	return d.string()
}

// strs reads a list of strings; null stands for an empty one.
func (d *decoder) strs(into *[]string, keep func([]byte) string) error {
	if d.space() != '[' {
		return d.wrongType("a list")
	}
	return d.list(func() error {
		var b []byte
		if !d.absent() {
			var err error
			if b, err = d.str(); err != nil {
				return err
			}
		}
		if len(*into) == maxList {
			return tooMany("")
		}
		*into = append(*into, keep(b))
		return nil
	})
}

func (d *decoder) boolean() (bool, error) {
	switch d.space() {
	case 't':
		return true, d.literal("true")
	case 'f':
		return false, d.literal("false")
	}
	return false, d.wrongType("a boolean")
}

// time reads an RFC 3339 time. Zero means absent, so 1970 itself is refused.
func (d *decoder) time() (catalog.Millis, error) {
	b, err := d.str()
	if err != nil {
		return 0, err
	}
	var t time.Time
	if err := t.UnmarshalText(b); err != nil {
		return 0, refuse("", quoted(string(b)), "is not an RFC 3339 time such as 2026-11-20T03:00:00Z")
	}
	at := catalog.MillisOf(t)
	if at <= 0 || at > maxMillis {
		return 0, refuse("", quoted(string(b)), "is not between the years 1970 and 9999")
	}
	return at, nil
}

// integer reads a whole number from 0 to limit. A fraction is refused even if
// it is zero: who writes 12.0 may well mean 12 units, not 12 hundredths.
func (d *decoder) integer(limit int64) (int64, error) {
	if c := d.space(); c != '-' && !isDigit(c) {
		return 0, d.wrongType("an integer")
	}
	b, err := d.number()
	if err != nil {
		return 0, err
	}
	if bytes.ContainsAny(b, ".eE") {
		return 0, refuse("", shorten(string(b)), "is not written as an integer")
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || n < 0 || n > limit {
		return 0, refuse("", shorten(string(b)), fmt.Sprintf("is not between 0 and %d", limit))
	}
	return n, nil
}

func (d *decoder) platform() error {
	b, err := d.str()
	if err != nil {
		return err
	}
	if d.l.Platform, err = catalog.ParsePlatform(string(b)); err != nil {
		return refuse("", quoted(string(b)), "is not one of consolestore, pcstore")
	}
	return nil
}

func (d *decoder) region() error {
	b, err := d.str()
	if err != nil {
		return err
	}
	r, known := d.regions[string(b)]
	if !known {
		if r, err = catalog.ParseRegion(string(b)); err != nil {
			return refuse("", quoted(string(b)), "is not a country code (ISO 3166 alpha-2 or alpha-3)")
		}
		if len(b) <= len("UKR") { // not the endless ways to add white space
			d.regions[string(b)] = r
		}
	}
	d.l.Region = r
	return nil
}

func (d *decoder) listingType() error {
	b, err := d.str()
	if err != nil {
		return err
	}
	if d.l.Facts.Type, err = catalog.ParseType(string(b)); err != nil {
		return refuse("", quoted(string(b)), "is not one of game, dlc, edition, bundle, season-pass, subscription, base")
	}
	return nil
}

// titles reads the object locale → title.
func (d *decoder) titles() error {
	if d.space() != '{' {
		return d.wrongType("an object")
	}
	seen := make(map[string]struct{})
	return d.object(func(name []byte) error {
		locale := d.strings.of(name)
		if _, twice := seen[locale]; twice {
			return refuse(shorten(locale), "", "is given twice")
		}
		seen[locale] = struct{}{}
		if d.absent() {
			return nil
		}
		title, err := d.str()
		if refused, ok := err.(*LineError); ok {
			return refused.inside(shorten(locale))
		}
		if len(d.l.Facts.Titles) == maxList {
			return tooMany("")
		}
		d.l.Facts.Titles = append(d.l.Facts.Titles, catalog.LocalTitle{Locale: locale, Title: string(title)})
		return nil
	})
}

func (d *decoder) popularity() error {
	if c := d.space(); c != '-' && !isDigit(c) {
		return d.wrongType("a number")
	}
	b, err := d.number()
	if err != nil {
		return err
	}
	if d.l.Popularity, err = strconv.ParseFloat(string(b), 64); err != nil {
		return refuse("", shorten(string(b)), "is too large")
	}
	return nil
}

func (d *decoder) price() error {
	d.l.Price = &catalog.Price{Base: money.None, Current: money.None, DiscountPercent: catalog.NoPercent}
	return d.members("price.", priceMembers)
}

func (d *decoder) currency() error {
	b, err := d.str()
	d.l.Price.Currency = money.Currency(d.strings.of(b))
	return err
}

func (d *decoder) base() error {
	n, err := d.integer(int64(maxAmount))
	d.l.Price.Base = money.Amount(n)
	return err
}

func (d *decoder) current() error {
	n, err := d.integer(int64(maxAmount))
	d.l.Price.Current = money.Amount(n)
	return err
}

func (d *decoder) percent() error {
	n, err := d.integer(maxPercent)
	d.l.Price.DiscountPercent = int(n)
	return err
}

// memo keeps one copy of short strings that come again and again.
type memo map[string]string

const (
	memoStrings = 4096 // when full, it starts again
	memoBytes   = 100  // longer strings are not kept
)

func (m memo) of(b []byte) string {
	if len(b) > memoBytes {
		return string(b)
	}
	if s, known := m[string(b)]; known {
		return s
	}
	if len(m) >= memoStrings {
		clear(m)
	}
	s := string(b)
	m[s] = s
	return s
}
