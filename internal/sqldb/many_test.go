package sqldb_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"gamedex/internal/catalog"
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
