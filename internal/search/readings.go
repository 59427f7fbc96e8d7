package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/fold"
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
		if joinable(a, b) && f.anyNameHas(a, true) && f.anyNameHas(a+b, i+2 == len(f.texts)) {
			f.searchReading(i, i+2, a+b, span{})
		}
	}
	for i := max(0, end-1); i <= min(first, len(f.texts)-1) && f.total == 0; i++ {
		text := f.texts[i]
		if len(text) > maxSplit || hasSpaceless(text) {
			continue
		}
		for at := range text {
			a, b := text[:at], text[at:]
			if isWordPart(a) && isWordPart(b) && joinable(a, b) && f.anyNameHas(a, false) && f.anyNameHas(b, i+1 == len(f.texts)) {
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
	return utf8.RuneCountInString(part) > 1 || hasDigit(part)
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
	w := word{text: text, open: open || hasSpaceless(text)}
	f.x.lookUpWord(&w)
	w.acronym, w.alternate = 0, 0
	return f.postingCount(&w) > 0
}

// The bounds of a relaxed search: how many words a query has at least, how many hits
// there are at most, and how many readings of the query are searched.
const (
	minRelaxedWords    = 3
	maxRelaxed         = 20
	maxRelaxedReadings = 8
)

// FindRelaxed finds documents that have all words of a query but one, for queries
// that [Index.Find] finds nothing for. Those that have the longest part of the query
// come first. The part is longer than the word that is left out. It finds at most 20
// documents, and total is their number; a query of fewer than three words finds none.
func (x *Index) FindRelaxed(q Query, dst []Hit) (hits []Hit, total int) {
	f := x.finders.Get().(*finder)
	defer f.release()
	words := strings.Fields(fold.Fold(q.Text))
	var kept []Hit
	for _, omitted := range f.omissions(words) {
		f.beginQuery(Query{Groups: q.Groups, Limit: maxRelaxed})
		f.searchFolded(strings.Join(slices.Delete(slices.Clone(words), omitted, omitted+1), " "))
		for _, h := range f.appendPage(Query{Limit: maxRelaxed}, nil) {
			known := func(k Hit) bool { return k.Doc == h.Doc }
			if len(kept) < maxRelaxed && !slices.ContainsFunc(kept, known) {
				kept = append(kept, h)
			}
		}
	}
	from := min(max(q.Offset, 0), len(kept))
	to := from + min(max(q.Limit, 0), len(kept)-from)
	return append(dst, kept[from:to]...), len(kept)
}

// omissions returns which words of a query to leave out, one after the other: the
// shortest first, and of equally long ones the last. If a word is in no name, only
// that one is left out.
func (f *finder) omissions(words []string) []int {
	if len(words) < minRelaxedWords {
		return nil
	}
	f.planQuery(strings.Join(words, " "))
	var unknown, all []int
	letters := 0
	for i := range words {
		all = append(all, i)
		letters += utf8.RuneCountInString(words[i])
		if f.postingCount(&f.words[i]) == 0 {
			unknown = append(unknown, i)
		}
	}
	switch len(unknown) {
	case 0:
		slices.SortStableFunc(all, func(a, b int) int {
			return cmp.Or(cmp.Compare(utf8.RuneCountInString(words[a]), utf8.RuneCountInString(words[b])), cmp.Compare(b, a))
		})
	case 1:
		all = unknown
	default:
		return nil
	}
	all = slices.DeleteFunc(all, func(i int) bool { return 2*utf8.RuneCountInString(words[i]) >= letters })
	return all[:min(len(all), maxRelaxedReadings)]
}
