package cardset

import "math/bits"

// Set is a set of cards that does not change. It takes the memory of its bits or of its
// list, whichever is smaller. With lists alone browse with facets takes twice as long.
type Set struct {
	bits Bits
	list []uint32
}

// Of returns the set of the cards in a list, out of cards cards. It keeps the list.
func Of(list []uint32, cards int) Set {
	if len(list)*32 < cards {
		return Set{list: list}
	}
	s := Set{bits: None(cards)}
	for _, n := range list {
		s.bits.Add(n)
	}
	return s
}

// AddTo adds the cards of the set to b.
func (s Set) AddTo(b Bits) {
	for i, word := range s.bits {
		b[i] |= word
	}
	for _, n := range s.list {
		b.Add(n)
	}
}

// CountIn returns how many cards of the set b has.
func (s Set) CountIn(b Bits) (n int) {
	for i, word := range s.bits {
		n += bits.OnesCount64(word & b[i])
	}
	for _, card := range s.list {
		n += int(b[card/64] >> (card % 64) & 1)
	}
	return n
}
