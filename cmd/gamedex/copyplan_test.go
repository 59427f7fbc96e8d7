package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/transfer"
)

// Copies from and to PostgreSQL are tested with the command.

func openForCopy(t *testing.T) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// planCopy is a copy of db into a new file.
func planCopy(t *testing.T, db *sqldb.DB) (p copyPlan, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "copy.db")
	return copyPlan{from: db, overrides: filepath.Join(filepath.Dir(db.File.Path()), "overrides.ndjson"),
		to: "sqlite:" + file, options: engine.Options{Create: true}, progress: func(transfer.Progress) {}}, file
}

// copyRefused fails the test unless the copy is refused, and makes no file.
func copyRefused(t *testing.T, db *sqldb.DB, want string) {
	t.Helper()
	p, file := planCopy(t, db)
	_, _, err := p.copy(t.Context())
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), db.Name) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused copy made a file: %v", err)
	}
}

func TestNobodyMayUseTheOld(t *testing.T) {
	db := openForCopy(t)
	now := time.Now().UnixMilli()
	if err := db.Nodes.MarkLoading(t.Context(), "import", now, now+3_600_000); err != nil {
		t.Fatal(err)
	}
	copyRefused(t, db, "an import is running")
	if err := db.Nodes.EndLoading(t.Context(), "import"); err != nil {
		t.Fatal(err)
	}
	other, err := sqldb.Open(t.Context(), "sqlite:"+db.Name, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, joined, err := other.File.Join(t.Context()) // a collector
	if err != nil {
		t.Fatal(err)
	}
	copyRefused(t, db, "in use by another gamedex process")
	if err := joined.Close(); err != nil {
		t.Fatal(err)
	}
	counters, err := other.File.LockCounters()
	if err != nil {
		t.Fatal(err)
	}
	copyRefused(t, db, "another gamedex is already serving")
	if err := counters.Close(); err != nil {
		t.Fatal(err)
	}

	p, _ := planCopy(t, db)
	p.progress = func(transfer.Progress) {
		if _, err := other.File.LockCounters(); err == nil {
			t.Error("a service can start during the copy")
		}
	}
	copied, note, err := p.copy(t.Context())
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
	p, _ := planCopy(t, openForCopy(t))
	ctx, cancel := context.WithCancel(t.Context())
	p.progress = func(transfer.Progress) { cancel() }
	if _, _, err := p.copy(ctx); err == nil || !strings.Contains(err.Error(), "copy: interrupted; nothing was copied to ") {
		t.Errorf("an interrupted copy: %v", err)
	}
	p.progress = func(transfer.Progress) {}
	if _, _, err := p.copy(t.Context()); err != nil {
		t.Errorf("the next copy: %v", err)
	}
}

func TestOverridesBesideFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# none\n": "",
		`{"platform":"pcstore","product":"P","edition":"Gold"}` + "\n": "the copy has overrides of 0 products, and the original of 1; to copy them: cp ",
		"{}\n": "the overrides were not compared: overrides ",
	} {
		p, _ := planCopy(t, openForCopy(t))
		writeFile(t, p.overrides, text)
		_, note, err := p.copy(t.Context())
		if err != nil || (note == "") != (want == "") || !strings.HasPrefix(note, want) {
			t.Errorf("with %q: %q, %v; want %q", text, note, err, want)
		}
	}
}
