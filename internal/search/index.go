package search

import (
	"sync"
	"unicode/utf8"

	"gamedex/internal/search/acronym"
	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// The sections of the index in a snapshot.
const (
	sectionTerms      = "search/terms"       // strings, sorted; number 0 is ""
	sectionPostingsAt = "search/postings-at" // term → where its postings begin
	sectionPostings   = "search/postings"    // names, rising within a term
	sectionGroups     = "search/groups"      // doc → group, one byte
	sectionDocs       = "search/docs"        // name → doc, rising; see plainName
	sectionShown      = "search/shown"       // name → Shown
	sectionTokensAt   = "search/tokens-at"   // name → where its tokens begin
	sectionTokens     = "search/tokens"      // terms of a name in order; see inside
	sectionAcronymsAt = "search/acronyms-at" // name → where its acronyms begin
	sectionAcronyms   = "search/acronyms"    // acronyms of a name; see acronym.Builder
	sectionTyposAt    = "search/typos-at"    // bucket → where its terms begin
	sectionTypos      = "search/typos"       // terms of the delete dictionary, by hash
	sectionSoundsAt   = "search/sounds-at"   // bucket → where its terms begin
	sectionSounds     = "search/sounds"      // terms by the hash of how they sound
	sectionTop        = "search/kept"        // precomputed top results of frequent words
	sectionTopHits    = "search/kept-hits"   // their hits
)

// plainName is the flag of the document of a name that is written as it is folded, but
// for case.
const plainName = 1 << 31

// Index answers queries from the sections of one snapshot. It is safe for
// concurrent use.
type Index struct {
	terms        terms.Table
	postings     terms.Postings
	groups       []byte
	docs         snapshot.U32s
	shown        snapshot.U16s
	tokensAt     snapshot.U32s
	tokens       snapshot.U32s
	suffixes     []uint64 // a bit for each term that is a suffix of a word in some title; see inside
	acronyms     acronym.Names
	articles     [3]uint32 // the terms the, a and an; 0 if no title has it
	acronymTerms terms.Marked
	typos        terms.Buckets
	sounds       terms.Buckets
	precomputed  terms.Results
	finders      sync.Pool // of *finder
}

// Open reads the sections that [Builder.AddTo] wrote. It checks that all references
// between them are in range and that they are sorted as [Index.Find] needs them. The
// error is a [*snapshot.DamageError] with the section's name.
func Open(f *snapshot.File) (*Index, error) {
	x := &Index{}
	x.finders.New = func() any { return newFinder(x) }
	for _, open := range []func(*snapshot.File) error{x.openNames, x.openTerms, x.openTokens, x.openAcronyms, x.openTypos, x.openPrecomputed} {
		if err := open(f); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Docs returns the number of documents.
func (x *Index) Docs() int { return len(x.groups) }

func (x *Index) openNames(f *snapshot.File) (err error) {
	if x.groups, err = f.Section(sectionGroups); err != nil {
		return err
	}
	for doc, g := range x.groups {
		if g > 7 {
			return snapshot.Damaged(sectionGroups, "document %d has group %d, at most 7", doc, g)
		}
	}
	if x.docs, err = f.U32s(sectionDocs); err != nil {
		return err
	}
	last := uint32(0)
	for name := range x.docs.Len() {
		doc := x.docOf(uint32(name))
		if doc < last || int64(doc) >= int64(len(x.groups)) {
			return snapshot.Damaged(sectionDocs, "name %d has document %d, after %d, of %d", name, doc, last, len(x.groups))
		}
		last = doc
	}
	if x.shown, err = f.U16s(sectionShown); err != nil {
		return err
	}
	if x.shown.Len() != x.docs.Len() {
		return snapshot.Damaged(sectionShown, "%d entries for %d names", x.shown.Len(), x.docs.Len())
	}
	return nil
}

func (x *Index) openTerms(f *snapshot.File) (err error) {
	table, err := terms.Open(f, sectionTerms)
	if err != nil {
		return err
	}
	x.setTerms(table)
	x.postings, err = terms.OpenPostings(f, sectionPostingsAt, sectionPostings, x.terms.Len(), x.docs.Len())
	if err != nil {
		return err
	}
	x.findFrequent(minFrequent)
	return nil
}

// setTerms sets the terms, and those of articles and acronyms among them.
func (x *Index) setTerms(t terms.Table) {
	x.terms, x.acronymTerms = t, terms.OpenMarked(t, acronymMark)
	x.articles = [...]uint32{t.Find("the"), t.Find("a"), t.Find("an")}
}

func (x *Index) openTokens(f *snapshot.File) (err error) {
	if x.tokens, err = x.terms.OpenList(f, sectionTokens, inside); err != nil {
		return err
	}
	x.suffixes = make([]uint64, (x.terms.Len()+63)/64)
	for i := range x.tokens.Len() {
		if token := x.tokens.At(i); token&inside != 0 {
			x.suffixes[token&^inside/64] |= 1 << (token % 64)
		}
	}
	x.tokensAt, err = f.Offsets(sectionTokensAt, x.docs.Len(), x.tokens.Len())
	return err
}

func (x *Index) openAcronyms(f *snapshot.File) (err error) {
	x.acronyms, err = acronym.Open(f, sectionAcronymsAt, sectionAcronyms, x.docs.Len(), &x.acronymTerms)
	return err
}

// findAcronym returns the term of an acronym, or 0.
func (x *Index) findAcronym(text string) uint32 {
	if len(text) > utf8.UTFMax*acronym.MaxText {
		return 0
	}
	return x.acronymTerms.Find(text)
}

func (x *Index) openTypos(f *snapshot.File) (err error) {
	if x.typos, err = x.openBuckets(f, sectionTyposAt, sectionTypos); err != nil {
		return err
	}
	x.sounds, err = x.openBuckets(f, sectionSoundsAt, sectionSounds)
	return err
}

func (x *Index) openBuckets(f *snapshot.File, sectionAt, section string) (b terms.Buckets, err error) {
	list, err := x.terms.OpenList(f, section, 0)
	if err != nil {
		return b, err
	}
	return terms.OpenBuckets(f, sectionAt, list)
}

// docOf returns the document that has a name.
func (x *Index) docOf(name uint32) uint32 { return x.docs.At(int(name)) &^ plainName }

// tokensOf returns the terms of a name.
func (x *Index) tokensOf(name uint32) snapshot.U32s {
	return x.tokens.Slice(x.tokensAt.At(int(name)), x.tokensAt.At(int(name)+1))
}
