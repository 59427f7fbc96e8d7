package cardset_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/index/cardset"
)

// TestSetsAgreeWithMaps compares both forms of sets with maps.
func TestSetsAgreeWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cards := rapid.IntRange(1, 300).Draw(t, "cards")
		list := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(cards-1)), rapid.ID[uint32])
		draw := func(name string) (cardset.Set, map[uint32]bool) {
			numbers := list.Draw(t, name)
			slices.Sort(numbers)
			in := map[uint32]bool{}
			for _, n := range numbers {
				in[n] = true
			}
			return cardset.Of(numbers, cards), in
		}
		a, inA := draw("a")
		b, inB := draw("b")
		check := func(what string, got cardset.Bits, want func(uint32) bool) {
			t.Helper()
			var cards []uint32
			for n := range uint32(len(got) * 64) {
				if want(n) != got.Has(n) {
					t.Fatalf("%s has card %d: %v, want %v", what, n, got.Has(n), want(n))
				}
				if want(n) {
					cards = append(cards, n)
				}
			}
			if listed := slices.Collect(got.Cards()); !slices.Equal(listed, cards) || got.Len() != len(cards) {
				t.Fatalf("%s has %d cards %v, want %v", what, got.Len(), listed, cards)
			}
		}
		all := cardset.All(cards)
		check("all", all, func(n uint32) bool { return n < uint32(cards) })
		if n := a.CountIn(all); n != len(inA) {
			t.Fatalf("%d cards of a, want %d", n, len(inA))
		}
		union, onlyA := cardset.None(cards), cardset.None(cards)
		a.AddTo(union)
		b.AddTo(union)
		check("a or b", union, func(n uint32) bool { return inA[n] || inB[n] })
		a.AddTo(onlyA)
		both := slices.Clone(onlyA)
		bits := cardset.None(cards)
		b.AddTo(bits)
		both.Keep(bits)
		check("a and b", both, func(n uint32) bool { return inA[n] && inB[n] })
		if n := b.CountIn(onlyA); n != both.Len() {
			t.Fatalf("%d cards of b in a, want %d", n, both.Len())
		}
		for n := range onlyA.Cards() {
			if inB[n] {
				onlyA.Remove(n)
			}
		}
		maps.DeleteFunc(inA, func(n uint32, _ bool) bool { return inB[n] })
		check("a without b", onlyA, func(n uint32) bool { return inA[n] })
	})
}
