package sqldb_test

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// priceless returns a part of a product that is no longer for sale.
func priceless(region, product string, at catalog.Millis) sweep.Part {
	p := shown(region, product, at)
	p.Price, p.Facts.Title = nil, "Renamed"
	return p
}

// showMany shows n listings of TR and UA, the first of them without a price.
func (w sweeping) showMany(at catalog.Millis, unpriced, n int) {
	w.t.Helper()
	parts := make([]sweep.Part, n)
	for i := range parts {
		region := []string{"TR", "UA"}[i%2]
		if parts[i] = shown(region, fmt.Sprint(i), at); i < unpriced {
			parts[i] = priceless(region, fmt.Sprint(i), at)
		}
	}
	w.show(at, parts...)
}

// wantPrices checks how many stored listings have a price.
func wantPrices(t *testing.T, db *sqldb.DB, when string, want int) {
	t.Helper()
	got := 0
	for _, l := range exported(t, db, listings.Filter{}) {
		if l.Price != nil {
			got++
		}
	}
	if got != want {
		t.Errorf("%s: %d listings have a price, want %d", when, got, want)
	}
}

// TestLostPricesAreHeldBack checks that prices which a sweep no longer finds stay until it
// ends, and longer if they are more than a tenth, unless it is forced.
func TestLostPricesAreHeldBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		lost               int // of 60 listings
		interrupted, force bool
		held               int
	}{
		{"none", 0, false, false, 0},
		{"a tenth", 6, false, false, 0},
		{"more", 7, false, false, 7},
		{"all", 60, false, false, 60},
		{"more, forced", 7, false, true, 0},
		{"a tenth, interrupted", 6, true, false, 0},
		{"more, interrupted", 7, true, false, 7},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				collect(t, db)
				w := begin(t, db, sweep.Prices, noon)
				w.showMany(noon, 0, 60)
				w.finish(noon+1, false)
				must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+100))
				w.showMany(noon+101, tt.lost, 60)
				w.batch(noon+101, func(s *sweep.Batch) { s.Interrupted = tt.interrupted })
				wantPrices(t, db, "before the end", 60)
				want := 60 - tt.lost
				if tt.held > 0 {
					want = 60
				}
				if end := w.finish(noon+102, tt.force); end != (sweep.End{HeldBack: tt.held}) {
					t.Errorf("end %+v, want %d held back and none withdrawn", end, tt.held)
				}
				wantPrices(t, db, "at the end", want)
				if s := sweepOf(t, db, sweep.Prices, noon+103); s.Failed != (tt.held > 0) || s.HeldBack != tt.held {
					t.Errorf("sweep %+v", s)
				}
				for _, l := range exported(t, db, listings.Filter{}) {
					if l.Facts.Title == "Renamed" && l.Price == nil != (l.ObservedAt == noon+101) || l.Withdrawn {
						t.Errorf("stored %+v", l)
					}
				}
				if tt.held == 0 {
					return
				}
				must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+200))
				w.showMany(noon+201, 1, 60)
				if end := w.finish(noon+202, false); end != (sweep.End{}) {
					t.Errorf("the next sweep, which finds most prices: %+v", end)
				}
				wantPrices(t, db, "found again", 59)
			})
		}
	})
}

// TestLostPricesOutliveTheirCollector checks that another process ends a sweep with the
// prices that the first one no longer found, and that the first can no longer do so.
func TestLostPricesOutliveTheirCollector(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db, other := open(t, dsn), open(t, dsn)
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		w.showMany(noon, 0, 20)
		w.finish(noon+1, false)
		must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+100))
		w.showMany(noon+101, 5, 10)
		w.expire()
		next := sweeping{t, other, claim(t, other, w.s, "b"), w.s}
		wantIs(t, "without the lease", one(db.Sweeps.SettlePrices(t.Context(), w.l, w.s)), lease.ErrLost)
		next.showMany(noon+102, 0, 4) // reads the last page again, where four are for sale
		next.batch(noon+102, func(s *sweep.Batch) {
			for i := range 10 {
				s.Present = append(s.Present, fmt.Sprint(10+i))
			}
		})
		next.finish(noon+103, false)
		wantPrices(t, db, "after the other process", 19)
	})
}

// TestPricesLostBetweenSweeps checks that prices which reads of single items no longer find
// go at once, unless too many have gone since the last sweep began; then the next sweep
// decides.
func TestPricesLostBetweenSweeps(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w := begin(t, db, sweep.Editions, noon)
		const n = 80
		show := func(at catalog.Millis, from, to, n int) { // those between lost their price
			t.Helper()
			var parts []sweep.Part
			for i := range n {
				if i >= from && i < to {
					parts = append(parts, priceless("TR", fmt.Sprint(i), at))
				} else if from == 0 {
					parts = append(parts, shown("TR", fmt.Sprint(i), at))
				}
			}
			w.show(at, parts...)
		}
		settle := func(want int) {
			t.Helper()
			if held, err := db.Sweeps.SettlePrices(t.Context(), w.l, w.s); held != want || err != nil {
				t.Errorf("%d held back, want %d: %v", held, want, err)
			}
		}
		show(noon, 0, 0, n)
		w.finish(noon+1, false)
		settle(0)
		show(noon+2, 1, 7, n)
		settle(0)
		wantPrices(t, db, "six were lost", n-6)
		show(noon+3, 10, 16, n)
		settle(12) // of 86
		wantPrices(t, db, "six more", n-6)
		if s := sweepOf(t, db, sweep.Editions, noon+3); !s.Failed || s.HeldBack != 12 {
			t.Errorf("sweep %+v", s)
		}
		must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+10))
		show(noon+11, 0, 7, n)
		w.finish(noon+12, false)
		wantPrices(t, db, "the next sweep finds the others", n-7)
	})
}
