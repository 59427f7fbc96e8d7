package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/transfer"
)

// unseen is for copies whose progress nobody looks at.
func unseen(transfer.Progress) {}

// copied copies a database into a new one.
func copied(t *testing.T, from *sqldb.DB, to testEngine) *sqldb.DB {
	t.Helper()
	target := bare(t, to.dsn(t))
	must(t, one(from.Copy(t.Context(), target, unseen)))
	return target
}

// A catalogColumn is a column of a table, as the engine's catalog has it.
type catalogColumn struct{ table, name, kind string }

// columns reads all tables from the catalog, but for those of migrations.
func columns(t *testing.T, db *sqldb.DB) (list []catalogColumn) {
	t.Helper()
	text := `SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name NOT LIKE 'schema\_%'`
	if db.File != nil {
		text = `SELECT m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> 'schema_version'`
	}
	must(t, db.Query(t.Context(), "read the catalog", text, nil, func(rows engine.Rows) error {
		var c catalogColumn
		err := rows.Scan(&c.table, &c.name, &c.kind)
		c.kind = strings.ToLower(c.kind)
		list = append(list, c)
		return err
	}))
	slices.SortFunc(list, func(a, b catalogColumn) int { return strings.Compare(a.table+"."+a.name, b.table+"."+b.name) })
	return list
}

// byTable returns the columns of each table.
func byTable(list []catalogColumn) map[string][]catalogColumn {
	tables := map[string][]catalogColumn{}
	for _, c := range list {
		tables[c.table] = append(tables[c.table], c)
	}
	return tables
}

// fillEveryTable adds rows of made-up values to every table of the catalog, and so to
// tables that do not exist yet.
func fillEveryTable(t *testing.T, db *sqldb.DB) {
	t.Helper()
	for table, list := range byTable(columns(t, db)) {
		rows := 3
		if slices.ContainsFunc(list, func(c catalogColumn) bool { return c.name == "one" }) {
			rows = 1
			execute(t, db, "DELETE FROM "+table)
		}
		names := make([]string, len(list))
		for k, c := range list {
			names[k] = c.name
		}
		in := &engine.Insert{Table: table, Columns: strings.Join(names, ", ")}
		must(t, db.Write(t.Context(), "fill "+table, func(tx *engine.Tx) error {
			_, err := tx.InsertRows(t.Context(), in, rows, func(args []any, i int) []any {
				for _, c := range list {
					args = append(args, madeUp(t, c, i))
				}
				return args
			})
			return err
		}))
	}
}

// madeUp returns a value of a column that no other row has.
func madeUp(t *testing.T, c catalogColumn, row int) any {
	switch {
	case c.name == "one":
		return int64(1)
	case c.kind == "integer" || c.kind == "bigint":
		return int64(1_000_000_000 + len(c.name)*10 + row)
	case c.kind == "text":
		return fmt.Sprintf("%s %d, “ü”\t\\N\n\\.", c.name, row)
	case c.kind == "bytea" && row == 2:
		return []byte{}
	case c.kind == "bytea":
		return []byte(fmt.Sprintf("\x00\xff%s\n%d", c.name, row))
	case c.kind == "double precision":
		return float64(row) + 0.125
	}
	t.Fatalf("%s.%s: there is no value for the type %q", c.table, c.name, c.kind)
	return nil
}

// dump returns all rows of all tables that a copy has, sorted, with the types of values.
func dump(t *testing.T, db *sqldb.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table, list := range byTable(columns(t, db)) {
		if table == "lease" || table == "node" {
			continue
		}
		names, values, dest := make([]string, len(list)), make([]any, len(list)), make([]any, len(list))
		for i, c := range list {
			names[i], dest[i] = c.name, &values[i]
		}
		lines := []string{}
		must(t, db.Query(t.Context(), "dump", "SELECT "+strings.Join(names, ", ")+" FROM "+table, nil, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			line := ""
			for i, v := range values {
				if small, ok := v.(int32); ok {
					v = int64(small)
				}
				line += fmt.Sprintf("%s=%T %q ", names[i], v, fmt.Sprint(v))
			}
			if !strings.Contains(line, `"database_id"`) {
				lines = append(lines, line)
			}
			return err
		}))
		slices.Sort(lines)
		all[table] = lines
	}
	return all
}

