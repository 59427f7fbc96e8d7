package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// closed creates a database file with some content and closes it.
func closed(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, err := sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{Create: true})
	must(t, err)
	save(t, db, catalog.SaveCounts{New: 200}, manyListings(200, noon)...)
	must(t, db.Close())
	return path
}

// edit changes the bytes of a file.
func edit(t *testing.T, path string, change func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, change(b), 0o600))
}

// alter runs statements on a file without this package.
func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer pool.Close()
	for _, s := range statements {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestOpenRefuses checks that the error for an unusable file is one line that names
// the file and a remedy.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T) string
		want string
	}{
		{"no file", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none.db") }, "create it with `gamedex import FILE`, `gamedex serve` or `gamedex migrate`"},
		{"an empty file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "empty.db")
			must(t, os.WriteFile(path, nil, 0o600))
			return path
		}, "there is no database at"},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, "is a folder"},
		{"a device", func(*testing.T) string { return os.DevNull }, "is a pipe or a device"},
		{"a text", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "notes.txt")
			must(t, os.WriteFile(path, []byte("milk"), 0o600))
			return path
		}, "is not an SQLite database"},
		{"another program's database", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "other.db")
			alter(t, path, "CREATE TABLE t (x)")
			return path
		}, "of another program"},
		{"a truncated database", func(t *testing.T) string {
			path := closed(t)
			edit(t, path, func(b []byte) []byte { return b[:len(b)/2] })
			return path
		}, "is truncated"},
		{"only a header", func(t *testing.T) string {
			path := closed(t)
			edit(t, path, func(b []byte) []byte { return b[:50] })
			return path
		}, "is truncated"},
		{"a damaged page", func(t *testing.T) string {
			path := closed(t)
			edit(t, path, func(b []byte) []byte {
				copy(b[len(b)/2:], bytes.Repeat([]byte{0xa5}, 8192))
				return b
			})
			return path
		}, "is damaged"},
		{"a newer schema", func(t *testing.T) string {
			path := closed(t)
			alter(t, path, "INSERT INTO schema_version (version_id, is_applied) VALUES (99, 1)",
				"UPDATE meta SET value = '99' WHERE name = 'oldest_schema'")
			return path
		}, "made by a newer gamedex (schema 99"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.make(t)
			db, err := sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{})
			if err == nil {
				db.Close()
				t.Fatal("the file was opened")
			}
			if text := err.Error(); !strings.Contains(text, tt.want) || !strings.Contains(text, path) || strings.Contains(text, "\n") {
				t.Errorf("error %q\nwant one line with %q and the file", err, tt.want)
			}
		})
	}
}

func TestOpenRefusesOtherEngines(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"mysql://localhost/gamedex": "must be sqlite:PATH or postgres://",
		"postgres:gamedex":          "the DSN cannot be used",
		"mysql://u:secret@h/d":      `"mysql:": must`,
		"gamedex.db":                "must be sqlite:PATH",
		"sqlite:":                   "must be sqlite:PATH",
		"":                          "must be sqlite:PATH",
	} {
		if _, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v, want %q", dsn, err, want)
		}
	}
	for _, dsn := range []string{"mysql://u:secret@h/d", "u:secret@h/d", "host=h user=u password=secret"} {
		if err := sqldb.CheckDSN(dsn); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("CheckDSN(%q): %v, with the password", dsn, err)
		}
	}
}

// TestOpenWithoutCreateCreatesNothing checks that Open without Create creates no file
// and no folder.
func TestOpenWithoutCreateCreatesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(dir, "gamedex.db"), engine.Options{}); err == nil {
		t.Fatal("a missing database was opened")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was created: %v", err)
	}
}

