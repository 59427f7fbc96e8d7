package sqldb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

var turkey, ukraine = catalog.MustRegion("TR"), catalog.MustRegion("UA")

func scope(k sweep.Kind) sweep.Scope {
	return sweep.Scope{Platform: catalog.ConsoleStore, Region: turkey, Kind: k}
}

// collect starts the collection of the console store, with one job of each kind in TR;
// the prices job covers UA too.
func collect(t *testing.T, db *sqldb.DB) {
	t.Helper()
	jobs := []sweep.State{{Scope: scope(sweep.Prices), Regions: []catalog.Region{turkey, ukraine}, Active: true, Interval: 600_000}}
	for _, k := range []sweep.Kind{sweep.Editions, sweep.AddOns, sweep.Details} {
		jobs = append(jobs, sweep.State{Scope: scope(k), Regions: []catalog.Region{turkey}, Interval: 3_600_000})
	}
	must(t, db.Sweeps.SetCollection(t.Context(), sweep.Collection{Platform: catalog.ConsoleStore, Since: noon, Interval: 600_000}, jobs))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantIs checks that err wraps want; what says of which call.
func wantIs(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// wantSame checks that two values are the same.
func wantSame(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// claim claims the lease of a scope.
func claim(t testing.TB, db *sqldb.DB, s sweep.Scope, holder string) lease.Lease {
	t.Helper()
	l, ok, err := db.Sweeps.Leases().Claim(t.Context(), "collect/"+s.String(), holder, time.Hour)
	if !ok || err != nil {
		t.Fatalf("claim %s: %v, %v", s, ok, err)
	}
	return l
}

// sweeping holds the lease of a kind's scope and has begun a sweep.
type sweeping struct {
	t  testing.TB
	db *sqldb.DB
	l  lease.Lease
	s  sweep.Scope
}

func begin(t testing.TB, db *sqldb.DB, k sweep.Kind, at catalog.Millis) sweeping {
	t.Helper()
	w := sweeping{t, db, claim(t, db, scope(k), "a"), scope(k)}
	must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, at))
	return w
}

func (w sweeping) batch(at catalog.Millis, change func(*sweep.Batch)) sweep.BatchCounts {
	w.t.Helper()
	return w.ruledBatch(at, sweep.Rules{}, change)
}

func (w sweeping) ruledBatch(at catalog.Millis, rules sweep.Rules, change func(*sweep.Batch)) sweep.BatchCounts {
	w.t.Helper()
	batch := sweep.Batch{Scope: w.s, Regions: []catalog.Region{turkey, ukraine}, At: at, Requests: 1}
	change(&batch)
	counts, err := w.db.Sweeps.SaveBatch(w.t.Context(), w.l, batch, rules)
	must(w.t, err)
	return counts
}

func (w sweeping) show(at catalog.Millis, parts ...sweep.Part) sweep.BatchCounts {
	w.t.Helper()
	return w.batch(at, func(s *sweep.Batch) { s.Parts = parts })
}

func (w sweeping) finish(at catalog.Millis, force bool) sweep.End {
	w.t.Helper()
	end, err := w.db.Sweeps.FinishSweep(w.t.Context(), w.l, w.s, at, force)
	must(w.t, err)
	return end
}

// expire lets the lease end now.
func (w sweeping) expire() {
	w.t.Helper()
	if ok, err := w.db.Sweeps.Leases().Renew(w.t.Context(), w.l, 0); !ok || err != nil {
		w.t.Fatalf("renew: %v, %v", ok, err)
	}
}

// release releases the lease, to be due again at the given time.
func (w sweeping) release(due catalog.Millis, failures int) {
	w.t.Helper()
	l := w.l
	l.DueAt, l.Attempts = int64(due), failures
	if ok, err := w.db.Sweeps.Leases().Release(w.t.Context(), l); !ok || err != nil {
		w.t.Fatalf("release: %v, %v", ok, err)
	}
}

// shown returns a part with every field that console sets.
func shown(region, product string, at catalog.Millis) sweep.Part {
	return sweep.Part{Listing: console(region, product, at), Shows: sweep.ShowsPrice | sweep.ShowsTitle |
		sweep.ShowsFamily | sweep.ShowsFamilyName | sweep.ShowsInvariantName | sweep.ShowsTitleIDs |
		sweep.ShowsType | sweep.ShowsPlatforms}
}

// onSale returns the products that are listed in a region and when they were last
// seen.
func onSale(t testing.TB, db *sqldb.DB, r catalog.Region) map[string]catalog.Millis {
	t.Helper()
	got := map[string]catalog.Millis{}
	must(t, db.Listings.RegionListings(t.Context(), catalog.ConsoleStore, r, func(product string, seen catalog.Millis) { got[product] = seen }))
	return got
}

func sweepOf(t testing.TB, db *sqldb.DB, k sweep.Kind, now catalog.Millis) sweep.State {
	t.Helper()
	list, err := db.Sweeps.Sweeps(t.Context(), now, sweep.ManyItems)
	must(t, err)
	for _, s := range list {
		if s.Scope == scope(k) {
			return s
		}
	}
	t.Fatalf("no sweep of %s", scope(k))
	return sweep.State{}
}

// TestBatchIsChecked checks that a part that breaks a rule is not stored, and that the
// rest of its batch is.
func TestBatchIsChecked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		w.show(noon, shown("TR", "a", noon))
		refused := errors.New("title: is bad")
		batch := sweep.Batch{Scope: w.s, Regions: []catalog.Region{turkey}, At: noon + 1,
			Parts: []sweep.Part{shown("TR", "a", noon+1), shown("TR", "b", noon+1), shown("TR", "c", noon+1)}}
		batch.Parts[0].Facts.Title, batch.Parts[1].Facts.Title = "bad", "bad"
		counts, err := db.Sweeps.SaveBatch(t.Context(), w.l, batch, sweep.Rules{Check: func(l *catalog.Listing) error {
			if l.Facts.Title == "bad" {
				return refused
			}
			l.Facts.Edition = "completed"
			return nil
		}})
		must(t, err)
		want := sweep.BatchCounts{Saved: catalog.SaveCounts{New: 1}, Rejected: 2, FirstRejected: "consolestore TR a: title: is bad"}
		if counts != want {
			t.Errorf("counted %+v, want %+v", counts, want)
		}
		wantSame(t, "stored", map[string]catalog.Millis{"a": noon, "c": noon + 1}, onSale(t, db, turkey))
		if edition := exported(t, db, listings.Filter{})[1].Facts.Edition; edition != "completed" {
			t.Errorf("edition %q, want the one that the check filled in", edition)
		}
		must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+1))
		_, err = db.Sweeps.SaveBatch(t.Context(), w.l, batch, sweep.Rules{Check: func(*catalog.Listing) error { return refused }})
		must(t, err)
		if end := w.finish(noon+2, true); end.Withdrawn != 0 {
			t.Errorf("%+v: a product on sale that breaks a rule was withdrawn", end)
		}
	})
}

