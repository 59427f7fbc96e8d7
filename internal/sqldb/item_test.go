package sqldb_test

import (
	"testing"

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

// name lets a sweep of prices name items.
func (w sweeping) name(at catalog.Millis, list []sweep.Item) {
	w.t.Helper()
	w.batch(at, func(s *sweep.Batch) { s.Items = list })
}

func (w sweeping) read(at catalog.Millis, ids ...string) {
	w.t.Helper()
	w.batch(at, func(s *sweep.Batch) { s.Read = ids })
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
		if n := sweepOf(t, db, sweep.Editions, noon+6).Pending; n != 1 {
			t.Errorf("%d items are due, want the one that changed", n)
		}
		editions.read(noon+6, "a")
		if n := sweepOf(t, db, sweep.Editions, noon+6).Pending; n != 0 {
			t.Errorf("%d items are due after the read", n)
		}
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
