package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/acronym"
	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/search/translit"
)

// word is a word of a query and the terms that match it.
type word struct {
	text      string
	open      bool       // terms with this prefix match, too
	equal     uint32     // the term that is the word; 0 if no title has it
	written   terms.Span // the terms that match as written: equal, or all with this prefix
	alternate uint32     // the alternate numeral; 0 if none
	acronym   uint32     // the acronym with this text; 0 if no title has it
	typos     []near     // terms within its edits, or that sound like it, ascending, once they are looked up
	sure      bool       // a token matches if it is one of these terms, wherever it is
}

// The costs of a token that is not the word as written: an edit or a vowel that sounds
// different, and a longer word instead of the word itself or an unusual sound. A word that is
// not in a name at all is costly.
const (
	costOfEdit   = translit.CostOfVowel
	costOfLonger = 1
	costly       = 99
)

// latitude is what a word may match besides what is written.
type latitude uint8

const (
	asWritten      latitude = 0
	withAlternates latitude = 1 << iota
	withTypos
	withAcronyms
)

// matches reports whether a token of a name matches the word. A piece of a run
// matches as written or as a numeral, never with a typo.
func (w *word) matches(token uint32, l latitude) bool {
	return w.written.Has(token&^inside) || l != asWritten && w.matchesLoosely(token, l)
}

// matchesLoosely is matches for tokens that do not match as written.
func (w *word) matchesLoosely(token uint32, l latitude) bool {
	switch {
	case l&withAlternates != 0 && w.alternate != 0 && token&^inside == w.alternate:
		return true
	case l&withTypos == 0 || token&inside != 0:
		return false
	}
	_, ok := w.typo(token)
	return ok
}

// mayBeWhole reports whether some name has the word itself, not only longer ones.
func (w *word) mayBeWhole() bool { return w.equal != 0 || w.alternate != 0 || w.acronym != 0 }

// leastCost returns a lower bound for the cost of any token in place of the word.
func (w *word) leastCost() int {
	if w.mayBeWhole() {
		return 0
	}
	least := costly
	if w.written.Lo < w.written.Hi {
		least = costOfLonger
	}
	for _, t := range w.typos {
		least = min(least, t.cost)
	}
	return least
}

// costOf returns the cost of a token in place of the word.
func (w *word) costOf(token uint32, l latitude) int {
	if w.equals(token&^inside, l) {
		return 0
	}
	cost := costly
	if w.written.Has(token &^ inside) {
		cost = costOfLonger
	}
	if token&inside == 0 {
		typo, _ := w.typo(token)
		cost = min(cost, typo)
	}
	return cost
}

// equals reports whether a token is the word itself.
func (w *word) equals(token uint32, l latitude) bool {
	return token != 0 && (token == w.equal || l&withAlternates != 0 && token == w.alternate)
}

// eachSpan calls visit with all terms that match the word.
func (w *word) eachSpan(visit func(s terms.Span)) {
	visit(w.written)
	if w.alternate != 0 {
		visit(terms.Only(w.alternate))
	}
	if w.acronym != 0 {
		visit(terms.Only(w.acronym))
	}
	for _, t := range w.typos {
		visit(terms.Only(t.term))
	}
}

// planQuery looks up the words of a folded query.
func (f *finder) planQuery(folded string) {
	f.words, f.typos, f.alternates, f.acronyms = f.words[:0], f.typos[:0], false, asWritten
	for text := range strings.FieldsSeq(folded) {
		f.words = append(f.words, word{text: text, open: spelling.HasSpaceless(text)})
	}
	f.first = 0
	if len(f.words) > 1 && acronym.IsArticle(f.words[0].text) {
		f.first = 1
	}
	for i := range f.words {
		w := &f.words[i]
		w.open = w.open || i == len(f.words)-1 && !f.closed
		switch {
		case !f.parted.Has(uint32(i)):
			f.x.lookUpWord(w)
		case i == int(f.parted.Lo):
			f.x.lookUpPart(w, "")
		default:
			f.x.lookUpPart(w, f.words[i-1].text)
		}
		f.noteWord(w)
	}
	f.orderNeeded()
}

// noteWord updates the flags of the plan for a word.
func (f *finder) noteWord(w *word) {
	f.alternates = f.alternates || w.alternate != 0
	if w.acronym != 0 {
		f.acronyms = withAcronyms
	}
}

func (x *Index) lookUpWord(w *word) {
	lo := x.terms.LowerBound(w.text)
	w.written = terms.Span{Lo: lo, Hi: lo}
	if int(lo) < x.terms.Len() && x.terms.At(lo) == w.text {
		w.equal = lo
		w.written.Hi++
	}
	if w.open {
		w.written.Hi = x.terms.EndOfPrefix(w.written.Hi, w.text)
	}
	if number := spelling.AlternateNumeral(w.text); number != "" {
		w.alternate = x.terms.Find(number)
	}
	w.acronym = x.findAcronym(w.text)
	w.sure = w.alternate == 0
}

// minNumbered is how many characters a part of a word has at least if the part behind it
// has an alternate numeral.
const minNumbered = 3

// lookUpPart is lookUpWord for a part of a word, behind another part of it if that is not
// empty. Nobody typed a part as a word, so it is not an acronym, and it has an alternate
// numeral only behind some characters: the 4 of "re4" is not IV, but that of "mafia4" is.
func (x *Index) lookUpPart(w *word, before string) {
	x.lookUpWord(w)
	w.acronym = 0
	if utf8.RuneCountInString(before) < minNumbered {
		w.alternate = 0
	}
	w.sure = w.alternate == 0
}

// isArticle reports whether a token is an article.
func (x *Index) isArticle(token uint32) bool {
	return token == x.articles[0] || token == x.articles[1] || token == x.articles[2]
}

// orderNeeded sets f.need to the distinct words, those with the fewest names first: the
// first one has the candidates, and the next ones rule out most of them. Of equal
// words it keeps the earlier one, because more terms match the last word of a query.
func (f *finder) orderNeeded() {
	f.need = f.need[:0]
	for i := range f.words {
		w := &f.words[i]
		same := func(n need) bool {
			return n.word.text == w.text && n.word.alternate == w.alternate && n.word.acronym == w.acronym
		}
		if !slices.ContainsFunc(f.need, same) {
			f.need = append(f.need, need{w, f.postingCount(w)})
		}
	}
	slices.SortStableFunc(f.need, func(a, b need) int { return cmp.Compare(a.cost, b.cost) })
}

// need is a word that every name must have, and how many postings it has.
type need struct {
	word *word
	cost int
}

func (f *finder) postingCount(w *word) int {
	n := 0
	w.eachSpan(func(s terms.Span) { n += f.x.postings.Of(s).Len() })
	return n
}
