package search

import "gamedex/internal/snapshot"

// rank is how well a name matches; smaller is better.
type rank uint8

const (
	// asTyped is for a name that is the query, signs and accents included. The next ones
	// are the query once both are folded, and but for the article before it.
	asTyped rank = iota
	exact
	// exactButArticle is also for names that are the query and then what it stands for:
	// "FTL: Faster Than Light".
	exactButArticle
	// wholeAcronym is for names that begin with a known acronym that is all of the query,
	// and have no word or some words after it.
	wholeAcronym
	wholeAcronymPrefix
	titlePrefix
	// titleLonger is titlePrefix for a name that has a longer word in place of the
	// last one of the query: a query for XV finds XV before XVI.
	titleLonger
	// acronymExact and the next two are the first three with an acronym for some
	// words of the name.
	acronymExact
	acronymPrefix
	acronymLonger
	inOrder
	inOrderLonger
	// Ranks that begin with acronym are for names that need an acronym.
	acronymInOrder
	acronymInOrderLonger
	anyOrder
	anyOrderLonger
	acronymAnyOrder
	acronymAnyOrderLonger
)

const (
	// afterWritten is added to the rank of names that need an alternate numeral:
	// names that match as written come first. It leaves room for the ranks of costs.
	afterWritten rank = places * (worstEdits + 1)
	// afterOwn is added to the rank of names that are not titles of the document.
	afterOwn = 2 * afterWritten
	ranks    = 2 * afterOwn
)

// worstEdits is what more edits count as.
const worstEdits = 4

// latitudeOf returns the latitude with which a candidate has all words of the
// query; ok is false if a word is missing.
func (f *finder) latitudeOf(name uint32) (l latitude, ok bool) {
	if len(f.doubt) == 0 {
		return f.latitude, true
	}
	tokens := f.x.tokensOf(name)
	if f.hasAll(name, tokens, f.doubt, f.latitude) {
		return f.latitude, true
	}
	l = f.latitude | withAlternates
	return l, f.alternates && f.hasAll(name, tokens, f.doubt, l)
}

// hasAll reports whether the name has every word of a list: all words, or those in
// doubt.
func (f *finder) hasAll(name uint32, tokens snapshot.U32s, list []need, l latitude) bool {
	for i := range list {
		w, at := list[i].word, 0
		for at < tokens.Len() && !w.matches(tokens.At(at), l) {
			at++
		}
		if at == tokens.Len() && (l&withAcronyms == 0 || !f.x.acronyms.Has(name, w.acronym)) {
			return false
		}
	}
	return true
}

// rankOf returns the rank of a name that has all words with a latitude. A match that
// cannot be on the page is not ranked: it gets the last rank that it may have.
func (f *finder) rankOf(name uint32, l latitude, own bool) rank {
	first := asTyped
	if l&withAlternates != 0 {
		first = afterWritten
	}
	if !own {
		first += afterOwn
	}
	f.ranked++
	if f.enough <= first+f.least {
		return first + afterWritten - 1
	}
	tokens := f.x.tokensOf(name)
	if l&withTypos != 0 {
		return f.rankOfCost(name, tokens, l, first)
	}
	written := l &^ withAcronyms
	r, starts := f.rankOfPrefix(name, tokens, written)
	if r == exact && starts && l&withAlternates == 0 && f.plain == (f.x.docs.At(int(name))&plainName != 0) {
		r = asTyped
	}
	if starts && r < wholeAcronym {
		return first + r
	}
	if l != written && f.enough > first+exactButArticle && f.hasSomeAcronym(name) {
		short, ok := f.rankOfPrefix(name, tokens, l)
		switch {
		case starts && r == titlePrefix && len(f.words) == 1 && f.x.spellsOut(name, tokens, f.words[0].acronym):
			return first + exactButArticle
		case ok && f.plain && len(f.words) == 1 && f.x.acronyms.BeginsWithKnown(name, f.words[0].acronym):
			if short < titlePrefix {
				return first + wholeAcronym
			}
			return first + wholeAcronymPrefix
		case starts:
			return first + r
		case ok && short < titlePrefix:
			return first + acronymExact
		case ok:
			return first + acronymPrefix + short - titlePrefix
		}
		if !f.hasAll(name, tokens, f.need, written) {
			first += acronymInOrder
			return first + f.rankOfOrder(name, tokens, l, first)
		}
	}
	if starts {
		return first + r
	}
	first += inOrder
	return first + f.rankOfOrder(name, tokens, written, first)
}

