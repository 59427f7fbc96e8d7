package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

func items(k sweep.Kind, marks ...string) (list []sweep.Item) {
	for i := 0; i < len(marks); i += 2 {
		list = append(list, sweep.Item{Kind: k, ID: marks[i], Mark: marks[i+1]})
	}
	return list
}

// name lets a sweep of prices name items, with marks of consecutive ids.
func (w sweeping) name(at catalog.Millis, list []sweep.Item) (hot int) {
	w.t.Helper()
	return w.batch(at, func(s *sweep.Batch) { s.Items = list }).Hot
}

func (w sweeping) read(at catalog.Millis, ids ...string) {
	w.t.Helper()
	w.batch(at, func(s *sweep.Batch) { s.Read = ids })
}

// wantDue compares the due items of a kind, and checks that Sweeps counts the
// same.
func wantDue(t *testing.T, db *sqldb.DB, k sweep.Kind, now catalog.Millis, want ...string) {
	t.Helper()
	got, err := db.Sweeps.DueItems(t.Context(), scope(k), now, 100)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("items due at noon+%d: %v (-want +got):\n%s", now-noon, err, diff)
	}
	for limit := range got {
		few, err := db.Sweeps.DueItems(t.Context(), scope(k), now, limit)
		if diff := cmp.Diff(want[:limit], few, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("first %d items due at noon+%d: %v (-want +got):\n%s", limit, now-noon, err, diff)
		}
	}
	for countTo := range len(want) + 2 {
		list, err := db.Sweeps.Sweeps(t.Context(), now, countTo)
		must(t, err)
		for _, s := range list {
			if s.Scope == scope(k) && s.Pending != min(len(want), countTo) {
				t.Errorf("at noon+%d, %d items are pending, counted up to %d, want %d", now-noon, s.Pending, countTo, len(want))
			}
		}
	}
}

func TestItemsBecomeDue(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		prices := begin(t, db, sweep.Prices, noon)
		editions := begin(t, db, sweep.Editions, noon)
		if hot := prices.name(noon+1, items(sweep.Editions, "b", "1", "a", "1", "c", "1")); hot != 3 {
			t.Errorf("%d items are due at once, want three new ones", hot)
		}
		wantDue(t, db, sweep.Editions, noon+1, "a", "b", "c")
		editions.read(noon+2, "a", "b", "c", "unknown")
		wantDue(t, db, sweep.Editions, noon+2)
		if hot := prices.name(noon+10, items(sweep.Editions, "a", "1", "b", "2", "c", "1")); hot != 1 {
			t.Errorf("%d items are due at once, want the one whose mark changed", hot)
		}
		wantDue(t, db, sweep.Editions, noon+10, "b")
		if hot := prices.name(noon+11, items(sweep.Editions, "c", "2")); hot != 1 {
			t.Errorf("%d items are due at once, want one", hot)
		}
		// A mark that changes again keeps its place.
		prices.name(noon+12, items(sweep.Editions, "b", "3"))
		wantDue(t, db, sweep.Editions, noon+12, "b", "c")
		// A sweep reads the other items too, after the due ones.
		must(t, db.Sweeps.BeginSweep(t.Context(), editions.l, editions.s, noon+20))
		wantDue(t, db, sweep.Editions, noon+20, "b", "c", "a")
		editions.batch(noon+21, func(s *sweep.Batch) { s.Read, s.Retry, s.RetryAt = []string{"b"}, []string{"a"}, noon+50 })
		wantDue(t, db, sweep.Editions, noon+21, "c")
		editions.read(noon+22, "c")
		wantDue(t, db, sweep.Editions, noon+49)
		wantDue(t, db, sweep.Editions, noon+50, "a")
		editions.finish(noon+51, false)
		// Postponed items are read by the next sweep, even before they are due.
		editions.batch(noon+52, func(s *sweep.Batch) { s.Retry, s.RetryAt = []string{"a"}, noon+90 })
		must(t, db.Sweeps.BeginSweep(t.Context(), editions.l, editions.s, noon+60))
		wantDue(t, db, sweep.Editions, noon+60, "a", "b", "c")
		editions.read(noon+61, "a", "b", "c")
		wantDue(t, db, sweep.Editions, noon+99)
	})
}

// TestItemChangedWhileRead checks that an item stays due if its mark changes after
// the item was read and before the read was stored.
func TestItemChangedWhileRead(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		prices, editions := begin(t, db, sweep.Prices, noon), begin(t, db, sweep.Editions, noon)
		prices.name(noon+1, items(sweep.Editions, "a", "1"))
		editions.read(noon+2, "a")
		prices.name(noon+5, items(sweep.Editions, "a", "2"))
		editions.read(noon+4, "a")
		wantDue(t, db, sweep.Editions, noon+6, "a")
		editions.read(noon+6, "a")
		wantDue(t, db, sweep.Editions, noon+6)
	})
}

