package node

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/enginetest"
)

// TestCollectionWithoutAProfile starts to collect without a profile: in a file that ends
// what an earlier process collected; in a database of several machines it does not.
func TestCollectionWithoutAProfile(t *testing.T) {
	file := func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "gamedex.db") }
	server := func(t *testing.T) string {
		enginetest.Need(t, "postgres")
		s := enginetest.SharedPostgres(t)
		return s.OwnDSN(s.NewDatabase(t, ""))
	}
	for name, tt := range map[string]struct {
		dsn  func(*testing.T) string
		want int // platforms that are still collected
	}{"SQLite": {file, 0}, "PostgreSQL": {server, 1}} {
		t.Run(name, func(t *testing.T) {
			db, err := sqldb.Open(t.Context(), tt.dsn(t), engine.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			c := sweep.Collection{Platform: catalog.PCStore, Since: 1, Interval: 2}
			if err := db.Sweeps.SetCollection(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
			n := &node{Config: Config{DB: db, Now: time.Now, Log: slog.New(slog.DiscardHandler)}}
			if err := n.collect(t.Context()); err != nil {
				t.Fatal(err)
			}
			left, err := db.Sweeps.Collections(t.Context())
			if err != nil || len(left) != tt.want {
				t.Errorf("still collected: %+v, %v; want %d", left, err, tt.want)
			}
		})
	}
}

// TestFirstSweep checks what /readyz says while there are no listings.
func TestFirstSweep(t *testing.T) {
	collected := []sweep.Collection{{Platform: catalog.PCStore}}
	stopped := []sweep.Collection{{Platform: catalog.PCStore, StoppedUntil: 5000, StopReason: "403"}}
	scope := sweep.Scope{Platform: catalog.PCStore, Region: catalog.MustRegion("UA"), Kind: sweep.Prices}
	failed := []sweep.State{{Scope: sweep.Scope{Platform: catalog.PCStore}}, {Scope: scope, LastError: "odd"}}
	for want, got := range map[string]string{
		"the collection is about to begin (if gamedex collect stop was run, restart serve), see gamedex collect plan": firstSweep(nil, nil, 1),
		"the first sweep of the stores is under way, see gamedex collect plan":                                        firstSweep(collected, failed[:1], 1),
		"a sweep failed and will be tried again: pcstore/UA/prices: odd, see gamedex collect plan":                    firstSweep(collected, failed, 1),
		"pcstore asked for no requests until 1970-01-01T00:00:05Z: 403, see gamedex collect plan":                     firstSweep(stopped, failed, 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