// spellsOut reports whether a name is an acronym and then the words for which it stands,
// as "FTL: Faster Than Light" is.
func (x *Index) spellsOut(name uint32, tokens snapshot.U32s, term uint32) bool {
	words := 0
	for at := 0; at < tokens.Len(); at = nextWord(tokens, at) {
		words++
	}
	return words > 1 && x.acronyms.WordsAt(name, term, 1) == words-1
}

// hasSomeAcronym reports whether a word of the query is an acronym of the name. Most
// names that match do so as written. Names come in ascending order, so those of the
// acronym of a single word are walked beside them: the slowest prefixes take a third less time.
func (f *finder) hasSomeAcronym(name uint32) bool {
	if len(f.words) == 1 {
		for f.acronymOf.Len() > 0 && f.acronymOf.At(0) < name {
			f.acronymOf = f.acronymOf.Slice(1, uint32(f.acronymOf.Len()))
		}
		return f.acronymOf.Len() > 0 && f.acronymOf.At(0) == name
	}
	for i := range f.words {
		if f.x.acronyms.Has(name, f.words[i].acronym) {
			return true
		}
	}
	return false
}

// rankOfOrder returns 0 for a name that has the words in order and more for any other
// order, and one more if it has only longer words in place of the last one. It does not
// look at the order if what is in order cannot be on the page: without that, the slowest of
// two words take a fifth longer.
func (f *finder) rankOfOrder(name uint32, tokens snapshot.U32s, l latitude, first rank) (r rank) {
	if f.enough <= first {
		return anyOrderLonger - inOrder
	}
	if !f.hasWhole(name, tokens, l) {
		r = inOrderLonger - inOrder
	}
	if len(f.words) > 1 && (f.enough <= first+r || !f.isInOrder(name, tokens, l)) {
		r += anyOrder - inOrder
	}
	return r
}

// hasWhole reports whether a name has the last word itself, not only a longer one. If
// no name has it, all do: they are equally good.
func (f *finder) hasWhole(name uint32, tokens snapshot.U32s, l latitude) bool {
	w := &f.words[len(f.words)-1]
	if w.equal != 0 || w.alternate != 0 {
		for at := range tokens.Len() {
			if w.equals(tokens.At(at)&^inside, l) {
				return true
			}
		}
		return l&withAcronyms != 0 && f.x.acronyms.Has(name, w.acronym)
	}
	return w.acronym == 0 || l&withAcronyms != 0 && f.x.acronyms.Has(name, w.acronym)
}

// rankOfPrefix returns the rank of a name that starts with the query, where
// acronyms stand for their words if l has them; ok is false if it does not. The
// article before the first word counts neither in the query nor in the name.
func (f *finder) rankOfPrefix(name uint32, tokens snapshot.U32s, l latitude) (r rank, ok bool) {
	if tokens.Len() == 0 || !f.x.isArticle(tokens.At(0)) {
		r, ok = f.rankOfStart(name, tokens, l, 0, 0)
		if ok && r == exact && f.first > 0 {
			r = exactButArticle
		}
		return r, ok
	}
	r, ok = f.rankOfStart(name, tokens, l, nextWord(tokens, 0), 1)
	if ok && r == exact && (f.first == 0 || tokens.At(0) != f.words[0].equal) {
		r = exactButArticle
	}
	if f.first == 0 {
		if whole, starts := f.rankOfStart(name, tokens, l, 0, 0); starts && (!ok || whole < r) {
			return whole, true
		}
	}
	return r, ok
}

// rankOfStart is rankOfPrefix for the part of a name from the token at on, which belongs
// to the word with the given number. Tokens inside a run have no position of their own.
func (f *finder) rankOfStart(name uint32, tokens snapshot.U32s, l latitude, at, number int) (r rank, ok bool) {
	for i := f.first; i < len(f.words); i++ {
		if at == tokens.Len() {
			return 0, false
		}
		w, token, words := &f.words[i], tokens.At(at), 1
		equal := w.equals(token, l)
		if l&withAcronyms != 0 && token != w.equal {
			if n := f.x.acronyms.WordsAt(name, w.acronym, number); n > 0 {
				equal, words = true, n
			}
		}
		if !equal {
			return titleLonger, i+1 == len(f.words) && w.matches(token, l)
		}
		for number += words; words > 0; words-- {
			at = nextWord(tokens, at)
		}
	}
	if at == tokens.Len() {
		return exact, true
	}
	return titlePrefix, true
}

