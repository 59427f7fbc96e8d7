package sweeps

import (
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/sqldbtest"
)

// TestSeenWhileFinishing checks that a listing that is seen between the scan and
// the write lock is not withdrawn.
func TestSeenWhileFinishing(t *testing.T) {
	sqldbtest.OnEach(t, func(t *testing.T, db *engine.DB) {
		const began = 1000
		ctx := t.Context()
		ls := listings.New(db)
		repo := New(db, ls)
		leases := repo.Leases()
		s := sweep.Scope{Platform: catalog.ConsoleStore, Region: catalog.Region{'T', 'R'}, Kind: sweep.Prices}
		line := func(product string, at catalog.Millis) catalog.Listing {
			return catalog.Listing{Key: catalog.Key{Platform: s.Platform, Region: s.Region, Product: product},
				Facts: catalog.Facts{Title: product, Type: catalog.Game}, ObservedAt: at}
		}
		var batch sweep.Batch
		for _, product := range []string{"gone", "imported", "another kind's", "present", "detailed"} {
			batch.Parts = append(batch.Parts, sweep.Part{Listing: line(product, 1), Shows: sweep.ShowsPrice | sweep.ShowsTitle})
		}
		batch.Scope, batch.Regions, batch.At = s, []catalog.Region{s.Region}, 1
		editions, details := s, s
		editions.Kind, details.Kind = sweep.Editions, sweep.Details
		err := repo.SetCollection(ctx, sweep.Collection{Platform: s.Platform}, []sweep.State{
			{Scope: s, Regions: batch.Regions}, {Scope: editions}, {Scope: details}})
		l, _, claimed := leases.Claim(ctx, leaseName(s), "a", time.Hour)
		e, _, claimedToo := leases.Claim(ctx, leaseName(editions), "a", time.Hour)
		d, _, claimedThird := leases.Claim(ctx, leaseName(details), "a", time.Hour)
		_, saved := repo.SaveBatch(ctx, l, batch, sweep.Rules{})
		begun := repo.BeginSweep(ctx, l, s, began)

		f := &finishing{scope: s, at: began + 9, force: true, missing: map[listings.PlatformRegion][]string{}}
		looked := db.Read(ctx, "", func(q engine.Querier) error { return f.readMissing(ctx, q) })
		_, imported := ls.Save(ctx, []catalog.Listing{line("imported", 2)})
		other := sweep.Batch{Scope: editions, Regions: batch.Regions, At: 3, Parts: batch.Parts[2:3]}
		_, edition := repo.SaveBatch(ctx, e, other, sweep.Rules{})
		parts := []sweep.Part{{Listing: line("detailed", began), Shows: sweep.ShowsPrice}}
		_, detailed := repo.SaveBatch(ctx, d, sweep.Batch{Scope: details, Regions: batch.Regions, At: 4, Parts: parts}, sweep.Rules{})
		_, present := repo.SaveBatch(ctx, l, sweep.Batch{Scope: s, Regions: batch.Regions, At: began, Present: []string{"present"}}, sweep.Rules{})
		finished := db.Write(ctx, "finish", func(t *engine.Tx) error { return f.finish(ctx, repo, t) })
		for _, err := range []error{err, claimed, claimedToo, claimedThird, saved, begun, looked, imported, edition, detailed, present, finished} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if f.total != 5 || f.end != (sweep.End{Withdrawn: 1}) {
			t.Errorf("of %d, %+v; want one of five withdrawn", f.total, f.end)
		}
		seen := 0
		err = ls.RegionListings(ctx, s.Platform, s.Region, func(product string, _ catalog.Millis) {
			if seen++; product == "gone" {
				t.Error("the missing listing was not withdrawn")
			}
		})
		if err != nil || seen != 4 {
			t.Errorf("%d are on sale, %v; want four", seen, err)
		}
	})
}
