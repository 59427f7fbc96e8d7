package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/buckettest"
	ct "gamedex/internal/testing/catalogtest"
)

// world is a database and a bucket with a running builder.
type world struct {
	t         *testing.T
	db        source
	bucket    bucket.Bucket
	mu        sync.Mutex
	rates     money.Rates
	overrides override.Set
	badFile   error
	loading   bool
	states    []index.PlatformState
	epoch     string // of the database; "": its own
	reports   chan Report
	log       await.Text

	dir          string          // of the bucket
	damaged      func() []string // what nodes report
	presentEvery time.Duration
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: openDatabase(t), dir: t.TempDir(), reports: make(chan Report, 100)}
	folder, err := bucket.OpenFolder(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	w.bucket = folder
	w.db.inEpoch, w.db.rates, w.db.loading = w.inEpoch, func() money.Rates { return got(w, &w.rates) }, func() bool { return got(w, &w.loading) }
	return w
}

// got returns what the test has set.
func got[T any](w *world, value *T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *value
}

// inEpoch returns the epoch that the test sets, or the database's own.
func (w *world) inEpoch(own string) string { return cmp.Or(got(w, &w.epoch), own) }

// bubble runs a test in a synctest bubble, where waiting takes no time.
func bubble(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t)) })
}

// start runs a builder until the test ends or stop is called.
func (w *world) start(to bucket.Bucket) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	holder := lease.Holder{Repository: w.db.Nodes, ID: fmt.Sprint(time.Now().UnixNano()), TTL: 3 * time.Second}
	b := New(Config{
		Database: w.db, Publication: w.db.Nodes, ServedIDs: w.db.Listings, Bucket: to, Leases: holder,
		Active: ct.Regions("UA", "TR"),
		Overrides: func(context.Context) (override.Set, error) {
			return got(w, &w.overrides), got(w, &w.badFile)
		},
		States: func(_ context.Context, epoch string) ([]index.PlatformState, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.epoch != "" {
				return []index.PlatformState{{Platform: catalog.ConsoleStore, Status: epoch}}, nil
			}
			return slices.Clone(w.states), nil
		},
		PresentEvery: w.presentEvery, Damaged: w.damaged,
		Now: time.Now, Clock: time.Now, Log: w.logger(),
		OnBuild: func(r Report) { w.reports <- r },
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := b.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	w.t.Cleanup(stop)
	return stop
}

func (w *world) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&w.log, nil)) }

func (w *world) save(ls ...catalog.Listing) {
	w.t.Helper()
	save(w.t, w.db, ls...)
}

// set changes the inputs of the builder.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// nextBuild waits for a build.
func (w *world) nextBuild() Report {
	w.t.Helper()
	select {
	case r := <-w.reports:
		return r
	case <-time.After(3 * time.Minute):
		w.t.Fatalf("no build\n%s", &w.log)
		return Report{}
	}
}

// quiet fails if there is a build within a second.
func (w *world) quiet(why string) {
	w.t.Helper()
	select {
	case r := <-w.reports:
		w.t.Fatalf("build %d, want none: %s", r.Seq, why)
	case <-time.After(time.Second):
	}
}

