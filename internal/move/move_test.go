package move_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/database"
	"gamedex/internal/move"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/transfer"
)

// Copies from and to PostgreSQL are tested with the command.

func open(t *testing.T) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), sqldb.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// plan is a copy of db into a new file.
func plan(t *testing.T, db *database.DB) (p move.Plan, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "copy.db")
	return move.Plan{From: db, Overrides: filepath.Join(filepath.Dir(db.File.Path()), "overrides.ndjson"),
		To: "sqlite:" + file, Options: sqldb.Options{Create: true}, Progress: func(transfer.Progress) {}}, file
}

// refused fails the test unless the copy is refused, and makes no file.
func refused(t *testing.T, db *database.DB, want string) {
	t.Helper()
	p, file := plan(t, db)
	_, _, err := p.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), db.Name) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused copy made a file: %v", err)
	}
}

func TestNobodyMayUseTheOld(t *testing.T) {
	db := open(t)
	now := time.Now().UnixMilli()
	if err := db.Nodes.MarkLoading(t.Context(), "import", now, now+3_600_000); err != nil {
		t.Fatal(err)
	}
	refused(t, db, "an import is running")
	if err := db.Nodes.EndLoading(t.Context(), "import"); err != nil {
		t.Fatal(err)
	}
	other, err := database.Open(t.Context(), "sqlite:"+db.Name, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, joined, err := other.File.Join(t.Context()) // a collector
	if err != nil {
		t.Fatal(err)
	}
	refused(t, db, "in use by another gamedex process")
	if err := joined.Close(); err != nil {
		t.Fatal(err)
	}
	counters, err := other.File.LockCounters()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, db, "another gamedex is already serving")
	if err := counters.Close(); err != nil {
		t.Fatal(err)
	}

	p, _ := plan(t, db)
	p.Progress = func(transfer.Progress) {
		if _, err := other.File.LockCounters(); err == nil {
			t.Error("a service can start during the copy")
		}
	}
	copied, note, err := p.Run(t.Context())
	if !strings.HasPrefix(copied, "copied ") || note != "" || err != nil {
		t.Errorf("Run: %q, %q, %v", copied, note, err)
	}
	counters, err = other.File.LockCounters()
	if err != nil {
		t.Fatalf("after the copy: %v", err)
	}
	counters.Close()
}

func TestInterrupted(t *testing.T) {
	p, _ := plan(t, open(t))
	ctx, cancel := context.WithCancel(t.Context())
	p.Progress = func(transfer.Progress) { cancel() }
	if _, _, err := p.Run(ctx); err == nil || !strings.Contains(err.Error(), "copy: interrupted; nothing was copied to ") {
		t.Errorf("an interrupted copy: %v", err)
	}
	p.Progress = func(transfer.Progress) {}
	if _, _, err := p.Run(t.Context()); err != nil {
		t.Errorf("the next copy: %v", err)
	}
}

func TestOverridesBesideFiles(t *testing.T) {
	for text, want := range map[string]string{
		"# none\n": "",
		`{"platform":"pcstore","product":"P","edition":"Gold"}` + "\n": "the copy has overrides of 0 products, and the original of 1; to copy them: cp ",
		"{}\n": "the overrides were not compared: overrides ",
	} {
		p, _ := plan(t, open(t))
		if err := os.WriteFile(p.Overrides, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, note, err := p.Run(t.Context())
		if err != nil || (note == "") != (want == "") || !strings.HasPrefix(note, want) {
			t.Errorf("with %q: %q, %v; want %q", text, note, err, want)
		}
	}
}
