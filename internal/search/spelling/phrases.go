package spelling

import (
	"slices"
	"strings"
)

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
