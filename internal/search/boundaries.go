package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
)

// The bounds of the search for word-boundary errors: how many readings of a query
// are searched, and how many bytes a word may have to be split.
const (
	maxBoundaryReadings = 8
	maxSplit            = 64
)

// searchBoundaries finds documents for a folded and planned query with one
// word-boundary error: it reads "star craft" as "starcraft", and "outriders2" as
// "outriders 2". The first reading that finds something counts: from the left,
// first those that join words, then those that split one.
//
// Looking up words is cheap compared with a search, so it searches only readings
// whose words all occur in names. If the query has words that occur in none, few
// readings are left, because a reading must change all of these words.
func (f *finder) searchBoundaries(folded string) {
	f.texts, f.tried = f.texts[:0], 0
	first, end := len(f.words), 0 // from the first to the last word that occurs in no name
	for i := range f.words {
		f.texts = append(f.texts, f.words[i].text)
		if f.postingCount(&f.words[i]) == 0 {
			first, end = min(first, i), i+1
		}
	}
	for i := max(0, end-2); i <= min(first, len(f.texts)-2) && f.total == 0; i++ {
		a, b := f.texts[i], f.texts[i+1]
		if spelling.Joinable(a, b) && f.anyNameHas(a, true) && f.anyNameHas(a+b, i+2 == len(f.texts)) {
			f.searchReading(i, i+2, a+b, span{})
		}
	}
	for i := max(0, end-1); i <= min(first, len(f.texts)-1) && f.total == 0; i++ {
		text := f.texts[i]
		if len(text) > maxSplit || spelling.HasSpaceless(text) {
			continue
		}
		for at := range text {
			a, b := text[:at], text[at:]
			if isWordPart(a) && isWordPart(b) && spelling.Joinable(a, b) && f.anyNameHas(a, false) && f.anyNameHas(b, i+1 == len(f.texts)) {
				f.searchReading(i, i+1, a+" "+b, span{uint32(i), uint32(i) + 2})
			}
		}
	}
	if f.total == 0 && f.tried > 0 {
		f.planQuery(folded)
	}
}

// isWordPart reports whether a part of a word may be a word: a single letter may not.
func isWordPart(part string) bool {
	return utf8.RuneCountInString(part) > 1 || spelling.HasDigit(part)
}

// searchReading searches the query with another text in place of its words from
// first to end, unless something was found already. The words of parted are parts
// of one word: they are not acronyms and have no alternate numerals.
func (f *finder) searchReading(first, end int, text string, parted span) {
	if f.total == 0 && f.tried < maxBoundaryReadings {
		f.tried++
		f.parted = parted
		f.searchFolded(strings.Join(slices.Concat(f.texts[:first], []string{text}, f.texts[end:]), " "))
		f.parted = span{}
	}
}

// anyNameHas reports whether some name has a word as written, or a word with that
// prefix if open.
func (f *finder) anyNameHas(text string, open bool) bool {
	w := word{text: text, open: open || spelling.HasSpaceless(text)}
	f.x.lookUpWord(&w)
	w.acronym, w.alternate = 0, 0
	return f.postingCount(&w) > 0
}
