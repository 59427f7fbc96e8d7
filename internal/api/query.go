package api

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// pair is one name=value of a query string, decoded.
type pair struct {
	name, text string
	raw        string // the value before decoding
	bare       bool   // it has no =
	broken     bool   // a percent escape or the UTF-8 of name or value is broken
}

// appendQuery appends the pairs of a raw query string. Only & separates them: a
// raw semicolon is part of a value, because it separates ids.
func appendQuery(pairs []pair, raw string) []pair {
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

// queryList is the query string as a source of bulk parameters: all values of a
// repeated parameter are joined.
type queryList []pair

func (q queryList) list(field, _ string) given {
	g := given{field: field}
	for _, p := range q {
		if p.name != field {
			continue
		}
		if p.broken {
			g.fault = invalid(field, textValue(p.raw), constraintEncoding)
			return g
		}
		g.texts = append(g.texts, p.text)
	}
	return g
}

func (q queryList) rest() *problem { return brokenPair(q) }

// brokenPair returns the fault of the first pair that could not be decoded, nil
// if there is none: even unknown parameters must be well-formed.
func brokenPair(pairs []pair) *problem {
	for _, p := range pairs {
		if p.broken {
			return invalid(p.name, textValue(p.raw), constraintEncoding)
		}
	}
	return nil
}
