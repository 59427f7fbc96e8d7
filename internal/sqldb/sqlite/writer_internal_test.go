package sqlite

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"gamedex/internal/sqldb"
)

// TestWaitingWriterIsNext checks that a waiting writer writes next, before a writer
// that tries again at once.
func TestWaitingWriterIsNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	busy, waiting := openForTest(t, path), openForTest(t, path)
	var mu sync.Mutex
	var order []string
	write := func(db *DB, name string, during func()) {
		err := db.Write(t.Context(), func(sqldb.Conn) error {
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
		wg.Go(func() { write(waiting, "waiting", func() {}) })
		awaitGate(t, lockPath(busy.path))
	})
	write(busy, "again", func() {})
	wg.Wait()
	if want := []string{"first", "waiting", "again"}; !slices.Equal(order, want) {
		t.Errorf("wrote in the order %q, want %q", order, want)
	}
}

// awaitGate returns once a writer waits at the gate.
func awaitGate(t *testing.T, path string) {
	t.Helper()
	gate := &fileLock{path: path}
	defer gate.close()
	for range 100_000 {
		free, err := gate.tryAcquire(false)
		if err != nil {
			t.Fatal(err)
		}
		if !free {
			return
		}
		gate.release()
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no writer came to the gate")
}

// TestWaitEndsWithItsContext checks that a writer that gives up waiting has changed
// nothing and can write afterwards.
func TestWaitEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	busy, waiting := openForTest(t, path), openForTest(t, path)
	noop := func(sqldb.Conn) error { return nil }
	err := busy.Write(t.Context(), func(sqldb.Conn) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := waiting.Write(ctx, noop); err == nil {
			t.Error("two writers wrote at once")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := waiting.Write(t.Context(), noop); err != nil {
		t.Errorf("after giving up: %v", err)
	}
}

// TestContextEndsDuringTransaction checks that a context that ends in the
// middle of a transaction leaves it whole.
func TestContextEndsDuringTransaction(t *testing.T) {
	db := sqldb.New(openForTest(t, filepath.Join(t.TempDir(), "gamedex.db")))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, "write", func(t *sqldb.Tx) error {
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

func openForTest(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, sqldb.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
