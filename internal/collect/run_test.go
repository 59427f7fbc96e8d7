package collect_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// consoleShop has prices, editions and details.
func consoleShop(regions string) *shop {
	return newShop(catalog.ConsoleStore, regions, sweep.Prices, sweep.Editions, sweep.Details)
}

// pricesShop has only prices.
func pricesShop(regions string) *shop { return newShop(catalog.ConsoleStore, regions, sweep.Prices) }

// bubble runs a test in a synctest bubble, on a new database.
func bubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newWorld(t)) })
}

func TestCollectorReadsAShop(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA US").stock(10)
		w.runFor(time.Minute, w.collector("a", w.db, s))
		list := w.listings()
		if len(list) != 40 {
			t.Errorf("%d listings, want 2 regions of 10 games with 2 editions", len(list))
		}
		if got := list["UA g003"].Prose.Publisher; got != "Publisher of Game 3" {
			t.Errorf("details: publisher %q", got)
		}
		for name, state := range w.sweeps() {
			if state.Completed == 0 || state.Failed || state.Interrupted || state.Began != 0 || state.Pending != 0 || state.Attempts != 0 {
				t.Errorf("%s: %+v", name, state)
			}
			if n := w.log.with("sweep complete", "scope="+name+" "); n != 1 {
				t.Errorf("%s: %d lines of the log, want 1", name, n)
			}
			if n := len(slices.Compact(slices.Sorted(slices.Values(s.readsOf(scope(name)))))); n != len(s.readsOf(scope(name))) {
				t.Errorf("%s: something was read twice: %q", name, s.readsOf(scope(name)))
			}
		}
	})
}

func TestSweepsKeepTheirIntervals(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA US").stock(4)
		w.active = "UA"
		w.runFor(time.Hour-time.Minute, w.collector("a", w.db, s))
		for name, want := range map[string]int{
			"consolestore/UA/prices": 6, "consolestore/US/prices": 1,
			"consolestore/UA/editions": 4, "consolestore/US/details": 4, // items, read once each
		} {
			if got := len(s.readsOf(scope(name))); got != want {
				t.Errorf("%s was read %d times in an hour, want %d", name, got, want)
			}
		}
		prices := w.sweeps()["consolestore/UA/prices"]
		if late := prices.DueAt - prices.Completed - 10*minute; late > 0 || late < -1000 {
			t.Errorf("due %d ms off ten minutes after the last sweep", late)
		}
	})
}

func TestMissingListingsAreWithdrawn(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA").stock(20)
		w.tune = fortyMinutes
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() { delete(s.games, "g007") })
		w.runFor(10*time.Minute, c)
		list := w.listings()
		if _, there := list["UA g007"]; there || len(list) != 39 {
			t.Errorf("after the next prices: %d listings, g007 among them: %v", len(list), there)
		}
		w.runFor(40*time.Minute, c)
		if list := w.listings(); len(list) != 38 {
			t.Errorf("after the next editions: %d listings, want 38", len(list))
		}
	})
}

func TestInterruptedSweepWithdrawsNothing(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(20)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() { delete(s.games, "g007"); s.interrupted = true })
		w.runFor(10*time.Minute, c)
		state := w.sweeps()["consolestore/UA/prices"]
		if len(w.listings()) != 20 || state.Failed || state.HeldBack != 0 {
			t.Errorf("%d listings after an interrupted sweep; %+v", len(w.listings()), state)
		}
		s.set(func() { s.interrupted = false })
		w.runFor(10*time.Minute, c)
		if n := len(w.listings()); n != 19 {
			t.Errorf("%d listings after a complete sweep, want 19", n)
		}
	})
}

