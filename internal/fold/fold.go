package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which titles are compared. The result is valid UTF-8
// for any s, and empty if s has no letter and no digit.
func Fold(s string) string {
	var buf [128]byte
	return string(Append(buf[:0], s))
}

// Words returns the words of Fold(s), in order.
func Words(s string) []string {
	return strings.Fields(Fold(s))
}

// Append appends Fold(s) to dst. For ASCII, Russian and Ukrainian it allocates nothing
// but the growth of dst; for other texts it allocates little.
func Append(dst []byte, s string) []byte {
	if out, ok := appendPlain(dst, s); ok {
		return out
	}
	return appendUnicode(dst, s)
}

// appendPlain folds s if it has only ASCII and the letters of plainCyrillic, where no
// character depends on its neighbours.
func appendPlain(dst []byte, s string) ([]byte, bool) {
	start, gap := len(dst), false
	for i := 0; i < len(s); i++ {
		c, letter := s[i], rune(0)
		switch {
		case c >= utf8.RuneSelf:
			if letter = plainCyrillic(s[i:]); letter == 0 {
				return dst[:start], false
			}
			i++ // all of them are two bytes
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c == '\'' || c == '`':
			continue
		default:
			gap = true
			continue
		}
		if gap && len(dst) > start {
			dst = append(dst, ' ')
		}
		gap = false
		if letter == 0 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, letter)
		}
	}
	return dst, true
}

// plainCyrillic returns the folded form of the letter that s begins with, if it
// is one of the Russian or Ukrainian alphabet, and 0 otherwise. A letter with a mark
// after it does not count.
func plainCyrillic(s string) rune {
	switch r, _ := utf8.DecodeRuneInString(s); {
	case r >= 'а' && r <= 'я', r == 'і', r == 'ї', r == 'є', r == 'ґ':
		return r
	case r >= 'А' && r <= 'Я':
		return r + 'а' - 'А'
	case r == 'ё', r == 'Ё':
		return 'е'
	case r == 'І', r == 'Ї', r == 'Є':
		return r + 'ё' - 'Ё'
	case r == 'Ґ':
		return 'ґ'
	}
	return 0
}

// appendUnicode folds any text. It removes signs that decompose into letters or spaces,
// decomposes the rest, folds it rune by rune, and composes the result.
func appendUnicode(dst []byte, s string) []byte {
	var signless, decomposed, folded [256]byte
	plain := norm.NFKD.Append(decomposed[:0], appendWithoutSigns(signless[:0], s)...)
	f := folder{out: folded[:0]}
	for len(plain) > 0 {
		r, size := utf8.DecodeRune(plain)
		f.addRune(r)
		plain = plain[size:]
	}
	// Compose the text separately from dst: they belong to different titles.
	if norm.NFC.IsNormal(f.out) {
		return append(dst, f.out...)
	}
	return append(dst, norm.NFC.Bytes(f.out)...)
}

// appendWithoutSigns drops trademark signs (™ would become the letters TM) and
// the spacing accents used as apostrophes (´ would become a space).
func appendWithoutSigns(dst []byte, s string) []byte {
	for _, r := range s {
		switch r {
		case '™', '®', '©', '℠', '´', '\u1ffd', '\u1fef':
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// folder folds decomposed runes one after the other.
type folder struct {
	out    []byte
	gap    bool // a space is due before the next letter
	base   rune // the folded letter that a mark would belong to; 0 after a gap
	marked bool // the base carries a mark that was kept
}

func (f *folder) addRune(r rune) {
	switch {
	case isDropped(r):
	case isDiacritic(r):
		if !f.marked && makesLetter(f.base, r) {
			f.marked = true
			f.out = utf8.AppendRune(f.out, r)
		}
	case unicode.IsMark(r):
		// The vowel signs of Indic scripts, voiced kana: part of the word.
		if f.base != 0 {
			f.out = utf8.AppendRune(f.out, r)
		}
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		if f.gap && len(f.out) > 0 {
			f.out = append(f.out, ' ')
		}
		// Convert to upper case first, so that letters with two lower-case forms
		// (σ ς, i ı) become equal.
		r = unicode.ToLower(unicode.ToUpper(r))
		f.gap, f.base, f.marked = false, r, false
		if plain := spelledOut[r]; plain != "" {
			f.out = append(f.out, plain...)
		} else {
			f.out = utf8.AppendRune(f.out, r)
		}
	default:
		f.gap, f.base = true, 0
	}
}

// spelledOut maps letters without a decomposition to the letters that replace them on
// keyboards without them.
var spelledOut = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ŧ': "t",
}

// isDropped reports whether folding removes r without a gap: apostrophes and invisible
// characters.
func isDropped(r rune) bool {
	switch r {
	case '\'', '`', '‘', '’', '‛', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ˈ', '′':
		return true
	case '\u00ad', '\u034f', '\u115f', '\u1160', '\u3164', '\ufeff':
		return true // soft hyphen, grapheme joiner, Hangul fillers, byte order mark
	}
	return r >= '\u200b' && r <= '\u200f' || // zero width space, joiners, marks of direction
		r >= '\u202a' && r <= '\u202e' ||
		r >= '\u2060' && r <= '\u206f' ||
		r >= '\ufe00' && r <= '\ufe0f' || // variation selectors
		r >= '\U000e0000' && r <= '\U000e0fff'
}

// isDiacritic reports whether r is an accent or stress mark of the blocks that Latin,
// Greek and Cyrillic use.
func isDiacritic(r rune) bool {
	return r >= '\u0300' && r <= '\u036f' ||
		r >= '\u0483' && r <= '\u0489' ||
		r >= '\u1ab0' && r <= '\u1aff' ||
		r >= '\u1dc0' && r <= '\u1dff' ||
		r >= '\u20d0' && r <= '\u20ff' ||
		r >= '\ufe20' && r <= '\ufe2f'
}

// makesLetter reports whether base and mark together are a separate letter: й, ї, ў,
// ѓ, ќ. «ё» does not count.
func makesLetter(base, mark rune) bool {
	switch mark {
	case '\u0306':
		return base == 'и' || base == 'у'
	case '\u0308':
		return base == 'і'
	case '\u0301':
		return base == 'г' || base == 'к'
	}
	return false
}
