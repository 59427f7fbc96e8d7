package search

import (
	"slices"
	"strings"

	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
)

// The bounds of the search for word-boundary errors: how many readings of a query
// are searched, how many bytes a word may have to be split, into how many parts, and
// how many parts of words are looked up.
const (
	maxBoundaryReadings = 8
	maxSplit            = 64
	maxParts            = 5
	maxLookups          = 1024
)

// searchBoundaries finds documents for a folded query with one word-boundary error: it reads
// "star craft" as "starcraft", and "outriders2" as "outriders 2". The first reading that finds
// something counts: from the left, first those that join words, then those that split one. Only
// readings whose words all occur in names are searched, because looking up words is cheap.
//
// It returns from which word to which the query has words that occur in no name.
func (f *finder) searchBoundaries(folded string) (first, end int) {
	f.planQuery(folded)
	f.texts, f.tried, f.lookups = f.texts[:0], 0, 0
	first = len(f.words)
	for i := range f.words {
		f.texts = append(f.texts, f.words[i].text)
		if f.postingCount(&f.words[i]) == 0 {
			first, end = min(first, i), i+1
		}
	}
	for i := max(0, end-2); i <= min(first, len(f.texts)-2) && f.total == 0; i++ {
		a, b := f.texts[i], f.texts[i+1]
		if spelling.Joinable(a, b) && f.anyNameHas(a, "", true) && f.anyNameHas(a+b, "", i+2 == len(f.texts)) {
			f.searchReading(i, i+2, a+b, terms.Span{})
		}
	}
	f.splitWords(first, end, 2)
	return first, end
}

// searchManyParts searches the words that searchBoundaries searched for one that is written
// without several spaces: "needforspeed".
func (f *finder) searchManyParts(first, end int) {
	f.tried, f.lookups = 0, 0
	for parts := 3; parts <= maxParts && f.total == 0; parts++ {
		f.splitWords(first, end, parts)
	}
}

// splitWords reads each word, if the others occur in names, as several. All must be words of
// names, the last part of the query perhaps the beginning of one.
func (f *finder) splitWords(first, end, parts int) {
	for i := max(0, end-1); i <= min(first, len(f.texts)-1) && f.total == 0; i++ {
		if len(f.texts[i]) > maxSplit || !spelling.MayBeWords(f.texts[i], parts) {
			continue
		}
		none := "" // no term begins with this, so longer parts need no look-up
		spelling.EachSplit(f.parts, f.texts[i], parts, func(part, rest string) bool {
			if !f.isWordPart(part) || !spelling.Joinable(part, rest) || none != "" && strings.HasPrefix(part, none) {
				return false
			}
			term, begins := f.x.terms.FindPrefix(part)
			if !begins {
				none = part
			}
			return term != 0
		}, func(list []string) {
			if last := list[parts-1]; f.isWordPart(last) && f.anyNameHas(last, list[parts-2], i+1 == len(f.texts)) {
				f.searchReading(i, i+1, strings.Join(list, " "), terms.Span{Lo: uint32(i), Hi: uint32(i + parts)})
			}
		})
	}
}

// isWordPart reports whether a part of a word may be a word. It returns false once something
// is found, or after too many parts.
func (f *finder) isWordPart(part string) bool {
	f.lookups++
	return f.total == 0 && f.lookups <= maxLookups && spelling.MayBeWord(part)
}

// searchReading searches the query with another text in place of its words from
// first to end, unless something was found already. The words of parted are parts
// of one word: they are not acronyms.
func (f *finder) searchReading(first, end int, text string, parted terms.Span) {
	if f.total == 0 && f.tried < maxBoundaryReadings {
		f.tried++
		f.parted = parted
		reading := strings.Join(slices.Concat(f.texts[:first], []string{text}, f.texts[end:]), " ")
		f.searchFolded(reading)
		f.parted = terms.Span{}
		f.foundBy(Spaces, reading)
	}
}

// anyNameHas reports whether some name has a part of a word, or a word that begins with it
// if open. See lookUpPart.
func (f *finder) anyNameHas(text, before string, open bool) bool {
	w := word{text: text, open: open || spelling.HasSpaceless(text)}
	f.x.lookUpPart(&w, before)
	return f.postingCount(&w) > 0
}