func TestTooMuchIsHeldBackUntilForced(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(20)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() {
			for _, id := range []string{"g001", "g002", "g003", "g004", "g005"} {
				delete(s.games, id)
			}
		})
		w.runFor(10*time.Minute, c)
		state := w.sweeps()["consolestore/UA/prices"]
		if len(w.listings()) != 20 || !state.Failed || state.HeldBack != 5 {
			t.Errorf("%d listings, %+v", len(w.listings()), state)
		}
		if w.log.with("level=WARN", "--force", "heldBack=5") != 1 {
			t.Errorf("no warning:\n%s", w.log)
		}
		if _, err := c.Once(w.t.Context(), collect.Filter{Force: true}, nil); err != nil {
			t.Fatal(err)
		}
		state = w.sweeps()["consolestore/UA/prices"]
		if len(w.listings()) != 15 || state.Failed || state.HeldBack != 0 || state.Withdrawn != 5 {
			t.Errorf("forced: %d listings, %+v", len(w.listings()), state)
		}
	})
}

func TestAChangedPriceIsReadAtOnce(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA US").stock(10)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		ua := catalog.MustRegion("UA")
		s.set(func() {
			s.games["g004"] = game{title: "Game 4", prices: map[catalog.Region]int64{ua: 700}}
		})
		w.runFor(6*time.Minute, c)
		list := w.listings()
		for _, id := range []string{"UA g004", "UA g004-deluxe"} {
			if got := list[id].Price.Current; got != 700 {
				t.Errorf("%s costs %d, want 700", id, got)
			}
		}
		reads := s.readsOf(scope("consolestore/UA/editions"))
		if len(reads) != 11 || reads[10] != "g004" {
			t.Errorf("editions read: %q, want g004 alone a second time", reads)
		}
		if w.runs(scope("consolestore/UA/editions"), collect.Read) != 1 {
			t.Error("reading one item counts as a sweep")
		}
		state := w.sweeps()["consolestore/UA/editions"]
		if until := state.DueAt - state.Completed; until < 11*60*minute || until > 13*60*minute {
			t.Errorf("the next sweep is %d ms after the last, want about 12 hours", until)
		}
	})
}

func TestABatchOfManyParts(t *testing.T) {
	bubble(t, func(w *world) {
		s := newShop(catalog.ConsoleStore, "UA", sweep.Prices, sweep.Editions).stock(2)
		s.perGame = 4500
		w.runFor(2*time.Minute, w.collector("a", w.db, s))
		if n := len(w.listings()); n != 2*4502 {
			t.Errorf("%d listings, want %d", n, 2*4502)
		}
		if state := w.sweeps()["consolestore/UA/editions"]; state.Completed == 0 || state.Parts != 2*4501 || state.Requests != 2 {
			t.Errorf("%+v", state)
		}
	})
}

func TestDoubtfulPricesAreMarked(t *testing.T) {
	bubble(t, func(w *world) {
		w.rates = func(context.Context) (money.Rates, error) { return testRates(t), nil }
		w.active = "DE FR PL UA"
		s := pricesShop("DE FR PL UA").stock(3)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() {
			s.games["g001"] = game{title: "Game 1", prices: map[catalog.Region]int64{catalog.MustRegion("UA"): 49}}
		})
		w.runFor(10*time.Minute, c)
		list := w.listings()
		for id, want := range map[string]string{"UA g001": catalog.SourceDoubtful, "DE g001": "graphql", "UA g002": "graphql"} {
			if got := list[id].Price; got.Source != want {
				t.Errorf("%s: source %q, want %q", id, got.Source, want)
			}
		}
		if got := list["UA g001"].Price.Current; got != 49 {
			t.Errorf("a doubtful price must be stored as shown: got %d", got)
		}
		if n := w.sweeps()["consolestore/UA/prices"].Doubtful; n != 1 {
			t.Errorf("%d doubtful prices counted, want 1", n)
		}
	})
}

