package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulas are the signs with which a formula begins, also in their full-width forms.
const formulas = "=+-@＝＋－＠"

// Guard returns a text as a cell that a spreadsheet does not take for a formula, and that
// the reader does not trim: a ' before a sign of a formula or white space at the beginning,
// and a ' after white space at the end. A spreadsheet that splits the file at semicolons or
// tabs takes what follows one of them, or a line break, for a cell, so there is a ' before a
// sign of a formula there, too. unguard returns the text.
func Guard(text string) string {
	if beginsWithRisk(text) {
		text = "'" + text
	}
	text = eachBreak(text, func(rest string) (before string, skip int) {
		if isFormula(rest) {
			return "'", 0
		}
		return "", 0
	})
	if endsWithSpace(text) {
		text += "'"
	}
	return text
}

// unguard takes away what Guard adds.
func unguard(cell string) string {
	if !strings.Contains(cell, "'") {
		return cell
	}
	if rest, ok := strings.CutPrefix(cell, "'"); ok && beginsWithRisk(rest) {
		cell = rest
	}
	cell = eachBreak(cell, func(rest string) (before string, skip int) {
		if rest, ok := strings.CutPrefix(rest, "'"); ok && isFormula(rest) {
			return "", len("'")
		}
		return "", 0
	})
	if rest, ok := strings.CutSuffix(cell, "'"); ok && endsWithSpace(rest) {
		cell = rest
	}
	return cell
}

// eachBreak calls change for what follows each semicolon, tab and line break of a text. It
// inserts before there and leaves out skip bytes.
func eachBreak(text string, change func(rest string) (before string, skip int)) string {
	var changed strings.Builder
	for at := strings.IndexAny(text, breaks); at >= 0; at = strings.IndexAny(text, breaks) {
		before, skip := change(text[at+1:])
		changed.WriteString(text[:at+1] + before)
		text = text[at+1+skip:]
	}
	if changed.Len() == 0 {
		return text
	}
	return changed.String() + text
}

const breaks = ";\t\n\r"

// isFormula reports whether a formula may begin what follows a break. A quote there is
// doubled in the file, and the two may be taken for the quotes around no text.
func isFormula(rest string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, `'"`))
	return strings.ContainsRune(formulas, first)
}

// beginsWithRisk reports whether a text needs a ' before it. The ' that it has already
// do not count, so that unguard can tell them from the one of Guard.
func beginsWithRisk(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "'"))
	return strings.ContainsRune(formulas, first) || unicode.IsSpace(first)
}

func endsWithSpace(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "'"))
	return unicode.IsSpace(last)
}
