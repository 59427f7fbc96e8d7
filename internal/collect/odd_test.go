package collect_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/upstream"
)

// TestUnreadablePage checks that a sweep with an unreadable page does not end, but
// reads the pages before it again.
func TestUnreadablePage(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(12)
		s.fails = failingAt(upstream.Broken, "", "8")
		w.runFor(10*time.Minute, w.collector("a", w.db, s))
		s.set(func() {
			s.games["g000"] = game{title: "Game 0", prices: map[catalog.Region]int64{catalog.MustRegion("UA"): 500}}
		})
		w.runFor(time.Hour, w.collector("a", w.db, s))
		if p := w.listings()["UA g000"].Price; p.Current != 500 {
			t.Errorf("an hour later the price is %d, want 500: %q", p.Current, s.readsOf(scope("consolestore/UA/prices")))
		}
		if state := w.sweeps()["consolestore/UA/prices"]; state.Completed != 0 || !state.Failed {
			t.Errorf("%+v", state)
		}
		s.set(func() { s.fails = nil })
		w.runFor(time.Hour, w.collector("a", w.db, s))
		if state := w.sweeps()["consolestore/UA/prices"]; state.Completed == 0 || state.Failed {
			t.Errorf("not recovered: %+v", state)
		}
	})
}

// TestClockSetBackAWeek checks that scopes that a clock a week ahead postponed are
// due when the clock is right again.
func TestClockSetBackAWeek(t *testing.T) {
	bubble(t, func(w *world) {
		var ahead atomic.Int64
		clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		w.tune = func(cfg *collect.Config) {
			cfg.Now = clock
			cfg.Intervals.Editions = time.Hour
		}
		s := consoleShop("UA").stock(6)
		ahead.Store(int64(7 * 24 * time.Hour))
		w.runFor(5*time.Minute, w.collector("a", w.db, s))
		ahead.Store(0)
		before := len(s.readsOf(scope("consolestore/UA/prices")))
		w.runFor(70*time.Minute, w.collector("a", w.db, s))
		if n := len(s.readsOf(scope("consolestore/UA/prices"))) - before; n < 12 {
			t.Errorf("%d pages were read in an hour, want two every ten minutes", n)
		}
		for _, name := range []string{"consolestore/UA/prices", "consolestore/UA/editions"} {
			state := w.sweeps()[name]
			if late := now() + 2*state.Interval; state.Completed > now() || state.DueAt > late {
				t.Errorf("%s has times in the future: %+v", name, state)
			}
		}
	})
}

// TestAnotherProfile checks that a scope that another profile has registered for
// more regions is not read with this profile, because it would seem to miss the
// listings of those regions.
func TestAnotherProfile(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprint("once ", again), func(t *testing.T) {
			bubble(t, func(w *world) {
				old, other := pricesShop("UA").stock(20), pricesShop("UA").stock(20)
				other.jobs[0].Regions = regions("UA US")
				ctx, cancel := context.WithCancel(w.t.Context())
				defer cancel()
				go func() { _ = w.collector("a", w.db, old).Run(ctx) }()
				time.Sleep(5 * time.Minute)
				if again {
					if _, err := w.collector("b", w.db, other).Once(ctx, collect.Filter{}, nil); err != nil {
						t.Error(err)
					}
				} else {
					go func() { _ = w.collector("b", w.db, other).Run(ctx) }()
				}
				time.Sleep(time.Minute)
				before := old.readsOf(scope("consolestore/UA/prices"))
				time.Sleep(time.Hour)
				if now := old.readsOf(scope("consolestore/UA/prices")); !slices.Equal(before, now) {
					t.Errorf("the first profile read %d more pages", len(now)-len(before))
				}
				if n := len(w.listings()); n != 40 {
					t.Errorf("%d listings, want 20 games in two regions", n)
				}
				cancel()
				time.Sleep(time.Minute)
			})
		})
	}
}
