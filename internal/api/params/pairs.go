package params

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

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
