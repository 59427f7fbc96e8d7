package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gamedex/internal/snapshot"
)

// keeping says which answers the builder keeps.
type keeping struct {
	above int // postings: a beginning of terms with more has its answers kept
	most  int // hits for each group of documents
}

// What is kept by default: walking 512 postings takes some ten microseconds,
// and 20 hits are two pages. Beginnings of one length that differ have no
// posting in common, and a posting has no more beginnings than characters: the
// answers for a group are fewer than the characters of the terms of all
// postings divided by keptAbove.
const (
	keptAbove = 512
	keptMost  = 20
)

// The columns of a kept answer; the first four are its key. Rows are sorted by
// the key and the group.
const (
	keptLo    = iota // word.written
	keptHi           //
	keptEqual        // word.equal
	keptTwin         // word.twin
	keptGroup
	keptTotal // documents of the group
	keptEnd   // end of the answer's hits, which begin where those before end
	keptColumns
)

// keptHit is rank, document and title of a hit in 8, 32 and 16 bits, so that
// better hits are smaller numbers.
type keptHit uint64

func newKeptHit(r rank, h Hit) keptHit {
	return keptHit(r)<<48 | keptHit(h.Doc)<<16 | keptHit(h.Shown)
}

func (h keptHit) rank() rank { return rank(h >> 48) }
func (h keptHit) hit() Hit   { return Hit{Doc: uint32(h >> 16), Shown: uint16(h)} }

// kept are the answers to words that are in so many names that walking them
// would be felt: the beginnings as typed, two or three characters long, and
// the most frequent words.
type kept struct {
	rows snapshot.U32s
	hits snapshot.U64s
}

func (k kept) len() int { return k.rows.Len() / keptColumns }

func (k kept) at(row, column int) uint32 { return k.rows.At(row*keptColumns + column) }

// hitsOf returns the hits of a row, best first.
func (k kept) hitsOf(row int) snapshot.U64s {
	from := uint32(0)
	if row > 0 {
		from = k.at(row-1, keptEnd)
	}
	return k.hits[8*int(from) : 8*int(k.at(row, keptEnd))]
}

// key is what rows are sorted by, before the group.
func (k kept) key(row int) keptKey {
	return keptKey{k.at(row, keptLo), k.at(row, keptHi), k.at(row, keptEqual), k.at(row, keptTwin)}
}

// keptKey is all that the answer to one word depends on, beside the group:
// beginnings that take the same terms share an answer, unless one of them is a
// term itself or a numeral.
type keptKey [4]uint32

func (w *word) key() keptKey { return keptKey{w.written.lo, w.written.hi, w.equal, w.twin} }

func (a keptKey) compare(b keptKey) int { return slices.Compare(a[:], b[:]) }

// find returns the rows of a word, one for each group that has any.
func (k kept) find(w *word) (from, to int) {
	key := w.key()
	from = sort.Search(k.len(), func(row int) bool { return k.key(row).compare(key) >= 0 })
	for to = from; to < k.len() && k.key(to) == key; to++ {
	}
	return from, to
}

// recall answers a query of one word, as written, from the kept answers; false
// if there is none or the page lies beyond what was kept. A document is in one
// group, so the best of all groups are among the best of each.
func (f *finder) recall() bool {
	if len(f.words) != 1 {
		return false
	}
	from, to := f.x.kept.find(&f.words[0])
	f.recalled = f.recalled[:0]
	total := 0
	for row := from; row < to; row++ {
		if f.groups>>f.x.kept.at(row, keptGroup)&1 == 0 {
			continue
		}
		hits, n := f.x.kept.hitsOf(row), int(f.x.kept.at(row, keptTotal))
		if hits.Len() < min(f.keep, n) {
			return false
		}
		for i := range hits.Len() {
			f.recalled = append(f.recalled, keptHit(hits.At(i)))
		}
		total += n
	}
	slices.Sort(f.recalled)
	for _, h := range f.recalled {
		f.found[h.rank()] = append(f.found[h.rank()], h.hit())
	}
	f.total = total
	return from < to
}

// keptOf works out the answers to keep, by asking x for them.
func keptOf(x *Index, terms []string, keep keeping) (rows, hits []byte) {
	f := newFinder(x)
	f.begin(Query{Limit: x.Docs()})
	for _, w := range frequentWords(x, terms, keep.above) {
		f.words, f.twins = append(f.words[:0], w), w.twin != 0
		f.order()
		f.judge(asWritten)
		best, totals := f.byGroup(keep.most)
		for group, total := range totals {
			if total == 0 {
				continue
			}
			for _, h := range best[group] {
				hits = snapshot.AppendU64(hits, uint64(h))
			}
			key := w.key()
			rows = appendU32s(rows, append(key[:], uint32(group), total, uint32(len(hits)/8)))
		}
	}
	return rows, hits
}

