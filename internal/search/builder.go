package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gamedex/internal/search/acronym"
	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/search/translit"
	"gamedex/internal/snapshot"
)

// Name is one text under which a document is found.
type Name struct {
	Text  string // as written; folded here
	Shown uint16 // which of the document's titles to show when this text matched; 0 is its own
}

// NotOwn is the Shown of a name that is not a title of the document, such as that of
// something else that is sold with it. Matches with titles come first.
const NotOwn = math.MaxUint16

// Doc is what the index stores about a card. A document without names is never
// found, but it has a number.
type Doc struct {
	Group uint8 // 0 to 7; see Query.Groups
	Names []Name
}

// Builder collects documents and writes the sections that [Open] reads. Equal
// documents make equal bytes.
type Builder struct {
	numbers  map[string]uint32 // term → its number in order of appearance
	terms    []string
	whole    []bool   // term → some title has it as a whole word
	groups   []byte   // doc → group
	docs     []uint32 // name → doc, with the flag plainName
	shown    []byte   // name → Shown
	ends     []uint32 // name → end of its tokens
	tokens   []uint32 // term numbers; see inside
	acronyms acronym.Builder
	top      precomputing // the limits of precomputed results
}

// inside is the flag of a token that is not a word of the name but a suffix of the
// word before it.
const inside = 1 << 31

// acronymMark begins the terms of acronyms, so that no prefix of a word finds them.
const acronymMark = "."

// NewBuilder returns a Builder without documents.
func NewBuilder() *Builder {
	return &Builder{numbers: map[string]uint32{}, top: precomputing{precomputeAbove, precomputedHits}}
}

// Add appends the next document. The first one has number 0. [Builder.AddTo] reports
// a group above 7.
func (b *Builder) Add(d Doc) {
	doc := uint32(len(b.groups))
	b.groups = append(b.groups, d.Group)
	for _, n := range distinct(d.Names) {
		if n.Plain {
			b.docs = append(b.docs, doc|plainName)
		} else {
			b.docs = append(b.docs, doc)
		}
		b.shown = snapshot.AppendU16(b.shown, n.shown)
		b.addTokens(strings.Fields(n.Text), n.Main)
	}
}

// addTokens adds the words of a name, with their suffixes, and its acronyms.
func (b *Builder) addTokens(words []string, main int) {
	for _, word := range words {
		term := b.termNumber(word)
		b.whole[term] = true
		b.tokens = append(b.tokens, term)
		for _, p := range spelling.SuffixesOf(word) {
			b.tokens = append(b.tokens, b.termNumber(p)|inside)
		}
	}
	b.ends = append(b.ends, uint32(len(b.tokens)))
	b.acronyms.Add(acronym.Of(words, main, spelling.AlternateNumeral), func(text string) uint32 { return b.termNumber(acronymMark + text) })
}

// foldedName is a form of a name, and which title it stands for.
type foldedName struct {
	spelling.Form
	shown uint16
}

// distinct returns the forms of names, each once, with the smallest Shown that it stands for.
func distinct(names []Name) []foldedName {
	folded := make([]foldedName, 0, 3*len(names))
	for _, n := range names {
		for _, form := range spelling.Forms(n.Text) {
			folded = append(folded, foldedName{form, n.Shown})
		}
	}
	slices.SortFunc(folded, func(a, b foldedName) int { return cmp.Or(a.Compare(b.Form), cmp.Compare(a.shown, b.shown)) })
	return slices.CompactFunc(folded, func(kept, next foldedName) bool { return kept.Form == next.Form })
}

// termNumber returns the number of a term by order of appearance. A new term gets the next
// one.
func (b *Builder) termNumber(term string) uint32 {
	n, ok := b.numbers[term]
	if !ok {
		n = uint32(len(b.terms))
		b.numbers[term] = n
		b.terms = append(b.terms, term)
		b.whole = append(b.whole, false)
	}
	return n
}

