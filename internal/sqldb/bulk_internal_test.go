package sqldb

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestInsertRows checks that each row is inserted once and whole, whatever the
// number of columns and rows.
func TestInsertRows(t *testing.T) {
	db := openForTest(t, "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"))
	for _, width := range []int{1, argsPerStatement / 3, argsPerStatement, argsPerStatement + 1} {
		for _, n := range []int{0, 1, rowsPerStatement - 1, rowsPerStatement, 2*rowsPerStatement + 1} {
			t.Run(fmt.Sprintf("%d columns, %d rows", width, n), func(t *testing.T) {
				var rows, first, last int
				err := db.Write(t.Context(), "try", func(tx *Tx) error { return tryRows(t, tx, width, n, &rows, &first, &last) })
				sum := n * (n - 1) / 2
				if err != nil || rows != n || first != sum || last != sum+n*(width-1) {
					t.Errorf("%d rows, sums %d and %d, %v; want %d, %d and %d", rows, first, last, err, n, sum, sum+n*(width-1))
				}
			})
		}
	}
}

// tryRows writes n rows: in row i, column k is i + k.
func tryRows(t *testing.T, tx *Tx, width, n int, rows, first, last *int) error {
	names := make([]string, width)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	columns := strings.Join(names, ", ")
	for _, text := range []string{"DROP TABLE IF EXISTS try", "CREATE TABLE try (" + columns + ")"} {
		// Not prepared: a prepared statement would belong to the former table.
		if _, err := tx.writer.conn.ExecContext(t.Context(), text); err != nil {
			return err
		}
	}
	err := tx.InsertRows(t.Context(), InsertInto("try", columns, ""), n, func(args []any, i int) []any {
		for k := range width {
			args = append(args, i+k) // an int, which drivers must convert
		}
		return args
	})
	if err != nil {
		return err
	}
	_, err = tx.FindRow(t.Context(), fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(c0), 0), COALESCE(SUM(c%d), 0) FROM try", width-1),
		nil, []any{rows, first, last})
	return err
}

// TestInsertRowsRefuses checks that a value that no driver accepts is an error
// with its position, and that nothing is stored.
func TestInsertRowsRefuses(t *testing.T) {
	db := openForTest(t, "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"))
	bad := InsertInto("meta", "name, value", "")
	err := db.Write(t.Context(), "try", func(tx *Tx) error {
		return tx.InsertRows(t.Context(), bad, 2*bad.rows, func(args []any, i int) []any {
			if i == 2*bad.rows-1 {
				return append(args, "last", struct{}{})
			}
			return append(args, fmt.Sprint(i), "")
		})
	})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("argument $%d type", bad.rows*bad.width)) {
		t.Errorf("a value that no driver accepts: %v", err)
	}
	var n int
	if _, err := db.FindRow(t.Context(), "count", "SELECT COUNT(*) FROM meta WHERE name <> 'database_id'", nil, []any{&n}); err != nil || n != 0 {
		t.Errorf("%d rows are left, %v", n, err)
	}
}