// byGroup parts what was found by the groups of the documents: the best of
// each, and how many there are.
func (f *finder) byGroup(most int) (best [8][]keptHit, totals [8]uint32) {
	for r, found := range f.found {
		for _, h := range found {
			g := f.x.groups[h.Doc]
			totals[g]++
			if len(best[g]) < most {
				best[g] = append(best[g], newKeptHit(rank(r), h))
			}
		}
	}
	return best, totals
}

// frequentWords lists the beginnings of sorted terms that have more than above
// postings, as words looked up, in the order of the kept rows and each once.
func frequentWords(x *Index, terms []string, above int) []word {
	var words []word
	for lo := 1; lo < len(terms); lo++ {
		term := terms[lo]
		for end := range ends(term) {
			if strings.HasPrefix(terms[lo-1], term[:end]) {
				continue
			}
			hi := lo + sort.Search(len(terms)-lo, func(i int) bool { return !strings.HasPrefix(terms[lo+i], term[:end]) })
			s := span{uint32(lo), uint32(hi)}
			if x.postingsOf(s).Len() <= above {
				break
			}
			words = append(words, lookedUp(terms, term[:end], s))
		}
	}
	slices.SortFunc(words, func(a, b word) int { return a.key().compare(b.key()) })
	return slices.CompactFunc(words, func(a, b word) bool { return a.key() == b.key() })
}

// lookedUp returns what [Index.lookUp] will make of text, the beginning of the
// terms of s, as the last word of a query: an index that is being built has no
// terms to look up in yet. Where the two differed, the answer would be kept and
// never found.
func lookedUp(terms []string, text string, s span) word {
	w := word{text: text, open: true, written: s}
	if terms[s.lo] == text {
		w.equal = s.lo
	}
	number := twin(text)
	w.numeral = w.equal != 0 && number != ""
	if at, ok := slices.BinarySearch(terms, number); ok {
		w.twin = uint32(at) // 0, the empty term, if there is no twin
	}
	w.sure = w.twin == 0
	return w
}

// ends yields where the characters of text end.
func ends(text string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for at := 0; at < len(text); {
			_, size := utf8.DecodeRuneInString(text[at:])
			if at += size; !yield(at) {
				return
			}
		}
	}
}

// openKept reads the kept answers and checks that they name documents of their
// group and terms that are there. What they count is taken as written.
func (x *Index) openKept(f *snapshot.File) (err error) {
	if x.kept.rows, err = f.U32s(sectionKept); err != nil {
		return err
	}
	if x.kept.rows.Len()%keptColumns != 0 {
		return snapshot.Damaged(sectionKept, "%d numbers are not rows of %d", x.kept.rows.Len(), keptColumns)
	}
	if x.kept.hits, err = f.U64s(sectionKeptHits); err != nil {
		return err
	}
	end := uint32(0)
	for row := range x.kept.len() {
		from := end
		end = x.kept.at(row, keptEnd)
		if end < from || int64(end) > int64(x.kept.hits.Len()) {
			return snapshot.Damaged(sectionKept, "hits of answer %d end at %d of %d, after %d", row, end, x.kept.hits.Len(), from)
		}
		if err := x.checkKept(row); err != nil {
			return err
		}
	}
	if int(end) != x.kept.hits.Len() {
		return snapshot.Damaged(sectionKeptHits, "%d hits, %d belong to answers", x.kept.hits.Len(), end)
	}
	return nil
}

func (x *Index) checkKept(row int) error {
	k := x.kept
	group, total, hits := k.at(row, keptGroup), k.at(row, keptTotal), k.hitsOf(row)
	if row > 0 && cmp.Or(k.key(row-1).compare(k.key(row)), cmp.Compare(k.at(row-1, keptGroup), group)) >= 0 {
		return snapshot.Damaged(sectionKept, "answer %d is not above the one before", row)
	}
	if group > 7 || int64(total) > int64(len(x.groups)) || int64(hits.Len()) > int64(total) {
		return snapshot.Damaged(sectionKept, "answer %d has %d hits of %d in group %d", row, hits.Len(), total, group)
	}
	for i := range hits.Len() {
		h := keptHit(hits.At(i))
		if h.rank() >= ranks || h>>56 != 0 || int64(h.hit().Doc) >= int64(len(x.groups)) ||
			uint32(x.groups[h.hit().Doc]) != group || i > 0 && hits.At(i-1) >= hits.At(i) {
			return snapshot.Damaged(sectionKeptHits, "hit %d of answer %d is %#x", i, row, uint64(h))
		}
	}
	return nil
}
