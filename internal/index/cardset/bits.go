package cardset

import (
	"iter"
	"math/bits"
)

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
