package params

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Query reads the parameters of a query string one after the other, in the order
// of the specification's tables, and remembers the first fault. It is also a
// source of lists: all values of a repeated parameter are joined. Its memory is
// reused.
type Query struct {
	pairs []pair
	fault *Fault
}

// Parse begins a query string.
func (q *Query) Parse(raw string) {
	q.pairs, q.fault = appendPairs(q.pairs[:0], raw), nil
}

// Reset clears the query. It releases the memory of one that was far longer than
// usual.
func (q *Query) Reset() {
	clear(q.pairs)
	q.fault = nil
	if cap(q.pairs) > keptPairs {
		q.pairs = nil
	}
}

// Err returns the first fault, a [*Fault]; if there is none, that of a parameter
// that was not read.
func (q *Query) Err() error {
	if q.fault == nil {
		q.fault = q.Rest()
	}
	if q.fault != nil {
		return q.fault
	}
	return nil
}

// firstValue returns the first value of a parameter. An empty value counts as
// absent. A broken value is a fault even if it is not the first.
func (q *Query) firstValue(name string) (text string, ok bool) {
	for i := range q.pairs {
		if q.pairs[i].name != name {
			continue
		}
		if q.pairs[i].broken {
			q.setFault(name, textValue(q.pairs[i].raw), Encoding)
			return "", false
		}
		if !ok {
			text, ok = q.pairs[i].text, true
		}
	}
	return text, ok && text != ""
}

func (q *Query) setFault(name string, sent Value, constraint string) {
	q.note(&Fault{Field: name, Sent: sent, Constraint: constraint})
}

// note notes a fault, which may be nil, if it is the first.
func (q *Query) note(fault *Fault) {
	if q.fault == nil {
		q.fault = fault
	}
}

// Text reads a required text, trimmed and with its white space folded, whose
// length in code points is between least and most.
func (q *Query) Text(name string, least, most int) string {
	sent, ok := q.firstValue(name)
	if !ok {
		q.setFault(name, "", Required)
		return ""
	}
	folded := strings.Join(strings.Fields(sent), " ")
	switch n := utf8.RuneCountInString(folded); {
	case n < least:
		q.setFault(name, textValue(sent), "minLength:"+strconv.Itoa(least))
	case n > most:
		q.setFault(name, textValue(sent), "maxLength:"+strconv.Itoa(most))
	}
	return folded
}

// Integer reads a whole number between least and most; zeros after a decimal point do not
// matter.
func (q *Query) Integer(name string, absent, least, most int) int {
	sent, ok := q.firstValue(name)
	if !ok {
		return absent
	}
	whole, decimals, _ := strings.Cut(sent, ".")
	if strings.Trim(decimals, "0") != "" || decimals == "" {
		whole = sent
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // n is the nearest number that fits 64 bits
	}
	switch {
	case err != nil, strings.HasPrefix(sent, "+"):
		q.setFault(name, textValue(sent), Integer)
	case n < int64(least):
		q.setFault(name, textValue(sent), "min:"+strconv.Itoa(least))
	case n > int64(most):
		q.setFault(name, textValue(sent), "max:"+strconv.Itoa(most))
	}
	return int(n)
}

// Boolean reads 1, true, 0 or false in any case. A name without = is true.
func (q *Query) Boolean(name string) bool {
	sent, _ := q.firstValue(name)
	if i := slices.IndexFunc(q.pairs, func(p pair) bool { return p.name == name }); i >= 0 && q.pairs[i].bare {
		return true
	}
	switch strings.ToLower(strings.TrimSpace(sent)) {
	case "1", "true":
		return true
	case "0", "false", "":
		return false
	}
	q.setFault(name, textValue(sent), Boolean)
	return false
}

// AnyPlatform is the name of all platforms together.
const AnyPlatform = "all"

// Platform reads a platform; AnyPlatform is zero.
func (q *Query) Platform(name string) catalog.Platform {
	sent, _ := q.firstValue(name)
	platform, fault := ParsePlatform(name, sent, AnyPlatform)
	q.note(fault)
	return platform
}

// ParsePlatform returns the platform with a name, or zero for the word for any of
// them and for an empty name.
func ParsePlatform(field, sent, any string) (catalog.Platform, *Fault) {
	name := strings.TrimSpace(sent)
	if name == "" || strings.EqualFold(name, any) {
		return 0, nil
	}
	platform, err := catalog.ParsePlatform(name)
	if err != nil {
		constraint := "enum:" + any
		for _, p := range catalog.Platforms() {
			constraint += "," + p.String()
		}
		return 0, &Fault{Field: field, Sent: textValue(sent), Constraint: constraint}
	}
	return platform, nil
}

// Currency reads an ISO 4217 code; it is "" if none was sent.
func (q *Query) Currency(name string) money.Currency {
	return read(q, name, ParseCurrency)
}

// Language reads a language tag; it is "" if none was sent.
func (q *Query) Language(name string) catalog.Language {
	return read(q, name, ParseLanguage)
}

// read reads a parameter, and notes its fault.
func read[T any](q *Query, name string, parse func(List) (T, *Fault)) T {
	value, fault := parse(q.List(name, String))
	q.note(fault)
	return value
}

// List implements [Reader].
func (q *Query) List(field, _ string) List {
	l := List{field: field}
	for _, p := range q.pairs {
		if p.name != field {
			continue
		}
		if p.broken {
			l.Fault = &Fault{Field: field, Sent: textValue(p.raw), Constraint: Encoding}
			return l
		}
		l.Texts = append(l.Texts, p.text)
	}
	return l
}

// Rest implements [Reader]: even unknown parameters must be well-formed.
func (q *Query) Rest() *Fault {
	for _, p := range q.pairs {
		if p.broken {
			return &Fault{Field: p.name, Sent: textValue(p.raw), Constraint: Encoding}
		}
	}
	return nil
}

// keptPairs is the length of a query string, in pairs, above which its memory is
// not kept.
const keptPairs = 32

// pair is one name=value of a query string, decoded.
type pair struct {
	name, text string
	raw        string // the value before decoding
	bare       bool   // it has no =
	broken     bool   // a percent escape or the UTF-8 of name or value is broken
}

// appendPairs appends the pairs of a raw query string. Only & separates them: a
// raw semicolon is part of a value, because it separates ids.
func appendPairs(pairs []pair, raw string) []pair {
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, text, assigned := strings.Cut(part, "=")
		p := pair{raw: text, bare: !assigned}
		var nameOK, textOK bool
		p.name, nameOK = unescape(name)
		p.text, textOK = unescape(text)
		p.broken = !nameOK || !textOK
		pairs = append(pairs, p)
	}
	return pairs
}

// unescape decodes percent escapes and + as form encoding has it. It returns s
// itself, and false, if an escape is broken or the result is not UTF-8.
func unescape(s string) (string, bool) {
	text, err := url.QueryUnescape(s)
	if err != nil || !utf8.ValidString(text) {
		return s, false
	}
	return text, true
}
