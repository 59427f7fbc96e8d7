package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// maxDepth is the deepest nesting of a line; the format itself needs three levels.
const maxDepth = 100

// maxUnknown is the most unknown names that are counted.
const maxUnknown = 100

// decoder decodes a line into a listing. It checks only names and JSON types; Check
// checks the rules.
type decoder struct {
	json     *jsontext.Decoder
	input    bytes.Buffer // the line, from which json reads
	line     []byte
	unquoted []byte // the last string that had escapes
	l        *catalog.Listing
	regions  map[string]catalog.Region // by codes already seen
	unknown  map[string]int
}

func (d *decoder) decode(line []byte, l *catalog.Listing) error {
	if !utf8.Valid(line) {
		return refuse("", "", "is not valid UTF-8")
	}
	if !bytes.HasPrefix(trimSpace(line), []byte("{")) {
		return refuse("", shorten(string(line)), "is not a JSON object")
	}
	d.line, d.l, d.input = line, l, *bytes.NewBuffer(line)
	d.json.Reset(&d.input)
	if err := d.readMembers(value{kind: '{'}, "", listingMembers); err != nil {
		return d.explain(err)
	}
	if rest := trimSpace(d.json.UnreadBuffer()); len(rest) > 0 {
		return d.unexpected(len(line) - len(rest))
	}
	return nil
}

func trimSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

func (d *decoder) explain(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	at := int(syntax.ByteOffset)
	switch rest := d.line[at:]; {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return refuse(shorten(syntax.JSONPointer.LastToken()), "", "is given twice")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("", "", "is not JSON: ends too early")
	case bytes.HasPrefix(rest, []byte(",")): // jsontext reports the comma instead of the '}' or ']' after it
		if next := trimSpace(rest[1:]); len(next) > 0 && (next[0] == '}' || next[0] == ']') {
			at = len(d.line) - len(next)
		}
	case len(rest) > 6 && rest[0] == '\\' && rest[1] == 'u' && rest[2]|0x20 == 'd' && rest[3] >= '8':
		return notJSON("half of a surrogate pair before", at+6)
	}
	return d.unexpected(at)
}

func (d *decoder) unexpected(at int) *LineError {
	r, _ := utf8.DecodeRune(d.line[at:])
	return notJSON(fmt.Sprintf("unexpected %q", r), at)
}

func notJSON(what string, at int) *LineError {
	return refuse("", "", fmt.Sprintf("is not JSON: %s at byte %d", what, at+1))
}

// value is a JSON value. The text of a scalar has been read; the contents of an object
// or a list have not.
type value struct {
	kind jsontext.Kind
	raw  []byte // of a scalar
}

func (v value) absent() bool { return v.kind == 'n' || string(v.raw) == `""` }

func (d *decoder) nextValue() (v value, err error) {
	v.kind = d.json.PeekKind()
	if v.kind != '{' && v.kind != '[' {
		v.raw, err = d.json.ReadValue()
	}
	return v, err
}

// readMembers reads an object according to a table. It searches a name starting after
// the name found last, because most feeds keep one order. path is the prefix of the
// object's unknown members in their count, such as "price.".
func (d *decoder) readMembers(object value, path string, table []member) error {
	next := 0
	return d.readObject(object, func(name []byte) error {
		named := func(m member) bool { return m.name == string(name) }
		at := slices.IndexFunc(table[next:], named)
		if at >= 0 {
			at += next
		} else if at = slices.IndexFunc(table[:next], named); at < 0 {
			full := path + shorten(string(name))
			if _, known := d.unknown[full]; known || len(d.unknown) < maxUnknown {
				d.unknown[full]++
			}
			return d.skipValue()
		}
		next = at + 1
		v, err := d.nextValue()
		if err == nil && !v.absent() {
			err = table[at].read(d, v)
		}
		return d.inside(table[at].name, err)
	})
}

// inside converts an error to a *LineError and puts a member's name before its field.
func (d *decoder) inside(member string, err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := d.explain(err).(*LineError); ok {
		return refused.inside(member)
	}
	return err
}

