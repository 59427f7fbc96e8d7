package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which titles are compared. It is valid UTF-8
// whatever s is, and empty if s holds no letter and no digit.
func Fold(s string) string {
	var buf [128]byte
	return string(Append(buf[:0], s))
}

// Words returns the words of Fold(s), in order.
func Words(s string) []string {
	return strings.Fields(Fold(s))
}

// Append appends Fold(s) to dst. It allocates nothing beyond dst's growth for
// ASCII, Russian and Ukrainian, and little for the rest.
func Append(dst []byte, s string) []byte {
	if out, ok := appendPlain(dst, s); ok {
		return out
	}
	return appendUnicode(dst, s)
}

// appendPlain folds s if nothing in it depends on its neighbors: ASCII
// and the letters of plainCyrillic throughout.
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
// is one of the Russian or Ukrainian alphabet, and 0 otherwise. A mark behind
// it is no such letter.
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

// appendUnicode folds any text: signs that decompose into letters or spaces go
// first, then everything is decomposed, so that what is left is judged rune by
// rune, then put together again.
func appendUnicode(dst []byte, s string) []byte {
	var signless, decomposed, folded [256]byte
	plain := norm.NFKD.Append(decomposed[:0], appendWithoutSigns(signless[:0], s)...)
	f := folder{out: folded[:0]}
	for len(plain) > 0 {
		r, size := utf8.DecodeRune(plain)
		f.add(r)
		plain = plain[size:]
	}
	return appendComposed(dst, f.out)
}

// appendComposed appends the composed form of text. dst is left out of it: its
// end and the beginning of text belong to different titles.
func appendComposed(dst, text []byte) []byte {
	if norm.NFC.IsNormal(text) {
		return append(dst, text...)
	}
	return append(dst, norm.NFC.Bytes(text)...)
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

// folder judges decomposed runes one after the other.
type folder struct {
	out    []byte
	gap    bool // a space is due before the next letter
	base   rune // the folded letter that a mark would belong to; 0 after a gap
	marked bool // the base carries a mark that was kept
}

// add takes the next rune.
func (f *folder) add(r rune) {
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
		f.letter(lower(r))
	default:
		f.gap, f.base = true, 0
	}
}

// letter writes a letter or digit in lower case.
func (f *folder) letter(r rune) {
	if f.gap && len(f.out) > 0 {
		f.out = append(f.out, ' ')
	}
	f.gap, f.base, f.marked = false, r, false
	if plain := spelledOut(r); plain != "" {
		f.out = append(f.out, plain...)
		return
	}
	f.out = utf8.AppendRune(f.out, r)
}
