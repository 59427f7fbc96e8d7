package feed

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// LineError is the reason why a listing is refused. The next lines can still be read.
type LineError struct {
	Line   int    // from 1; 0 for a listing that is not from a line
	Field  string // as in the feed: "price.current", or the column of a table; empty: the whole line
	Value  string // as in the feed, strings quoted, shortened; empty if there is none
	Reason string // "is above base 4000"
}

// Error returns one sentence: "line 12: price.current: 5000 is above base 4000".
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

// printable escapes characters that a terminal would interpret or not show, because
// feeds come from others.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// inside puts the name of the containing member before e's field: "current" inside
// "price" becomes "price.current".
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

// shorten cuts s between code points, so that the result is valid UTF-8.
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
