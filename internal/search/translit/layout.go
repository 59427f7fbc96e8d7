package translit

import (
	"strings"
	"unicode"
)

// The keys of a keyboard, row by row, as an English, a Russian and a Ukrainian
// layout have them.
const (
	english   = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
	russian   = "ёйцукенгшщзхъфывапролджэячсмитьбю"
	ukrainian = "'йцукенгшщзхїфівапролджєячсмитьбю"
	// The other characters of those English keys that are Cyrillic letters.
	shifted        = "~{}:\"<>"
	shiftedRussian = "ёхъжэбю"
)

var (
	toEnglish   = keys(russian+"іїє", english+"s]'")
	toRussian   = keys(english+shifted, russian+shiftedRussian)
	toUkrainian = keys(english, ukrainian)
)

// keys maps each character of one layout to that of another.
func keys(from, to string) map[rune]rune {
	m, other := map[rune]rune{}, []rune(to)
	for i, r := range []rune(from) {
		m[r] = other[i]
	}
	return m
}

func remap(text string, m map[rune]rune) string {
	return strings.Map(func(r rune) rune {
		if key, ok := m[r]; ok {
			return key
		}
		return r
	}, text)
}

// Layouts returns what the keys of a text give in other keyboard layouts: English
// for a text with Cyrillic letters, Russian and Ukrainian for one with Latin ones.
// It returns nil for a text of both scripts, or of neither.
func Layouts(text string) []string {
	text = strings.ToLower(text)
	switch latin, cyrillic := has(text, unicode.Latin), has(text, unicode.Cyrillic); {
	case latin == cyrillic:
		return nil
	case cyrillic:
		return []string{remap(text, toEnglish)}
	}
	return []string{remap(text, toRussian), remap(text, toUkrainian)}
}

func has(text string, script *unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script, r) })
}
