package index

import (
	"math/bits"
	"slices"

	"gamedex/internal/snapshot"
)

// slots is a hash table from texts to cards: a power of two of slots, at least
// half of them free, a taken one holding the hash of a text (high 32 bits) and
// a card number plus one. The texts are not stored: whoever finds a card
// checks that it has the text. A text may lead to several cards.
type slots snapshot.U64s

// probe walks the cards filed under one hash, in the order of their numbers.
type probe struct {
	table snapshot.U64s
	hash  uint32
	at    int
}

func (s slots) find(hash uint32) probe {
	return probe{snapshot.U64s(s), hash, int(hash)}
}

// next returns the next card, false after the last. It ends because open
// tables have a free slot.
func (p *probe) next() (card uint32, ok bool) {
	mask := p.table.Len() - 1
	for {
		slot := p.table.At(p.at & mask)
		if slot == 0 {
			return 0, false
		}
		p.at++
		if uint32(slot>>32) == p.hash {
			return uint32(slot) - 1, true
		}
	}
}

// check tells whether a table from a file can be walked: its shape, a free
// slot, and no card above the last.
func (s slots) check(section string, cards int) error {
	table := snapshot.U64s(s)
	n := table.Len()
	if bits.OnesCount(uint(n)) != 1 {
		return snapshot.Damaged(section, "%d slots are not a power of two", n)
	}
	free, last := 0, uint32(0)
	for i := range n {
		slot := table.At(i)
		card := uint32(slot) - 1
		if slot == 0 {
			free, card = free+1, 0
		}
		last = max(last, card)
	}
	if last != 0 && int64(last) >= int64(cards) || free < n && cards == 0 {
		return s.culprit(section, cards)
	}
	if free == 0 {
		return snapshot.Damaged(section, "no slot is free")
	}
	return nil
}

// culprit names the slot that leads to no card.
func (s slots) culprit(section string, cards int) error {
	table := snapshot.U64s(s)
	for i := range table.Len() {
		slot := table.At(i)
		if card := uint32(slot); slot != 0 && (card == 0 || int64(card) > int64(cards)) {
			return snapshot.Damaged(section, "slot %d has card %d of %d", i, int64(card)-1, cards)
		}
	}
	return nil
}

// slotWriter collects what a table will hold, card by card.
type slotWriter struct{ taken []uint64 }

func (w *slotWriter) add(hash, card uint32) {
	w.taken = append(w.taken, uint64(hash)<<32|uint64(card+1))
}

// bytes lays the table out. Pairs go in by the slot where their walk begins, so
// that each stands right behind the last or at its own slot: a text of a hundred
// thousand cards costs one step for each of them.
func (w *slotWriter) bytes() []byte {
	size := 2
	for size < 2*len(w.taken) {
		size *= 2
	}
	home := bits.Len(uint(size)) - 1 // low bits of the hash
	for i, slot := range w.taken {
		w.taken[i] = turn(slot, -home)
	}
	slices.Sort(w.taken)
	table, next := make([]uint64, size), 0
	for _, turned := range slices.Compact(w.taken) {
		slot := turn(turned, home)
		next = max(next, int(slot>>32)&(size-1))
		for table[next&(size-1)] != 0 { // only behind the table's end
			next++
		}
		table[next&(size-1)] = slot
		next++
	}
	out := make([]byte, 0, 8*size)
	for _, slot := range table {
		out = snapshot.AppendU64(out, slot)
	}
	return out
}

// turn rotates the hash of a slot to the left.
func turn(slot uint64, by int) uint64 {
	return uint64(bits.RotateLeft32(uint32(slot>>32), by))<<32 | uint64(uint32(slot))
}

// hashOf is FNV-1a over a text whose ASCII letters are taken as lower-case.
func hashOf(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(lower(s[i]))) * 16777619
	}
	return h
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// same compares as hashOf hashes: ASCII letters in any case.
func same(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
