package search

import "gamedex/internal/fold"

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
	doubt    []need // those of need that a candidate may lack
	twins    bool   // some word has a twin
	latitude latitude
	groups   uint8
	keep     int  // how many hits of a rank can be on the page or before it
	enough   rank // there are as many of this rank; worse ones are not on the page

	marked  nameSet      // names that are candidates
	both    nameSet      // names that were marked and have another word, too
	found   [ranks][]Hit // the first hits of each rank
	total   int
	current Hit // the document being judged, at its best name so far
	best    rank
	open    bool // there is a current document

	recalled   []keptHit
	candidates []uint32
	spans      []span   // of the typos of all words
	texts      []string // the words of the query as typed
	tried      int      // readings with other gaps
	asked      []rune   // a word of the query
	letters    []rune   // of a term
}

func newFinder(x *Index) *finder {
	return &finder{x: x, marked: newNameSet(x.docs.Len()), both: newNameSet(x.docs.Len())}
}

// release returns the finder to the pool, unless a far page has made it big.
func (f *finder) release() {
	const maxPooled = 4096
	for _, hits := range f.found {
		if cap(hits) > maxPooled {
			return
		}
	}
	if cap(f.words) > maxPooled || cap(f.candidates) > 16*maxPooled || cap(f.spans) > maxPooled {
		return
	}
	clear(f.words) // they would keep the texts of queries alive
	clear(f.texts)
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
// as written, without gaps for punctuation, with one gap more or less, with
// typos, with a mistyped beginning of the last word.
func (f *finder) search(q Query) int {
	gapped := fold.Fold(q.Text)
	if f.run(gapped); f.total > 0 {
		return f.total
	}
	if joined := joinedForm(q.Text, gapped); joined != gapped {
		if f.run(joined); f.total > 0 {
			return f.total
		}
		f.plan(gapped)
	}
	if f.searchGaps(gapped); f.total > 0 {
		return f.total
	}
	if q.Typos && len(f.words) > 0 {
		f.searchTypos()
	}
	return f.total
}

// run finds all documents for a folded query as it is written.
func (f *finder) run(folded string) {
	f.plan(folded)
	f.reset()
	if !f.recall() {
		f.judge(asWritten)
	}
}

// searchTypos finds all documents for the planned query with typos.
func (f *finder) searchTypos() {
	for i := range f.words {
		f.similar(&f.words[i], false)
	}
	f.order()
	if f.judge(withTypos); f.total > 0 {
		return
	}
	last := &f.words[len(f.words)-1]
	if len([]rune(last.text)) >= minBeginning {
		f.similar(last, true)
		f.order()
		f.judge(withTypos)
	}
}

func (f *finder) reset() {
	f.total, f.open, f.enough = 0, false, ranks
	if f.keep == 0 {
		f.enough = exact
	}
	for r := range f.found {
		f.found[r] = f.found[r][:0]
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
