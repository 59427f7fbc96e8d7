package fold

import "unicode"

// lower is the case folding of one rune. By way of upper case, so that letters
// with two lower forms (σ ς, i ı) come out as one.
func lower(r rune) rune {
	return unicode.ToLower(unicode.ToUpper(r))
}

// spelledOut is what a letter without a decomposition is written as where it is
// not on the keyboard; "" for every other letter.
func spelledOut(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'þ':
		return "th"
	case 'ħ':
		return "h"
	case 'ŧ':
		return "t"
	}
	return ""
}

// isDropped reports whether r vanishes without parting a word: apostrophes and
// what is not seen at all.
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

// isDiacritic reports whether r is an accent or stress mark, of the blocks that
// Latin, Greek and Cyrillic draw from.
func isDiacritic(r rune) bool {
	return r >= '\u0300' && r <= '\u036f' ||
		r >= '\u0483' && r <= '\u0489' ||
		r >= '\u1ab0' && r <= '\u1aff' ||
		r >= '\u1dc0' && r <= '\u1dff' ||
		r >= '\u20d0' && r <= '\u20ff' ||
		r >= '\ufe20' && r <= '\ufe2f'
}

// makesLetter reports whether base and mark are together a letter of its own: й,
// ї, ў, ѓ, ќ. «ё» is not among them.
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
