package builder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	ct "gamedex/internal/testing/catalogtest"
)

// source is a database with the methods that main adds to it. Tests set what some of them return.
type source struct {
	*sqldb.DB
	*listings.Repository
	id      string
	inEpoch func(own string) string
	rates   func() money.Rates
	loading func() bool
}

func (d source) DatabaseID() string                         { return d.id }
func (d source) Rates(context.Context) (money.Rates, error) { return d.rates(), nil }
func (d source) Loading(context.Context) (bool, error)      { return d.loading(), nil }

func (d source) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	epoch, generation, err = d.Repository.Newest(ctx)
	return d.inEpoch(epoch), generation, err
}

func (d source) Read(ctx context.Context, fn func(Reading) error) error {
	return d.Repository.Read(ctx, func(r *listings.Reading) error { return fn(reading{r, d.inEpoch}) })
}

// reading is a reading in the epoch that the test sets.
type reading struct {
	*listings.Reading
	inEpoch func(own string) string
}

func (r reading) Epoch() (string, error) {
	epoch, err := r.Reading.Epoch()
	return r.inEpoch(epoch), err
}

// openDatabase opens an empty database, in its own epoch and without rates.
func openDatabase(t testing.TB) source {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return source{db, db.Listings, db.DatabaseID(), func(own string) string { return own }, func() money.Rates { return money.Rates{} }, func() bool { return false }}
}

// openView opens the newest snapshot in a bucket.
func openView(t testing.TB, b bucket.Bucket) *index.View {
	t.Helper()
	var live index.Live
	f := publish.NewFollower(b, &live, func(err error) { t.Error(err) })
	if _, err := f.Poll(t.Context()); err != nil || live.View() == nil {
		t.Fatalf("no view: %v", err)
	}
	return live.View()
}

// stepped is a builder that builds on demand.
type stepped struct {
	*Builder
	t      testing.TB
	report Report
	bucket *limitedBucket
}

func newStepped(t testing.TB, db source, overrides override.Set) *stepped {
	t.Helper()
	to, err := bucket.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { to.Close() })
	s := &stepped{t: t, bucket: &limitedBucket{Bucket: to}}
	s.Builder = New(Config{
		Database: db, Publication: new(counted), ServedIDs: unremembered{}, Bucket: s.bucket, Leases: lease.Holder{},
		Active:    ct.Regions("UA", "TR"),
		Overrides: func(context.Context) (override.Set, error) { return overrides, nil },
		States:    func(context.Context, string) ([]index.PlatformState, error) { return nil, nil },
		Now:       time.Now, Clock: time.Now, Log: slog.New(slog.DiscardHandler), OnBuild: func(r Report) { s.report = r },
	})
	s.held = func(context.Context) error { return nil }
	return s
}

// TestAnIdleBuilderAsksRarely checks that a builder with nothing to build reads rates and
// states less often than generations, and publishes a change within a second.
func TestAnIdleBuilderAsksRarely(t *testing.T) {
	db := openDatabase(t)
	if _, err := db.Listings.Save(t.Context(), []catalog.Listing{ct.Console("UA", "game", ct.Price("UAH", 100))}); err != nil {
		t.Fatal(err)
	}
	s := newStepped(t, db, override.Set{})
	s.step()
	now, asked, states := time.UnixMilli(1_800_000_000_000), 0, []index.PlatformState(nil)
	s.cfg.Now = func() time.Time { return now }
	s.cfg.States = func(context.Context, string) ([]index.PlatformState, error) { asked++; return states, nil }
	look := func(times int) {
		t.Helper()
		for range times {
			if err := s.check(t.Context()); err != nil {
				t.Fatal(err)
			}
			now = now.Add(lookEvery)
		}
	}
	look(50)
	if asked != 13 {
		t.Errorf("50 looks read the states %d times, want each fourth time", asked)
	}
	before := s.publisher.Current().Seq
	states = []index.PlatformState{{Platform: catalog.ConsoleStore, Status: "outage"}}
	look(int(time.Second / lookEvery))
	if seq := s.publisher.Current().Seq; seq != before+1 {
		t.Errorf("a changed state was published %d times within a second, want once", seq-before)
	}
}

// counted is an in-memory publication number.
type counted struct{ seq int64 }

func (c *counted) Advance(_ context.Context, seq int64) (bool, error) {
	won := c.seq == seq
	if won {
		c.seq++
	}
	return won, nil
}

func (c *counted) Raise(_ context.Context, seq int64) (int64, error) {
	c.seq = max(c.seq, seq)
	return c.seq, nil
}

type unremembered struct{}

func (unremembered) Served(context.Context, func(catalog.Served) error) error { return nil }
func (unremembered) Remember(context.Context, []catalog.Served) error         { return nil }

