// Package sqldbtest is test support: empty databases, and checks of query plans.
//
//	Open ─► an empty database in a folder of the test
//	OnEach ─► a test on SQLite and, where it is found or required, on PostgreSQL
//	CheckPlans ─► EXPLAIN QUERY PLAN of each statement
//
// The package refuses to be imported by the program.
package sqldbtest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/sqldb/sqlite"
	"gamedex/internal/testing/enginetest"
)

// Open opens a new, empty database until the test ends.
func Open(t testing.TB) *engine.DB {
	t.Helper()
	opened, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	return untilEnd(t, opened)
}

// OnEach runs a test on a new, empty database of each engine.
func OnEach(t *testing.T, test func(t *testing.T, db *engine.DB)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Open(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		s := enginetest.SharedPostgres(t)
		opened, err := postgres.Open(t.Context(), s.OwnDSN(s.NewDatabase(t, "")), engine.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		test(t, untilEnd(t, opened))
	})
}

// untilEnd returns the database of an engine, which is closed when the test ends.
func untilEnd(t testing.TB, opened engine.Engine) *engine.DB {
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine.New(opened)
}

// Plan is a statement and the steps by which the engine may run it: each begins
// with one of Want.
type Plan struct {
	Name, Text string
	Want       []string
}

// listSteps are the steps that read the values of a list.
var listSteps = []string{"LIST SUBQUERY", "SCAN json_each VIRTUAL TABLE"}

// CheckPlans fails the test for each step of a plan that is not wanted.
func CheckPlans(t *testing.T, plans []Plan) {
	db := Open(t)
	for _, p := range plans {
		t.Run(p.Name, func(t *testing.T) {
			steps := 0
			err := db.Query(t.Context(), "explain", "EXPLAIN QUERY PLAN "+p.Text, anyArgs(p.Text), func(rows engine.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				steps++
				if !slices.ContainsFunc(append(listSteps, p.Want...), func(want string) bool { return strings.HasPrefix(step, want) }) {
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

var argument = regexp.MustCompile(`(= ANY\()?\$([0-9]+)`)

// anyArgs returns arguments for a text: NULL, or a list where it wants one.
func anyArgs(text string) []any {
	var args []any
	for _, found := range argument.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(found[2])
		args = append(args, make([]any, max(0, n-len(args)))...)
		if found[1] != "" {
			args[n-1] = make([]string, 16)
		}
	}
	return args
}