func TestRunYieldsToUrgentScopes(t *testing.T) {
	bubble(t, func(w *world) {
		// Details of 400 games at 4 s each, four at once, take 400 s. Prices
		// become due in that time.
		s := consoleShop("UA").stock(400)
		s.pageSize, s.took = 100, 4*time.Second
		w.tune = func(cfg *collect.Config) { cfg.Workers = 1 }
		w.runFor(40*time.Minute, w.collector("a", w.db, s))
		if w.runs(scope("consolestore/UA/details"), collect.GaveWay) == 0 && w.runs(scope("consolestore/UA/editions"), collect.GaveWay) == 0 {
			t.Error("no run gave way to prices")
		}
		if n := w.runs(scope("consolestore/UA/prices"), collect.Swept); n != 4 {
			t.Errorf("%d sweeps of prices in 40 minutes, want 4", n)
		}
		for name, state := range w.sweeps() {
			if reads := s.readsOf(scope(name)); state.Completed == 0 || !state.Scope.Kind.Paged() && len(reads) != 400 {
				t.Errorf("%s: completed %d, %d items read, want all of 400 once", name, state.Completed, len(reads))
			}
		}
	})
}

func TestNothingStarves(t *testing.T) {
	bubble(t, func(w *world) {
		// A sweep of prices takes 10 minutes and is due every 5: it would fill
		// all the time there is. The rest takes 40 minutes an hour.
		s := newShop(catalog.ConsoleStore, "UA US", sweep.Prices, sweep.Editions, sweep.Details, sweep.Titles).stock(10)
		s.pageSize, s.took = 1, time.Minute
		w.active = "UA"
		w.tune = func(cfg *collect.Config) {
			cfg.Workers, cfg.Leases.TTL = 1, 10*time.Minute
			cfg.Intervals = collect.Intervals{
				Prices: 5 * time.Minute, Editions: time.Hour, Titles: time.Hour, Details: time.Hour,
				OtherPrices: time.Hour, OtherRest: time.Hour,
			}
		}
		w.runFor(12*time.Hour, w.collector("a", w.db, s))
		for name, state := range w.sweeps() {
			if age := now() - state.Completed; state.Completed == 0 || age > 12*state.Interval {
				t.Errorf("%s: swept %d minutes ago, every %d", name, age/minute, state.Interval/minute)
			}
		}
		prices := len(s.readsOf(scope("consolestore/UA/prices")))
		if all := int(12 * time.Hour / s.took); prices < all*7/10 {
			t.Errorf("prices had %d of %d reads, want four fifths", prices, all)
		}
	})
}

func TestPanicsAreFailures(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA US").stock(10)
		s.fails = func(at sweep.Scope, from string) error {
			if at == scope("consolestore/UA/prices") || at == scope("consolestore/US/editions") && from == "g005" {
				panic("index out of range")
			}
			return nil
		}
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		for _, name := range []string{"consolestore/UA/prices", "consolestore/US/editions"} {
			if state := w.sweeps()[name]; state.Attempts == 0 || !strings.HasSuffix(state.LastError, "panic: index out of range") {
				t.Errorf("%s: %d attempts, last error %q", name, state.Attempts, state.LastError)
			}
			if w.log.with("level=ERROR", name, "world_test.go") == 0 {
				t.Errorf("%s: no stack in the log", name)
			}
		}
		if w.sweeps()["consolestore/US/prices"].Completed == 0 {
			t.Error("a panic in another scope stopped the reading of US")
		}
		s.set(func() { s.fails = nil })
		w.runFor(time.Hour, c)
		for name, state := range w.sweeps() {
			if state.Completed == 0 || state.Failed || state.Attempts != 0 {
				t.Errorf("%s has not recovered: %+v", name, state)
			}
		}
	})
}

func TestPagesThatNeverEnd(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA").stock(10)
		loop := looping{s}
		w.tune = func(cfg *collect.Config) { cfg.Connectors = []collect.Connector{loop} }
		w.runFor(time.Minute, w.collector("a", w.db))
		state := w.sweeps()["consolestore/UA/prices"]
		if state.Completed != 0 || !state.Failed || state.LastError != `read consolestore/UA/prices: the page after "4" is the same page` {
			t.Errorf("%+v", state)
		}
	})
}

