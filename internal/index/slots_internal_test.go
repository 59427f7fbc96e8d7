package index

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// filed lists the cards filed under a hash, in the order of a walk.
func filed(table slots, hash uint32) []uint32 {
	var cards []uint32
	at := table.find(hash)
	for card, ok := at.next(); ok; card, ok = at.next() {
		cards = append(cards, card)
	}
	return cards
}

func TestSlots(t *testing.T) {
	// Hashes that share their low bits, that stand at the table's end, and any.
	hashes := rapid.OneOf(rapid.SampledFrom([]uint32{7, 1<<20 | 7, 1<<21 | 7, 8, 1<<32 - 1, 1<<31 - 1, 1<<30 - 1}), rapid.Uint32())
	rapid.Check(t, func(t *rapid.T) {
		var w slotWriter
		want := map[uint32][]uint32{}
		for range rapid.IntRange(0, 60).Draw(t, "pairs") {
			hash, card := hashes.Draw(t, "hash"), rapid.Uint32Range(0, 20).Draw(t, "card")
			w.add(hash, card)
			want[hash] = append(want[hash], card)
		}
		table := slots(snapshot.U64s(w.bytes()))
		if err := table.check("keys", 21); err != nil {
			t.Fatal(err)
		}
		for hash, cards := range want {
			slices.Sort(cards)
			if got := filed(table, hash); !slices.Equal(got, slices.Compact(cards)) {
				t.Fatalf("under %#x are %v, want %v", hash, got, cards)
			}
		}
		if got := filed(table, 12345); len(want[12345]) == 0 && got != nil {
			t.Fatalf("under a hash that was not filed are %v", got)
		}
	})
}

// TestSlotsOfOneText: half a million cards may have one placeholder for a title
// id or a link. It ends in a moment; a walk for each card would take minutes.
func TestSlotsOfOneText(t *testing.T) {
	const cards = 500_000
	var w slotWriter
	for card := range uint32(cards) {
		w.add(1<<32-1, card)
	}
	got := filed(slots(snapshot.U64s(w.bytes())), 1<<32-1)
	if len(got) != cards || !slices.IsSorted(got) {
		t.Errorf("%d cards, want %d in order", len(got), cards)
	}
}