// TestDueItemsMakeScopeDue checks that a scope's lease is due while an item
// of the scope is due.
func TestDueItemsMakeScopeDue(t *testing.T) {
	t.Parallel()
	const later = noon + 3_600_000
	tests := []struct {
		name string
		do   func(t *testing.T, prices, editions sweeping)
		want catalog.Millis
	}{
		{"no item", func(_ *testing.T, _, e sweeping) { e.release(later, 0) }, later},
		{"a new item", func(_ *testing.T, p, e sweeping) {
			e.release(later, 0)
			p.name(noon+5, items(sweep.Editions, "a", "1"))
		}, noon + 5},
		{"an unchanged item", func(_ *testing.T, p, e sweeping) {
			p.name(noon+5, items(sweep.Editions, "a", "1"))
			e.read(noon+6, "a")
			e.release(later, 0)
			p.name(noon+7, items(sweep.Editions, "a", "1"))
		}, later},
		{"an item of another kind", func(_ *testing.T, p, e sweeping) {
			e.release(later, 0)
			p.name(noon+5, items(sweep.AddOns, "a", "1"))
		}, later},
		{"while the scope ran", func(_ *testing.T, p, e sweeping) {
			p.name(noon+5, items(sweep.Editions, "a", "1"))
			e.release(later, 0)
		}, noon + 5},
		{"a postponed item", func(_ *testing.T, p, e sweeping) {
			p.name(noon+5, items(sweep.Editions, "a", "1"))
			e.batch(noon+6, func(s *sweep.Batch) { s.Retry, s.RetryAt = []string{"a"}, noon+600 })
			e.release(later, 0)
		}, noon + 600},
		{"while the scope fails", func(_ *testing.T, p, e sweeping) {
			p.name(noon+5, items(sweep.Editions, "a", "1"))
			e.release(later, 1)
			p.name(noon+6, items(sweep.Editions, "b", "1"))
		}, later},
		{"due already", func(_ *testing.T, p, e sweeping) {
			e.release(noon+1, 0)
			p.name(noon+5, items(sweep.Editions, "a", "1"))
		}, noon + 1},
		{"by hand, even while the scope fails", func(t *testing.T, p, e sweeping) {
			e.release(later, 3)
			must(t, e.db.Sweeps.Hasten(t.Context(), []sweep.Scope{e.s, scope(sweep.AddOns)}))
		}, 0},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				collect(t, db)
				tt.do(t, begin(t, db, sweep.Prices, noon), begin(t, db, sweep.Editions, noon))
				if got := sweepOf(t, db, sweep.Editions, noon).DueAt; got != tt.want {
					t.Errorf("due at noon+%d, want noon+%d", got-noon, tt.want-noon)
				}
			})
		}
	})
}

// TestUnnamedItemsAreRemoved checks that a complete sweep removes the items that it
// does not name again, but not many at once.
func TestUnnamedItemsAreRemoved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		lost, of           int
		interrupted, force bool
		stay               bool
	}{
		{"all are named", 0, 30, false, false, true},
		{"a tenth", 3, 30, false, false, false},
		{"a few of few", 4, 5, false, false, false},
		{"too many", 5, 5, false, false, true},
		{"too many, forced", 5, 5, false, true, false},
		{"interrupted", 1, 30, true, false, true},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				collect(t, db)
				w := begin(t, db, sweep.Prices, noon)
				var all []sweep.Item
				for i := range tt.of {
					all = append(all, items(sweep.Editions, fmt.Sprintf("%02d", i), "1")...)
				}
				w.name(noon+1, all)
				w.finish(noon+2, false)
				must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+10))
				w.batch(noon+11, func(s *sweep.Batch) { s.Items, s.Interrupted = all[tt.lost:], tt.interrupted })
				end := w.finish(noon+12, tt.force)
				if held := tt.stay && tt.lost > 0 && !tt.interrupted; (end.HeldBack == tt.lost) != (held || tt.lost == 0) || end.Withdrawn != 0 {
					t.Errorf("end %+v", end)
				}
				want := tt.of - tt.lost
				if tt.stay {
					want = tt.of
				}
				if got := sweepOf(t, db, sweep.Editions, noon+12).Pending; got != want {
					t.Errorf("%d items, want %d", got, want)
				}
			})
		}
	})
}

// TestItemsBelongToLastNamingKind checks that only the kind that named an item
// last may remove it, and that items that no job reads are not kept.
func TestItemsBelongToLastNamingKind(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		prices, editions := begin(t, db, sweep.Prices, noon), begin(t, db, sweep.Editions, noon)
		if hot := prices.name(noon+1, append(items(sweep.Details, "a", "1", "b", "1"), items(sweep.Titles, "x", "1")...)); hot != 2 {
			t.Errorf("%d items are due at once, want those that a job reads", hot)
		}
		editions.name(noon+2, items(sweep.Details, "b", "1"))
		must(t, db.Sweeps.BeginSweep(t.Context(), prices.l, prices.s, noon+10))
		prices.finish(noon+11, false)
		wantDue(t, db, sweep.Details, noon+12, "b")
	})
}
