package sqldb_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

func collections(t *testing.T, db *sqldb.DB) []sweep.Collection {
	t.Helper()
	list, err := db.Sweeps.Collections(t.Context())
	must(t, err)
	return list
}

// TestSetCollectionKeepsProgress checks that a process that sets the same jobs again
// keeps their progress.
func TestSetCollectionKeepsProgress(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		w.batch(noon+1, func(s *sweep.Batch) { s.Cursor, s.Items = "2", items(sweep.Editions, "a", "1") })
		w.release(noon+600_000, 0)
		begin(t, db, sweep.AddOns, noon)
		must(t, db.Sweeps.StopCollection(t.Context(), catalog.ConsoleStore, noon+5, "403"))

		pl := catalog.MustRegion("PL")
		jobs := []sweep.State{
			{Scope: scope(sweep.Prices), Regions: []catalog.Region{turkey, pl}, Interval: 60_000},
			{Scope: scope(sweep.Editions), Regions: []catalog.Region{turkey}, Interval: 7_200_000, Active: true},
		}
		now := sweep.Collection{Platform: catalog.ConsoleStore, Since: noon + 9, Interval: 60_000}
		must(t, db.Sweeps.SetCollection(t.Context(), now, jobs))
		got, err := db.Sweeps.Sweeps(t.Context(), noon+2, sweep.ManyItems)
		must(t, err)
		want := []sweep.State{
			{Scope: scope(sweep.Prices), Regions: []catalog.Region{turkey, pl}, Interval: 60_000, Began: noon, Cursor: "2",
				Interrupted: true, // it did not see all of PL
				Collected:   noon + 1, Requests: 1, DueAt: noon + 60_000},
			{Scope: scope(sweep.Editions), Regions: []catalog.Region{turkey}, Interval: 7_200_000, Active: true, Pending: 1},
		}
		wantSame(t, "sweeps", want, got)
		state := []sweep.Collection{{Platform: catalog.ConsoleStore, Since: noon, Interval: 60_000, StoppedUntil: noon + 5, StopReason: "403"}}
		wantSame(t, "collections", state, collections(t, db))
		if _, held, _ := db.Nodes.FindLease(t.Context(), "collect/"+scope(sweep.AddOns).String()); !held {
			t.Error("the held lease of a deleted job was deleted")
		}
	})
}

// TestABatchLocksTheJobsThatItNames checks that a job which never ran cannot run while a batch
// names its first items: it would not see them, and rest.
func TestABatchLocksTheJobsThatItNames(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db, other := open(t, dsn), open(t, dsn)
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		batch := sweep.Batch{Scope: w.s, Regions: []catalog.Region{turkey}, At: noon + 1, Items: items(sweep.Editions, "a", "1"),
			Parts: []sweep.Part{shown("TR", "p", noon)}}
		tried := false
		_, err := db.Sweeps.SaveBatch(t.Context(), w.l, batch, sweep.Rules{Check: func(*catalog.Listing) error {
			tried = true
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, _, err := other.Sweeps.Leases().Claim(ctx, "collect/"+scope(sweep.Editions).String(), "b", time.Minute); err == nil {
				t.Error("the job ran before the batch was stored")
			}
			return nil
		}})
		if must(t, err); !tried {
			t.Error("nothing was saved")
		}
		if s := sweepOf(t, db, sweep.Editions, noon+2); s.Pending != 1 || s.DueAt > noon+1 {
			t.Errorf("a job with %d items is due at %d, want %d", s.Pending, s.DueAt, noon+1)
		}
	})
}

func TestSetCollectionForgetsJobs(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		w, e := begin(t, db, sweep.Prices, noon), begin(t, db, sweep.Editions, noon)
		w.name(noon+1, items(sweep.Editions, "a", "1"))
		e.release(noon+600_000, 2)
		state := sweep.Collection{Platform: catalog.ConsoleStore}
		must(t, db.Sweeps.SetCollection(t.Context(), state, []sweep.State{{Scope: scope(sweep.Prices)}}))
		collect(t, db)
		if s := sweepOf(t, db, sweep.Editions, noon+2); s.Pending != 0 || s.DueAt != 0 || s.Attempts != 0 || s.Began != 0 {
			t.Errorf("a job that was added again is %+v, want a new one", s)
		}
		if s := sweepOf(t, db, sweep.Prices, noon+2); s.Began != noon {
			t.Errorf("a kept job is %+v", s)
		}
		other := sweep.State{Scope: sweep.Scope{Platform: catalog.PCStore, Region: turkey, Kind: sweep.Prices}}
		if err := db.Sweeps.SetCollection(t.Context(), state, []sweep.State{other}); err == nil {
			t.Error("a job of another platform was accepted")
		}
	})
}

