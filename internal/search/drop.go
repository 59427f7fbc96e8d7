package search

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
)

// The bounds of leaving out words: how many hits there are at most, how many readings
// of the query are searched, and how many of the hits of each are compared with the
// word that was left out.
const (
	maxRelaxed         = 20
	maxRelaxedReadings = 8
	maxCompared        = 512
)

// searchDropping finds documents without some words of a query: without platforms and
// years, then without words of editions too, then without one other word.
func (f *finder) searchDropping(q Query, words []string) {
	rest, dropped := words, []string(nil)
	for _, without := range []func([]string) ([]string, []string){spelling.WithoutPlatforms, spelling.WithoutEditions} {
		shorter, more := without(rest)
		if len(more) == 0 || len(shorter) == 0 {
			continue
		}
		rest, dropped = shorter, append(dropped, more...)
		text := strings.Join(rest, " ")
		f.noOther = slices.ContainsFunc(dropped, spelling.IsYear)
		if f.searchReadings(q, text, text); f.foundBy(Dropped, text) {
			f.correction.Dropped = dropped
			return
		}
	}
	f.noOther = false
	for _, typos := range []bool{false, true} {
		if f.total == 0 && (q.Typos || !typos) {
			f.searchOmitting(rest, dropped, typos)
		}
	}
}

// hasOtherNumber reports whether a name has a number that the query has not. A Roman
// one counts only behind other words, because "V Rising" has none.
func (f *finder) hasOtherNumber(name uint32) bool {
	tokens := f.x.tokensOf(name)
	for at := range tokens.Len() {
		text := f.x.terms.At(tokens.At(at) &^ inside)
		if !spelling.IsArabic(text) && (at == 0 || spelling.AlternateNumeral(text) == "") {
			continue
		}
		asked := func(w word) bool { return w.text == text || spelling.AlternateNumeral(w.text) == text }
		if !slices.ContainsFunc(f.words, asked) {
			return true
		}
	}
	return false
}

// searchOmitting finds documents that have all words but one, with typos or without.
// The word that is left out is shorter than the others together, and no number. If some
// of these documents have a word that is similar to it, it counts as mistyped. Otherwise
// those that have the longest part of the query come first.
func (f *finder) searchOmitting(words, dropped []string, typos bool) {
	folded := strings.Join(words, " ")
	f.planQuery(folded)
	var kept []Hit
	var correction Correction
	for _, omitted := range f.omissions(words, typos) {
		f.correction = Correction{}
		rest := strings.Join(slices.Delete(slices.Clone(words), omitted, omitted+1), " ")
		hits := f.firstHits(maxCompared, func() {
			if f.searchFolded(rest); f.total == 0 && typos {
				f.searchTypos(rest)
			}
		})
		if len(kept) == 0 && len(hits) > 0 {
			correction = Correction{Dropped | f.correction.Changes, rest, append(dropped, words[omitted])}
			if f.searchSimilar(hits, folded, omitted, typos) {
				f.correction = Correction{Typos, folded, dropped}
				if len(dropped) > 0 {
					f.correction.Changes |= Dropped
				}
				return
			}
		}
		for _, h := range hits {
			known := func(k Hit) bool { return k.Doc == h.Doc }
			if len(kept) < maxRelaxed && !slices.ContainsFunc(kept, known) {
				kept = append(kept, h)
			}
		}
	}
	f.reset()
	f.total, f.correction = len(kept), correction
	for _, h := range kept {
		f.addHit(asTyped, h)
	}
}

// searchSimilar finds documents for a folded query in which one word, which no typo that
// is looked up explains, is similar to words of documents that have the others.
func (f *finder) searchSimilar(hits []Hit, folded string, at int, typos bool) bool {
	f.planQuery(folded)
	for i := range f.words {
		if w := &f.words[i]; i != at && typos {
			f.findTypos(w, false)
		}
	}
	text := f.words[at].text
	f.queried = append(f.queried[:0], []rune(text)...)
	most := min(2, len(f.queried)-2)
	if len(f.queried) > 8 {
		most = 3
	}
	if spelling.HasDigit(text) || most < 1 {
		return false
	}
	return f.searchAmong(hits, at, func(term string) int {
		f.letters = append(f.letters[:0], []rune(term)...)
		if n := spelling.Edits(f.queried, f.letters, most); n <= most {
			return costOfEdit * n
		}
		return costly
	})
}

// searchAmong finds documents for the planned query, whose other words are looked up, with
// those words of some documents in place of one that are similar to it. costOf returns
// their cost.
func (f *finder) searchAmong(hits []Hit, at int, costOf func(text string) int) bool {
	w := &f.words[at]
	w.typos, w.sure = nil, false
	seen := map[uint32]bool{}
	for _, h := range hits {
		for name := range f.x.namesOf(h.Doc) {
			tokens := f.x.tokensOf(name)
			for i := range tokens.Len() {
				term := tokens.At(i)
				if term&inside != 0 || seen[term] {
					continue
				}
				seen[term] = true
				text := f.x.terms.At(term)
				if cost := costOf(text); cost < costly && !spelling.HasDigit(text) {
					f.setTypo(w, near{term, cost})
				}
			}
		}
	}
	f.orderNeeded()
	f.rankNames(withTypos)
	return f.total > 0
}

// omissions returns which words of a query to leave out, one after the other: the
// shortest first, and of equally long ones the last. If a word is in no name, only
// that one is left out; with typos it may be any, but of two words only such a word.
func (f *finder) omissions(words []string, typos bool) []int {
	var unknown, all []int
	letters := 0
	for i, text := range words {
		letters += utf8.RuneCountInString(text)
		if !spelling.IsNumber(text) {
			all = append(all, i)
		}
		if f.postingCount(&f.words[i]) == 0 {
			unknown = append(unknown, i)
		}
	}
	switch {
	case len(unknown) > 1 && !typos || len(unknown) == 0 && len(words) < 3 || len(words) < 2:
		return nil
	case len(unknown) == 1 && !typos || len(words) == 2:
		all = slices.DeleteFunc(unknown, func(i int) bool { return spelling.IsNumber(words[i]) })
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(words[a]), utf8.RuneCountInString(words[b])), cmp.Compare(b, a))
	})
	all = slices.DeleteFunc(all, func(i int) bool { return 2*utf8.RuneCountInString(words[i]) >= letters })
	return all[:min(len(all), maxRelaxedReadings)]
}

// namesOf yields the names of a document.
func (x *Index) namesOf(doc uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		n := x.docs.Len()
		for name := sort.Search(n, func(name int) bool { return x.docOf(uint32(name)) >= doc }); name < n && x.docOf(uint32(name)) == doc; name++ {
			if !yield(uint32(name)) {
				return
			}
		}
	}
}
