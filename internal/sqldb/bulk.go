package sqldb

import (
	"context"
	"database/sql"
	"strings"
)

// rowsPerStatement is how many rows one insert carries. The SQLite driver finds
// each argument by walking the list of them, so long statements lose what they
// save; four was measured best for rows of 25 columns.
const rowsPerStatement = 4

// keysPerStatement is how many values one IN list carries, for the same reason.
const keysPerStatement = 256

// insert is an INSERT of one row and of rowsPerStatement rows.
type insert struct {
	one, many string
	width     int // columns
}

// insertInto describes an insert of the given columns, separated by commas.
// The placeholders are not numbered, because the driver compares numbers as
// text.
func insertInto(table, columns, after string) insert {
	width := strings.Count(columns, ",") + 1
	head := "INSERT INTO " + table + " (" + columns + ") VALUES "
	row := "(" + marks(width) + ")"
	return insert{
		one:   head + row + " " + after,
		many:  head + row + strings.Repeat(", "+row, rowsPerStatement-1) + " " + after,
		width: width,
	}
}

// marks gives n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// insertRows writes n rows; fill appends the arguments of row i to args.
func (t *tx) insertRows(ctx context.Context, in insert, n int, fill func(args []any, i int) []any) error {
	args := make([]any, 0, rowsPerStatement*in.width)
	for i := 0; i < n; {
		step, text := 1, in.one
		if n-i >= rowsPerStatement {
			step, text = rowsPerStatement, in.many
		}
		args = args[:0]
		for range step {
			args = fill(args, i)
			i++
		}
		if _, err := t.exec(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// queryIn runs a query for any number of keys. "(?...)" in its text stands for
// a list of them; before holds the arguments left of it.
func (t *tx) queryIn(ctx context.Context, text string, before, keys []any, row func(*sql.Rows) error) error {
	return inLists(text, before, keys, func(text string, args []any) error {
		return t.query(ctx, text, args, row)
	})
}

// execIn is queryIn for a statement without an answer.
func (t *tx) execIn(ctx context.Context, text string, before, keys []any) error {
	return inLists(text, before, keys, func(text string, args []any) error {
		_, err := t.exec(ctx, text, args...)
		return err
	})
}

// inLists calls run for up to keysPerStatement keys at a time. A list is filled
// up with its own first key to one of few lengths, because every length is a
// statement that is kept prepared.
func inLists(text string, before, keys []any, run func(text string, args []any) error) error {
	for len(keys) > 0 {
		n := min(len(keys), keysPerStatement)
		width := listWidth(n)
		args := make([]any, 0, len(before)+width)
		args = append(append(args, before...), keys[:n]...)
		for range width - n {
			args = append(args, keys[0])
		}
		if err := run(strings.Replace(text, "(?...)", "("+marks(width)+")", 1), args); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

func listWidth(n int) int {
	width := 1
	for width < n {
		width *= 4
	}
	return width
}
