package index

import "gamedex/internal/snapshot"

// List is a list of texts inside a snapshot.
type List struct {
	strings snapshot.Strings
	numbers snapshot.U32s
}

// Len is the number of texts.
func (l List) Len() int { return l.numbers.Len() }

// At returns text i.
func (l List) At(i int) string { return l.strings.At(l.numbers.At(i)) }

// Cards is a list of served cards.
type Cards struct {
	s    *Snapshot
	a, b snapshot.U32s // one after the other
	skip int           // place in both together that is left out; -1: none
}

// cardList joins two lists of card numbers, leaving the card self out.
func cardList(s *Snapshot, a, b snapshot.U32s, self uint32) Cards {
	return Cards{s, a, b, placeOf(a, b, self)}
}

// placeOf searches linearly: families are short, and lists of members are not
// sorted.
func placeOf(a, b snapshot.U32s, n uint32) int {
	for i := range a.Len() {
		if a.At(i) == n {
			return i
		}
	}
	for i := range b.Len() {
		if b.At(i) == n {
			return a.Len() + i
		}
	}
	return -1
}

// Len is the number of cards.
func (l Cards) Len() int {
	n := l.a.Len() + l.b.Len()
	if l.skip >= 0 {
		n--
	}
	return n
}

// At returns card i.
func (l Cards) At(i int) Card {
	if l.skip >= 0 && i >= l.skip {
		i++
	}
	if i < l.a.Len() {
		return Card{l.s, l.a.At(i)}
	}
	return Card{l.s, l.b.At(i - l.a.Len())}
}
