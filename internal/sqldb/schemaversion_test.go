package sqldb_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// TestNewerSchema opens a database whose newer schema says that this program may run on
// it: that is what happens while old and new nodes run side by side.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		execute(t, open(t, dsn), "INSERT INTO schema_version (version_id, is_applied) VALUES (99, true)")
		for _, keep := range []bool{false, true} {
			db, err := sqldb.Open(t.Context(), dsn, engine.Options{KeepSchema: keep})
			must(t, err)
			defer db.Close()
			must(t, one(db.Listings.Save(t.Context(), []catalog.Listing{console("TR", "a", noon)})))
		}
	})
}

// TestKeepSchema opens databases that would have to be made or migrated.
func TestKeepSchema(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		current := open(t, dsn)
		db, err := sqldb.Open(t.Context(), dsn, engine.Options{KeepSchema: true})
		if err != nil {
			t.Fatalf("the current schema: %v", err)
		}
		db.Close()
		execute(t, current, "DELETE FROM schema_version WHERE version_id >= 6")
		_, err = sqldb.Open(t.Context(), dsn, engine.Options{Create: true, KeepSchema: true})
		if err == nil || !strings.Contains(err.Error(), "has schema 5, and this gamedex needs ") || !strings.Contains(err.Error(), "gamedex migrate") {
			t.Errorf("an older schema: %v", err)
		}
	})
	path := filepath.Join(t.TempDir(), "data", "gamedex.db")
	_, err := sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{Create: true, KeepSchema: true})
	if err == nil || !strings.Contains(err.Error(), "gamedex migrate") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}

// TestMigrationsOnlyExpand checks that an older program can run on a newer schema, unless
// the migration says that it cannot.
func TestMigrationsOnlyExpand(t *testing.T) {
	t.Parallel()
	breaks := regexp.MustCompile(`(?mi)^\s*(DROP|DELETE|UPDATE|TRUNCATE)\b|\bRENAME\b|\bALTER COLUMN\b|ADD COLUMN [^;]*NOT NULL[^;]*`)
	for _, engine := range []string{"sqlite", "postgres"} {
		files, err := filepath.Glob(engine + "/migrations/*.sql")
		if err != nil || len(files) < 6 {
			t.Fatalf("%d migrations of %s: %v", len(files), engine, err)
		}
		for _, file := range files {
			number, _, _ := strings.Cut(filepath.Base(file), "_")
			n, err := strconv.Atoi(number)
			must(t, err)
			text, err := os.ReadFile(file)
			must(t, err)
			found := breaks.FindString(string(text))
			if n > 6 && found != "" && !strings.Contains(string(text), "'oldest_schema'") && !strings.Contains(found, "DEFAULT") {
				t.Errorf("%s: %q may stop older programs: add only, or raise oldest_schema in meta", file, strings.TrimSpace(found))
			}
		}
	}
}
