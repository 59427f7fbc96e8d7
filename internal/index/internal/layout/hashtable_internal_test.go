package layout

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// cardsOf lists the cards of a hash, in the order of a walk.
func cardsOf(table HashTable, hash uint32) []uint32 {
	var cards []uint32
	at := table.FindHash(hash)
	for card, ok := at.Next(); ok; card, ok = at.Next() {
		cards = append(cards, card)
	}
	return cards
}

func TestHashTable(t *testing.T) {
	// Hashes that share their low bits, hashes at the table's end, and any.
	hashes := rapid.OneOf(rapid.SampledFrom([]uint32{7, 1<<20 | 7, 1<<21 | 7, 8, 1<<32 - 1, 1<<31 - 1, 1<<30 - 1}), rapid.Uint32())
	rapid.Check(t, func(t *rapid.T) {
		var w HashTableWriter
		want := map[uint32][]uint32{}
		for range rapid.IntRange(0, 60).Draw(t, "pairs") {
			hash, card := hashes.Draw(t, "hash"), rapid.Uint32Range(0, 20).Draw(t, "card")
			w.add(hash, card)
			want[hash] = append(want[hash], card)
		}
		table := HashTable{snapshot.U64s(w.Bytes())}
		if err := table.check("keys", 21); err != nil {
			t.Fatal(err)
		}
		for hash, cards := range want {
			slices.Sort(cards)
			if got := cardsOf(table, hash); !slices.Equal(got, slices.Compact(cards)) {
				t.Fatalf("hash %#x has cards %v, want %v", hash, got, cards)
			}
		}
		if got := cardsOf(table, 12345); len(want[12345]) == 0 && got != nil {
			t.Fatalf("a hash that was not added has cards %v", got)
		}
	})
}

// TestHashTableOfOneKey checks that half a million cards with one placeholder
// for a title id or a link take a timestamp; a walk for each card would take
// minutes.
func TestHashTableOfOneKey(t *testing.T) {
	const cards = 500_000
	var w HashTableWriter
	for card := range uint32(cards) {
		w.add(1<<32-1, card)
	}
	got := cardsOf(HashTable{snapshot.U64s(w.Bytes())}, 1<<32-1)
	if len(got) != cards || !slices.IsSorted(got) {
		t.Errorf("%d cards, want %d in order", len(got), cards)
	}
}
