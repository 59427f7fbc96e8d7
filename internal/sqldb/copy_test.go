package sqldb_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

func TestBackup(t *testing.T) {
	t.Parallel()
	db := open(t, sqliteEngine.dsn(t))
	save(t, db, catalog.SaveCounts{New: 300}, manyListings(300, noon)...)
	dir := t.TempDir()
	file := filepath.Join(dir, "copy.db")
	must(t, db.File.Backup(t.Context(), file))
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v; want mode 0600", st, err)
	}
	copied := open(t, "sqlite:"+file)
	wantSame(t, "the copy", exported(t, db, listings.Filter{}), exported(t, copied, listings.Filter{}))
	if db.DatabaseID() != copied.DatabaseID() || generation(t, db) != generation(t, copied) {
		t.Error("the copy has another id or generation")
	}
	wantWhole(t, copied)
	before, _ := os.ReadFile(file)
	if err := db.File.Backup(t.Context(), file); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("backup over a file: %v", err)
	}
	if after, _ := os.ReadFile(file); string(before) != string(after) {
		t.Error("the existing file has changed")
	}
	if err := db.File.Backup(t.Context(), filepath.Join(dir, "none", "copy.db")); err == nil {
		t.Error("backup into a missing folder succeeded")
	}
}

// TestFailedBackupLeavesNothing checks that a failed backup leaves nothing behind.
func TestFailedBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, engines()[0].dsn(t))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.File.Backup(ctx, filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a cancelled backup succeeded")
	}
	if files, err := os.ReadDir(dir); len(files) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func wantWhole(t *testing.T, db *sqldb.DB) {
	t.Helper()
	if faults, err := db.Check(t.Context()); len(faults) > 0 || err != nil {
		t.Errorf("Check: %v, %v; want no fault", faults, err)
	}
}

func TestCheckFinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, damage, want string
	}{
		{"nothing", "SELECT 1", ""},
		{"missing facts", "DELETE FROM facts WHERE id = 1", "refers to facts or prose that do not exist"},
		{"missing prose", "DELETE FROM prose WHERE id = 1", "refers to facts or prose that do not exist"},
		{"changed facts", "UPDATE facts SET body = x'01' WHERE id = 2", "facts 2 do not match their hash"},
		{"changed prose", "UPDATE prose SET body = x'01' WHERE id = 2", "prose 2 do not match their hash"},
		{"a damaged row of history", "INSERT INTO history VALUES (1, 'TR', 'p', 1, x'01')", "history of consolestore TR p: a row of 1 bytes: damaged"},
		{"a missing owner", "INSERT INTO identity (issuer, subject, user_id) VALUES ('https://id.example', 's', 'usr_1')",
			"an identity of https://id.example belongs to user usr_1, who does not exist"},
		{"an index without its row", "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX listing_generation ON listing (first_seen)' WHERE name = 'listing_generation'", "the file is damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := closed(t)
			alter(t, path, tt.damage)
			db := open(t, "sqlite:"+path)
			faults, err := db.Check(t.Context())
			must(t, err)
			all := strings.Join(faults, "\n")
			if (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
				t.Errorf("faults %q, want %q", all, tt.want)
			}
		})
	}
}

// TestCheckFindsLaterDamage checks that Check reports damage that happens while the
// file is open as a fault, not as an error.
func TestCheckFindsLaterDamage(t *testing.T) {
	t.Parallel()
	path := closed(t)
	db := open(t, "sqlite:"+path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	for page := int64(3); page < 30; page++ {
		must(t, one(f.WriteAt([]byte("\xa5\xa5\xa5\xa5\xa5\xa5\xa5\xa5"), page*4096)))
	}
	faults, err := db.Check(t.Context())
	if err != nil || len(faults) == 0 || !strings.Contains(faults[0], "the file is damaged") {
		t.Errorf("Check: %q, %v; want damage", faults, err)
	}
}

// firstSchema is a database that the first release wrote. Every later version must
// open it.
const firstSchema = "../../testdata/compat/0.1.0/data/gamedex.db"

func copyOf(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	path := filepath.Join(t.TempDir(), "gamedex.db")
	must(t, os.WriteFile(path, b, 0o600))
	return path
}