// looping is a shop in which each page names itself as the next page.
type looping struct{ *shop }

func (l looping) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	page, err := l.shop.Read(ctx, job, from)
	if from != "" {
		page.Next = from
	}
	return page, err
}

func TestCollectionSwitchedOff(t *testing.T) {
	bubble(t, func(w *world) {
		s := pricesShop("UA US").stock(40)
		ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
		defer cancel()
		go func() {
			time.Sleep(500 * time.Millisecond)
			if err := w.db.Sweeps.EndCollection(ctx, catalog.ConsoleStore); err != nil {
				t.Error(err)
			}
		}()
		if err := w.collector("a", w.db, s).Run(ctx); err != nil {
			t.Error(err)
		}
		if n := len(s.readsOf(scope("consolestore/UA/prices"))); n > 6 {
			t.Errorf("%d pages were read", n)
		}
		if w.log.with("level=WARN")+w.log.with("level=ERROR") != 0 {
			t.Errorf("a deleted scope was logged as a failure:\n%s", w.log)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	bubble(t, func(w *world) {
		good := collect.Config{Database: w.db.Sweeps, Now: time.Now, Rand: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler), Connectors: []collect.Connector{pricesShop("UA")}}
		foreign := pricesShop("UA")
		foreign.jobs[0].Scope.Platform = catalog.PCStore
		tests := []struct {
			name   string
			change func(*collect.Config)
			want   string
		}{
			{"nothing missing", func(*collect.Config) {}, ""},
			{"no clock", func(c *collect.Config) { c.Now = nil }, "make collector: database, clock, random source or logger is missing"},
			{"no connector", func(c *collect.Config) { c.Connectors = nil }, "make collector: no connectors"},
			{"two of one platform", func(c *collect.Config) { c.Connectors = append(c.Connectors, pricesShop("US")) }, "make collector: platform consolestore has two connectors"},
			{"a job of another platform", func(c *collect.Config) { c.Connectors = []collect.Connector{foreign} },
				"make collector: job pcstore/UA/prices of platform consolestore: want this platform, and the region of the scope first of its 1 regions"},
			{"no interval", func(c *collect.Config) { c.Intervals.AddOns = time.Millisecond }, "make collector: intervals.addons: 1ms is below one second"},
		}
		for _, tt := range tests {
			cfg := good
			tt.change(&cfg)
			got := ""
			if _, err := collect.New(cfg); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

// namedMeanwhile is a database in which the items of a scope are named just after its
// first run has looked for them.
type namedMeanwhile struct {
	collect.Database
	mu     sync.Mutex
	hidden map[sweep.Scope]bool
}

func (d *namedMeanwhile) Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error) {
	list, err := d.Database.Sweeps(ctx, now, countTo)
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		if s := &list[i]; !s.Scope.Kind.Paged() && s.RunBy != "" && s.Pending > 0 && !d.hidden[s.Scope] {
			s.Pending, d.hidden[s.Scope] = 0, true
		}
	}
	return list, err
}

func TestItemsNamedWhileARunBegins(t *testing.T) {
	bubble(t, func(w *world) {
		meanwhile := &namedMeanwhile{Database: w.db.Sweeps, hidden: map[sweep.Scope]bool{}}
		w.tune = func(c *collect.Config) { c.Database = meanwhile }
		s := consoleShop("UA US").stock(1)
		w.runFor(2*time.Minute, w.collector("a", w.db, s))
		if len(meanwhile.hidden) != 4 {
			t.Errorf("items of %d scopes were named late, want 4", len(meanwhile.hidden))
		}
		for name, state := range w.sweeps() {
			if state.Completed == 0 || len(s.readsOf(scope(name))) != 1 {
				t.Errorf("%s: %d reads: %+v", name, len(s.readsOf(scope(name))), state)
			}
		}
	})
}