// readObject calls member for each name, which must read the value.
func (d *decoder) readObject(v value, member func(name []byte) error) error {
	if v.kind != '{' {
		return d.wrongType(v, "an object")
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != '}' {
		name, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		if err := member(d.unquote(name)); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// unquote returns the text of a JSON string, valid until the next call.
func (d *decoder) unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	d.unquoted, _ = jsontext.AppendUnquote(d.unquoted[:0], raw) // json has checked the string
	return d.unquoted
}

func (d *decoder) skipValue() error {
	for depth := d.json.StackDepth(); ; {
		if _, err := d.json.ReadToken(); err != nil {
			return err
		}
		if now := d.json.StackDepth(); now > maxDepth {
			return notJSON(fmt.Sprintf("nested deeper than %d", maxDepth), int(d.json.InputOffset())-1)
		} else if now == depth {
			return nil
		}
	}
}

func (d *decoder) wrongType(v value, want string) (err error) {
	if v.raw == nil {
		if v.raw, err = d.json.ReadValue(); err != nil {
			return err
		}
	}
	return refuse("", shorten(string(v.raw)), "is "+kindNames[v.kind]+", not "+want)
}

var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "a list", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '0': "a number",
}

// readString returns a string; its bytes are valid until the next one is read.
func (d *decoder) readString(v value) ([]byte, error) {
	if v.kind != '"' {
		return nil, d.wrongType(v, "a string")
	}
	return d.unquote(v.raw), nil
}

func (d *decoder) readStrings(list value, into *[]string) error {
	if list.kind != '[' {
		return d.wrongType(list, "a list")
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != ']' {
		v, err := d.nextValue()
		if err != nil {
			return err
		}
		var b []byte
		if !v.absent() {
			if b, err = d.readString(v); err != nil {
				return err
			}
		}
		if len(*into) == maxList {
			return tooMany("")
		}
		*into = append(*into, string(b))
	}
	_, err := d.json.ReadToken()
	return err
}

// readTime reads an RFC 3339 time. It refuses the first millisecond of 1970, because zero
// means absent.
func (d *decoder) readTime(v value) (catalog.Millis, error) {
	b, err := d.readString(v)
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

// readAmount reads hundredths. It refuses any fraction, even zero: 12.0 may mean 12
// units, not 12 hundredths.
func (d *decoder) readAmount(v value) (money.Amount, error) {
	if v.kind == '0' && v.isFraction() {
		reason := "must be whole hundredths"
		if f, err := strconv.ParseFloat(string(v.raw), 64); err == nil && f >= 0 && f <= float64(maxAmount)/100 {
			if n := math.Round(100 * f); math.Abs(n-100*f) < 1e-6 { // not for 1.999, which may be 1999
				reason += fmt.Sprintf(": %.0f", n)
			}
		}
		return 0, refuse("", shorten(string(v.raw)), reason)
	}
	n, err := d.readInteger(v, int64(maxAmount))
	return money.Amount(n), err
}

func (v value) isFraction() bool { return bytes.ContainsAny(v.raw, ".eE") }

func (d *decoder) readInteger(v value, limit int64) (int64, error) {
	if v.kind != '0' {
		return 0, d.wrongType(v, "an integer")
	}
	if v.isFraction() {
		return 0, refuse("", shorten(string(v.raw)), "must be a whole number")
	}
	n, err := strconv.ParseInt(string(v.raw), 10, 64)
	if err != nil || n < 0 || n > limit {
		return 0, refuse("", shorten(string(v.raw)), fmt.Sprintf("is not between 0 and %d", limit))
	}
	return n, nil
}

func (d *decoder) readRegion(v value) error {
	b, err := d.readString(v)
	if err != nil {
		return err
	}
	r, known := d.regions[string(b)]
	if !known {
		if r, err = catalog.ParseRegion(string(b)); err != nil {
			return refuse("", quoted(string(b)), "is not a country code (ISO 3166 alpha-2 or alpha-3)")
		}
		if len(b) <= len("UKR") { // do not cache codes with any amount of white space
			d.regions[string(b)] = r
		}
	}
	d.l.Region = r
	return nil
}

func (d *decoder) readTitles(v value) error {
	return d.readObject(v, func(name []byte) error {
		locale := string(name)
		v, err := d.nextValue()
		if err != nil || v.absent() {
			return err
		}
		title, err := d.readString(v)
		if err != nil {
			return d.inside(shorten(locale), err)
		}
		if len(d.l.Facts.Titles) == maxList {
			return tooMany("")
		}
		d.l.Facts.Titles = append(d.l.Facts.Titles, catalog.LocalTitle{Locale: locale, Title: string(title)})
		return nil
	})
}

func (d *decoder) readPopularity(v value) (err error) {
	if v.kind != '0' {
		return d.wrongType(v, "a number")
	}
	if d.l.Popularity, err = strconv.ParseFloat(string(v.raw), 64); err != nil {
		return refuse("", shorten(string(v.raw)), "is too large")
	}
	return nil
}

func (d *decoder) readPrice(v value) error {
	d.l.Price = &catalog.Price{Base: money.None, Current: money.None, DiscountPercent: catalog.NoPercent}
	return d.readMembers(v, "price.", priceMembers)
}
