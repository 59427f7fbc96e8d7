package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// precomputing limits the results that the builder precomputes.
type precomputing struct {
	above int // prefixes of terms with more postings than this
	most  int // how many hits, for each group of documents
}

// The defaults: walking 512 postings takes about ten microseconds, and 20 hits are
// two pages. Different prefixes of one length have no posting in common, and a
// posting has no more prefixes than characters. So a group has fewer results than
// all postings' terms have characters, divided by precomputeAbove.
const (
	precomputeAbove = 512
	precomputedHits = 20
)

// packedHit has rank, document and title of a hit in 8, 32 and 16 bits. Better hits
// are smaller numbers.
type packedHit uint64

func (h packedHit) rank() rank { return rank(h >> 48) }
func (h packedHit) hit() Hit   { return Hit{Doc: uint32(h >> 16), Shown: uint16(h)} }

// key returns the key of the result of a word: everything that the result depends on besides
// the group. Prefixes that match the same terms share a result, unless one of them is a term
// or a numeral.
func (w *word) key() terms.ResultKey {
	return terms.ResultKey{w.written.Lo, w.written.Hi, w.equal, w.alternate, w.acronym}
}

// pair is the flag of the first number of the key of two words. The number is the term of the
// first word, and the next three are those of the second one.
const pair = 1 << 31

// key returns the key of the planned words, if they may have a precomputed result.
func (f *finder) key() (key terms.ResultKey, ok bool) {
	switch len(f.words) {
	case 1:
		return f.words[0].key(), true
	case 2:
		a, b := &f.words[0], &f.words[1]
		return terms.ResultKey{a.equal | pair, b.written.Lo, b.written.Hi, b.equal}, a.equal != 0 && !a.open && !f.alternates && f.acronyms == asWritten
	}
	return key, false
}

// findPrecomputed answers a query of one or two words, as written, from the precomputed
// results, which are those of a plain text. It returns false if there is none, or
// if the page lies beyond it. A document is in one group, so the best of all groups are among
// the best of each.
func (f *finder) findPrecomputed() bool {
	key, ok := f.key()
	if !ok || f.closed || f.noOther {
		return false
	}
	f.merged = f.merged[:0]
	total, enough, last := 0, true, ^packedHit(0)
	found := f.x.precomputed.Find(key, func(group, n uint32, hits snapshot.U64s) {
		if f.groups>>group&1 == 0 {
			return
		}
		enough = enough && hits.Len() >= min(f.keep, int(n))
		for i := range hits.Len() {
			f.merged = append(f.merged, packedHit(hits.At(i)))
		}
		switch {
		case hits.Len() == 0:
			last = 0
		case hits.Len() < int(n):
			last = min(last, packedHit(hits.At(hits.Len()-1)))
		}
		total += int(n)
	})
	if !found || !enough {
		return false
	}
	if !f.plain {
		enough = f.rankMerged(last)
	} else {
		slices.Sort(f.merged)
		for _, h := range f.merged {
			f.addHit(h.rank(), h.hit())
		}
	}
	f.total = total
	return enough
}

// rankMerged ranks the documents of the merged hits for a text with signs or accents, so that it
// takes no longer than without them. It returns false if others may be on the page: no sign
// brings a name forward, but from exact to asTyped, so the others are behind the last hit.
func (f *finder) rankMerged(last packedHit) bool {
	slices.SortFunc(f.merged, func(a, b packedHit) int { return cmp.Compare(a.hit().Doc, b.hit().Doc) })
	f.beginRanking(asWritten)
	f.doubt = append(f.doubt[:0], f.need...)
	for _, h := range f.merged {
		for name := range f.x.namesOf(h.hit().Doc) {
			f.considerName(name)
		}
	}
	f.closeDocument()
	if r := last.rank(); r%afterOwn == exact || r%afterOwn == asTyped {
		last = packedHit(r-r%afterOwn) << 48
	}
	ahead := 0
	for r := range f.usedRanks() {
		for _, h := range f.found[r] {
			if packedHit(r)<<48|packedHit(h.Doc)<<16 <= last {
				ahead++
			}
		}
	}
	return ahead >= min(f.keep, len(f.merged))
}