// TestCreateIsAllOrNothing checks that a process that is killed while it
// creates a database leaves an incomplete one under another name, with a
// journal that would undo it.
func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "gamedex.db")
	journal := "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + strings.Repeat("\x00", 504)
	for name, text := range map[string]string{".new": "SQLite format 3\x00 and no more", ".new-journal": journal} {
		must(t, os.WriteFile(path+name, []byte(text), 0o600))
	}
	db := open(t, "sqlite:"+path)
	save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
	left, err := filepath.Glob(path + ".new*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestInterruptedCreateGetsID checks that the next start adds the id if the first
// start was stopped before it, because a new database gets its id last.
func TestInterruptedCreateGetsID(t *testing.T) {
	t.Parallel()
	path := closed(t)
	alter(t, path, "DELETE FROM meta")
	if id := open(t, "sqlite:"+path).DatabaseID(); len(id) != 32 {
		t.Errorf("id %q, want 32 characters", id)
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	db := open(t, "sqlite:"+filepath.Join(dir, "gamedex.db"))
	save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
	for name, want := range map[string]os.FileMode{
		"": 0o700, "gamedex.db": 0o600, "gamedex.db-wal": 0o600, "gamedex.db-shm": 0o600, "gamedex.db.lock": 0o600,
		"gamedex.db.queue.lock": 0o600,
	} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if got := st.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

// TestOpenOddPaths checks that a path may contain any characters.
func TestOpenOddPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a?b.db", "a#b.db", "a%20b.db", "a b&c=d.db", "ключ.db", "a'b\"c.db"} {
		path := filepath.Join(t.TempDir(), name)
		db := open(t, "sqlite:"+path)
		save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the database is not at the path: %v", err)
		}
	}
}

func TestDatabaseID(t *testing.T) {
	t.Parallel()
	dsn := engines()[0].dsn(t)
	ids := map[string]bool{open(t, dsn).DatabaseID(): true, open(t, dsn).DatabaseID(): true}
	if len(ids) != 1 {
		t.Errorf("one database has ids %v", ids)
	}
	ids[open(t, engines()[0].dsn(t)).DatabaseID()] = true
	if len(ids) != 2 {
		t.Errorf("two databases have ids %v", ids)
	}
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, err := sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{Create: true, Rand: bytes.NewReader(make([]byte, 16))})
	must(t, err)
	defer db.Close()
	if want := strings.Repeat("0", 32); db.DatabaseID() != want {
		t.Errorf("id %s, want %s from the given source", db.DatabaseID(), want)
	}
}

// TestErrorsNameTheAction checks that an error names the action that failed, and
// that the database works afterwards.
func TestErrorsNameTheAction(t *testing.T) {
	t.Parallel()
	path := closed(t)
	db := open(t, "sqlite:"+path)
	alter(t, path, "CREATE TRIGGER refuse BEFORE INSERT ON listing BEGIN SELECT RAISE(ABORT, 'refused'); END")
	_, err := db.Listings.Save(t.Context(), []catalog.Listing{console("TR", "new", noon)})
	if err == nil || !strings.HasPrefix(err.Error(), "save listings: ") {
		t.Errorf("error %v, want one that names the action", err)
	}
	alter(t, path, "DROP TRIGGER refuse")
	save(t, db, catalog.SaveCounts{New: 1}, console("TR", "new", noon))
	wantWhole(t, db) // the rolled-back changes have left no number behind
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Accounts.ListKeys(ctx, "", 1); err == nil || !strings.HasPrefix(err.Error(), "list keys: ") {
		t.Errorf("error %v, want one that names the action", err)
	}
}

func TestLockCounters(t *testing.T) {
	t.Parallel()
	dsn := engines()[0].dsn(t)
	first, second := open(t, dsn), open(t, dsn)
	lock, err := first.File.LockCounters()
	must(t, err)
	if _, err := second.File.LockCounters(); err == nil || !strings.Contains(err.Error(), "another gamedex") {
		t.Errorf("a second claim: %v", err)
	}
	must(t, lock.Close())
	lock, err = second.File.LockCounters()
	if err != nil {
		t.Fatalf("after the first claim was released: %v", err)
	}
	lock.Close()
}
