package search

import (
	"cmp"
	"slices"
	"sort"
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

// The columns of a precomputed result. The first five are its key. Rows are sorted
// by key and group.
const (
	topLo        = iota // word.written
	topHi               //
	topEqual            // word.equal
	topAlternate        // word.alternate
	topAcronym          // word.acronym
	topGroup
	topTotal // documents of the group
	topEnd   // end of its hits, which start where those of the row before end
	topColumns
)

// packedHit has rank, document and title of a hit in 8, 32 and 16 bits. Better hits
// are smaller numbers.
type packedHit uint64

func (h packedHit) rank() rank { return rank(h >> 48) }
func (h packedHit) hit() Hit   { return Hit{Doc: uint32(h >> 16), Shown: uint16(h)} }

// precomputed has the top results of words with too many names to walk for each query:
// prefixes of two or three characters, the most frequent words, and pairs of these. Without
// the pairs, two random words of random titles take five times as long on average.
type precomputed struct {
	rows snapshot.U32s
	hits snapshot.U64s
}

func (k precomputed) len() int { return k.rows.Len() / topColumns }

func (k precomputed) at(row, column int) uint32 { return k.rows.At(row*topColumns + column) }

// hitsOf returns the hits of a row, best first.
func (k precomputed) hitsOf(row int) snapshot.U64s {
	from := uint32(0)
	if row > 0 {
		from = k.at(row-1, topEnd)
	}
	return k.hits[8*int(from) : 8*int(k.at(row, topEnd))]
}

// key returns what rows are sorted by, before the group.
func (k precomputed) key(row int) topKey {
	return topKey{k.at(row, topLo), k.at(row, topHi), k.at(row, topEqual), k.at(row, topAlternate), k.at(row, topAcronym)}
}

// topKey has everything that the result of a word depends on besides the group.
// Prefixes that match the same terms share a result, unless one of them is a term
// or a numeral.
type topKey [5]uint32

func (w *word) key() topKey {
	return topKey{w.written.Lo, w.written.Hi, w.equal, w.alternate, w.acronym}
}

// pair is the flag of the first number of the key of two words. The number is the term of the
// first word, and the next three are those of the second one.
const pair = 1 << 31

// key returns the key of the planned words, if they may have a precomputed result.
func (f *finder) key() (key topKey, ok bool) {
	switch len(f.words) {
	case 1:
		return f.words[0].key(), true
	case 2:
		a, b := &f.words[0], f.words[1].key()
		return topKey{a.equal | pair, b[topLo], b[topHi], b[topEqual]}, a.equal != 0 && !a.open && !f.alternates && f.acronyms == asWritten
	}
	return key, false
}

func (a topKey) compare(b topKey) int { return slices.Compare(a[:], b[:]) }

// findPrecomputed answers a query of one or two words, as written, from the precomputed
// results, which are those of a plain text. It returns false if there is none, or
// if the page lies beyond it. A document is in one group, so the best of all groups are among
// the best of each.
func (f *finder) findPrecomputed() bool {
	key, ok := f.key()
	if !ok || !f.plain || f.closed || f.noOther {
		return false
	}
	top := f.x.precomputed
	f.merged = f.merged[:0]
	found, total := false, 0
	row := sort.Search(top.len(), func(row int) bool { return top.at(row, topLo) >= key[topLo] })
	for ; row < top.len() && top.at(row, topLo) == key[topLo]; row++ {
		if top.key(row) != key { // there is one for each group that has any
			continue
		}
		if found = true; f.groups>>top.at(row, topGroup)&1 == 0 {
			continue
		}
		hits, n := top.hitsOf(row), int(top.at(row, topTotal))
		if hits.Len() < min(f.keep, n) {
			return false
		}
		for i := range hits.Len() {
			f.merged = append(f.merged, packedHit(hits.At(i)))
		}
		total += n
	}
	slices.Sort(f.merged)
	for _, h := range f.merged {
		f.addHit(h.rank(), h.hit())
	}
	f.total = total
	return found
}

// precompute returns the rows and hits of all frequent words and pairs of them, by searching x
// for them.
func precompute(x *Index, limits precomputing) (rows, hits []byte) {
	f := newFinder(x)
	f.beginQuery(Query{Limit: x.Docs()})
	f.plain = true
	for _, w := range frequentWords(x, limits.above) {
		f.words, f.alternates, f.acronyms = append(f.words[:0], w), false, asWritten
		f.noteWord(&w)
		f.orderNeeded()
		rows, hits = f.precomputePlanned(rows, hits, limits.most)
	}
	for _, text := range frequentPairs(x, limits.above) {
		f.planQuery(text)
		rows, hits = f.precomputePlanned(rows, hits, limits.most)
	}
	return rows, hits
}

// precomputePlanned appends the rows and hits of the planned words.
func (f *finder) precomputePlanned(rows, hits []byte, most int) ([]byte, []byte) {
	key, ok := f.key()
	if !ok {
		return rows, hits
	}
	f.rankNames(asWritten)
	// the best hits of each group of documents and its number of hits
	var best [8][]packedHit
	var totals [8]uint32
	for r := range f.usedRanks() {
		for _, h := range f.found[r] {
			g := f.x.groups[h.Doc]
			totals[g]++
			if len(best[g]) < most {
				best[g] = append(best[g], packedHit(r)<<48|packedHit(h.Doc)<<16|packedHit(h.Shown))
			}
		}
	}
	for group, total := range totals {
		if total == 0 {
			continue
		}
		for _, h := range best[group] {
			hits = snapshot.AppendU64(hits, uint64(h))
		}
		rows = appendU32s(rows, append(key[:], uint32(group), total, uint32(len(hits)/8)))
	}
	return rows, hits
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
	slices.SortFunc(words, func(a, b word) int { return a.key().compare(b.key()) })
	return slices.CompactFunc(words, func(a, b word) bool { return a.key() == b.key() })
}

// openPrecomputed reads the precomputed results and checks that their documents and
// terms exist and have the right group. It does not check the totals.
func (x *Index) openPrecomputed(f *snapshot.File) (err error) {
	if x.precomputed.rows, err = f.U32s(sectionTop); err != nil {
		return err
	}
	if x.precomputed.rows.Len()%topColumns != 0 {
		return snapshot.Damaged(sectionTop, "%d numbers are not rows of %d", x.precomputed.rows.Len(), topColumns)
	}
	if x.precomputed.hits, err = f.U64s(sectionTopHits); err != nil {
		return err
	}
	end := uint32(0)
	for row := range x.precomputed.len() {
		from := end
		end = x.precomputed.at(row, topEnd)
		if end < from || int64(end) > int64(x.precomputed.hits.Len()) {
			return snapshot.Damaged(sectionTop, "hits of result %d end at %d of %d, after %d", row, end, x.precomputed.hits.Len(), from)
		}
		k := x.precomputed
		group, total, hits := k.at(row, topGroup), k.at(row, topTotal), k.hitsOf(row)
		if row > 0 && cmp.Or(k.key(row-1).compare(k.key(row)), cmp.Compare(k.at(row-1, topGroup), group)) >= 0 {
			return snapshot.Damaged(sectionTop, "result %d is not above the one before", row)
		}
		if group > 7 || int64(total) > int64(len(x.groups)) || int64(hits.Len()) > int64(total) {
			return snapshot.Damaged(sectionTop, "result %d has %d hits of %d in group %d", row, hits.Len(), total, group)
		}
		for i := range hits.Len() {
			h := packedHit(hits.At(i))
			if h.rank() >= ranks || h>>56 != 0 || int64(h.hit().Doc) >= int64(len(x.groups)) ||
				uint32(x.groups[h.hit().Doc]) != group || i > 0 && hits.At(i-1) >= hits.At(i) {
				return snapshot.Damaged(sectionTopHits, "hit %d of result %d is %#x", i, row, uint64(h))
			}
		}
	}
	if int(end) != x.precomputed.hits.Len() {
		return snapshot.Damaged(sectionTopHits, "%d hits, %d belong to results", x.precomputed.hits.Len(), end)
	}
	return nil
}
