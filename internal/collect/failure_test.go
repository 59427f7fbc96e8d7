package collect_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/sqldb/sweeps"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// failing makes a store fail every request.
func failing(kind upstream.Kind, until time.Time) func(sweep.Scope, string) error {
	return func(sweep.Scope, string) error {
		return &upstream.Error{Kind: kind, Host: "consolestore.example", URL: "https://consolestore.example/x", Until: until, Err: errors.New("because")}
	}
}

// failingAt makes a store fail the requests of a scope, or of the page or item with a name;
// "" is any.
func failingAt(kind upstream.Kind, name, from string) func(sweep.Scope, string) error {
	return func(at sweep.Scope, asked string) error {
		if name != "" && at != scope(name) || from != "" && asked != from {
			return nil
		}
		return failing(kind, time.Time{})(at, asked)
	}
}

func TestFailures(t *testing.T) {
	const name = "consolestore/UA/prices"
	tests := []struct {
		name     string
		fails    func(sweep.Scope, string) error
		after    time.Duration // this many attempts,
		attempts int
		longest  time.Duration // wait for the next one
		logged   [2]int        // warnings and errors
	}{
		// Waits are half of 10 s, 20 s, 40 s … 30 min: the random source
		// returns 0.5.
		{"down", failing(upstream.Down, time.Time{}), 29 * time.Minute, 9, 15 * time.Minute, [2]int{1, 0}},
		{"throttled", failing(upstream.Throttled, time.Time{}), 29 * time.Minute, 9, 15 * time.Minute, [2]int{1, 0}},
		{"broken page", failing(upstream.Broken, time.Time{}), 29 * time.Minute, 9, 15 * time.Minute, [2]int{1, 0}},
		{"page not found", failing(upstream.NotFound, time.Time{}), 29 * time.Minute, 9, 15 * time.Minute, [2]int{1, 0}},
		{"something else", func(sweep.Scope, string) error { return errors.New("odd") }, 29 * time.Minute, 9, 15 * time.Minute, [2]int{1, 0}},
		{"outdated", failing(upstream.Outdated, time.Time{}), 119 * time.Minute, 2, time.Hour, [2]int{0, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				s := pricesShop("UA").stock(4)
				s.fails = tt.fails
				w.tune = func(cfg *collect.Config) { cfg.Workers = 1 }
				c := w.collector("a", w.db, s)
				w.runFor(tt.after, c)
				if n := len(s.readsOf(scope(name))); n != tt.attempts {
					t.Errorf("%d attempts in %v, want %d", n, tt.after, tt.attempts)
				}
				state := w.sweeps()[name]
				if !state.Failed || state.Attempts != tt.attempts || state.Completed != 0 || state.Began == 0 {
					t.Errorf("%+v", state)
				}
				if wait := time.Duration(state.DueAt-now()) * time.Millisecond; wait > tt.longest {
					t.Errorf("due in %v, want at most %v", wait, tt.longest)
				}
				if logged := [2]int{w.log.with("level=WARN"), w.log.with("level=ERROR")}; logged != tt.logged {
					t.Errorf("%d warnings and %d errors, want %v:\n%s", logged[0], logged[1], tt.logged, w.log)
				}
				s.set(func() { s.fails = nil })
				w.runFor(tt.longest+time.Minute, c)
				if state := w.sweeps()[name]; state.Failed || state.Completed == 0 || state.Attempts != 0 || state.LastError != "" {
					t.Errorf("not recovered: %+v", state)
				}
				if w.log.with("scope is read again") != 1 || len(w.listings()) != 4 {
					t.Errorf("recovery: %d listings, log:\n%s", len(w.listings()), w.log)
				}
			})
		})
	}
}

func TestThrottledScopeObeysRetryAfter(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(4)
		until := time.Now().Add(3 * time.Hour)
		s.fails = failing(upstream.Throttled, until)
		w.runFor(time.Hour, w.collector("a", w.db, s))
		if state := w.sweeps()["consolestore/UA/prices"]; state.DueAt != catalog.MillisOf(until) || state.Attempts != 1 {
			t.Errorf("due %v after %d attempts, want %v", state.DueAt.Time(), state.Attempts, until)
		}
	})
}

