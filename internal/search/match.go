package search

import "gamedex/internal/snapshot"

// rank is how well a name matches; smaller is better.
type rank uint8

const (
	exact rank = iota
	titlePrefix
	// titleNumeral is titlePrefix for a query that ends with a numeral which is only
	// the prefix of a word in the name: a query for XV finds XV before XVI.
	titleNumeral
	inOrder
	anyOrder
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
	if f.hasAll(tokens, f.latitude) {
		return f.latitude, true
	}
	l = f.latitude | withAlternates
	return l, f.alternates && f.hasAll(tokens, l)
}

// hasAll reports whether the name has every word that is in doubt.
func (f *finder) hasAll(tokens snapshot.U32s, l latitude) bool {
	for i := range f.doubt {
		w, at := f.doubt[i].word, 0
		for at < tokens.Len() && !w.matches(tokens.At(at), l) {
			at++
		}
		if at == tokens.Len() {
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
		return first
	case f.enough <= first:
		return first + anyOrder
	}
	tokens := f.x.tokensOf(name)
	if r, ok := f.rankOfPrefix(tokens, l); ok {
		return first + r
	}
	switch {
	case len(f.words) == 1:
		return first + inOrder
	case f.enough > first+inOrder && f.isInOrder(tokens, l):
		return first + inOrder
	}
	return first + anyOrder
}

// rankOfPrefix returns the rank of a name that starts with the query; ok is false
// if it does not. Tokens inside a run have no position of their own.
func (f *finder) rankOfPrefix(tokens snapshot.U32s, l latitude) (r rank, ok bool) {
	at, last := 0, len(f.words)-1
	for i := range f.words {
		if at == tokens.Len() {
			return 0, false
		}
		w, token := &f.words[i], tokens.At(at)
		at = nextWord(tokens, at)
		switch equal := w.equals(token, l); {
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
func (f *finder) isInOrder(tokens snapshot.U32s, l latitude) bool {
	next := 0
	for at := 0; at < tokens.Len(); {
		if !f.words[next].matches(tokens.At(at), l) {
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
	for at++; at < tokens.Len() && tokens.At(at)&inside != 0; at++ {
	}
	return at
}
