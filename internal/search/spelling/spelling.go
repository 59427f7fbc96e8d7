package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
)

// maxSuffixes is how many suffixes of a word a match may start with, so that an
// absurd title cannot fill the index.
const maxSuffixes = 64

// JoinPunctuation returns text without spaces for punctuation; spaced is its folded form.
// It does not join numbers, because 1.5 is not 15, but 40,000 is one number.
func JoinPunctuation(text, spaced string) string {
	if isPlain(text) {
		return spaced
	}
	return joinChunks(text)
}

// joinChunks is JoinPunctuation for a text that may not be plain.
func joinChunks(text string) string {
	var b strings.Builder
	for chunk := range strings.FieldsSeq(text) {
		last := ""
		for part := range strings.FieldsSeq(fold.Fold(withoutThousands(chunk))) {
			if b.Len() > 0 && (last == "" || !Joinable(last, part)) {
				b.WriteByte(' ')
			}
			b.WriteString(part)
			last = part
		}
	}
	return b.String()
}

// Joinable reports whether two texts may be one word: two numbers are not.
func Joinable(a, b string) bool {
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

// IsPlainForm reports whether a text is its folded form, but for case, trademark signs and
// spaces around it: no other sign and no accent was lost.
func IsPlainForm(text, folded string) bool {
	if text == folded {
		return true
	}
	rest := folded
	for _, r := range text {
		outside := rest == "" || len(rest) == len(folded)
		if r = unicode.ToLower(r); unicode.IsSpace(r) && outside || r == '™' || r == '®' || r == '©' {
			continue
		}
		first, size := utf8.DecodeRuneInString(rest)
		if size == 0 || r != first {
			return false
		}
		rest = rest[size:]
	}
	return rest == ""
}

// isPlain reports whether text has only spaces, ASCII digits and common letters, so
// that there is nothing to join. It returns false for some other such texts, but
// most titles are plain.
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

// signs replaces signs by the words that they match.
var signs = strings.NewReplacer("&", " and ", "+", " plus ")

// Key returns what titles have in common that search takes for the same: the folded
// title, with words for "&" and "+", and Arabic numerals for Roman ones of two letters or
// more, because Mega Man X is not Mega Man 10.
func Key(title string) string {
	words := fold.Words(signs.Replace(title))
	for i, word := range words {
		if number := AlternateNumeral(word); number != "" && len(word) > 1 && !HasDigit(word) {
			words[i] = number
		}
	}
	return strings.Join(words, " ")
}

// SuffixesOf returns the suffixes of word that a match may start with: from before and
// after every character of a script without spaces.
func SuffixesOf(word string) []string {
	var ends []string
	before := false
	for i, r := range word {
		here := spaceless(r)
		if i > 0 && (here || before) && len(ends) < maxSuffixes {
			ends = append(ends, word[i:])
		}
		before = here
	}
	return ends
}

// HasSpaceless reports whether a word of a query may match inside a run.
func HasSpaceless(word string) bool { return strings.IndexFunc(word, spaceless) >= 0 }

func spaceless(r rune) bool {
	const firstHangul, prolonged = 0x1100, 'ー' // this sign belongs to no script
	return r >= firstHangul &&
		(r == prolonged || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}