func TestBatchRefuses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		foreign := shown("TR", "a", noon)
		foreign.Platform = catalog.PCStore
		for want, parts := range map[string][]sweep.Part{
			"2001 listings at once": make([]sweep.Part, listings.MaxBatch+1),
			"pcstore TR":            {foreign},
			"consolestore PL":       {shown("PL", "a", noon)},
		} {
			batch := sweep.Batch{Scope: w.s, Regions: []catalog.Region{turkey, ukraine}, At: noon, Parts: parts}
			if _, err := db.Sweeps.SaveBatch(t.Context(), w.l, batch, sweep.Rules{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	})
}

// TestSweepContinuesAfterFailure checks that a finished sweep cannot be finished
// again, and that a failed one can be continued.
func TestSweepContinuesAfterFailure(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		w.batch(noon+1, func(s *sweep.Batch) { s.Cursor, s.Interrupted = "page 2", true })
		must(t, db.Sweeps.FailSweep(t.Context(), w.l, w.s))
		s := sweepOf(t, db, sweep.Prices, noon+2)
		if !s.Failed || s.Began != noon || s.Cursor != "page 2" || !s.Interrupted || s.RunBy != "a" || int64(s.RunUntil) != w.l.Until {
			t.Errorf("failed sweep %+v", s)
		}
		w.finish(noon+2, false)
		if s := sweepOf(t, db, sweep.Prices, noon+2); s.Failed || s.Began != 0 || s.Cursor != "" {
			t.Errorf("finished sweep %+v", s)
		}
		if _, err := db.Sweeps.FinishSweep(t.Context(), w.l, w.s, noon+3, false); err == nil || errors.Is(err, lease.ErrLost) {
			t.Errorf("finished twice: %v", err)
		}
	})
}

