package terms

import (
	"slices"

	"gamedex/internal/snapshot"
)

// Span is a range of terms, Hi not included.
type Span struct{ Lo, Hi uint32 }

// Only returns the span of one term.
func Only(term uint32) Span { return Span{term, term + 1} }

// Has reports whether a term is in the range. Below Lo the unsigned difference is
// huge.
func (s Span) Has(term uint32) bool { return term-s.Lo < s.Hi-s.Lo }

// Postings has the names of each term. Those of frequent terms are also sets, which say
// whether a name has a term without reading the name.
type Postings struct {
	at       snapshot.U32s // term → where its names begin; then the number of postings
	list     snapshot.U32s // names, rising within a term
	frequent []uint32      // the terms that have sets, ascending
	sets     []NameSet     // of each of them
}

// AddPostings writes the names of each term, ascending, in two sections. The result has no sets.
func AddPostings(w *snapshot.Writer, sectionAt, section string, lists [][]uint32) Postings {
	offsets, postings := snapshot.AppendU32(nil, 0), []byte(nil)
	for _, list := range lists {
		postings = snapshot.AppendU32(postings, list...)
		offsets = snapshot.AppendU32(offsets, uint32(len(postings)/4))
	}
	w.Add(sectionAt, offsets)
	w.Add(section, postings)
	return Postings{at: offsets, list: postings}
}

// OpenPostings reads what AddPostings wrote for as many terms and names. The error is a
// [*snapshot.DamageError].
func OpenPostings(f *snapshot.File, sectionAt, section string, terms, names int) (p Postings, err error) {
	if p.list, err = f.U32s(section); err != nil {
		return p, err
	}
	if p.at, err = f.Offsets(sectionAt, terms, p.list.Len()); err != nil {
		return p, err
	}
	for term := range uint32(terms) {
		list, last := p.Of(Only(term)), int64(-1)
		for i := range list.Len() {
			name := int64(list.At(i))
			if name <= last || name >= int64(names) {
				return p, snapshot.Damaged(section, "entry %d of term %d is name %d of %d", i, term, name, names)
			}
			last = name
		}
	}
	return p, nil
}

// Of returns the names of all terms of a span. They are a single slice, because neighbouring
// terms have neighbouring postings. The names of several terms are not sorted and may repeat.
func (p *Postings) Of(s Span) snapshot.U32s {
	return p.list.Slice(p.at.At(int(s.Lo)), p.at.At(int(s.Hi)))
}

// FindFrequent makes sets for the terms that at least so many of all names have.
func (p *Postings) FindFrequent(least, names int) {
	p.frequent, p.sets = nil, nil
	for term := range uint32(p.at.Len() - 1) {
		if list := p.Of(Only(term)); list.Len() >= least {
			set := NewNameSet(names)
			set.Add(list)
			p.frequent = append(p.frequent, term)
			p.sets = append(p.sets, set)
		}
	}
}

// Frequent returns the terms that have sets, ascending.
func (p *Postings) Frequent() []uint32 { return p.frequent }

// CountCommon returns how many names have both of two frequent terms, by their positions
// in Frequent.
func (p *Postings) CountCommon(i, j int) int { return p.sets[i].CountCommon(&p.sets[j]) }

// frequentIn returns the range of the frequent terms that are in a span.
func (p *Postings) frequentIn(s Span) (lo, hi int) {
	lo, _ = slices.BinarySearch(p.frequent, s.Lo)
	hi, _ = slices.BinarySearch(p.frequent, s.Hi)
	return lo, hi
}

// CountOthers returns how many postings the terms of a span have that are not frequent.
func (p *Postings) CountOthers(s Span) int {
	n := p.Of(s).Len()
	lo, hi := p.frequentIn(s)
	for _, term := range p.frequent[lo:hi] {
		n -= p.Of(Only(term)).Len()
	}
	return n
}

// AppendSets appends the sets of the frequent terms of a span, and adds the names of its other
// terms to others.
func (p *Postings) AppendSets(sets []*NameSet, s Span, others *NameSet) []*NameSet {
	lo, hi := p.frequentIn(s)
	for i := lo; i < hi; i++ {
		sets = append(sets, &p.sets[i])
		others.Add(p.Of(Span{s.Lo, p.frequent[i]}))
		s.Lo = p.frequent[i] + 1
	}
	others.Add(p.Of(s))
	return sets
}
