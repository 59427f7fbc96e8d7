package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of leaving out words: how many hits there are at most, how many readings
// of the query are searched, and how many of the hits of each are compared with the
// word that was left out.
const (
	maxRelaxed         = 20
	maxRelaxedReadings = 8
	maxCompared        = 512
)

// platforms are words for a platform or a store, the longest first; editions are those
// for an edition or a version. They are folded.
var (
	platforms = phrases("xbox series x", "xbox series s", "nintendo switch 2", "nintendo switch", "xbox series", "xbox one",
		"xbox 360", "playstation 5", "playstation 4", "playstation 3", "playstation 2", "ps vita", "steam deck", "epic games",
		"game pass", "ps 5", "ps 4", "windows 11", "windows 10", "playstation", "xbox", "switch", "steam", "epic", "gog", "ubisoft",
		"ps5", "ps4", "ps3", "ps2", "psn", "vita", "pc", "mac", "windows", "android", "ios", "mobile",
		"пс 5", "пс 4", "пс5", "пс4", "пс3", "пк", "плейстейшен", "плейстейшн", "иксбокс", "свитч", "стим", "консоль")
	editions = phrases("game of the year", "directors cut", "digital", "deluxe", "super", "ultimate", "gold", "premium", "standard",
		"complete", "definitive", "special", "limited", "collectors", "collector", "legendary", "platinum", "royal", "anniversary",
		"enhanced", "goty", "edition", "version", "bundle", "remastered", "remaster", "remake", "hd", "4k", "full", "game",
		"издание", "полное", "делюкс", "ремейк", "ремастер", "игра", "surumu", "edycja")
)

func phrases(texts ...string) (list [][]string) {
	for _, t := range texts {
		list = append(list, strings.Fields(t))
	}
	return list
}

// searchDropping finds documents without some words of a query: without platforms and
// years, then without words of editions too, then without one other word.
func (f *finder) searchDropping(q Query, words []string) {
	rest, dropped := words, []string(nil)
	for _, droppable := range [][][]string{platforms, editions} {
		shorter, more := without(rest, droppable)
		if len(more) == 0 || len(shorter) == 0 {
			continue
		}
		rest, dropped = shorter, append(dropped, more...)
		text := strings.Join(rest, " ")
		f.noOther = slices.ContainsFunc(dropped, isYear)
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

// without returns the words without phrases, and for platforms without years. The first
// word always stays.
func without(words []string, droppable [][]string) (rest, dropped []string) {
	for i := 0; i < len(words); {
		n := 0
		for _, p := range droppable {
			if i > 0 && i+len(p) <= len(words) && slices.Equal(words[i:i+len(p)], p) {
				n = len(p)
				break
			}
		}
		if n == 0 && i > 0 && &droppable[0] == &platforms[0] && isYear(words[i]) {
			n = 1
		}
		if n == 0 {
			rest = append(rest, words[i])
			i++
			continue
		}
		dropped = append(dropped, words[i:i+n]...)
		i += n
	}
	return rest, dropped
}

// isYear reports whether a word is a year in which a game may have been released.
func isYear(word string) bool {
	return len(word) == 4 && (word >= "1980" && word < "2000" || word >= "2000" && word < "2050") && arabicOnly(word)
}

// isNumber reports whether a word is a number, in Arabic or Roman digits.
func isNumber(word string) bool { return arabicOnly(word) || alternateNumeral(word) != "" }

func arabicOnly(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}

// hasOtherNumber reports whether a name has a number that the query has not. A Roman
// one counts only behind other words, because "V Rising" has none.
func (f *finder) hasOtherNumber(name uint32) bool {
	tokens := f.x.tokensOf(name)
	for at := range tokens.Len() {
		text := f.x.terms.At(tokens.At(at) &^ inside)
		if !arabicOnly(text) && (at == 0 || alternateNumeral(text) == "") {
			continue
		}
		asked := func(w word) bool { return w.text == text || alternateNumeral(w.text) == text }
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
	keep := f.keep
	f.keep = maxCompared
	defer func() { f.keep = keep }()
	for _, omitted := range f.omissions(words, typos) {
		f.correction = Correction{}
		rest := strings.Join(slices.Delete(slices.Clone(words), omitted, omitted+1), " ")
		if f.searchFolded(rest); f.total == 0 && typos {
			f.searchTypos(rest)
		}
		if f.total == 0 {
			continue
		}
		hits := f.appendPage(Query{Limit: maxCompared}, nil)
		if len(kept) == 0 {
			correction = Correction{Dropped | f.correction.Changes, rest, append(dropped, words[omitted])}
			f.keep = keep
			if f.searchSimilar(hits, folded, omitted, typos) {
				f.correction = Correction{Typos, folded, dropped}
				if len(dropped) > 0 {
					f.correction.Changes |= Dropped
				}
				return
			}
			f.keep = maxCompared
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
	w := &f.words[at]
	f.queried = appendRunes(f.queried[:0], w.text)
	most := min(2, len(f.queried)-2)
	if len(f.queried) > 8 {
		most = 3
	}
	if hasDigit(w.text) || most < 1 {
		return false
	}
	w.typos = nil
	for _, h := range hits {
		f.addSimilar(w, h.Doc, most)
	}
	w.sure = false
	f.orderNeeded()
	f.rankNames(withTypos)
	return f.total > 0
}

// addSimilar adds the words of a document's names within some edits to the typos of a
// word, whose characters are queried.
func (f *finder) addSimilar(w *word, doc uint32, most int) {
	for name := f.x.firstName(doc); int(name) < f.x.docs.Len() && f.x.docOf(name) == doc; name++ {
		tokens := f.x.tokensOf(name)
		for at := range tokens.Len() {
			term := tokens.At(at)
			if term&inside != 0 || hasDigit(f.x.terms.At(term)) {
				continue
			}
			f.letters = appendRunes(f.letters[:0], f.x.terms.At(term))
			if edits := editsBetween(f.queried, f.letters, most); edits <= most {
				f.setTypo(w, near{term, costOfEdit * edits})
			}
		}
	}
}

// omissions returns which words of a query to leave out, one after the other: the
// shortest first, and of equally long ones the last. If a word is in no name, only
// that one is left out; with typos it may be any, but of two words only such a word.
func (f *finder) omissions(words []string, typos bool) []int {
	var unknown, all []int
	letters := 0
	for i, text := range words {
		letters += utf8.RuneCountInString(text)
		if !isNumber(text) {
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
		all = slices.DeleteFunc(unknown, func(i int) bool { return isNumber(words[i]) })
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(words[a]), utf8.RuneCountInString(words[b])), cmp.Compare(b, a))
	})
	all = slices.DeleteFunc(all, func(i int) bool { return 2*utf8.RuneCountInString(words[i]) >= letters })
	return all[:min(len(all), maxRelaxedReadings)]
}

// firstName returns the first name of a document.
func (x *Index) firstName(doc uint32) uint32 {
	lo, hi := 0, x.docs.Len()
	for lo < hi {
		if mid := (lo + hi) / 2; x.docOf(uint32(mid)) < doc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint32(lo)
}
