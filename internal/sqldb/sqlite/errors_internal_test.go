package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrorsNameTheFile checks that the errors of the engine name the file and a
// remedy.
func TestErrorsNameTheFile(t *testing.T) {
	tests := []struct {
		name   string
		params string
		before string
		do     string
		want   string
	}{
		{"disk full", "", "PRAGMA max_page_count = 4", "INSERT INTO t VALUES (zeroblob(100000))", "the disk is full; free some space"},
		{"read only", "&mode=ro", "", "INSERT INTO t VALUES (1)", "cannot be written: check the permissions"},
		{"no such folder", "", "", "ATTACH DATABASE '/nonexistent/x.db' AS x", "cannot be written: check the permissions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			db := &DB{path: filepath.Join(t.TempDir(), "gamedex.db")}
			run := func(params string, statements ...string) (err error) {
				pool, err := sql.Open("sqlite", fileURI(db.path)+"?_dqs=0"+params)
				if err != nil {
					return err
				}
				defer pool.Close()
				pool.SetMaxOpenConns(1)
				for _, s := range statements {
					if _, err := pool.Exec(s); err != nil {
						return err
					}
				}
				return nil
			}
			must(t, run("", "CREATE TABLE t (x)"))
			err := db.failed("save listings", run(tt.params, tt.before, tt.do))
			for _, want := range []string{"save listings: database " + db.path, tt.want} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
	db := &DB{path: "x.db"}
	if err := db.failed("try", fmt.Errorf("other")); err.Error() != "try: other" {
		t.Errorf("an error that is not about the file: %v", err)
	}
	if err := db.failed("try", errWaited); !strings.Contains(err.Error(), "database x.db is in use") {
		t.Errorf("waited too long: %v", err)
	}
	if db.failed("try", nil) != nil {
		t.Error("a nil error became an error")
	}
}