// TestCopyKeepsEveryColumn copies a database from each engine to each and back, and
// compares all tables and columns of the catalogs.
func TestCopyKeepsEveryColumn(t *testing.T) {
	t.Parallel()
	for _, first := range engines() {
		for _, second := range engines() {
			t.Run(first.name+" to "+second.name, func(t *testing.T) {
				t.Parallel()
				from := bare(t, first.dsn(t))
				fillEveryTable(t, from)
				want := dump(t, from)
				there := copied(t, from, second)
				back := copied(t, there, first)
				for name, db := range map[string]*sqldb.DB{"there": there, "back": back} {
					wantSame(t, "the copy "+name, want, dump(t, db))
					if n := len(query(t, db, "SELECT name FROM lease")); n > 0 {
						t.Errorf("the copy %s has %d leases", name, n)
					}
					if identity(t, db) == identity(t, from) {
						t.Errorf("the copy %s has the identity of the source", name)
					}
				}
				if len(want) < 20 {
					t.Errorf("only %d tables were compared", len(want))
				}
			})
		}
	}
}

// identity is what tells what is built from one database from what is built from another.
func identity(t *testing.T, db *sqldb.DB) string {
	t.Helper()
	epoch, _, err := db.Listings.Newest(t.Context())
	must(t, err)
	return db.DatabaseID() + " " + epoch
}

// query returns the texts of one column.
func query(t *testing.T, db *sqldb.DB, text string) []string {
	t.Helper()
	list, err := engine.List(t.Context(), db.DB, "query", text, nil, func(rows engine.Rows, s *string) error { return rows.Scan(s) })
	must(t, err)
	return list
}

// TestCopyRefuses checks what a copy refuses, and that the target stays as it was.
func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		from := bare(t, e.dsn(t))
		save(t, from, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
		for name, tt := range map[string]struct{ prepare, want string }{
			"listings":       {"INSERT INTO history VALUES (1, 'TR', 'p', 1, '')", "not empty: it has rows in history; name"},
			"a running node": {"INSERT INTO lease VALUES ('build', 'a', 1, 1, 1, '', 1, '')", "not empty: it has rows in lease"},
			"a generation":   {"UPDATE counter SET value = 1 WHERE name = 'generation'", "not empty: it has rows in counter"},
			"a publication":  {"UPDATE publication SET seq = 4", "not empty: it has rows in publication"},
			"everything":     {"UPDATE publication SET seq = 4; UPDATE counter SET value = 1; INSERT INTO history VALUES (1, 'TR', 'p', 1, ''); INSERT INTO lease VALUES ('build', 'a', 1, 1, 1, '', 1, '')", "rows in counter, history, lease, 1 other tables; name"},
			"another schema": {"UPDATE schema_version SET version_id = 4711 WHERE version_id = 1", "4711"},
			"another column": {"ALTER TABLE link ADD COLUMN more TEXT", "different tables or columns"},
		} {
			target := bare(t, e.dsn(t))
			execute(t, target, tt.prepare)
			before := dump(t, target)
			_, err := from.Copy(t.Context(), target, unseen)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
			wantSame(t, name+": the target", before, dump(t, target))
		}
		if _, err := from.Copy(t.Context(), from, unseen); err == nil || !strings.Contains(err.Error(), "the same database") {
			t.Errorf("a copy onto itself: %v", err)
		}
	})
}

// TestCopyEndsEarly ends a copy in the middle of a table. The target is empty, and the
// next copy is whole.
func TestCopyEndsEarly(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		from, target := bare(t, e.dsn(t)), bare(t, e.dsn(t))
		save(t, from, catalog.SaveCounts{New: 2000}, manyListings(2000, noon)...)
		before := dump(t, target)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := from.Copy(ctx, target, func(p transfer.Progress) {
			if p.Table == "listing" && p.Done > 1000 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("a copy that was cancelled: %v", err)
		}
		wantSame(t, "left behind", before, dump(t, target))
		last := transfer.Progress{}
		counts, err := from.Copy(t.Context(), target, func(p transfer.Progress) { last = p })
		if err != nil || counts["listing"] != 2000 || last.All != counts.All() || last.Done > last.All {
			t.Errorf("the second copy: %v, %v, last progress %+v", counts, err, last)
		}
		wantSame(t, "the second copy", dump(t, from), dump(t, target))
	})
}

// TestCopyIsOneSnapshot stores listings while a copy runs: they are not in it.
func TestCopyIsOneSnapshot(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		from, target := bare(t, e.dsn(t)), bare(t, e.dsn(t))
		save(t, from, catalog.SaveCounts{New: 10}, manyListings(10, noon)...)
		want := dump(t, from)
		stored := false
		_, err := from.Copy(t.Context(), target, func(transfer.Progress) {
			if !stored {
				stored = true
				save(t, from, catalog.SaveCounts{New: 1}, console("TR", "later", noon))
			}
		})
		must(t, err)
		if diff := cmp.Diff(want, dump(t, target)); diff != "" || !stored {
			t.Errorf("the copy differs from the time it began:\n%s", diff)
		}
	})
}
