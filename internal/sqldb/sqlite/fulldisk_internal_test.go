//go:build unix

package sqlite

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gamedex/internal/sqldb/engine"
)

// TestOpenOnAFullDisk opens a database where no file can grow: it can be read, says
// why it cannot be written, and is shared with other processes again when the disk
// has space.
func TestOpenOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, err := Open(t.Context(), path, engine.Options{Create: true})
	must(t, err)
	id := db.ID()
	must(t, db.Close())
	restore := limitFileSize(t, 4096)
	defer restore()
	if db, err = Open(t.Context(), path, engine.Options{}); err != nil {
		t.Fatalf("open on a full disk: %v", err)
	}
	defer db.Close()
	if err := db.Trouble(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("trouble %v, want that the disk is full", err)
	}
	if got := db.ID(); got != id {
		t.Errorf("database id %q, want %q", got, id)
	}
	if err := db.TryWrite(t.Context()); err == nil {
		t.Fatal("a write succeeded, so this test tests nothing")
	}
	if !db.alone.Load() || db.Trouble() == nil {
		t.Errorf("after a failed write: alone %v, trouble %v", db.alone.Load(), db.Trouble())
	}
	restore()
	if err := db.TryWrite(t.Context()); err != nil {
		t.Fatalf("write when there is space: %v", err)
	}
	if db.alone.Load() || db.Trouble() != nil {
		t.Errorf("after a write: alone %v, trouble %v", db.alone.Load(), db.Trouble())
	}
	if _, err := engine.New(db).FindRow(t.Context(), "read", "SELECT value FROM meta WHERE name = 'tried'", nil, []any{new(string)}); err != nil {
		t.Errorf("read afterwards: %v", err)
	}
}

// limitFileSize makes every write beyond size fail until the returned function is
// called. The limit holds for the whole process, so no test of this package runs in
// parallel.
func limitFileSize(t *testing.T, size uint64) (restore func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = size
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	return func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}