// manifest waits for a manifest of at least this number.
func (w *world) manifest(seq int64) publish.Manifest {
	w.t.Helper()
	for range 3600 {
		m, err := publish.Latest(w.t.Context(), w.bucket, func(err error) { w.t.Error(err) })
		if err == nil && m.Seq >= seq {
			return m
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.t.Fatalf("no manifest %d\n%s", seq, &w.log)
	return publish.Manifest{}
}

// view opens the snapshot of the newest manifest.
func (w *world) view() *index.View {
	w.t.Helper()
	return openView(w.t, w.bucket)
}

var (
	star      = ct.Console("UA", "EP0001-PPSA00001_00-STARFORGE0000000", ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", 99900))
	starTR    = ct.Console("TR", "EP0001-PPSA00001_00-STARFORGE0000000", ct.Family("1"), ct.Title("Star Forge"), ct.Price("TRY", 69900))
	dearer    = ct.Console("UA", "EP0001-PPSA00001_00-STARFORGE0000000", ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", 119900), ct.On(2))
	elsewhere = ct.Console("US", "EP0002-PPSA00002_00-ELSEWHERE0000000", ct.Family("2"), ct.Title("Elsewhere"), ct.Price("USD", 999))
)

func TestBuildsWhatIsStored(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.quiet("no listings are stored")

		w.save(star, starTR, elsewhere)
		if r := w.nextBuild(); r.Seq != 1 || r.Listings != 3 || r.Cards != 1 {
			t.Fatalf("first build: %+v", r)
		}
		first := w.manifest(1)

		w.save(star)
		w.quiet("a repeated line changes nothing")

		w.save(dearer)
		w.nextBuild()
		second := w.manifest(2)
		if first.Catalog != second.Catalog {
			t.Error("a changed price created a new catalog blob")
		}
		if first.Prices == second.Prices {
			t.Error("a changed price did not change the prices blob")
		}
		card, ok := w.view().Lookup(catalog.ConsoleStore, w.view().Card(0).ID())
		if !ok || card.Rows().Len() != 2 {
			t.Fatalf("card: %v with %d rows", ok, card.Rows().Len())
		}
	})
}

// TestChangesArePublishedSoon checks that a change is published soon enough for the
// API to show it within three seconds; a follower needs less than one of them.
func TestChangesArePublishedSoon(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		for day := range 5 {
			changed := time.Now()
			w.save(ct.Console("UA", star.Product, ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", money.Amount(1000+day)), ct.On(day+1)))
			w.nextBuild()
			if took := time.Since(changed); took > 2*time.Second {
				t.Errorf("change %d is published after %v", day, took)
			}
		}
	})
}

func TestRateChangesNeedNoBuild(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		before := w.manifest(1)
		rates, err := money.ParseRates([]byte(`{"base":"USD","rates":{"USD":1,"UAH":41.5},"updatedAt":"2026-11-20T00:00:00Z"}`))
		if err != nil {
			t.Fatal(err)
		}
		w.set(func() { w.rates = rates })
		after := w.manifest(2)
		if after.Rates.Hash() != rates.Hash() || after.Catalog != before.Catalog || after.Prices != before.Prices {
			t.Errorf("manifest of new rates: %+v", after)
		}
		w.quiet("only rates changed")
	})
}

func TestStateChangesNeedNoBuild(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		states := func(lastSweep catalog.Millis) []index.PlatformState {
			return []index.PlatformState{{Platform: catalog.ConsoleStore, Status: "operational", Freshness: []catalog.Freshness{
				{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Listings: 1, LastSweep: lastSweep},
			}}}
		}
		w.states = states(5)
		w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		before := w.manifest(1)
		w.set(func() { w.states = states(6) })
		after := w.manifest(2)
		if diff := gocmp.Diff(states(6), after.Platforms); diff != "" || after.Catalog != before.Catalog || after.Prices != before.Prices {
			t.Errorf("manifest of another sweep: %+v (-want +got):\n%s", after, diff)
		}
		w.set(func() { w.states = states(6) })
		w.quiet("only a sweep ended")
		if m := w.manifest(2); m.Seq != 2 {
			t.Errorf("manifest %d, though nothing changed", m.Seq)
		}
	})
}

// TestStatesOfAnotherEpoch checks that the first manifest in another epoch of the database
// has states that were asked for in that one.
func TestStatesOfAnotherEpoch(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.epoch = "7/1"
		w.start(w.bucket)
		w.save(star)
		for i, epoch := range []string{"7/1", "7/2"} {
			seq := int64(i + 1)
			w.set(func() { w.epoch = epoch })
			w.nextBuild()
			m, err := publish.ReadManifest(t.Context(), w.bucket, seq)
			if err != nil || len(m.Platforms) != 1 || m.Platforms[0].Status != epoch {
				t.Errorf("manifest %d has states %+v, %v; want those of epoch %s", seq, m.Platforms, err, epoch)
			}
		}
	})
}

func TestOverridesTriggerABuild(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		edition := "Gold Edition"
		w.set(func() {
			w.overrides = override.New(override.Rule{Platform: star.Platform, Product: star.Product, Edition: &edition})
		})
		w.nextBuild()
		if got := w.view().Card(0).EditionName(); got != edition {
			t.Errorf("edition is %q, want the operator's %q", got, edition)
		}
		wrong := "Deluxe"
		w.set(func() {
			w.overrides = override.New(override.Rule{Platform: catalog.ConsoleStore, Product: "EP-MISTYPED", Edition: &wrong})
		})
		w.nextBuild()
		if !strings.Contains(w.log.String(), "an override matches no listing") || !strings.Contains(w.log.String(), "EP-MISTYPED") {
			t.Error("an override that matches nothing was not logged")
		}
		w.set(func() { w.overrides, w.badFile = override.Set{}, errors.New("line 1: not JSON") })
		w.quiet("overrides that cannot be read change nothing")
		if !strings.Contains(w.log.String(), "line 1: not JSON") {
			t.Error("the bad overrides were not logged")
		}
	})
}