// precompute returns the results of words with too many names to walk for each query: prefixes
// of two or three characters, the most frequent words, and pairs of these. It searches x for
// them. Without the pairs, two random words of random titles take five times as long on average.
func precompute(x *Index, limits precomputing) (top terms.Results) {
	f := newFinder(x)
	f.beginQuery(Query{Limit: x.Docs()})
	f.plain = true
	for _, w := range frequentWords(x, limits.above) {
		f.words, f.alternates, f.acronyms = append(f.words[:0], w), false, asWritten
		f.noteWord(&w)
		f.orderNeeded()
		f.precomputePlanned(&top, limits.most)
	}
	for _, text := range frequentPairs(x, limits.above) {
		f.planQuery(text)
		f.precomputePlanned(&top, limits.most)
	}
	return top
}

// precomputePlanned appends the results of the planned words.
func (f *finder) precomputePlanned(top *terms.Results, most int) {
	key, ok := f.key()
	if !ok {
		return
	}
	f.rankNames(asWritten)
	// the best hits of each group of documents and its number of hits
	var best [8][]uint64
	var totals [8]uint32
	for r := range f.usedRanks() {
		for _, h := range f.found[r] {
			g := f.x.groups[h.Doc]
			totals[g]++
			if len(best[g]) < most {
				best[g] = append(best[g], uint64(r)<<48|uint64(h.Doc)<<16|uint64(h.Shown))
			}
		}
	}
	for group, total := range totals {
		if total > 0 {
			top.Append(key, uint32(group), total, best[group])
		}
	}
}

// frequentPairs returns the pairs of frequent terms that more than above names have, as queries,
// in the order of the rows.
func frequentPairs(x *Index, above int) (texts []string) {
	x.findFrequent(above + 1)
	for i, a := range x.postings.Frequent() {
		for j, b := range x.postings.Frequent() {
			if i != j && !x.acronymTerms.Has(a) && !x.acronymTerms.Has(b) && x.postings.CountCommon(i, j) > above {
				texts = append(texts, x.terms.At(a)+" "+x.terms.At(b))
			}
		}
	}
	return texts
}

// frequentWords returns the prefixes of terms that have more than above postings, as words
// that are looked up, in the order of the rows.
func frequentWords(x *Index, above int) []word {
	var words []word
	before := ""
	for lo := uint32(1); int(lo) < x.terms.Len(); lo++ {
		term := x.terms.At(lo)
		for at, r := range term {
			w := word{text: term[:at+utf8.RuneLen(r)], open: true}
			if strings.HasPrefix(before, w.text) {
				continue
			}
			if x.acronymTerms.Has(lo) || x.postings.Of(terms.Span{Lo: lo, Hi: x.terms.EndOfPrefix(lo, w.text)}).Len() <= above {
				break
			}
			x.lookUpWord(&w)
			words = append(words, w)
		}
		before = term
	}
	slices.SortFunc(words, func(a, b word) int { return a.key().Compare(b.key()) })
	return slices.CompactFunc(words, func(a, b word) bool { return a.key() == b.key() })
}

// openPrecomputed reads the precomputed results and checks that their documents exist and have
// the right group.
func (x *Index) openPrecomputed(f *snapshot.File) (err error) {
	x.precomputed, err = terms.OpenResults(f, sectionTop, sectionTopHits, x.Docs(), func(group uint32, packed uint64) bool {
		h := packedHit(packed)
		return h.rank() < ranks && h>>56 == 0 && int64(h.hit().Doc) < int64(x.Docs()) && uint32(x.groups[h.hit().Doc]) == group
	})
	return err
}
