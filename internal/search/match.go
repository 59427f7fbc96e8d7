package search

import "gamedex/internal/snapshot"

// rank is how well a name matches; smaller is better.
type rank uint8

const (
	exact rank = iota
	titlePrefix
	inOrder
	anyOrder
	// afterWritten is added to names that need a numeral in the other script:
	// what is written as asked comes first, whatever its place in the name.
	afterWritten
	ranks = 2 * afterWritten
)

// match ranks the tokens of a name; ok is false if a word is missing.
func (f *finder) match(tokens snapshot.U32s) (r rank, ok bool) {
	l := f.latitude
	if f.hasAll(tokens, l) {
		return f.tier(tokens, l), true
	}
	if f.twins && f.hasAll(tokens, l|withTwins) {
		return afterWritten + f.tier(tokens, l|withTwins), true
	}
	return 0, false
}

// hasAll says whether every word is somewhere in the name.
func (f *finder) hasAll(tokens snapshot.U32s, l latitude) bool {
	for i := range f.need {
		if f.find(tokens, 0, f.need[i].word, l) < 0 {
			return false
		}
	}
	return true
}

// find returns the place, at or after from, of a token that w takes, or -1.
func (f *finder) find(tokens snapshot.U32s, from int, w *word, l latitude) int {
	for i := from; i < tokens.Len(); i++ {
		if w.takes(tokens.At(i), l) {
			return i
		}
	}
	return -1
}

// tier ranks a name that has all words. Matches with typos are not ranked
// among themselves.
func (f *finder) tier(tokens snapshot.U32s, l latitude) rank {
	switch {
	case l&withTypos != 0:
		return exact
	case f.isPrefix(tokens, l):
		if f.isWhole(tokens, l) {
			return exact
		}
		return titlePrefix
	case len(f.words) == 1, f.isInOrder(tokens, l):
		return inOrder
	}
	return anyOrder
}

// isPrefix says whether the name begins with the query. Tokens inside a run
// have no place of their own.
func (f *finder) isPrefix(tokens snapshot.U32s, l latitude) bool {
	at, last := 0, len(f.words)-1
	for i := range f.words {
		if at == tokens.Len() {
			return false
		}
		w, token := &f.words[i], tokens.At(at)
		if !w.is(token, l) && (i < last || !w.takes(token, l)) {
			return false
		}
		at = nextWord(tokens, at)
	}
	return true
}

// isWhole says whether a name that begins with the query also ends with it.
func (f *finder) isWhole(tokens snapshot.U32s, l latitude) bool {
	at := 0
	for range len(f.words) - 1 {
		at = nextWord(tokens, at)
	}
	return f.words[len(f.words)-1].is(tokens.At(at), l) && nextWord(tokens, at) == tokens.Len()
}

// isInOrder says whether the words stand in the name in the order of the query,
// each in a place of its own. Taking the first place for each is enough.
func (f *finder) isInOrder(tokens snapshot.U32s, l latitude) bool {
	at := 0
	for i := range f.words {
		found := f.find(tokens, at, &f.words[i], l)
		if found < 0 {
			return false
		}
		at = nextWord(tokens, found)
	}
	return true
}

// nextWord returns the place of the first token after the word at place at.
func nextWord(tokens snapshot.U32s, at int) int {
	for at++; at < tokens.Len() && tokens.At(at)&inside != 0; at++ {
	}
	return at
}
