package index_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
)

func TestOrdersOfCards(t *testing.T) {
	s := large(40, 16)
	for _, slug := range []string{"zebra", "apple", "g0000007"} {
		s.pc(slug, slug, []catalog.Offer{{Type: catalog.Game, Rows: s.rows("p-"+slug, "TR", "UA")}})
	}
	snap := s.open(t)
	columns := snap.Columns()
	byID := make([]uint32, snap.Len())
	for n := range byID {
		byID[n] = uint32(n)
		c := snap.Card(n)
		one := cardset.None(snap.Len())
		one.Add(uint32(n))
		if columns.Platforms[c.Platform()].CountIn(one) != 1 || columns.Types[c.Type()].CountIn(one) != 1 {
			t.Errorf("card %d is none of %v, or no %v, in the columns", n, c.Platform(), c.Type())
		}
	}
	byStore := slices.Clone(byID)
	compareIDs := func(a, b index.Card) int { return strings.Compare(a.ID(), b.ID()) }
	slices.SortFunc(byID, func(a, b uint32) int { return compareIDs(snap.Card(int(a)), snap.Card(int(b))) })
	if !slices.Equal(columns.ByID, byID) {
		t.Errorf("cards by id are %v, want %v", columns.ByID, byID)
	}
	slices.SortFunc(byStore, func(a, b uint32) int {
		x, y := snap.Card(int(a)), snap.Card(int(b))
		return cmp.Or(cmp.Compare(x.Platform(), y.Platform()), compareIDs(x, y))
	})
	for rank, n := range byStore {
		if columns.Ranks[n] != uint32(rank) {
			t.Errorf("card %d has rank %d, want %d", n, columns.Ranks[n], rank)
		}
	}
}
