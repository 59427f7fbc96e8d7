package spelling

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
)

// Form is a form of a name under which it is found.
type Form struct {
	Text  string // folded, not empty
	Main  int    // how many words come before the subtitle
	Plain bool   // the name as written is this form, but for case
}

// Forms returns the up to three forms of a name: with spaces for punctuation ("spider man"),
// without ("spiderman"), and with words for signs ("ratchet and clank").
func Forms(name string) (forms []Form) {
	main, spaced := beforeSubtitle(name), fold.Fold(name)
	add := func(text, before string) {
		if text != "" {
			forms = append(forms, Form{text, len(strings.Fields(before)), IsPlainForm(name, text)})
		}
	}
	add(spaced, fold.Fold(main))
	if joined := JoinPunctuation(name, spaced); joined != spaced {
		add(joined, joinChunks(main))
	}
	if strings.ContainsAny(name, "&+") {
		add(fold.Fold(signs.Replace(name)), fold.Fold(signs.Replace(main)))
	}
	return forms
}

// Compare orders forms by text; of equal texts, the plain one comes last.
func (f Form) Compare(g Form) int {
	order := cmp.Or(strings.Compare(f.Text, g.Text), cmp.Compare(f.Main, g.Main))
	switch {
	case order != 0 || f.Plain == g.Plain:
		return order
	case g.Plain:
		return -1
	}
	return 1
}

// beforeSubtitle returns the part of a title before a colon or a dash between words.
func beforeSubtitle(text string) string {
	for _, mark := range [...]string{":", " - ", " – ", " — "} {
		text, _, _ = strings.Cut(text, mark)
	}
	return text
}

// EachSplit calls visit with each way to split the rest of a word behind some parts into
// more parts. Each but the last, given with what is behind it, must be one that isPart takes.
// The memory of before is used for the parts.
func EachSplit(before []string, rest string, more int, isPart func(part, rest string) bool, visit func(parts []string)) {
	if more == 1 {
		visit(append(before, rest))
		return
	}
	for at := range rest {
		if isPart(rest[:at], rest[at:]) {
			EachSplit(append(before, rest[:at]), rest[at:], more-1, isPart, visit)
		}
	}
}

// MayBeWords reports whether a word is long enough for some parts that may be words.
func MayBeWords(word string, parts int) bool {
	return utf8.RuneCountInString(word) >= 2*parts || HasDigit(word) || HasSpaceless(word)
}

// MayBeWord reports whether a part of a word may be a word: a single letter of a script with
// spaces may not.
func MayBeWord(part string) bool {
	return utf8.RuneCountInString(part) > 1 || HasDigit(part) || HasSpaceless(part)
}

// What people add to the title of a game that they search for.
var (
	platforms = NewPhrases(Devices, []string{"playstation 2", "game pass", "switch", "epic", "ubisoft", "ps2", "vita", "mac", "android",
		"ios", "mobile", "пс3", "плейстейшен", "плейстейшн", "иксбокс", "свитч", "консоль"})
	editions = NewPhrases(EditionNames, []string{"edition", "version", "bundle", "remastered", "remaster", "remake", "hd", "4k", "game",
		"ремейк", "ремастер", "игра", "surumu", "edycja"})
)

// WithoutPlatforms returns the words of a query without platforms, stores and years of release,
// and the words that it left out. The first word always stays.
func WithoutPlatforms(words []string) (rest, dropped []string) {
	return without(words, platforms, true)
}

// WithoutEditions returns the words of a query without those of an edition or a version, and the
// words that it left out. The first word always stays.
func WithoutEditions(words []string) (rest, dropped []string) { return without(words, editions, false) }

func without(words []string, phrases Phrases, years bool) (rest, dropped []string) {
	for i := 0; i < len(words); {
		n := phrases.Prefix(words[i:])
		if n == 0 && years && IsYear(words[i]) {
			n = 1
		}
		if n == 0 || i == 0 {
			rest = append(rest, words[i])
			i++
			continue
		}
		dropped = append(dropped, words[i:i+n]...)
		i += n
	}
	return rest, dropped
}

// numerals has the Roman numerals from 1 to 50 by the Arabic ones, and the reverse.
var numerals = func() map[string]string {
	all := map[string]string{}
	for n := 1; n <= 50; n++ {
		arabic := strconv.Itoa(n)
		roman := [...]string{"", "x", "xx", "xxx", "xl", "l"}[n/10] + [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}[n%10]
		all[arabic], all[roman] = roman, arabic
	}
	return all
}()

// AlternateNumeral returns the Arabic numeral for a Roman one from 1 to 50, in lower case,
// and the reverse. For any other word it returns "".
func AlternateNumeral(word string) string { return numerals[word] }

// HasDigit reports whether a word has a digit in any script.
func HasDigit(word string) bool { return strings.IndexFunc(word, unicode.IsDigit) >= 0 }

// IsYear reports whether a word is a year in which a game may have been released.
func IsYear(word string) bool {
	return len(word) == 4 && "1980" <= word && word < "2050" && IsArabic(word)
}

// IsNumber reports whether a word is a number: an Arabic or a Roman numeral.
func IsNumber(word string) bool { return IsArabic(word) || AlternateNumeral(word) != "" }

// IsArabic reports whether a word has only the digits 0 to 9. The empty word has.
func IsArabic(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}

// Phrases are folded phrases by their first words, the longest first.
type Phrases map[string][][]string

// NewPhrases returns the phrases of some lists.
func NewPhrases(lists ...[]string) Phrases {
	p := Phrases{}
	for _, text := range slices.Concat(lists...) {
		words := strings.Fields(text)
		p[words[0]] = append(p[words[0]], words)
	}
	for _, list := range p {
		slices.SortStableFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return p
}

// Prefix returns how many words the longest phrase has with which the words, at least one, begin;
// 0 if there is none.
func (p Phrases) Prefix(words []string) int {
	for _, phrase := range p[words[0]] {
		if len(phrase) <= len(words) && slices.Equal(words[:len(phrase)], phrase) {
			return len(phrase)
		}
	}
	return 0
}

// In reports whether a phrase is among words.
func (p Phrases) In(words []string) bool {
	for i := range words {
		if p.Prefix(words[i:]) > 0 {
			return true
		}
	}
	return false
}

// Devices are names of devices and stores that people and shops add to a title.
var Devices = []string{"xbox series x", "xbox series s", "xbox series", "xbox one", "xbox 360", "xbox",
	"nintendo switch 2", "nintendo switch", "playstation 5", "playstation 4", "playstation 3", "playstation", "ps 5", "ps 4", "ps5",
	"ps4", "ps3", "ps vita", "psn", "steam deck", "steam", "epic games", "gog", "windows 11", "windows 10", "windows", "pc",
	"пс 5", "пс 4", "пс5", "пс4", "пк", "стим"}

// EditionNames are words in the names of editions.
var EditionNames = []string{"game of the year", "directors cut", "digital", "deluxe", "super", "ultimate", "gold", "premium",
	"standard", "complete", "definitive", "special", "limited", "collectors", "collector", "legendary", "platinum", "royal",
	"anniversary", "enhanced", "goty", "full", "издание", "полное", "делюкс"}
