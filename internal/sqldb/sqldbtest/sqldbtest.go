// Package sqldbtest is test support: empty databases, and checks of query plans.
//
//	Open ─► an empty database in a folder of the test
//	CheckPlans ─► EXPLAIN QUERY PLAN of each statement
//
// The package refuses to be imported by the program.
package sqldbtest

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/sqldb"
)

// Open opens a new, empty database until the test ends.
func Open(t testing.TB) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), sqldb.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// Plan is a statement and the steps by which the engine may run it: each begins
// with one of Want. "(?...)" in Text stands for a list.
type Plan struct {
	Name, Text string
	Want       []string
}

// CheckPlans fails the test for each step of a plan that is not wanted.
func CheckPlans(t *testing.T, plans []Plan) {
	db := Open(t)
	for _, p := range plans {
		t.Run(p.Name, func(t *testing.T) {
			text := strings.Replace(p.Text, "(?...)", "("+sqldb.Placeholders(16)+")", 1)
			args := make([]any, max(strings.Count(text, "?"), strings.Count(text, "$")))
			steps := 0
			err := db.Query(t.Context(), "explain", "EXPLAIN QUERY PLAN "+text, args, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				steps++
				if !slices.ContainsFunc(p.Want, func(want string) bool { return strings.HasPrefix(step, want) }) {
					t.Errorf("step %q is none of %q", step, p.Want)
				}
				return err
			})
			if err != nil || steps == 0 {
				t.Fatalf("explain: %v, %d steps", err, steps)
			}
		})
	}
}
