package platforms

import (
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/catalogtest"
)

// TestStatesOfAnotherEpoch checks that ages of listings are read again at once in another
// epoch of the database. Within one they may be older.
func TestStatesOfAnotherEpoch(t *testing.T) {
	ctx := t.Context()
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.UnixMilli(1_800_000_000_000)
	s := &States{DB: db, Now: func() time.Time { return now }}
	console := func(epoch string) index.PlatformState {
		t.Helper()
		list, err := s.Read(ctx, epoch)
		if err != nil || len(list) == 0 || list[0].Platform != catalog.ConsoleStore {
			t.Fatalf("platforms %+v, %v", list, err)
		}
		return list[0]
	}
	listing := catalogtest.Console("UA", "EP0001-PPSA00001_00-STARFORGE0000000", catalogtest.Title("Star Forge"), catalogtest.Price("UAH", 99900))
	scope := sweep.Scope{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Kind: sweep.Prices}
	jobs := []sweep.State{{Scope: scope, Regions: []catalog.Region{scope.Region}, Active: true}}
	if err := db.Sweeps.SetCollection(ctx, sweep.Collection{Platform: scope.Platform, Since: 1}, jobs); err != nil {
		t.Fatal(err)
	}
	if before := console("7/1"); len(before.Freshness) > 0 || before.FirstSweepDone {
		t.Fatalf("before anything is stored: %+v", before)
	}

	l, _, err := db.Sweeps.Leases().Claim(ctx, "collect/"+scope.String(), "a", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Listings.Save(ctx, []catalog.Listing{listing}); err != nil {
		t.Fatal(err)
	}
	if err := db.Sweeps.BeginSweep(ctx, l, scope, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Sweeps.FinishSweep(ctx, l, scope, 2, true); err != nil {
		t.Fatal(err)
	}
	if same := console("7/1"); len(same.Freshness) > 0 || !same.FirstSweepDone {
		t.Errorf("in the same epoch: %+v; this test needs what was read before", same)
	}
	if other := console("7/2"); len(other.Freshness) != 1 || !other.FirstSweepDone {
		t.Errorf("in another epoch: %+v, want what is stored now", other)
	}
}
