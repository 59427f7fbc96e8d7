package search

import (
	"cmp"
	"iter"
	"math/bits"
	"strings"

	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// Query is a search.
type Query struct {
	Text   string
	Groups uint8 // bit g includes documents of group g; 0 includes all
	Limit  int   // the most hits to return; with 0 or less only the total
	Offset int   // how many of the best hits to skip; below 0 counts as 0
	Typos  bool  // search with typos if nothing else matches
	// Scripts, if nothing else matches, reads the text as typed with another keyboard
	// layout, and searches for words in the other script that sound alike.
	Scripts bool
	// Sounds, if nothing else matches, only searches for whole words in the other script that
	// sound alike. This takes far less time than Scripts.
	Sounds bool
	// Drop, if nothing else matches, leaves out words: platforms and years, then words of
	// editions, then any other word but a number.
	Drop bool
	// Whole searches for the text only as it is written. The last of several words is no prefix.
	Whole bool
}

// Correction says how a query was read that finds nothing as it is written.
type Correction struct {
	Changes Change
	Query   string   // the folded query as it was read; empty without changes
	Dropped []string // its words that were left out
}

// Change is a set of ways in which a query was changed.
type Change uint8

// The changes.
const (
	Spaces  Change = 1 << iota // words were joined or split
	Typos                      // words match with typos
	Layout                     // the text was read with another keyboard layout
	Sound                      // words match by their sound
	Dropped                    // words were left out
)

// Names returns the changes as the API writes them, in a fixed order.
func (c Change) Names() (names []string) {
	for i, name := range []string{"spaces", "typos", "layout", "sound", "dropped"} {
		if c>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Hit is a document that was found, and the title to show.
type Hit struct {
	Doc   uint32
	Shown uint16
	Like  Likeness // with Query.Whole
}

// Likeness is how much the name that matched is like the query; less is more.
type Likeness uint8

// The likenesses.
const (
	// Same is for a name that is the query once both are folded, and Numerals for one that is
	// the query with Arabic numerals for Roman ones or the reverse.
	Same Likeness = iota
	Numerals
	// StandsFor is for a name that is the query but for an article before it, or with the
	// words that acronyms stand for.
	StandsFor
	// Begins is for a name that begins with the query, and Has for any other that matches.
	Begins
	Has
)

// Find appends the hits of a page to dst, best first, and returns the number of all
// documents that match, and how the query was changed. The order does not depend on
// Offset and Limit, so pages never overlap. A text without letters and digits finds
// nothing.
func (x *Index) Find(q Query, dst []Hit) (hits []Hit, total int, c Correction) {
	f := x.finders.Get().(*finder)
	defer f.release()
	f.beginQuery(q)
	total = f.search(q)
	return f.appendPage(q, dst), total, f.correction
}

// finder is the working memory of one query.
type finder struct {
	x             *Index
	words         []word        // of the query, in order
	need          []need        // the distinct ones, rarest first
	doubt         []need        // those of need that a candidate may lack
	alternates    bool          // some word has an alternate numeral
	acronyms      latitude      // withAcronyms if some word is an acronym
	acronymOf     snapshot.U32s // the names, from the current one on, with the acronym of the first word
	latitude      latitude
	closed        bool     // the last word is no prefix
	noOther       bool     // names with a number that is not in the query do not match
	plain         bool     // the query as typed is as it is folded, but for case
	first         int      // the first word of the query that is not an article before others
	least         rank     // no name has a better one
	leastDistance distance // no name with typos is nearer
	ranked        int      // how many names were ranked
	groups        uint8
	keep          int  // how many hits of a rank can be on the page or before it
	enough        rank // there are as many of this rank; worse ones are not on the page

	marked  terms.NameSet    // names that have the rarest word
	sets    []*terms.NameSet // of each word that has some; together they have all its names
	ends    []int            // where the sets of each of these words end
	others  terms.NameSet    // names that have terms of one of them that are not frequent
	batch   []uint32         // names to consider
	touched uint32           // a sum of what was read of them
	found   [ranks][]Hit     // the first hits of each rank
	used    [2]uint64        // a bit for each rank that has hits
	total   int
	current Hit // the document being judged, at its best name so far
	best    rank
	open    bool // there is a current document

	merged     []packedHit
	candidates []uint32
	typos      []near     // of all words
	texts      []string   // the words of the query as typed
	tried      int        // readings with a word-boundary error
	lookups    int        // of parts of words
	parts      []string   // memory for the parts of a word that is split
	parted     terms.Span // the words of the query that are parts of one word
	correction Correction
	queried    []rune // a word of the query
	letters    []rune // of a term
}

func newFinder(x *Index) *finder {
	return &finder{x: x, marked: terms.NewNameSet(x.docs.Len()), others: terms.NewNameSet(x.docs.Len()), parts: make([]string, 0, maxParts)}
}

// release returns the finder to the pool, unless a distant page has made it
// large.
func (f *finder) release() {
	const maxPooled = 4096
	for r := range f.usedRanks() {
		if cap(f.found[r]) > maxPooled {
			return
		}
	}
	if cap(f.words) > maxPooled || cap(f.candidates) > 16*maxPooled || cap(f.typos) > maxPooled {
		return
	}
	clear(f.words) // otherwise the texts of queries stay in memory
	f.correction = Correction{}
	clear(f.texts)
	clear(f.parts[:cap(f.parts)])
	f.x.finders.Put(f)
}

func (f *finder) beginQuery(q Query) {
	docs := f.x.Docs()
	offset := min(max(q.Offset, 0), docs)
	f.keep = offset + min(max(q.Limit, 0), docs-offset)
	f.groups = q.Groups
	if f.groups == 0 {
		f.groups = 0xff
	}
}

// search tries readings of the query until one finds something, the strictest first.
func (f *finder) search(q Query) int {
	f.correction, f.closed, f.noOther = Correction{}, false, false
	spaced := fold.Fold(q.Text)
	f.plain = spelling.IsPlainForm(q.Text, spaced)
	if q.Whole {
		f.closed = strings.Contains(spaced, " ") // results of single words may be precomputed
		f.searchWritten(q.Text, spaced)
		return f.total
	}
	if f.searchReadings(q, q.Text, spaced); f.total == 0 && q.Drop {
		f.searchDropping(q, strings.Fields(spaced))
	}
	return f.total
}

// searchReadings tries the readings of a text that keep all of its words: as written,
// with a word-boundary error, with typos, with several word-boundary errors, and in
// another script. The text is also given in its folded form.
func (f *finder) searchReadings(q Query, text, spaced string) {
	if f.searchWritten(text, spaced); f.total > 0 {
		if q.Scripts {
			f.searchAlsoSounds(spaced)
		}
		return
	}
	first, end := f.searchBoundaries(spaced)
	if f.total == 0 && q.Typos && spaced != "" {
		f.searchTypos(spaced)
	}
	if f.total == 0 {
		f.searchManyParts(first, end)
	}
	if f.total == 0 && q.Scripts {
		f.searchScripts(text, spaced)
	}
	if f.total == 0 && q.Sounds {
		f.closed = true
		_ = f.searchSounds(spaced, true) || f.searchSounds(spaced, false)
		f.closed = false
		f.foundBy(Sound, spaced)
	}
}

// foundBy records how the query was read, if this reading finds something.
func (f *finder) foundBy(changes Change, query string) bool {
	if f.total > 0 {
		f.correction.Changes |= changes
		f.correction.Query = cmp.Or(f.correction.Query, query)
	}
	return f.total > 0
}

// searchWritten finds all documents for a text as it is written, or without spaces for
// its punctuation.
func (f *finder) searchWritten(text, spaced string) {
	if f.searchFolded(spaced); f.total > 0 {
		return
	}
	if joined := spelling.JoinPunctuation(text, spaced); joined != spaced {
		f.searchFolded(joined)
	}
}

// searchFolded finds all documents for a folded query as it is written.
func (f *finder) searchFolded(folded string) {
	f.planQuery(folded)
	f.reset()
	if !f.findPrecomputed() {
		f.rankNames(asWritten)
	}
}

// firstHits returns the first hits of a search, at most n.
func (f *finder) firstHits(n int, search func()) []Hit {
	keep := f.keep
	f.keep = n
	search()
	f.keep = keep
	return f.appendPage(Query{Limit: n}, nil)
}

func (f *finder) reset() {
	f.total, f.open, f.enough = 0, false, ranks
	if f.keep == 0 {
		f.enough = asTyped
	}
	for r := range f.usedRanks() {
		f.found[r] = f.found[r][:0]
	}
	f.used = [2]uint64{}
}

// usedRanks yields the ranks that have hits, best first.
func (f *finder) usedRanks() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, used := range f.used {
			for ; used != 0; used &= used - 1 {
				if !yield(64*i + bits.TrailingZeros64(used)) {
					return
				}
			}
		}
	}
}

// appendPage appends the requested part of all hits. Ranks hold only their first hits,
// but a rank that was cut short fills the page alone.
func (f *finder) appendPage(q Query, dst []Hit) []Hit {
	skip, room := max(q.Offset, 0), max(q.Limit, 0)
	for r := range f.usedRanks() {
		hits := f.found[r]
		from := min(skip, len(hits))
		to := from + min(room, len(hits)-from)
		for _, h := range hits[from:to] {
			if q.Whole {
				h.Like = rank(r).likeness()
			}
			dst = append(dst, h)
		}
		skip -= from
		room -= to - from
	}
	return dst
}

// likeness returns the likeness of the names of a rank that match without typos.
func (r rank) likeness() Likeness {
	r %= afterOwn
	switch r % afterWritten {
	case asTyped, exact:
		if r < afterWritten {
			return Same
		}
		return Numerals
	case exactButArticle, wholeAcronym, acronymExact:
		return StandsFor
	case wholeAcronymPrefix, titlePrefix, acronymPrefix:
		return Begins
	}
	return Has
}
