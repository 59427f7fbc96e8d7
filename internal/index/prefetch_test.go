package index_test

import (
	"testing"

	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
)

// TestPrefetch checks that prefetching accepts anything and allocates nothing.
// It has no result to check.
func TestPrefetch(t *testing.T) {
	s := large(3*index.PrefetchStep, 4)
	s.console("NOROWS00", "none", "Listed elsewhere", s.rows("N", "UA"))
	s.in.Active = append(s.in.Active, s.in.Entries[len(s.in.Entries)-1].Region)
	lows := pack.NewLows(builtDay)
	for n := range s.in.Entries {
		must(t, lows.Set(uint32(n), &s.in.Entries[n], []history.Step{{At: 1, State: history.Unpriced}}))
	}
	without, snap := s.open(t), withLows(t, s, lows)
	var cards []index.Card
	for i := range snap.Len() {
		cards = append(cards, snap.Card(i))
	}
	ids := append(allIDs(snap), "", "NOSUCHID", "\xff", "g0000001")
	regions := []uint8{0, 3, 255}
	sum := uint64(0)
	allocs := testing.AllocsPerRun(10, func() {
		var found [index.PrefetchStep]index.Card
		for i := range ids {
			sum += snap.LookupEach(0, ids[i:min(i+index.PrefetchStep, len(ids))], &found)
		}
		for i := range cards {
			sum += snap.PrefetchCards(cards[i:], regions)
			sum += snap.PrefetchLows(cards[i:], regions) + without.PrefetchLows(cards[i:], regions)
		}
		sum += snap.PrefetchCards(nil, nil)
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}

// TestReadOverwritesTheRow checks that reading into a used row leaves nothing
// of the old one.
func TestReadOverwritesTheRow(t *testing.T) {
	snap := everything().open(t)
	var used index.Row
	for i := range snap.Len() {
		rows := snap.Card(i).Rows()
		for j := range rows.Len() {
			rows.Read(j, &used)
			if fresh := rows.At(j); used != fresh {
				t.Errorf("card %d, row %d: %+v, want %+v", i, j, used, fresh)
			}
		}
	}
}
