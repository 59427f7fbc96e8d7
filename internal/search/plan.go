package search

import (
	"cmp"
	"slices"
	"strings"

	"gamedex/internal/snapshot"
)

// word is one word of a query and the terms that it takes.
type word struct {
	text    string
	open    bool   // takes what begins with it, too
	equal   uint32 // the term that is the word; 0 if no title has it
	written span   // the terms it takes as written: equal, or all that begin with it
	twin    uint32 // the term that is the same number in the other script; 0 if none
	typos   []span // terms within its edits, rising, once they are asked for
	numeral bool   // is a numeral that some title has
	sure    bool   // takes any token that is one of these terms
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
	return w.written.has(token&^inside) || l != asWritten && w.takesLoosely(token, l)
}

// takesLoosely is takes for what is not as written.
func (w *word) takesLoosely(token uint32, l latitude) bool {
	switch {
	case l&withTwins != 0 && w.twin != 0 && token&^inside == w.twin:
		return true
	case l&withTypos == 0 || token&inside != 0:
		return false
	}
	lo, hi := 0, len(w.typos)
	for lo < hi {
		if mid := (lo + hi) / 2; w.typos[mid].hi <= token {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(w.typos) && w.typos[lo].has(token)
}

// is says whether a token is the word itself.
func (w *word) is(token uint32, l latitude) bool {
	return token != 0 && (token == w.equal || l&withTwins != 0 && token == w.twin)
}

// isOneTerm says that the word takes one term and nothing else.
func (w *word) isOneTerm() bool {
	return w.written.hi-w.written.lo == 1 && w.twin == 0 && len(w.typos) == 0
}

// eachSpan calls visit with the names of all terms that the word takes.
func (w *word) eachSpan(x *Index, visit func(names snapshot.U32s)) {
	visit(x.postingsOf(w.written))
	if w.twin != 0 {
		visit(x.postingsOf(span{w.twin, w.twin + 1}))
	}
	for _, s := range w.typos {
		visit(x.postingsOf(s))
	}
}

// plan looks the words of a folded query up. The result is valid until the
// next plan.
func (f *finder) plan(folded string) {
	f.words, f.spans, f.twins = f.words[:0], f.spans[:0], false
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
	lo := x.notBelow(w.text)
	w.written = span{lo, lo}
	if int(lo) < x.terms.Len() && x.terms.At(lo) == w.text {
		w.equal = lo
		w.written.hi++
	}
	if w.open {
		w.written.hi = x.endOf(w.text, w.written.hi)
	}
	if t := twin(w.text); t != "" {
		w.numeral = w.equal != 0
		if at := x.notBelow(t); int(at) < x.terms.Len() && x.terms.At(at) == t {
			w.twin = at
		}
	}
	w.sure = w.twin == 0
}

// notBelow returns the first term that is not below text.
func (x *Index) notBelow(text string) uint32 {
	lo, hi := uint32(1), uint32(x.terms.Len())
	for lo < hi {
		if mid := lo + (hi-lo)/2; x.terms.At(mid) < text {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// endOf returns the end of the terms from lo on that begin with prefix. They
// stand together and are mostly few, so the steps grow from one.
func (x *Index) endOf(prefix string, lo uint32) uint32 {
	hi, step := uint32(x.terms.Len()), uint32(1)
	for lo+step <= hi && strings.HasPrefix(x.terms.At(lo+step-1), prefix) {
		lo += step
		step *= 2
	}
	hi = min(hi, lo+step-1)
	for lo < hi {
		if mid := lo + (hi-lo)/2; strings.HasPrefix(x.terms.At(mid), prefix) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
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
	w.eachSpan(f.x, func(names snapshot.U32s) { n += names.Len() })
	return n
}
