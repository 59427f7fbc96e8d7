package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// word is one word of a query and the terms that it takes.
type word struct {
	text    string
	open    bool   // takes what begins with it, too
	equal   uint32 // the term that is the word; 0 if no title has it
	written span   // the terms it takes as written: equal, or all that begin with it
	twin    uint32 // the term that is the same number in the other script; 0 if none
	typos   []span // terms within its edits, once they are asked for
}

// latitude says what a word may take beyond what is written.
type latitude uint8

const (
	asWritten latitude = 0
	withTwins latitude = 1 << iota
	withTypos
)

// takes says whether the word takes a token of a name. A piece of a run is
// taken as written or as a numeral, never by a typo.
func (w *word) takes(token uint32, l latitude) bool {
	term := token &^ inside
	switch {
	case w.written.has(term):
		return true
	case l&withTwins != 0 && w.twin != 0 && term == w.twin:
		return true
	case l&withTypos == 0 || term != token:
		return false
	}
	return slices.ContainsFunc(w.typos, func(s span) bool { return s.has(term) })
}

// is says whether a token is the word itself.
func (w *word) is(token uint32, l latitude) bool {
	return token != 0 && (token == w.equal || l&withTwins != 0 && token == w.twin)
}

// spans calls visit with all terms that the word takes.
func (w *word) spans(visit func(span)) {
	visit(w.written)
	if w.twin != 0 {
		visit(span{w.twin, w.twin + 1})
	}
	for _, s := range w.typos {
		visit(s)
	}
}

// plan looks the words of a folded query up. The result is valid until the
// next plan.
func (f *finder) plan(folded string) {
	f.words, f.twins = f.words[:0], false
	for text := range strings.FieldsSeq(folded) {
		f.words = append(f.words, word{text: text, open: hasSpaceless(text)})
	}
	for i := range f.words {
		w := &f.words[i]
		w.open = w.open || i == len(f.words)-1
		f.x.lookUp(w)
		f.twins = f.twins || w.twin != 0
	}
	f.order()
}

func (x *Index) lookUp(w *word) {
	w.written = x.beginning(w.text)
	if lo := w.written.lo; lo < w.written.hi && x.terms.At(lo) == w.text {
		w.equal = lo
	}
	if !w.open {
		w.written.hi = w.written.lo
		if w.equal != 0 {
			w.written.hi++
		}
	}
	if t := twin(w.text); t != "" {
		if s := x.beginning(t); s.lo < s.hi && x.terms.At(s.lo) == t {
			w.twin = s.lo
		}
	}
}

// beginning returns the terms that begin with prefix.
func (x *Index) beginning(prefix string) span {
	n := x.terms.Len()
	lo := 1 + sort.Search(n-1, func(i int) bool { return x.terms.At(uint32(i+1)) >= prefix })
	hi := lo + sort.Search(n-lo, func(i int) bool { return !strings.HasPrefix(x.terms.At(uint32(lo+i)), prefix) })
	return span{uint32(lo), uint32(hi)}
}

// order fills f.need with the distinct words, those with the fewest names
// first: the first one gives the candidates, the others refuse them early. Of
// equal words the earlier one counts: the last word of a query takes more.
func (f *finder) order() {
	f.need = f.need[:0]
	for i := range f.words {
		w := &f.words[i]
		same := func(n need) bool { return n.word.text == w.text }
		if !slices.ContainsFunc(f.need, same) {
			f.need = append(f.need, need{w, f.cost(w)})
		}
	}
	slices.SortStableFunc(f.need, func(a, b need) int { return cmp.Compare(a.cost, b.cost) })
}

// need is a word that every name must have, and how many postings it has.
type need struct {
	word *word
	cost int
}

func (f *finder) cost(w *word) int {
	n := 0
	w.spans(func(s span) { n += f.x.postingsOf(s).Len() })
	return n
}
