package search

import (
	"slices"

	"gamedex/internal/snapshot"
)

// rank is how well a name matches; smaller is better.
type rank uint8

const (
	exact rank = iota
	titlePrefix
	// titleNumeral is titlePrefix for a query that ends with a numeral which is only
	// the prefix of a word in the name: a query for XV finds XV before XVI.
	titleNumeral
	// acronymExact and the next two are the first three with an acronym for some
	// words of the name.
	acronymExact
	acronymPrefix
	acronymNumeral
	inOrder
	anyOrder
	// acronymInOrder and acronymAnyOrder are for names that need an acronym.
	acronymInOrder
	acronymAnyOrder
	// afterWritten is added to the rank of names that need an alternate numeral:
	// names that match as written come first.
	afterWritten
	ranks = 2 * afterWritten
)

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

// hasAll reports whether the name has every word of a list, which is that of the
// words in doubt or of all.
func (f *finder) hasAll(name uint32, tokens snapshot.U32s, list []need, l latitude) bool {
	for i := range list {
		w, at := list[i].word, 0
		for at < tokens.Len() && !w.matches(tokens.At(at), l) {
			at++
		}
		if at == tokens.Len() && (l&withAcronyms == 0 || w.acronym == 0 || !f.x.hasAcronym(name, w.acronym)) {
			return false
		}
	}
	return true
}

// rankOf returns the rank of a name that has all words with a latitude. Matches with
// typos have a single rank. A match that cannot be on the page is not ranked: it gets
// the last rank of its latitude.
func (f *finder) rankOf(name uint32, l latitude) rank {
	first := exact
	if l&withAlternates != 0 {
		first = afterWritten
	}
	switch {
	case l&withTypos != 0:
		return first + f.rankOfSound(name)
	case f.enough <= first:
		return first + acronymAnyOrder
	}
	tokens := f.x.tokensOf(name)
	written := l &^ withAcronyms
	if r, ok := f.rankOfPrefix(name, tokens, written); ok {
		return first + r
	}
	if l != written && f.hasSomeAcronym(name) {
		if r, ok := f.rankOfPrefix(name, tokens, l); ok {
			return first + acronymExact + r
		}
		if !f.hasAll(name, tokens, f.need, written) {
			return first + acronymInOrder + f.rankOfOrder(name, tokens, l, first+acronymInOrder)
		}
	}
	return first + inOrder + f.rankOfOrder(name, tokens, written, first+inOrder)
}

// hasSomeAcronym reports whether a word of the query is an acronym of the name. Most
// names that match do so as written.
func (f *finder) hasSomeAcronym(name uint32) bool {
	return slices.ContainsFunc(f.words, func(w word) bool { return w.acronym != 0 && f.x.hasAcronym(name, w.acronym) })
}

// rankOfOrder returns 0 for a name that has the words in order, 1 for any other.
// It does not look if what is in order has a rank that cannot be on the page.
func (f *finder) rankOfOrder(name uint32, tokens snapshot.U32s, l latitude, inOrder rank) rank {
	if len(f.words) == 1 || f.enough > inOrder && f.isInOrder(name, tokens, l) {
		return 0
	}
	return 1
}

// rankOfPrefix returns the rank of a name that starts with the query, where
// acronyms stand for their words if l has them; ok is false if it does not. Tokens inside a run have no position of their own.
func (f *finder) rankOfPrefix(name uint32, tokens snapshot.U32s, l latitude) (r rank, ok bool) {
	at, number, last := 0, 0, len(f.words)-1
	for i := range f.words {
		if at == tokens.Len() {
			return 0, false
		}
		w, token := &f.words[i], tokens.At(at)
		at, number = nextWord(tokens, at), number+1
		equal := w.equals(token, l)
		if l&withAcronyms != 0 && w.acronym != 0 && token != w.equal {
			if n := f.x.wordsOfAcronym(name, w.acronym, number-1); n > 0 {
				equal, number = true, number-1+n
				for ; n > 1; n-- {
					at = nextWord(tokens, at)
				}
			}
		}
		switch {
		case !equal && (i < last || !w.matches(token, l)):
			return 0, false
		case i < last:
		case !equal && w.numeral:
			return titleNumeral, true
		case equal && at == tokens.Len():
			return exact, true
		}
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
			(l&withAcronyms == 0 || w.acronym == 0 || f.x.wordsOfAcronym(name, w.acronym, number) == 0) {
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
