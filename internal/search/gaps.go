package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// What bounds the search for wrong gaps: how many readings of a query are
// searched, and how many bytes a word may have that is parted.
const (
	maxGapReadings = 8
	maxParted      = 64
)

// searchGaps finds documents for a folded query, which is planned, with one gap
// less or more: "star craft" is read as "starcraft", "outriders2" as
// "outriders 2". The first reading that finds something counts: from the left,
// those with a gap less, then those with one more.
//
// To look words up is cheap beside a search, so only readings are searched of
// which some name has each word; of a query with words that no name has, few
// are left, because those are among the words that a reading changes.
func (f *finder) searchGaps(folded string) {
	f.texts, f.tried = f.texts[:0], 0
	first, end := len(f.words), 0 // from the first to the last word that no name has
	for i := range f.words {
		f.texts = append(f.texts, f.words[i].text)
		if f.cost(&f.words[i]) == 0 {
			first, end = min(first, i), i+1
		}
	}
	for i := max(0, end-2); i <= min(first, len(f.texts)-2) && f.total == 0; i++ {
		f.searchJoined(i)
	}
	for i := max(0, end-1); i <= min(first, len(f.texts)-1) && f.total == 0; i++ {
		f.searchParted(i)
	}
	if f.total == 0 && f.tried > 0 {
		f.plan(folded)
	}
}

// searchJoined searches words i and i+1 as one.
func (f *finder) searchJoined(i int) {
	a, b := f.texts[i], f.texts[i+1]
	if joinable(a, b) && f.has(a, true) && f.has(a+b, i+2 == len(f.texts)) {
		f.searchReading(i, i+2, a+b)
	}
}

// searchParted searches word i as two.
func (f *finder) searchParted(i int) {
	text := f.texts[i]
	if len(text) > maxParted || hasSpaceless(text) {
		return
	}
	for at := range text {
		a, b := text[:at], text[at:]
		if saysEnough(a) && saysEnough(b) && joinable(a, b) && f.has(a, false) && f.has(b, i+1 == len(f.texts)) {
			f.searchReading(i, i+1, a+" "+b)
		}
	}
}

// saysEnough says whether a part of a word may be one: no single letter is.
func saysEnough(part string) bool {
	return utf8.RuneCountInString(part) > 1 || hasDigit(part)
}

// searchReading searches the query with other text for its words from first to
// end, unless something was found already.
func (f *finder) searchReading(first, end int, text string) {
	if f.total == 0 && f.tried < maxGapReadings {
		f.tried++
		f.run(strings.Join(slices.Concat(f.texts[:first], []string{text}, f.texts[end:]), " "))
	}
}

// has says whether some name has a word, an open one as a beginning.
func (f *finder) has(text string, open bool) bool {
	w := word{text: text, open: open || hasSpaceless(text)}
	f.x.lookUp(&w)
	return f.cost(&w) > 0
}