func TestEndCollection(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		pc := sweep.Scope{Platform: catalog.PCStore, Region: turkey, Kind: sweep.Prices}
		must(t, db.Sweeps.SetCollection(t.Context(), sweep.Collection{Platform: catalog.PCStore}, []sweep.State{{Scope: pc}}))
		kept := claim(t, db, pc, "a")
		w := begin(t, db, sweep.Prices, noon)
		w.show(noon, shown("TR", "a", noon))
		must(t, db.Sweeps.EndCollection(t.Context(), catalog.ConsoleStore))
		list, err := db.Sweeps.Sweeps(t.Context(), noon, sweep.ManyItems)
		must(t, err)
		if len(list) != 1 || list[0].Scope != pc || list[0].RunBy != "a" {
			t.Errorf("remaining jobs %+v, want those of the other platform", list)
		}
		if ok, err := db.Sweeps.Leases().Renew(t.Context(), kept, time.Hour); !ok || err != nil {
			t.Errorf("the other platform's lease: %v, %v", ok, err)
		}
		if ok, _ := db.Sweeps.Leases().Renew(t.Context(), w.l, time.Minute); ok {
			t.Error("the lease of a platform that is not collected can be renewed")
		}
		if n := len(onSale(t, db, turkey)); n != 1 || len(collections(t, db)) != 1 {
			t.Errorf("%d listings, collections %+v", n, collections(t, db))
		}
	})
}

func TestStopCollection(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		for _, step := range []struct {
			until      catalog.Millis
			reason     string
			want       catalog.Millis
			wantReason string
		}{
			{noon + 10, "403", noon + 10, "403"},
			{noon + 5, "robots", noon + 10, "403"},
			{noon + 20, "challenge", noon + 20, "challenge"},
			{0, "whatever", 0, ""},
		} {
			must(t, db.Sweeps.StopCollection(t.Context(), catalog.ConsoleStore, step.until, step.reason))
			must(t, db.Sweeps.StopCollection(t.Context(), catalog.PCStore, noon, "is not collected"))
			want := []sweep.Collection{{Platform: catalog.ConsoleStore, Since: noon, Interval: 600_000, StoppedUntil: step.want, StopReason: step.wantReason}}
			wantSame(t, "collections", want, collections(t, db))
		}
	})
}

func TestFreshness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		fresh := func() []catalog.Freshness {
			list, err := db.Sweeps.Freshness(t.Context())
			must(t, err)
			return list
		}
		if list := fresh(); len(list) != 0 {
			t.Errorf("an empty database: %+v", list)
		}
		pc := everything()
		save(t, db, catalog.SaveCounts{New: 6}, console("UA", "a", noon+3), console("TR", "a", noon+9), console("TR", "b", noon+1),
			console("TR", "c", noon+5), console("TR", "d", noon+4), pc)
		gone := console("TR", "gone", noon-5)
		gone.Withdrawn = true
		save(t, db, catalog.SaveCounts{New: 1}, gone)
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon+20)
		w.finish(noon+30, false)
		want := []catalog.Freshness{
			{Platform: catalog.ConsoleStore, Region: turkey, Listings: 4, OldestSeen: noon + 1, MedianSeen: noon + 4, LastSweep: noon + 30},
			{Platform: catalog.ConsoleStore, Region: ukraine, Listings: 1, OldestSeen: noon + 3, MedianSeen: noon + 3, LastSweep: noon + 30},
			{Platform: catalog.PCStore, Region: ukraine, Listings: 1, Doubtful: 1, OldestSeen: noon, MedianSeen: noon},
		}
		wantSame(t, "freshness", want, fresh())
	})
}

