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

// forms returns the ways in which a name is read: with a gap for punctuation
// ("spider man"), without one ("spiderman"), and with a word for its signs
// ("ratchet and clank"). Some of them may be equal.
func forms(text string) [3]string {
	gapped := fold.Fold(text)
	return [3]string{gapped, joinedForm(text, gapped), spokenForm(text, gapped)}
}

// joinedForm reads text without gaps for punctuation; gapped is its folded
// form. Two numbers stay two, 1.5 is not 15, but 40,000 is one.
func joinedForm(text, gapped string) string {
	if isPlain(text) {
		return gapped
	}
	return joinChunks(text)
}

func joinChunks(text string) string {
	var b strings.Builder
	for chunk := range strings.FieldsSeq(text) {
		last := ""
		for piece := range strings.FieldsSeq(fold.Fold(withoutThousands(chunk))) {
			if b.Len() > 0 && (last == "" || !joinable(last, piece)) {
				b.WriteByte(' ')
			}
			b.WriteString(piece)
			last = piece
		}
	}
	return b.String()
}

// joinable says whether two texts may be one word: two numbers are not.
func joinable(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return !unicode.IsDigit(last) || !unicode.IsDigit(first)
}

// withoutThousands drops commas that have a digit before and just three after.
func withoutThousands(chunk string) string {
	if !strings.Contains(chunk, ",") {
		return chunk
	}
	digit := func(i int) bool { return i < len(chunk) && '0' <= chunk[i] && chunk[i] <= '9' }
	b := make([]byte, 0, len(chunk))
	for i := range len(chunk) {
		thousands := i > 0 && digit(i-1) && digit(i+1) && digit(i+2) && digit(i+3) && !digit(i+4)
		if chunk[i] != ',' || !thousands {
			b = append(b, chunk[i])
		}
	}
	return string(b)
}

// spokenForm reads text with its signs as English says them.
func spokenForm(text, gapped string) string {
	if !strings.ContainsAny(text, "&+") {
		return gapped
	}
	return fold.Fold(strings.NewReplacer("&", " and ", "+", " plus ").Replace(text))
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
