package search

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
)

// maxPieces bounds how many places inside one word may begin a match, so that
// an absurd title cannot fill the index.
const maxPieces = 64

// forms returns the two ways in which text is read: with a gap for punctuation
// ("spider man") and, if that differs, without one ("spiderman"). Numbers are
// not joined: 1.5 is not 15.
func forms(text string) (gapped, joined string) {
	gapped = fold.Fold(text)
	return gapped, joinedForm(text, gapped)
}

// joinedForm returns the second of the two from the first.
func joinedForm(text, gapped string) string {
	if isPlain(text) {
		return gapped
	}
	return joinChunks(text)
}

func joinChunks(text string) string {
	var b strings.Builder
	for chunk := range strings.FieldsSeq(text) {
		folded := fold.Fold(chunk)
		if !hasDigit(folded) {
			folded = strings.ReplaceAll(folded, " ", "")
		}
		if folded != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(folded)
	}
	return b.String()
}

// isPlain says that text is spaces, digits of ASCII and such letters as folding
// makes letters of, one by one, so that there is nothing to join. It may say no
// to more, but most titles are of these.
func isPlain(text string) bool {
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == ' ':
		case 'А' <= r && r <= 'я', r == 'Ё', r == 'ё':
		case 'À' <= r && r <= 'ÿ' && r != '×' && r != '÷':
		default:
			return false
		}
	}
	return true
}

var (
	romanTens = [...]string{"", "x", "xx", "xxx", "xl", "l"}
	romanOnes = [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}
)

// twin returns the same number from 1 to 50 in the other script, or "".
func twin(word string) string {
	const longest = len("xxxviii")
	if len(word) > longest {
		return ""
	}
	if n := arabic(word); 1 <= n && n <= 50 {
		return romanTens[n/10] + romanOnes[n%10]
	}
	for tens, prefix := range romanTens {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		for ones, roman := range romanOnes {
			if n := 10*tens + ones; rest == roman && 1 <= n && n <= 50 {
				return strconv.Itoa(n)
			}
		}
	}
	return ""
}

// arabic returns the number from 1 to 99 that word is, or 0.
func arabic(word string) int {
	n := 0
	for i := range len(word) {
		digit := int(word[i]) - '0'
		if digit < 0 || digit > 9 || n == 0 && digit == 0 || i == 2 {
			return 0
		}
		n = 10*n + digit
	}
	return n
}

// allowance is the number of edits that a word of a query takes.
func allowance(word string) int {
	letters := utf8.RuneCountInString(word)
	switch {
	case letters < 4 || hasDigit(word) || twin(word) != "":
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

func hasDigit(word string) bool { return strings.IndexFunc(word, unicode.IsDigit) >= 0 }

// pieces returns the ends of word, itself left out, at which a match may begin:
// before and after every character of a script without spaces.
func pieces(word string) []string {
	var ends []string
	before := false
	for i, r := range word {
		here := spaceless(r)
		if i > 0 && (here || before) && len(ends) < maxPieces {
			ends = append(ends, word[i:])
		}
		before = here
	}
	return ends
}

// hasSpaceless says whether a word of a query may match inside a run.
func hasSpaceless(word string) bool { return strings.IndexFunc(word, spaceless) >= 0 }

func spaceless(r rune) bool {
	const firstHangul, prolonged = 0x1100, 'ー' // the mark belongs to no script
	return r >= firstHangul &&
		(r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}
