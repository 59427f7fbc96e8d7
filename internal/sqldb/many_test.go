package sqldb_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// migrateHere is the environment variable with the database that a child process
// opens.
const migrateHere = "GAMEDEX_TEST_MIGRATE"

// TestOpenInChild is the child process of TestManyStartAtOnce: it opens the
// database as soon as its standard input ends, so that all children start
// together.
func TestOpenInChild(t *testing.T) {
	dsn := os.Getenv(migrateHere)
	if dsn == "" {
		return // not a child process
	}
	must(t, one(io.Copy(io.Discard, os.Stdin)))
	db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
	must(t, err)
	fmt.Println(db.DatabaseID())
	must(t, db.Close())
}

// TestManyStartAtOnce starts six processes at once without a database, and
// checks that all of them get the same one.
func TestManyStartAtOnce(t *testing.T) {
	t.Parallel()
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "data", "gamedex.db")
	var starts []io.Closer
	var wg sync.WaitGroup
	for range 6 {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOpenInChild$", "-test.v")
		child.Env = append(os.Environ(), migrateHere+"="+dsn)
		start, err := child.StdinPipe()
		must(t, err)
		starts = append(starts, start)
		wg.Go(func() {
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("a process failed: %v\n%s", err, out)
			}
		})
	}
	for _, start := range starts {
		start.Close()
	}
	wg.Wait()
	db := open(t, dsn)
	save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
}

// TestManyHandlesAtOnce does the same within one process, where handles could share
// a file lock by mistake.
func TestManyHandlesAtOnce(t *testing.T) {
	t.Parallel()
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "data", "gamedex.db")
	var mu sync.Mutex
	var wg sync.WaitGroup
	ids := map[string]bool{}
	for range 6 {
		wg.Go(func() {
			db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			ids[db.DatabaseID()] = true
			mu.Unlock()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("%d databases were created, want one: %v", len(ids), ids)
	}
}

// TestFollowerSeesEveryChange writes through two handles while a third follows the
// changes. It checks that the follower sees every change, never a lower generation
// and never half a batch.
func TestFollowerSeesEveryChange(t *testing.T) {
	t.Parallel()
	const batches, batchSize = 30, 40
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db := open(t, dsn)
		writers := beside(t, dsn, 2, func(mine *sqldb.DB, w int) {
			for b := range batches {
				if _, err := mine.Listings.Save(t.Context(), numberedBatch(w, b, batchSize)); err != nil {
					t.Error(err)
				}
			}
		})
		done := make(chan struct{})
		go func() { writers.Wait(); close(done) }()
		f := followUntil(t, db, done, batchSize)
		if n, _ := db.Listings.ListingCount(t.Context()); len(f.listings) != n {
			t.Errorf("the follower has %d listings, the database %d", len(f.listings), n)
		}
		if f.generation != 2*batches {
			t.Errorf("generation %d after %d batches", f.generation, 2*batches)
		}
	})
}

// numberedBatch returns a batch with a separate region for each writer; half of
// it is new.
func numberedBatch(writer, batch, size int) []catalog.Listing {
	ls := make([]catalog.Listing, size)
	for i := range ls {
		region := []string{"TR", "UA"}[writer]
		ls[i] = console(region, fmt.Sprint(batch*size/2+i), noon+catalog.Millis(batch))
		ls[i].Facts.Family = fmt.Sprint(batch)
	}
	return ls
}

func followUntil(t *testing.T, db *sqldb.DB, done <-chan struct{}, batchSize int) *follower {
	t.Helper()
	f := newFollower()
	for last := false; ; {
		before := f.generation
		changed := f.follow(t, db)
		if f.generation < before {
			t.Fatalf("generation went from %d to %d", before, f.generation)
		}
		if moved := int(f.generation - before); changed > moved*batchSize || moved > 0 && changed < batchSize {
			t.Fatalf("%d changes in %d batches of %d", changed, moved, batchSize)
		}
		if last {
			return f
		}
		select {
		case <-done:
			last = true // and once more for the last changes
		case <-time.After(time.Millisecond):
		}
	}
}

// TestFlushDuringImport checks that another process can flush again and again while an import
// writes batch after batch. Package sqlite tests in which order they write.
func TestFlushDuringImport(t *testing.T) {
	t.Parallel()
	dsn := engines()[0].dsn(t)
	importer, server := open(t, dsn), open(t, dsn)
	began := make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) })
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		ls := manyListings(500, noon)
		for ctx.Err() == nil {
			for i := range ls {
				ls[i].ObservedAt++
				ls[i].Popularity++
			}
			if _, err := importer.Listings.Save(t.Context(), ls); err != nil {
				t.Error(err)
			}
			begin()
		}
	})
	<-began
	for i := range 11 {
		err := server.Accounts.SaveQuota(t.Context(), []quota.State{{ID: "k", Spent: quota.Spent{Minute: int64(i)}}})
		must(t, err)
	}
	stop()
	wg.Wait()
}
