package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/await"
)

// TestWaitingWritersAreNext checks that two processes that wait write next, in the order
// in which they came, before a writer that tries again at once.
func TestWaitingWritersAreNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	busy, second, third := openForTest(t, path), openForTest(t, path), openForTest(t, path)
	for range 20 {
		var mu sync.Mutex
		var order []string
		write := func(db *DB, name string, during func()) {
			err := db.Write(t.Context(), func(engine.Conn) error {
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				during()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		write(busy, "first", func() {
			wg.Go(func() { write(second, "second", func() {}) })
			awaitQueue(t, lockPath(path))
			wg.Go(func() { write(third, "third", func() {}) })
			awaitQueue(t, path+".queue.lock")
		})
		write(busy, "again", func() {})
		wg.Wait()
		if want := []string{"first", "second", "third", "again"}; !slices.Equal(order, want) {
			t.Fatalf("wrote in the order %q, want %q", order, want)
		}
	}
}

// TestOwnWritersDoNotEndAWait checks that a goroutine waits as long as others of its
// process write, and that all of several give up together when another process does.
func TestOwnWritersDoNotEndAWait(t *testing.T) { synctest.Test(t, ownWritersDoNotEndAWait) }

func ownWritersDoNotEndAWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, other := openForTest(t, path), openForTest(t, path)
	db.writer.maxWait = time.Second
	together := func() (failed int) {
		errs := make(chan error)
		for range 5 {
			go func() {
				errs <- db.Write(t.Context(), func(engine.Conn) error { time.Sleep(400 * time.Millisecond); return nil })
			}()
		}
		for range 5 {
			if err := <-errs; errors.Is(err, errWaited) {
				failed++
			} else if err != nil {
				t.Error(err)
			}
		}
		return failed
	}
	if failed := together(); failed > 0 {
		t.Errorf("%d of 5 writers of one process gave up", failed)
	}
	must(t, other.Write(t.Context(), func(engine.Conn) error {
		began := time.Now()
		if failed := together(); failed < 5 {
			t.Errorf("%d of 5 writers gave up while another process wrote, want all", failed)
		}
		if took := time.Since(began); took != db.writer.maxWait {
			t.Errorf("they gave up after %v, want %v", took, db.writer.maxWait)
		}
		return nil
	}))
}

// awaitQueue returns once a writer waits for the lock of a file.
func awaitQueue(t *testing.T, path string) {
	t.Helper()
	lock := &fileLock{path: path}
	defer lock.close()
	await.That(t, "a writer that waits for the lock", func() bool {
		free, err := lock.tryAcquire(false)
		must(t, err)
		if free {
			lock.release()
		}
		return !free
	})
}

// TestWaitEndsWithItsContext checks that a writer that gives up waiting has changed
// nothing and can write afterwards.
func TestWaitEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	busy, waiting := openForTest(t, path), openForTest(t, path)
	noop := func(engine.Conn) error { return nil }
	must(t, busy.Write(t.Context(), func(engine.Conn) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := waiting.Write(ctx, noop); err == nil {
			t.Error("two writers wrote at once")
		}
		return nil
	}))
	if err := waiting.Write(t.Context(), noop); err != nil {
		t.Errorf("after giving up: %v", err)
	}
}

// TestContextEndsDuringTransaction checks that a context that ends in the
// middle of a transaction leaves it whole.
func TestContextEndsDuringTransaction(t *testing.T) {
	db := engine.New(openForTest(t, filepath.Join(t.TempDir(), "gamedex.db")))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, "write", func(t *engine.Tx) error {
		if _, err := t.RaiseCounter(ctx, "facts", 1); err != nil {
			return err
		}
		cancel()
		for range 1000 { // until the transaction may have been rolled back
			if _, err := t.RaiseCounter(ctx, "prose", 1); err != nil {
				return err
			}
		}
		return context.Canceled
	})
	if err == nil {
		t.Fatal("the error of the context was not returned")
	}
	for _, counter := range []string{"facts", "prose"} {
		var value int64
		if _, err := db.FindRow(t.Context(), "read", "SELECT value FROM counter WHERE name = $1", []any{counter}, []any{&value}); err != nil || value != 0 {
			t.Errorf("counter %s is %d, %v; want it unchanged", counter, value, err)
		}
	}
}

// TestContextEndsDuringQuery checks that a query outside a transaction stops at the row after
// the end of its context, and that the connection stays usable.
func TestContextEndsDuringQuery(t *testing.T) {
	db := openForTest(t, filepath.Join(t.TempDir(), "gamedex.db"))
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	count := func(engine.Rows) error {
		if rows++; rows == 2 {
			cancel()
		}
		return nil
	}
	const text = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n"
	if err := db.Query(ctx, text, nil, count); !errors.Is(err, context.Canceled) || rows != 2 {
		t.Errorf("the context ended at the second row: %d rows, %v", rows, err)
	}
	if err := db.Query(ctx, text, nil, count); !errors.Is(err, context.Canceled) || rows != 2 {
		t.Errorf("after the end of the context: %d rows, %v", rows, err)
	}
	if n := countRows(t, db, text); n != 1000 {
		t.Errorf("%d rows, want 1000", n)
	}
}

func openForTest(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, engine.Options{Create: true})
	must(t, err)
	t.Cleanup(func() {
		must(t, db.Close())
	})
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