// step builds and opens a snapshot of the current database.
func (s *stepped) step() *index.Snapshot {
	s.t.Helper()
	s.try(nil)
	return openView(s.t, s.cfg.Bucket).Snapshot
}

func (s *stepped) try(wantErr error) {
	s.t.Helper()
	inputs, err := s.inputs(s.t.Context())
	if err == nil {
		err = s.build(s.t.Context(), inputs)
	}
	if (err == nil) != (wantErr == nil) {
		s.t.Fatalf("build: %v, want %v", err, wantErr)
	}
}

// describeSnapshot returns the results of all accessors of a snapshot, including texts
// and links.
func describeSnapshot(s *index.Snapshot) []string {
	var all []string
	for now := range 20 {
		all = append(all, fmt.Sprint("ends ", s.PassedEnds(int64(ct.Day(now)))))
	}
	for _, p := range catalog.Platforms() {
		all = append(all, fmt.Sprint(p, s.Regions(p)))
	}
	for i := range s.Len() {
		all = append(all, describe(s, reflect.ValueOf(s.Card(i)), 0))
	}
	return all
}

// describe calls every method without arguments, and describes the results.
func describe(s *index.Snapshot, v reflect.Value, depth int) string {
	if n := v.MethodByName("Len"); n.IsValid() && v.MethodByName("At").Type().NumIn() == 1 {
		var items []string
		for i := range int(n.Call(nil)[0].Int()) {
			item := v.MethodByName("At").Call([]reflect.Value{reflect.ValueOf(i)})[0]
			if c, isCard := item.Interface().(index.Card); isCard {
				items = append(items, c.ID()) // described separately
				continue
			}
			items = append(items, describe(s, item, depth+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	var b strings.Builder
	if r, isRow := v.Interface().(index.Row); isRow {
		fmt.Fprintf(&b, "%v %v %q ", s.Region(r.Region).Code, s.Currency(r.Currency), r.AppendURL(nil))
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Type().Field(i).IsExported() && name != "Currency" && name != "Region" { // numbers of this build
				fmt.Fprintf(&b, "%s=%v ", name, v.Field(i).Interface())
			}
		}
	}
	for i := range v.NumMethod() {
		m := v.Method(i)
		if m.Type().NumIn() != 0 || m.Type().NumOut() != 1 {
			continue
		}
		switch out := m.Call(nil)[0]; out.Kind() {
		case reflect.Struct:
			fmt.Fprintf(&b, "%s=%s ", v.Type().Method(i).Name, describe(s, out, depth+1))
		default:
			fmt.Fprintf(&b, "%s=%v ", v.Type().Method(i).Name, out.Interface())
		}
	}
	return b.String()
}

// stores holds the changing listings of two stores.
type stores struct {
	rng    *rand.Rand
	listed []catalog.Listing
	at     map[catalog.Key]int
}

func (s *stores) pick(of ...string) string { return of[s.rng.IntN(len(of))] }

// change returns the listings that changed since the last call: mostly only prices.
func (s *stores) change(now catalog.Millis) (lines []catalog.Listing) {
	others := len(s.listed) < 10 || s.rng.IntN(4) == 0
	for range 1 + s.rng.IntN(6) {
		if others {
			s.list()
		}
		l := &s.listed[s.rng.IntN(len(s.listed))]
		l.ObservedAt, l.Price = now, s.price()
		lines = append(lines, *l)
	}
	return lines
}

// list changes all fields of a listing.
func (s *stores) list() {
	product := s.pick("a", "b", "c", "d")
	options := []ct.Option{
		ct.Family(product), ct.Title(s.pick("Star", "Dust")), ct.StoreURL("https://x.example/" + product), ct.Edition(s.pick("", "Gold")),
		ct.Popularity(float64(s.rng.IntN(3))), ct.On(1),
	}
	if product == "d" { // its listings have different families
		options = append(options, ct.Family(s.pick("a", "b")))
	}
	if s.rng.IntN(8) == 0 {
		options = append(options, ct.Withdrawn())
	}
	l := ct.Console(s.pick("UA", "TR", "US"), product, options...)
	if s.rng.IntN(2) == 0 {
		l = ct.PC(s.pick("UA", "TR", "US"), product, s.pick("s1", "s2"), options...)
	}
	i, known := s.at[l.Key]
	if !known {
		i = len(s.listed)
		s.at[l.Key], s.listed = i, append(s.listed, l)
	}
	s.listed[i] = l
}

func (s *stores) price() *catalog.Price {
	if s.rng.IntN(6) == 0 {
		return nil
	}
	amount := money.Amount(s.rng.IntN(5) * 10_000)
	return &catalog.Price{Currency: "UAH", Base: amount * 2, Current: amount, DiscountPercent: s.rng.IntN(60),
		DiscountEndsAt: ct.Day(s.rng.IntN(20)), DiscountLabel: s.pick("", "Sale"), Trial: s.rng.IntN(5) == 0, CurrentText: s.pick("", "ab 5")}
}

// TestRepricedEqualsBuilt lets one builder process many changes. It checks after each
// that the result equals that of a new builder on the same database.
func TestRepricedEqualsBuilt(t *testing.T) {
	t.Parallel()
	world := stores{rng: rand.New(rand.NewPCG(5, 5)), at: map[catalog.Key]int{}}
	db := openDatabase(t)
	old := newStepped(t, db, override.Set{})
	alone := 0
	for round := range 40 {
		if _, err := db.Listings.Save(t.Context(), world.change(ct.Day(2+round))); err != nil {
			t.Fatal(err)
		}
		got := describeSnapshot(old.step())
		fresh := newStepped(t, db, override.Set{})
		if d := cmp.Diff(describeSnapshot(fresh.step()), got); d != "" {
			t.Fatalf("round %d, prices alone %v (-fresh +old):\n%s", round, old.report.PricesAlone, d)
		}
		if fresh.report.PricesAlone {
			t.Fatal("a new builder repriced")
		}
		if old.report.PricesAlone {
			alone++
		}
	}
	if alone < 10 || alone > 35 {
		t.Errorf("only prices changed in %d of 40 rounds: the test no longer covers both cases", alone)
	}
}

func save(t *testing.T, db source, lines ...catalog.Listing) {
	t.Helper()
	if _, err := db.Listings.Save(t.Context(), lines); err != nil {
		t.Fatal(err)
	}
}

// TestRepricesOnlyItsOwnBuilds checks that the builder builds from the listings if its
// last build is not published or is missing.
func TestRepricesOnlyItsOwnBuilds(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, s *stepped) error
		alone     bool
	}{
		"nothing": {func(*testing.T, *stepped) error { return nil }, true},
		"the catalog is gone": {func(t *testing.T, s *stepped) error {
			return s.cfg.Bucket.Delete(t.Context(), s.publisher.Current().Catalog)
		}, false},
		"the prices are different": {func(t *testing.T, s *stepped) error {
			if err := s.cfg.Bucket.Delete(t.Context(), s.publisher.Current().Prices); err != nil {
				return err
			}
			return s.cfg.Bucket.Put(t.Context(), s.publisher.Current().Prices, []byte("nonsense"))
		}, false},
		"another builder published": {func(t *testing.T, s *stepped) error {
			other := publish.NewPublisher(s.cfg.Bucket, s.cfg.Publication, s.cfg.Log)
			if err := other.Resume(t.Context(), merge.MergeVersion); err != nil {
				return err
			}
			m, err := other.Current(), error(nil)
			if m.Prices, err = other.PutBlob(t.Context(), []byte("others")); err != nil {
				return err
			}
			return errors.Join(other.Publish(t.Context(), m), s.publisher.Resume(t.Context(), merge.MergeVersion))
		}, false},
		"overrides came": {func(_ *testing.T, s *stepped) error {
			edition := "Gold"
			o := override.New(override.Rule{Platform: star.Platform, Product: star.Product, Edition: &edition})
			s.cfg.Overrides = func(context.Context) (override.Set, error) { return o, nil }
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openDatabase(t)
			s := newStepped(t, db, override.Set{})
			save(t, db, star)
			s.step()
			if err := tt.meanwhile(t, s); err != nil {
				t.Fatal(err)
			}
			save(t, db, dearer)
			snap := s.step()
			row, ok := snap.Card(0).Rows().Simple(0)
			if !ok || row.Current != 119900 || s.report.PricesAlone != tt.alone {
				t.Errorf("%+v, prices alone %v, want %v", row, s.report.PricesAlone, tt.alone)
			}
		})
	}
}

// TestUnpublishedPricesAreInTheNextBuild checks that a price that could not be
// published is in the next snapshot, even without another change.
func TestUnpublishedPricesAreInTheNextBuild(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	s := newStepped(t, db, override.Set{})
	save(t, db, star)
	s.step()
	save(t, db, dearer)
	s.bucket.full.Store(true)
	s.try(fmt.Errorf("no space left"))
	s.bucket.full.Store(false)
	row, _ := s.step().Card(0).Rows().Simple(0)
	if row.Current != 119900 || !s.report.PricesAlone {
		t.Errorf("%+v, prices alone %v", row, s.report.PricesAlone)
	}
}

// limitedBucket is a bucket that can be full.
type limitedBucket struct {
	bucket.Bucket
	full atomic.Bool
}

func (b *limitedBucket) Put(ctx context.Context, name string, blob []byte) error {
	if b.full.Load() {
		return fmt.Errorf("no space left on device")
	}
	return b.Bucket.Put(ctx, name, blob)
}
