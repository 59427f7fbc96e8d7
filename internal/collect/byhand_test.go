package collect_test

import (
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/upstream"
)

// TestOnceByHand checks that a platform that was swept by hand is not late an hour
// later, and that a manual sweep does not change the intervals of a service.
func TestOnceByHand(t *testing.T) {
	bubble(t, func(w *world) {
		s := fullShop("UA").stock(3)
		once := func(want time.Duration) {
			t.Helper()
			if _, err := w.collector("once", w.db, s).Once(w.t.Context(), collect.Filter{}, nil); err != nil {
				t.Fatal(err)
			}
			list, err := w.db.Sweeps.Collections(w.t.Context())
			if err != nil || len(list) != 1 || list[0].Interval != catalog.Millis(want.Milliseconds()) {
				t.Fatalf("collections %+v, %v; want an interval of %v", list, err, want)
			}
			time.Sleep(24 * time.Hour)
			if status, byHand := w.status(), want == 0; (status == catalog.Operational) != byHand {
				t.Errorf("a day later, with an interval of %v, the status is %v", want, status)
			}
		}
		once(0)
		once(0)
		w.runFor(time.Minute, w.collector("serve", w.db, s))
		once(collect.DefaultIntervals().Prices)
	})
}

// TestStartRetriesFailedSweeps checks that a starting process repeats failed sweeps at
// once, because the cause may have been fixed.
func TestStartRetriesFailedSweeps(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(3)
		s.fails = failing(upstream.Outdated, time.Time{})
		w.runFor(5*time.Minute, w.collector("a", w.db, s))
		s.set(func() { s.fails = nil })
		w.runFor(5*time.Minute, w.collector("a", w.db, s)) // less than the hour that it waits
		if got := len(w.listings()); got != 3 {
			t.Errorf("%d listings after the second start, want 3", got)
		}
	})
}
