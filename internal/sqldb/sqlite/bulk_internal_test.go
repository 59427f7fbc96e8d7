package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/sqldb/engine"
)

// TestInsertRows checks that each row is inserted once and whole, whatever the
// number of columns and rows, and that each is updated by its key.
func TestInsertRows(t *testing.T) {
	file := openForTest(t, filepath.Join(t.TempDir(), "gamedex.db"))
	db := engine.New(file)
	for _, width := range []int{1, argsPerStatement / 3, argsPerStatement, argsPerStatement + 1} {
		for _, n := range []int{0, 1, rowsPerStatement - 1, rowsPerStatement, 2*rowsPerStatement + 1} {
			t.Run(fmt.Sprintf("%d columns, %d rows", width, n), func(t *testing.T) {
				var got [4]int
				err := db.Write(t.Context(), "try", func(tx *engine.Tx) (err error) {
					got, err = tryRows(t, file, tx, width, n)
					return err
				})
				sum := n * (n - 1) / 2
				if want := [4]int{n, sum, sum + n*(width-1), 3 * sum}; err != nil || got != want {
					t.Errorf("rows and sums %v, %v; want %v", got, err, want)
				}
			})
		}
	}
}

// tryRows writes n rows: in row i, column k is i + k. Then it sets the column x of row i
// to 3i. It returns the number of rows and the sums of the first, the last and that
// column.
func tryRows(t *testing.T, file *DB, tx *engine.Tx, width, n int) (got [4]int, err error) {
	names := make([]string, width)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	columns := strings.Join(names, ", ")
	for _, text := range []string{"DROP TABLE IF EXISTS try", "CREATE TABLE try (" + columns + ", x)"} {
		// Not prepared: a prepared statement would belong to the former table.
		if _, err := file.writer.conn.ExecContext(t.Context(), text); err != nil {
			return got, err
		}
	}
	inserted, err := tx.InsertRows(t.Context(), &engine.Insert{Table: "try", Columns: columns}, n, func(args []any, i int) []any {
		for k := range width {
			args = append(args, i+k) // an int, which drivers must convert
		}
		return args
	})
	if err == nil && inserted != int64(n) {
		err = fmt.Errorf("%d rows inserted, want %d", inserted, n)
	}
	if err != nil {
		return got, err
	}
	_, err = tx.UpdateRows(t.Context(), &engine.Update{Table: "try", Set: "x", Key: "c0"}, n, func(args []any, i int) []any {
		return append(args, 3*i, i)
	})
	if err != nil {
		return got, err
	}
	text := fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(c0), 0), COALESCE(SUM(c%d), 0), COALESCE(SUM(x), 0) FROM try", width-1)
	_, err = tx.FindRow(t.Context(), text, nil, []any{&got[0], &got[1], &got[2], &got[3]})
	return got, err
}

// TestInsertRowsRefuses checks that a value that no driver accepts is an error
// with its position, and that nothing is stored.
func TestInsertRowsRefuses(t *testing.T) {
	db := engine.New(openForTest(t, filepath.Join(t.TempDir(), "gamedex.db")))
	bad := &engine.Insert{Table: "meta", Columns: "name, value"}
	rows := rowsAtOnce(bad)
	err := db.Write(t.Context(), "try", func(tx *engine.Tx) error {
		_, err := tx.InsertRows(t.Context(), bad, 2*rows, func(args []any, i int) []any {
			if i == 2*rows-1 {
				return append(args, "last", struct{}{})
			}
			return append(args, fmt.Sprint(i), "")
		})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("argument $%d type", rows*bad.Width())) {
		t.Errorf("a value that no driver accepts: %v", err)
	}
	var n int
	if _, err := db.FindRow(t.Context(), "count", "SELECT COUNT(*) FROM meta WHERE name NOT IN ('database_id', 'oldest_schema')", nil, []any{&n}); err != nil || n != 0 {
		t.Errorf("%d rows are left, %v", n, err)
	}
}