// TestWithdrawnIDIsRemembered checks that a snapshot knows the id of a card that is gone.
func TestWithdrawnIDIsRemembered(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		old := w.view().Card(0).ID()
		if w.view().WasServed(old) {
			t.Errorf("%s is served", old)
		}
		w.save(ct.Console("UA", star.Product, ct.Withdrawn(), ct.On(3)))
		w.nextBuild()
		if v := w.view(); !v.WasServed(old) || v.Moved(0, old) != nil || v.WasServed("UNKNOWN0") {
			t.Errorf("%s is forgotten", old)
		}
	})
}

// TestOverrideDoesNotMoveAnID checks that the PS5 card does not take the id of the
// PS4 card when an override takes the PS4 product out of the family, also after a
// restart, and that the ids are as before when the override is removed.
func TestOverrideDoesNotMoveAnID(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		stop := w.start(w.bucket)
		const ps4, ps5 = "EP0000-CUSA00001_00-STARFORGE0000PS4", "EP0000-PPSA00001_00-STARFORGE0000PS5"
		one := func(region, product, platform string, day int) catalog.Listing {
			return ct.Console(region, product, ct.Family("7"), ct.FamilyName("Star Forge"), ct.Name("Star Forge"), ct.Title("Star Forge"),
				ct.Platforms(platform), ct.Price("UAH", 99900), ct.On(day))
		}
		w.save(one("UA", ps4, "PS4", 1), one("TR", ps4, "PS4", 1), one("UA", ps5, "PS5", 2), one("TR", ps5, "PS5", 2))
		w.nextBuild()
		before := w.idsByProduct()
		if before[ps4] == before[ps5] {
			t.Fatalf("one card has both: %v", before)
		}

		other := "8"
		w.set(func() {
			w.overrides = override.New(override.Rule{Platform: catalog.ConsoleStore, Product: ps4, Family: &other})
		})
		w.nextBuild()
		check := func(when string) map[string]string {
			t.Helper()
			now := w.idsByProduct()
			for _, id := range now {
				if id == before[ps4] {
					t.Errorf("%s the id %s of %s is served: %v", when, id, ps4, now)
				}
			}
			if to := w.view().Moved(catalog.ConsoleStore, before[ps4]); len(to) != 1 || to[0] != now[ps4] {
				t.Errorf("%s %s has the successors %v, want %s", when, before[ps4], to, now[ps4])
			}
			return now
		}
		with := check("after the override")
		stop()
		w.start(w.bucket)
		w.save(one("PL", ps5, "PS5", 3))
		w.nextBuild()
		if again := check("after a restart"); !gocmp.Equal(again, with) {
			t.Errorf("after a restart the ids are %v, want %v", again, with)
		}

		w.set(func() { w.overrides = override.Set{} })
		w.nextBuild()
		if now := w.idsByProduct(); !gocmp.Equal(now, before) {
			t.Errorf("without the override the ids are %v, want %v", now, before)
		}
	})
}

// idsByProduct returns the card ids of the published console products.
func (w *world) idsByProduct() map[string]string {
	ids := map[string]string{}
	v := w.view()
	for i := range v.Len() {
		c := v.Card(i)
		for n := range c.Rows().Len() {
			row := c.Rows().At(n)
			ids[row.Product()] = c.ID()
		}
	}
	return ids
}

func TestWaitsForAnImport(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.set(func() { w.loading = true })
		w.start(w.bucket)
		w.save(star)
		w.quiet("an import is running")
		w.set(func() { w.loading = false })
		w.nextBuild()
	})
}

func TestOnlyOneBuilderWorks(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		stop := w.start(w.bucket)
		w.save(star)
		w.nextBuild()
		w.start(w.bucket)
		w.quiet("the snapshot is up to date")
		stop() // releases its lease at once
		w.save(dearer)
		if r := w.nextBuild(); r.Seq != 2 {
			t.Errorf("the second builder published %d, want 2", r.Seq)
		}
	})
}

func TestContinuesAfterAHigherManifest(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		m := publish.Manifest{Seq: 40, Catalog: "blob/gone", Prices: "blob/gone"}
		body, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.bucket.Put(t.Context(), publish.ManifestName(40), body); err != nil {
			t.Fatal(err)
		}
		w.start(w.bucket)
		w.save(star)
		if r := w.nextBuild(); r.Seq != 41 {
			t.Errorf("a new database beside manifest 40 published %d, want 41", r.Seq)
		}
	})
}