func TestFailureKeepsListings(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA").stock(20)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() {
			s.fails = failingAt(upstream.Down, "", "8")
			delete(s.games, "g001")
		})
		w.runFor(30*time.Minute, c)
		state := w.sweeps()["consolestore/UA/prices"]
		if n := len(w.listings()); n != 40 || !state.Failed || state.Cursor != "8" {
			t.Errorf("%d listings, %+v", n, state)
		}
		reads := s.readsOf(scope("consolestore/UA/prices"))
		s.set(func() { s.fails = nil })
		w.runFor(20*time.Minute, c)
		if goesOn := s.readsOf(scope("consolestore/UA/prices"))[len(reads)]; goesOn != "8" {
			t.Errorf("the sweep continues at page %q, want the page that failed", goesOn)
		}
		if _, there := w.listings()["UA g001"]; there {
			t.Error("the sweep that continued did not withdraw g001")
		}
	})
}

func TestStoppedStoreGetsNoRequests(t *testing.T) {
	bubble(t, func(w *world) {
		s, other := pricesShop("UA US").stock(12), newShop(catalog.PCStore, "UA", sweep.Prices).stock(4)
		var forbidden atomic.Bool
		var until time.Time
		s.fails = func(at sweep.Scope, from string) error {
			if forbidden.Load() {
				return failing(upstream.Stopped, until)(at, from)
			}
			return nil
		}
		w.tune = func(cfg *collect.Config) { cfg.Workers = 1 }
		a, b := w.collector("a", w.db, s, other), w.collector("b", w.open(), s, other)
		w.runFor(5*time.Minute, a, b)
		until = time.Now().Add(40 * time.Minute)
		forbidden.Store(true)
		before := s.count()
		w.runFor(30*time.Minute, a, b)
		if n := s.count() - before; n < 1 || n > 2 {
			t.Errorf("%d reads of a store that refuses access, want at most one for each worker", n)
		}
		if n := len(other.readsOf(scope("pcstore/UA/prices"))); n < 3 {
			t.Errorf("the other platform was read %d times during the stop, want more", n)
		}
		want := "consolestore.example until " + until.UTC().Format(time.TimeOnly) + ": because"
		if diff := cmp.Diff([]string{want, want}, w.stops); diff != "" {
			t.Errorf("each process must learn of the stop once (-want +got):\n%s", diff)
		}
		status := w.status()
		if status != catalog.Outage {
			t.Errorf("during the stop: %s", status)
		}
		forbidden.Store(false)
		w.runFor(30*time.Minute, a, b)
		if status := w.status(); status != catalog.Operational {
			t.Errorf("after the stop: %s", status)
		}
		if w.log.with("store answers again") == 0 {
			t.Error("the log does not report that the store answers again")
		}
	})
}

func TestStopIsRenewedWhileStoreRefuses(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA US DE").stock(4)
		s.fails = failing(upstream.Stopped, time.Time{}) // without a duration
		w.runFor(4*time.Hour-time.Minute, w.collector("a", w.db, s))
		if n := s.count(); n < 4 || n > 8 {
			t.Errorf("%d reads in four hours, want one for each of two workers an hour", n)
		}
		if w.status() != catalog.Outage {
			t.Error("the stop was lifted without an answer")
		}
	})
}

// status returns the console store's status now.
func (w *world) status() catalog.Status {
	w.t.Helper()
	collections, err := w.db.Sweeps.Collections(w.t.Context())
	if err != nil || len(collections) == 0 {
		w.t.Fatal(len(collections), err)
	}
	var sweeps []sweep.State
	for _, s := range w.sweeps() {
		sweeps = append(sweeps, s)
	}
	return sweep.PlatformStatus(0, &collections[0], sweeps, now())
}

func (s *shop) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, reads := range s.reads {
		n += len(reads)
	}
	return n
}

