package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Guard returns a text as a cell that a spreadsheet does not take for a formula, and that
// the reader does not trim: a ' before one of = + - @, also as wide as those of Japanese
// text, or white space at the beginning, and a ' after white space at the end. unguard
// returns the text.
func Guard(text string) string {
	if beginsWithRisk(text) {
		text = "'" + text
	}
	if endsWithSpace(text) {
		text += "'"
	}
	return text
}

// unguard takes away what Guard adds.
func unguard(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && beginsWithRisk(rest) {
		cell = rest
	}
	if rest, ok := strings.CutSuffix(cell, "'"); ok && endsWithSpace(rest) {
		cell = rest
	}
	return cell
}

// beginsWithRisk reports whether a text needs a ' before it. The ' that it has already
// do not count, so that unguard can tell them from the one of Guard.
func beginsWithRisk(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "'"))
	return strings.ContainsRune("=+-@＝＋－＠", first) || unicode.IsSpace(first)
}

func endsWithSpace(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "'"))
	return unicode.IsSpace(last)
}