func TestKeepsTheLastManifests(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		for day := range 6 {
			w.save(ct.Console("UA", star.Product, ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", money.Amount(1000+day)), ct.On(day+1)))
			w.nextBuild()
		}
		var numbers []int64
		var blobs []string
		for range 9000 { // the report of a build precedes the deletion of old ones
			numbers, _ = publish.Numbers(t.Context(), w.bucket)
			blobs, _ = buckettest.List(t.Context(), w.bucket, "blob/")
			if len(numbers) == 5 && len(blobs) == 12 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if len(numbers) != 5 || len(blobs) != 12 {
			t.Errorf("manifests %v and %d blobs, want the last five, with one catalog, one blob of lows where nothing changed, and five times prices and the other lows", numbers, len(blobs))
		}
		w.view()
	})
}

// stolenBucket lets another builder take the lease over while old snapshots are looked
// for, as if this process had slept.
type stolenBucket struct {
	bucket.Bucket
	steal   func()
	deleted atomic.Int32
}

func (s *stolenBucket) Walk(ctx context.Context, prefix, after string) iter.Seq2[bucket.Entry, error] {
	if list, err := buckettest.List(ctx, s.Bucket, "manifest/"); err == nil && len(list) > 5 {
		s.steal()
	}
	return s.Bucket.Walk(ctx, prefix, after)
}

func (s *stolenBucket) Delete(ctx context.Context, name string) error {
	s.deleted.Add(1)
	return s.Bucket.Delete(ctx, name)
}

func TestSleeperDeletesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		stolen := make(chan struct{})
		b := &stolenBucket{Bucket: w.bucket, steal: sync.OnceFunc(func() {
			defer close(stolen)
			if err := w.db.Nodes.ReleaseAll(t.Context()); err != nil {
				t.Error(err)
			}
			if _, ok, err := w.db.Nodes.Claim(t.Context(), "build", "successor", time.Hour); !ok || err != nil {
				t.Error(ok, err)
			}
		})}
		stop := w.start(b)
		for day := range 6 {
			w.save(ct.Console("UA", star.Product, ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", money.Amount(1000+day)), ct.On(day+1)))
			w.nextBuild()
		}
		<-stolen
		time.Sleep(time.Second)
		stop()
		if n := b.deleted.Load(); n != 0 {
			t.Errorf("a builder without the lease deleted %d blobs", n)
		}
		if !strings.Contains(w.log.String(), "lease lost") {
			t.Errorf("the log does not say why it stopped:\n%s", &w.log)
		}
	})
}

func TestFullBucketIsRetried(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		full := &limitedBucket{Bucket: w.bucket}
		full.full.Store(true)
		w.start(full)
		w.save(star)
		w.quiet("the bucket refuses to write")
		full.full.Store(false)
		w.nextBuild()
		if !strings.Contains(w.log.String(), "no space left on device") {
			t.Error("the failure was not logged")
		}
	})
}

// TestPopularityIsExact checks that cards are ordered by their exact popularity, even
// if very high counts differ by little.
func TestPopularityIsExact(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		w.save(ct.PC("UA", "a", "alike-a", ct.Title("Alike"), ct.Price("UAH", 100), ct.Popularity(1<<24)),
			ct.PC("UA", "z", "alike-z", ct.Title("Alike"), ct.Price("UAH", 100), ct.Popularity(1<<24+1)))
		w.nextBuild()
		if got := w.view().Card(0).ID(); got != "alike-z" {
			t.Errorf("first is %s, want the more popular alike-z", got)
		}
	})
}

// TestEditionsAbroadCount checks that an edition that no active region lists counts
// among those of its game in the regions that list it, as it does on the PC store.
func TestEditionsAbroadCount(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.start(w.bucket)
		gold := ct.Console("US", "EP0001-PPSA00001_00-STARFORGE0000GOLD", ct.Family("1"), ct.Title("Star Forge: Gold Edition"), ct.Edition("Gold Edition"), ct.Price("USD", 9999))
		w.save(star, ct.Console("US", star.Product, ct.Family("1"), ct.Title("Star Forge"), ct.Price("USD", 5999)), gold, elsewhere)
		if r := w.nextBuild(); r.Cards != 1 {
			t.Fatalf("%d cards, want one: the editions abroad are not served", r.Cards)
		}
		v := w.view()
		for region, want := range map[string]int{"UA": 1, "US": 2} {
			no, _ := v.RegionNo(catalog.MustRegion(region))
			if row, ok := v.Card(0).Rows().InRegion(no); !ok || row.Variants != want {
				t.Errorf("%s: %d variants (%v), want %d", region, row.Variants, ok, want)
			}
		}
	})
}
