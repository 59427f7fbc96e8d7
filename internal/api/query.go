package api

import (
	"strings"
	"unicode/utf8"
)

// pair is one name=value of a query string, decoded.
type pair struct {
	name, text string
	raw        string // the value before decoding
	broken     bool   // a percent escape or the UTF-8 of name or value is broken
}

// splitQuery splits a raw query string into its pairs. Only & separates them: a
// raw semicolon is part of a value, because it separates ids.
func splitQuery(raw string) []pair {
	if raw == "" {
		return nil
	}
	return appendQuery(make([]pair, 0, 8), raw)
}

// appendQuery appends what splitQuery returns.
func appendQuery(pairs []pair, raw string) []pair {
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, text, _ := strings.Cut(part, "=")
		p := pair{raw: text}
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
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, utf8.ValidString(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return s, false
			}
			out = append(out, fromHex(s[i+1])<<4|fromHex(s[i+2]))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	if !utf8.Valid(out) {
		return s, false
	}
	return string(out), true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// queryList is the query string as a source of bulk parameters: all values of a
// repeated parameter are joined.
type queryList []pair

func (q queryList) list(field, _ string) given {
	g := given{field: field}
	var sent []string
	for _, p := range q {
		if p.name != field {
			continue
		}
		if p.broken {
			g.fault = invalid(field, textValue(p.raw), constraintEncoding)
			return g
		}
		sent = append(sent, p.text)
	}
	g.texts = sent
	g.value = func() value {
		if len(sent) == 0 {
			return ""
		}
		return textValue(strings.Join(sent, ","))
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