// TestStoredPricesToCompare checks the prices that Judge gets, of more products than one
// query reads.
func TestStoredPricesToCompare(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		collect(t, db)
		unpriced, gone, other := console("PL", "a", noon), console("US", "a", noon), console("TR", "other", noon)
		unpriced.Price, gone.Withdrawn = nil, true
		trial := console("UA", "b", noon)
		trial.Price.Current, trial.Price.Trial, trial.Price.Source = 0, true, catalog.SourceDoubtful
		pc := everything()
		pc.Product = "a"
		save(t, db, catalog.SaveCounts{New: 7}, console("TR", "a", noon), console("UA", "a", noon), trial, unpriced, gone, other, pc)
		var got []sweep.RegionPrice
		rules := sweep.Rules{Products: []string{"a"}, Judge: func(parts []sweep.Part, stored []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
			got = stored
			return parts, nil
		}}
		for i := range 1000 {
			rules.Products = append(rules.Products, fmt.Sprint("unknown", i))
		}
		rules.Products = append(rules.Products, "b")
		begin(t, db, sweep.Prices, noon+1).ruledBatch(noon+2, rules, func(*sweep.Batch) {})
		price, free := *console("TR", "a", noon).Price, *trial.Price
		want := []sweep.RegionPrice{{Region: turkey, Product: "a", Price: price}, {Region: ukraine, Product: "a", Price: price}, {Region: ukraine, Product: "b", Price: free}}
		less := cmpopts.SortSlices(func(a, b sweep.RegionPrice) bool {
			return a.Region.String()+a.Product < b.Region.String()+b.Product
		})
		wantSame(t, "stored prices", want, got, less)
	})
}

func TestReserveRequests(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		const minute, hour = time.Minute, time.Hour
		began := time.Now()
		for i, step := range []struct {
			host  string
			n     int
			every time.Duration
			next  time.Duration // if not 0, the stored time is that far from now
			want  time.Duration
		}{
			{"a", 1, 10 * minute, 0, 0},
			{"a", 3, 10 * minute, 0, 10 * minute}, // after those before
			{"b", 1, 10 * minute, 0, 0},           // another host
			{"a", 1, 10 * minute, 0, 40 * minute},
			{"a", 1, 10 * minute, -5 * hour, 0}, // a pause does not save up requests
			{"a", 1, 0, 0, 10 * minute},
			{"a", 1, 10 * minute, 2 * hour, 0}, // the clock was wrong
			{"a", 1, 10 * minute, 0, 10 * minute},
		} {
			if step.next != 0 {
				if _, err := db.Exec(t.Context(), "set pace", "UPDATE request_pace SET next_at = $1 WHERE host = $2",
					time.Now().Add(step.next).UnixMicro(), step.host); err != nil {
					t.Fatal(err)
				}
			}
			got, err := db.Nodes.ReserveRequests(t.Context(), step.host, step.n, step.every)
			if late := step.want - got; late < 0 || late > time.Since(began)+time.Second || err != nil {
				t.Errorf("step %d: %v, %v; want %v, less the time since step 0", i, got, err, step.want)
			}
		}
		if _, err := db.Nodes.ReserveRequests(t.Context(), "a", 0, 0); err == nil {
			t.Error("a reservation of no requests succeeded")
		}
	})
}

// TestReserveRequestsTogether checks that concurrent calls never reserve the same time:
// the next one is as late as if each had its own.
func TestReserveRequestsTogether(t *testing.T) {
	t.Parallel()
	for _, e := range engines() {
		dsn := e.dsn(t)
		handles := []*sqldb.DB{open(t, dsn), open(t, dsn)}
		var wg sync.WaitGroup
		began := time.Now()
		for i := range 4 {
			wg.Go(func() {
				for range 10 {
					if _, err := handles[i%2].Nodes.ReserveRequests(t.Context(), "a", 3, 10*time.Second); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		wait, err := handles[0].Nodes.ReserveRequests(t.Context(), "a", 1, 10*time.Second)
		if late := 120*10*time.Second - wait; late < 0 || late > time.Since(began)+time.Second || err != nil {
			t.Errorf("after 120 requests the next one waits %v (%v), want 20m less the time that has passed", wait, err)
		}
	}
}
