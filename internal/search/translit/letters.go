package translit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
)

// maxLetters is how many letters an acronym has at most.
const maxLetters = 5

// latinLetters are the letters that a Cyrillic one of an acronym may stand for.
var latinLetters = map[rune]string{
	'а': "a", 'б': "b", 'в': "vw", 'г': "g", 'д': "d", 'е': "e", 'з': "z", 'и': "i", 'к': "kc", 'л': "l", 'м': "m",
	'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "sc", 'т': "t", 'у': "uw", 'ф': "f", 'х': "hx", 'э': "e", 'ю': "u",
}

// Letters returns what a short Cyrillic word may be letter by letter in Latin, as
// acronyms and numerals are: гта is gta, х is x. Digits stay.
func Letters(word string) []string {
	runes := []rune(word)
	if len(runes) > maxLetters {
		return nil
	}
	spelled, changed := []string{""}, false
	for _, r := range runes {
		letters, ok := latinLetters[r]
		changed = changed || ok
		if !ok {
			if r < '0' || r > '9' {
				return nil
			}
			letters = string(r)
		}
		var next []string
		for _, before := range spelled {
			for _, l := range strings.Split(letters, "") {
				next = append(next, before+l)
			}
		}
		spelled = next
	}
	if !changed {
		return nil
	}
	return spelled
}

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

// MinLetters is how many characters a text has at least that is read in another way: too much
// looks or sounds like a shorter one.
const MinLetters = 3

// Retyped returns the folded forms of what the keys of a text give in other layouts, and
// which of them are likely: few words begin or end with a sign, as ".ac" for юфс does.
func Retyped(text string) (likely, forms []string) {
	for _, other := range Layouts(text) {
		spaced := fold.Fold(other)
		signs := slices.ContainsFunc(strings.Fields(other), func(word string) bool { return strings.Trim(word, "`[];',.") != word })
		for _, form := range []string{spaced, spelling.JoinPunctuation(other, spaced)} {
			if utf8.RuneCountInString(form) < MinLetters || slices.Contains(forms, form) {
				continue
			}
			forms = append(forms, form)
			if !signs {
				likely = append(likely, form)
			}
		}
	}
	return likely, forms
}

func has(text string, script *unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script, r) })
}

var latinOf = strings.NewReplacer(strings.Fields(`
а a б b в v г g ґ g д d е e ё e є ye ж zh з z и i і i ї yi й y к k л l м m н n о o п p р r с s т t у u ў u ф f х kh ц ts ч ch
ш sh щ shch ы y э e ю yu я ya ђ dj ј j љ lj њ nj ћ c џ dz ә a ғ g қ k ң n ө o ұ u ү u һ h`)...)

var withoutSigns = strings.NewReplacer("ъ", "", "ь", "")

// InLatin returns a text in lower case with its Cyrillic letters in Latin ones, one or more
// for each: "ведьмак" is "vedmak". Letters of other scripts stay.
func InLatin(text string) string {
	return latinOf.Replace(withoutSigns.Replace(strings.ToLower(norm.NFC.String(text))))
}

// How many consonants the keys of the beginnings of words have.
const minBeginning, maxBeginning = 2, 5

// TermKeys returns the keys under which an index has a word: those of its sounds, and of the
// beginnings of these.
func TermKeys(word string) (keys []string) {
	for _, s := range Read(word) {
		keys = append(keys, s.Key)
		for n := minBeginning; n <= min(len(s.Key), maxBeginning); n++ {
			keys = append(keys, beginning(s.Key[:n]))
		}
	}
	return keys
}

// Keys returns the keys that words with these sounds have, and then those of words that begin
// with them.
func Keys(sounds []Sound, begins bool) (keys []string) {
	for _, s := range sounds {
		keys = append(keys, s.Key)
	}
	for _, s := range sounds {
		if begins && len(s.Key) >= minBeginning {
			keys = append(keys, beginning(s.Key[:min(len(s.Key), maxBeginning)]))
		}
	}
	return keys
}

func beginning(consonants string) string { return consonants + "*" }
