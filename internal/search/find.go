package search

import "math/bits"

// Query is what [Index.Find] is asked.
type Query struct {
	Text   string
	Groups uint8 // bit g admits documents of group g; 0 admits all
	Limit  int   // how many hits to give at most; 0 or less: only the total
	Offset int   // how many of the best to leave out; below 0 counts as 0
	Typos  bool  // whether to look for typos when nothing else matches
}

// Hit is a document that was found and which of its titles to show.
type Hit struct {
	Doc   uint32
	Shown uint16
}

// Find appends to dst the hits from Offset on, at most Limit, best first, and
// returns how many documents match in all. The order does not depend on Offset
// and Limit, so pages never overlap. A text without letters and digits finds
// nothing.
func (x *Index) Find(q Query, dst []Hit) (hits []Hit, total int) {
	f := x.finders.Get().(*finder)
	defer f.release()
	f.begin(q)
	total = f.search(q)
	return f.page(q, dst), total
}

// finder is the working memory of one query.
type finder struct {
	x        *Index
	words    []word // of the query, in order
	need     []need // the distinct ones, rarest first
	twins    bool   // some word has a twin
	latitude latitude
	groups   uint8
	keep     int // how many hits of a rank can be on the page or before it

	marked  []uint64     // names that are candidates, a bit each; clear between queries
	found   [ranks][]Hit // the first hits of each rank
	total   int
	current Hit // the document being judged, at its best name so far
	best    rank
	open    bool // there is a current document

	candidates []uint32
	runes      []rune
}

func newFinder(x *Index) *finder {
	return &finder{x: x, marked: make([]uint64, (x.docs.Len()+63)/64)}
}

// release returns the finder to the pool, unless a far page has made it big.
func (f *finder) release() {
	const maxPooled = 4096
	for _, hits := range f.found {
		if cap(hits) > maxPooled {
			return
		}
	}
	if cap(f.words) > maxPooled || cap(f.candidates) > 16*maxPooled {
		return
	}
	clear(f.words[:cap(f.words)]) // it would keep the texts of queries alive
	f.x.finders.Put(f)
}

func (f *finder) begin(q Query) {
	docs := f.x.Docs()
	offset := min(max(q.Offset, 0), docs)
	f.keep = offset + min(max(q.Limit, 0), docs-offset)
	f.groups = q.Groups
	if f.groups == 0 {
		f.groups = 0xff
	}
}

// search tries ever looser readings of the query until one finds something:
// as written, with joined words, with typos, with a mistyped beginning of the
// last word.
func (f *finder) search(q Query) int {
	gapped, joined := forms(q.Text)
	if f.run(gapped, asWritten); f.total > 0 {
		return f.total
	}
	if joined != gapped {
		if f.run(joined, asWritten); f.total > 0 {
			return f.total
		}
	}
	if !q.Typos {
		return 0
	}
	return f.searchTypos(gapped)
}

// run finds all documents for a folded query.
func (f *finder) run(folded string, l latitude) {
	f.plan(folded)
	f.judge(l)
}

func (f *finder) searchTypos(folded string) int {
	f.plan(folded)
	for i := range f.words {
		w := &f.words[i]
		if edits := allowance(w.text); edits > 0 {
			w.typos = f.similar(nil, []rune(w.text), edits)
		}
	}
	f.order()
	if f.judge(withTypos); f.total > 0 || len(f.words) == 0 {
		return f.total
	}
	last := &f.words[len(f.words)-1]
	text, edits := []rune(last.text), allowance(last.text)
	if edits > 0 && len(text) >= minBeginning {
		last.typos = f.x.mistyped(last.typos, text, edits)
		f.order()
		f.judge(withTypos)
	}
	return f.total
}

// judge ranks every name that has the rarest word of the plan.
func (f *finder) judge(l latitude) {
	f.latitude, f.total, f.open = l, 0, false
	for r := range f.found {
		f.found[r] = f.found[r][:0]
	}
	if len(f.need) == 0 || f.need[0].cost == 0 {
		return
	}
	f.eachCandidate(f.need[0].word)
	f.close()
}

// eachCandidate judges the names of a word, rising. The names of one term are
// sorted already; those of several are brought together as bits.
func (f *finder) eachCandidate(w *word) {
	if w.written.hi-w.written.lo == 1 && w.twin == 0 && len(w.typos) == 0 {
		list := f.x.postingsOf(w.written)
		for i := range list.Len() {
			f.consider(list.At(i))
		}
		return
	}
	w.spans(func(s span) {
		list := f.x.postingsOf(s)
		for i := range list.Len() {
			name := list.At(i)
			f.marked[name/64] |= 1 << (name % 64)
		}
	})
	for i, set := range f.marked {
		f.marked[i] = 0
		for ; set != 0; set &= set - 1 {
			f.consider(uint32(64*i + bits.TrailingZeros64(set)))
		}
	}
}

// consider ranks one name. Names come in the order of their documents, so all
// names of a document come together.
func (f *finder) consider(name uint32) {
	doc := f.x.docs.At(int(name))
	if f.groups>>f.x.groups[doc]&1 == 0 {
		return
	}
	r, ok := f.match(f.x.tokensOf(name))
	if !ok {
		return
	}
	hit := Hit{Doc: doc, Shown: f.x.shown.At(int(name))}
	if !f.open || f.current.Doc != doc {
		f.close()
		f.current, f.best, f.open = hit, r, true
		return
	}
	if r < f.best || r == f.best && hit.Shown < f.current.Shown {
		f.current, f.best = hit, r
	}
}

// close counts the current document at its best name.
func (f *finder) close() {
	if !f.open {
		return
	}
	f.total++
	f.open = false
	if hits := f.found[f.best]; len(hits) < f.keep {
		f.found[f.best] = append(hits, f.current)
	}
}

// page appends the asked part of all hits. Ranks hold only their first hits,
// but a rank that was cut short fills the page by itself.
func (f *finder) page(q Query, dst []Hit) []Hit {
	skip, room := max(q.Offset, 0), max(q.Limit, 0)
	for _, hits := range f.found {
		from := min(skip, len(hits))
		to := from + min(room, len(hits)-from)
		dst = append(dst, hits[from:to]...)
		skip -= from
		room -= to - from
	}
	return dst
}
