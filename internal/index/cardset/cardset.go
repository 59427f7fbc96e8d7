package cardset

import (
	"iter"
	"math/bits"
)

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

// Bits is a set of cards, a bit for each.
type Bits []uint64

// None returns an empty set with room for cards cards.
func None(cards int) Bits { return make(Bits, (cards+63)/64) }

// All returns the set of all cards.
func All(cards int) Bits {
	b := None(cards)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if rest := cards % 64; rest > 0 {
		b[len(b)-1] = 1<<rest - 1
	}
	return b
}

// Has reports whether the set has card n.
func (b Bits) Has(n uint32) bool { return b[n/64]>>(n%64)&1 != 0 }

// Add adds card n.
func (b Bits) Add(n uint32) { b[n/64] |= 1 << (n % 64) }

// Remove removes card n.
func (b Bits) Remove(n uint32) { b[n/64] &^= 1 << (n % 64) }

// Keep removes the cards that o does not have.
func (b Bits) Keep(o Bits) {
	for i, word := range o {
		b[i] &= word
	}
}

// Len returns the number of cards.
func (b Bits) Len() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// Cards yields the cards in rising order. The loop may remove the card that it is at, and
// those before it.
func (b Bits) Cards() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
