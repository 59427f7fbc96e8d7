package collect_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/sweeps"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

func TestTwoCollectorsShare(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA US DE FR").stock(40)
		second := w.open()
		w.runFor(time.Minute, w.collector("a", w.db, s), w.collector("b", second, s))
		if n := len(w.listings()); n != 4*80 {
			t.Errorf("%d listings, want %d", n, 4*80)
		}
		s.checkAlone(t)
		for name, state := range w.sweeps() {
			want := 40
			if state.Scope.Kind.Paged() {
				want = 10
			}
			if got := len(s.readsOf(scope(name))); got != want {
				t.Errorf("%s: %d reads, want each of %d once", name, got, want)
			}
		}
	})
}

// checkAlone checks that no two collectors read a scope at the same time. One run
// reads up to four items at once.
func (s *shop) checkAlone(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, most := range s.most {
		if allowed := map[bool]int{true: 1, false: 4}[at.Kind.Paged()]; most > allowed {
			t.Errorf("%s had %d reads at once, want at most %d", at, most, allowed)
		}
	}
}

// truth returns what the shop sells where it has both prices and editions.
func (s *shop) truth() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := map[string]int64{}
	for _, job := range s.jobs {
		r := job.Scope.Region
		for id := range s.games {
			price := int64(s.part(id, r).Price.Current)
			want[r.String()+" "+id], want[r.String()+" "+id+"-deluxe"] = price, price
		}
	}
	return want
}

func (w *world) prices() map[string]int64 {
	got := map[string]int64{}
	for name, l := range w.listings() {
		got[name] = int64(l.Price.Current)
	}
	return got
}

// scenarios runs a test with n random stories, the same ones each time.
func scenarios[T any](t *testing.T, n int, gen *rapid.Generator[T], test func(t *testing.T, w *world, story T)) {
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			story := gen.Example(seed)
			bubble(t, func(w *world) { test(t, w, story) })
			if t.Failed() {
				t.Logf("story: %+v", story)
			}
		})
	}
}

type cuts struct {
	games int
	after []int // milliseconds
}

func drawCuts(rt *rapid.T) cuts {
	return cuts{rapid.IntRange(0, 30).Draw(rt, "games"), rapid.SliceOfN(rapid.IntRange(1, 2500), 1, 12).Draw(rt, "after")}
}

// TestCollectionResumesAfterInterruption stops collectors again and again at
// random times. It checks that every page and every item is still read, and that
// only reads in progress are repeated.
func TestCollectionResumesAfterInterruption(t *testing.T) {
	scenarios(t, 8, rapid.Custom(drawCuts), func(t *testing.T, w *world, story cuts) {
		s := consoleShop("UA US").stock(story.games)
		for _, after := range story.after {
			w.runFor(time.Duration(after)*time.Millisecond, w.collector("a", w.db, s))
		}
		w.runFor(2*time.Minute, w.collector("b", w.db, s))
		if diff := cmp.Diff(s.truth(), w.prices()); diff != "" {
			t.Errorf("listings (-want +got):\n%s", diff)
		}
		s.checkAlone(t)
		for name, state := range w.sweeps() {
			reads := s.readsOf(scope(name))
			once := slices.Compact(slices.Sorted(slices.Values(reads)))
			lost := len(story.after) // the page under way at the interruption
			if !state.Scope.Kind.Paged() {
				lost *= 44 // unsaved items of a second, and those under way
			}
			if story.games > 0 && state.Completed == 0 || len(reads)-len(once) > lost {
				t.Errorf("%s: %d reads of %d: %+v", name, len(reads), len(once), state)
			}
		}
	})
}

// story describes what happens to a shop, and which collectors read it.
type story struct {
	processes, workers int
	took               time.Duration
	phases             []phase
}

// phase is a period in which some reads fail.
type phase struct {
	minutes     int
	kind        upstream.Kind // of the failures; 0: none
	share       int           // one in so many reads fails
	region      catalog.Region
	until       time.Duration
	game        int
	price       int64 // new price in UA
	interrupted bool
}

func drawStory(rt *rapid.T) story {
	return story{
		processes: rapid.IntRange(1, 2).Draw(rt, "processes"), workers: rapid.IntRange(1, 2).Draw(rt, "workers"),
		took:   time.Duration(rapid.IntRange(1, 4000).Draw(rt, "took")) * time.Millisecond,
		phases: rapid.SliceOfN(rapid.Custom(drawPhase), 1, 4).Draw(rt, "phases"),
	}
}