// TestItemsThatCannotBeRead checks that a few unreadable items do not fail a sweep, are
// tried again, and that their listings stay.
func TestItemsThatCannotBeRead(t *testing.T) {
	const editions = "consolestore/UA/editions"
	bubble(t, func(w *world) {
		s := newShop(catalog.ConsoleStore, "UA", sweep.Prices, sweep.Editions).stock(30)
		unreadable := func(at sweep.Scope, from string) error {
			if from == "g011" || from == "g022" {
				return failing(upstream.Broken, time.Time{})(at, from)
			}
			return nil
		}
		s.fails = unreadable
		w.tune = fortyMinutes
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		state := w.sweeps()[editions]
		if n := len(w.listings()); n != 58 || state.Completed == 0 || state.Failed || state.Attempts != 0 {
			t.Errorf("%d listings, %+v", n, state)
		}
		w.runFor(30*time.Minute, c)
		if n := count(s.readsOf(scope(editions)), "g011"); n != 3 {
			t.Errorf("g011 was tried %d times before the next sweep, want 3", n)
		}
		s.set(func() { s.fails = nil })
		w.runFor(20*time.Minute, c)
		if n := len(w.listings()); n != 60 {
			t.Errorf("%d listings after the next sweep, want 60", n)
		}
		s.set(func() { s.fails = unreadable })
		w.runFor(60*time.Minute, c)
		if n := len(w.listings()); n != 60 {
			t.Errorf("%d listings after a sweep that could not read all items, want 60", n)
		}
	})
}

// fortyMinutes is how often editions are swept.
func fortyMinutes(cfg *collect.Config) { cfg.Workers, cfg.Intervals.Editions = 1, 40*time.Minute }

func TestTooManyItemsInARowEndARun(t *testing.T) {
	const editions = "consolestore/UA/editions"
	bubble(t, func(w *world) {
		s := newShop(catalog.ConsoleStore, "UA", sweep.Prices, sweep.Editions).stock(200)
		s.pageSize = 100
		s.fails = failingAt(upstream.Refused, editions, "")
		c := w.collector("a", w.db, s)
		w.runFor(2*time.Second, c)
		state := w.sweeps()[editions]
		if n := len(s.readsOf(scope(editions))); n < 5 || n > 9 || state.Attempts != 1 || !strings.Contains(state.LastError, "in a row") {
			t.Errorf("%d items read, %+v", n, state)
		}
		s.set(func() { s.fails = nil })
		w.runFor(time.Hour, c)
		if n := len(w.listings()); n != 400 {
			t.Errorf("%d listings, want all 400", n)
		}
	})
}

func TestItemsStopWithTheStore(t *testing.T) {
	for _, kind := range []upstream.Kind{upstream.Stopped, upstream.Outdated, upstream.Throttled, upstream.Down} {
		t.Run(kind.String(), func(t *testing.T) {
			const editions = "consolestore/UA/editions"
			bubble(t, func(w *world) {
				s := newShop(catalog.ConsoleStore, "UA", sweep.Prices, sweep.Editions).stock(100)
				s.pageSize = 100
				s.fails = func(at sweep.Scope, from string) error {
					if at == scope(editions) && from >= "g050" {
						return failing(kind, time.Time{})(at, from)
					}
					return nil
				}
				c := w.collector("a", w.db, s)
				w.runFor(3*time.Second, c)
				if state := w.sweeps()[editions]; state.Attempts != 1 || state.Interrupted || state.Pending != 50 {
					t.Errorf("state %+v, want 50 items kept for later", state)
				}
				if n := len(s.readsOf(scope(editions))); n > 55 {
					t.Errorf("%d items were tried, want at most those under way and the next", n)
				}
			})
		})
	}
}

func count(list []string, word string) (n int) {
	for _, s := range list {
		if s == word {
			n++
		}
	}
	return n
}

func TestDatabaseFailure(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(4)
		db := &flaky{Repository: w.db.Sweeps}
		db.down.Store(true)
		w.tune = func(cfg *collect.Config) { cfg.Database = db }
		c := w.collector("a", w.db, s)
		w.runFor(time.Minute, c)
		if n := w.log.with("collection failed", "disk full"); n != 1 {
			t.Errorf("%d warnings, want one:\n%s", n, w.log)
		}
		db.down.Store(false)
		w.runFor(time.Minute, c)
		if len(w.listings()) != 4 {
			t.Errorf("%d listings after the database works again", len(w.listings()))
		}
	})
}

// flaky is a database whose reads fail for a while.
type flaky struct {
	*sweeps.Repository
	down atomic.Bool
}

func (f *flaky) Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error) {
	if f.down.Load() {
		return nil, errors.New("read sweeps: disk full")
	}
	return f.Repository.Sweeps(ctx, now, countTo)
}
