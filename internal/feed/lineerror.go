package feed

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// LineError says why a listing is refused. Reading goes on after it.
type LineError struct {
	Line   int    // from 1; 0 for a listing that is not from a line
	Field  string // as the feed names it: "price.current"; empty: the line as a whole
	Value  string // as it was given, strings quoted, shortened; empty if there is none
	Reason string // "is above base 4000"
}

// Error is one sentence: "line 12: price.current: 5000 is above base 4000".
func (e *LineError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		b.WriteString("line " + strconv.Itoa(e.Line) + ": ")
	}
	if e.Field != "" {
		b.WriteString(printable(e.Field) + ": ")
	}
	if e.Value != "" {
		b.WriteString(printable(e.Value) + " ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// printable escapes what a terminal would obey or not show: a feed is somebody
// else's.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// inside names the member that held e's field: "current" inside "price" is
// "price.current".
func (e *LineError) inside(member string) *LineError {
	if e.Field != "" {
		member += "." + e.Field
	}
	e.Field = member
	return e
}

func refuse(field, value, reason string) *LineError {
	return &LineError{Field: field, Value: value, Reason: reason}
}

const maxShown = 60

func quoted(s string) string { return strconv.Quote(shorten(s)) }

// shorten cuts between code points, so that the rest stays valid UTF-8.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