// AddTo adds the sections of the index to w. The Builder must not be used
// afterwards.
func (b *Builder) AddTo(w *snapshot.Writer) error {
	if doc := slices.IndexFunc(b.groups, func(group byte) bool { return group > 7 }); doc >= 0 {
		return fmt.Errorf("write search index: document %d: group %d is not 0 to 7", doc, b.groups[doc])
	}
	if words := max(len(b.tokens), b.acronyms.Len()); words > math.MaxInt32 {
		return fmt.Errorf("write search index: %d words in all titles, at most %d", words, math.MaxInt32)
	}
	x := &Index{} // with sections as Open would return them: precompute searches it
	if err := b.addTerms(w, x); err != nil {
		return err
	}
	b.addPostings(w, x)
	x.groups, x.docs, x.shown = b.groups, snapshot.AppendU32(nil, b.docs...), b.shown
	x.tokensAt, x.tokens = snapshot.AppendU32(make([]byte, 4), b.ends...), snapshot.AppendU32(nil, b.tokens...)
	w.Add(sectionGroups, x.groups)
	w.Add(sectionDocs, x.docs)
	w.Add(sectionShown, x.shown)
	w.Add(sectionTokensAt, x.tokensAt)
	w.Add(sectionTokens, x.tokens)
	x.acronyms = b.acronyms.AddTo(w, sectionAcronymsAt, sectionAcronyms)
	b.addBuckets(w, sectionTyposAt, sectionTypos, spelling.EachTermRemainder)
	b.addBuckets(w, sectionSoundsAt, sectionSounds, func(term string, visit func(hash uint32)) {
		for _, key := range translit.TermKeys(term) {
			visit(terms.Hash(key))
		}
	})
	top := precompute(x, b.top)
	top.AddTo(w, sectionTop, sectionTopHits)
	return nil
}

// addTerms sorts the terms and renumbers the tokens accordingly, from 1 on:
// number 0 of a string table is the empty string.
func (b *Builder) addTerms(w *snapshot.Writer, x *Index) error {
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int { return strings.Compare(b.terms[i], b.terms[j]) })
	table := snapshot.NewStringsWriter()
	sorted := make([]uint32, len(b.terms))
	texts, whole := []string{""}, []bool{false}
	for _, old := range order {
		sorted[old] = table.Number(b.terms[old])
		texts, whole = append(texts, b.terms[old]), append(whole, b.whole[old])
	}
	for i, t := range b.tokens {
		b.tokens[i] = sorted[t&^inside] | t&inside
	}
	b.acronyms.Renumber(sorted)
	b.terms, b.whole = texts, whole
	x.setTerms(terms.Table{Strings: table.Strings()})
	return table.AddTo(w, sectionTerms)
}

// addBuckets writes the terms that are whole words of titles in buckets by hashes.
func (b *Builder) addBuckets(w *snapshot.Writer, sectionAt, section string, each func(term string, visit func(hash uint32))) {
	var pairs []uint64 // hash, term
	for term, text := range b.terms {
		if b.whole[term] {
			each(text, func(hash uint32) { pairs = append(pairs, uint64(hash)<<32|uint64(term)) })
		}
	}
	terms.AddBuckets(w, sectionAt, section, pairs)
}

// addPostings writes the names of each term, ascending.
func (b *Builder) addPostings(w *snapshot.Writer, x *Index) {
	lists := make([][]uint32, len(b.terms))
	add := func(name int, term uint32) {
		list := lists[term]
		if len(list) == 0 || list[len(list)-1] != uint32(name) {
			lists[term] = append(list, uint32(name))
		}
	}
	start := uint32(0)
	for name, end := range b.ends {
		for _, t := range b.tokens[start:end] {
			add(name, t&^inside)
		}
		b.acronyms.EachTerm(name, func(term uint32) { add(name, term) })
		start = end
	}
	x.postings = terms.AddPostings(w, sectionPostingsAt, sectionPostings, lists)
}