// isInOrder reports whether the words are in the name in the order of the query,
// each at its own position. Taking the first position for each is enough.
func (f *finder) isInOrder(name uint32, tokens snapshot.U32s, l latitude) bool {
	next, number := 0, -1
	for at := 0; at < tokens.Len(); {
		if tokens.At(at)&inside == 0 {
			number++
		}
		w := &f.words[next]
		if !w.matches(tokens.At(at), l) &&
			(l&withAcronyms == 0 || f.x.acronyms.WordsAt(name, w.acronym, number) == 0) {
			at++
			continue
		}
		if next++; next == len(f.words) {
			return true
		}
		at = nextWord(tokens, at)
	}
	return false
}

// nextWord returns the position of the first token after the word at a position.
func nextWord(tokens snapshot.U32s, at int) int {
	for at = min(at+1, tokens.Len()); at < tokens.Len() && tokens.At(at)&inside != 0; at++ {
	}
	return at
}

// rankOfCost returns, from first on, how far a name is from the query with typos or by its
// sound. It does not look further at what cannot be on the page: without that, the median typo
// takes a fifth longer.
func (f *finder) rankOfCost(name uint32, tokens snapshot.U32s, l latitude, first rank) rank {
	p := elsewhere
	if f.ranked <= maxPlaced {
		p = f.placeOfCost(name, tokens, l)
	} else {
		f.least = f.leastDistance.rank(elsewhere) // that of all names from here on
	}
	if f.enough <= first+f.leastDistance.rank(p) {
		return first + afterWritten - 1
	}
	var total distance
	for i := range f.words {
		w := &f.words[i]
		if l&withAcronyms != 0 && f.x.acronyms.Has(name, w.acronym) {
			total.longer = total.longer || !f.x.acronyms.BeginsWithKnown(name, w.acronym)
			continue
		}
		least := costly
		for at := 0; at < tokens.Len() && least > 0; at++ {
			least = min(least, w.costOf(tokens.At(at), l))
		}
		total.add(least)
	}
	return first + total.rank(p)
}

// distance is how far a name is from the query.
type distance struct {
	edits  int
	longer bool // some word costs as much as a longer one
}

// add adds the cost of a token in place of a word.
func (d *distance) add(cost int) {
	d.edits += cost / costOfEdit
	d.longer = d.longer || cost%costOfEdit != 0
}

// rank returns the rank of names at a place: by edits, then those that are the query or
// begin with it, and with the same words before longer ones.
func (d distance) rank(p place) rank {
	r := places * rank(min(d.edits, worstEdits))
	switch {
	case p == elsewhere && d.longer:
		return r + 5
	case p == elsewhere:
		return r + 4
	case d.longer:
		return r + 2 + rank(p)
	}
	return r + rank(p)
}

// place is where a name has the words of the query: the name is the query, begins with it,
// or has the words elsewhere.
type place uint8

const (
	whole place = iota
	beginning
	elsewhere
)

// places is how many ranks there are for names with as many edits.
const places = 6

// maxPlaced is for how many names the place is looked at: it takes longer than all else.
const maxPlaced = 256

// placeOfCost returns the place of the query in a name. An article before the name does not
// count.
func (f *finder) placeOfCost(name uint32, tokens snapshot.U32s, l latitude) place {
	at, number := 0, 0
	if tokens.Len() > 0 && f.x.isArticle(tokens.At(0)) && f.words[0].costOf(tokens.At(0), l) == costly {
		at, number = nextWord(tokens, 0), 1
	}
	for i := range f.words {
		words := f.wordsAt(&f.words[i], name, tokens, l, at, number)
		if words == 0 {
			return elsewhere
		}
		for number += words; words > 0; words-- {
			at = nextWord(tokens, at)
		}
	}
	if at == tokens.Len() {
		return whole
	}
	return beginning
}

// wordsAt returns how many words of a name a word of the query stands for, from the token at
// on; 0 if it stands for none.
func (f *finder) wordsAt(w *word, name uint32, tokens snapshot.U32s, l latitude, at, number int) int {
	if l&withAcronyms != 0 {
		if n := f.x.acronyms.WordsAt(name, w.acronym, number); n > 0 {
			return n
		}
	}
	if at < tokens.Len() && w.costOf(tokens.At(at), l) < costly {
		return 1
	}
	return 0
}