// TestSweepIsFenced checks that a process that lost the lease, or whose job is
// gone, changes nothing.
func TestSweepIsFenced(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		lose func(t *testing.T, db *sqldb.DB, w *sweeping)
	}{
		{"taken over", func(t *testing.T, db *sqldb.DB, w *sweeping) { w.expire(); claim(t, db, w.s, "b") }},
		{"taken over by the same holder", func(t *testing.T, db *sqldb.DB, w *sweeping) { w.expire(); claim(t, db, w.s, "a") }},
		{"released", func(t *testing.T, db *sqldb.DB, w *sweeping) { w.release(0, 0) }},
		{"all leases released", func(t *testing.T, db *sqldb.DB, w *sweeping) { must(t, db.Nodes.ReleaseAll(t.Context())) }},
		{"switched off", func(t *testing.T, db *sqldb.DB, w *sweeping) {
			must(t, db.Sweeps.EndCollection(t.Context(), catalog.ConsoleStore))
		}},
		{"the job was deleted", func(t *testing.T, db *sqldb.DB, w *sweeping) {
			must(t, db.Sweeps.SetCollection(t.Context(), sweep.Collection{Platform: catalog.ConsoleStore}, nil))
		}},
		{"restarted by another process", func(t *testing.T, db *sqldb.DB, w *sweeping) {
			must(t, db.Sweeps.EndCollection(t.Context(), catalog.ConsoleStore))
			collect(t, db)
			claim(t, db, w.s, "b") // with the same token
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range engines() {
				dsn := e.dsn(t)
				db, other := open(t, dsn), open(t, dsn)
				collect(t, db)
				w := begin(t, db, sweep.Prices, noon)
				w.show(noon, shown("TR", "a", noon))
				must(t, db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+100))
				tt.lose(t, other, &w)
				before, err := db.Sweeps.Sweeps(t.Context(), noon, sweep.ManyItems)
				must(t, err)
				batch := sweep.Batch{Scope: w.s, Regions: []catalog.Region{turkey}, At: noon + 101, Parts: []sweep.Part{shown("TR", "b", noon+101)}}
				_, saved := db.Sweeps.SaveBatch(t.Context(), w.l, batch, sweep.Rules{})
				_, finished := db.Sweeps.FinishSweep(t.Context(), w.l, w.s, noon+102, true)
				for what, err := range map[string]error{
					"SaveBatch": saved, "FinishSweep": finished,
					"BeginSweep": db.Sweeps.BeginSweep(t.Context(), w.l, w.s, noon+103), "FailSweep": db.Sweeps.FailSweep(t.Context(), w.l, w.s),
				} {
					if !errors.Is(err, lease.ErrLost) {
						t.Errorf("%s: %v, want ErrLost", what, err)
					}
				}
				after, err := db.Sweeps.Sweeps(t.Context(), noon, sweep.ManyItems)
				must(t, err)
				wantSame(t, "sweeps", before, after)
				wantSame(t, "listings", map[string]catalog.Millis{"a": noon}, onSale(t, db, turkey))
			}
		})
	}
}

func TestSweepRequiresItsLease(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		l := claim(t, db, scope(sweep.Prices), "a")
		if err := db.Sweeps.BeginSweep(t.Context(), l, scope(sweep.Editions), noon); err == nil || errors.Is(err, lease.ErrLost) {
			t.Errorf("a sweep began under the lease of another scope: %v", err)
		}
	})
}

// TestCollectIntoFirstSchema checks that collection works on a database of the first
// release.
func TestCollectIntoFirstSchema(t *testing.T) {
	t.Parallel()
	db := open(t, "sqlite:"+copyOf(t, firstSchema))
	before := onSale(t, db, turkey)
	collect(t, db)
	w := begin(t, db, sweep.Prices, noon+1)
	w.show(noon+1, shown("TR", "new", noon+1))
	if end := w.finish(noon+2, true); end != (sweep.End{}) {
		t.Errorf("end %+v: imported listings were withdrawn", end)
	}
	before["new"] = noon + 1
	if diff := cmp.Diff(before, onSale(t, db, turkey), cmpopts.EquateEmpty()); diff != "" || len(before) < 2 {
		t.Errorf("on sale (-want +got):\n%s", diff)
	}
	wantWhole(t, db)
}
