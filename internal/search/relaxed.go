package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/fold"
)

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