func drawPhase(rt *rapid.T) phase {
	kinds := []upstream.Kind{0, upstream.Stopped, upstream.Outdated, upstream.Throttled, upstream.Down, upstream.Broken, upstream.Refused}
	return phase{
		minutes: rapid.IntRange(1, 20).Draw(rt, "minutes"), kind: rapid.SampledFrom(kinds).Draw(rt, "kind"),
		share: rapid.IntRange(1, 10).Draw(rt, "share"), region: rapid.SampledFrom(append(regions("UA US"), catalog.Region{})).Draw(rt, "region"),
		until: time.Duration(rapid.IntRange(0, 30).Draw(rt, "until")) * time.Minute,
		game:  rapid.IntRange(0, 11).Draw(rt, "game"), price: rapid.Int64Range(100, 9000).Draw(rt, "price"), interrupted: rapid.Bool().Draw(rt, "interrupted"),
	}
}

// TestCollectionLoopAgainstRandomStories checks that, whatever the shops do, no two
// collectors read a scope at once and no scope is swept before it is due. After
// the shops answer again, the stored listings match them within a time limit.
func TestCollectionLoopAgainstRandomStories(t *testing.T) {
	scenarios(t, 4, rapid.Custom(drawStory), func(t *testing.T, w *world, story story) {
		w.active = "UA"
		intervals := collect.Intervals{
			Prices: 10 * time.Minute, Editions: 30 * time.Minute, Details: time.Hour, OtherPrices: 30 * time.Minute, OtherRest: time.Hour,
		}
		s := consoleShop("UA US DE").stock(12)
		s.took = story.took
		began := map[sweep.Scope]catalog.Millis{}
		var collectors []*collect.Collector
		for i := range story.processes {
			db := w.db
			if i > 0 {
				db = w.open()
			}
			w.tune = func(cfg *collect.Config) {
				cfg.Workers, cfg.Intervals = story.workers, intervals
				cfg.Database = &intervalChecker{Repository: db.Sweeps, w: w, intervals: intervals, began: began}
			}
			collectors = append(collectors, w.collector(string(rune('a'+i)), db, s))
		}
		for _, p := range story.phases {
			s.enterPhase(p)
			w.runFor(time.Duration(p.minutes)*time.Minute, collectors...)
		}
		s.enterPhase(phase{game: 0, price: 1234})
		w.runFor(100*time.Minute, collectors...)
		for name, state := range w.sweeps() {
			if age := now() - state.Completed; state.Completed == 0 || age > 2*state.Interval || state.Failed {
				t.Errorf("%s has not recovered: %+v", name, state)
			}
		}
		if diff := cmp.Diff(s.truth(), w.prices()); diff != "" {
			t.Errorf("listings (-want +got):\n%s", diff)
		}
		s.checkAlone(t)
	})
}

func (s *shop) enterPhase(p phase) {
	n, until := 0, time.Now().Add(p.until)
	s.set(func() {
		id := slices.Sorted(maps.Keys(s.games))[p.game]
		s.interrupted = p.interrupted
		s.games[id] = game{title: s.games[id].title, prices: map[catalog.Region]int64{catalog.MustRegion("UA"): p.price}}
		s.fails = func(at sweep.Scope, from string) error {
			s.mu.Lock()
			n++
			hit := p.kind != 0 && n%p.share == 0
			s.mu.Unlock()
			if !hit || p.region != (catalog.Region{}) && at.Region != p.region {
				return nil
			}
			return failing(p.kind, until)(at, from)
		}
	})
}

// intervalChecker is a database that checks that sweeps begin an interval apart.
type intervalChecker struct {
	*sweeps.Repository
	w         *world
	intervals collect.Intervals
	began     map[sweep.Scope]catalog.Millis // guarded by w.mu
}

func (b *intervalChecker) BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error {
	b.w.mu.Lock()
	interval := b.intervals.Of(s.Kind, s.Region == catalog.MustRegion("UA"))
	if last, known := b.began[s]; known && at-last < catalog.Millis(interval.Milliseconds()) {
		b.w.t.Errorf("%s is swept again after %d minutes", s, (at-last)/minute)
	}
	b.began[s] = at
	b.w.mu.Unlock()
	return b.Repository.BeginSweep(ctx, l, s, at)
}
