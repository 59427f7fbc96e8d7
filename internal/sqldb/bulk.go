package sqldb

import (
	"context"
	"database/sql"
	"strings"
)

// One statement carries at most rowsPerStatement rows and, if it has more than
// one, argsPerStatement arguments. The SQLite driver finds each argument by
// walking the list of arguments from the start. SQLite also saves the former
// state of all pages that a statement of several rows changes, in a file if there
// are more than sixteen: with ten rows, each with a hash anywhere in an index, an
// import wrote three times as much to disk.
const (
	rowsPerStatement = 4
	argsPerStatement = 32
)

// MaxList is the most values in one IN list: the driver walks them too.
const MaxList = 256

// Insert is a pair of statements: one inserts one row, the other several.
type Insert struct {
	One, many string
	width     int // columns
	rows      int // of the statement that inserts several
}

// InsertInto describes an insert of the given columns, separated by commas.
// The placeholders are not numbered, because the driver compares numbers as
// text.
func InsertInto(table, columns, after string) Insert {
	width := strings.Count(columns, ",") + 1
	head := "INSERT INTO " + table + " (" + columns + ") VALUES "
	row, rows := "("+Placeholders(width)+")", max(1, min(rowsPerStatement, argsPerStatement/width))
	return Insert{
		One:   head + row + " " + after,
		many:  head + row + strings.Repeat(", "+row, rows-1) + " " + after,
		width: width,
		rows:  rows,
	}
}

// Placeholders returns n placeholders, separated by commas.
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// InsertRows writes n rows; fill appends the arguments of row i to args.
func (t *Tx) InsertRows(ctx context.Context, in Insert, n int, fill func(args []any, i int) []any) error {
	args := make([]any, 0, in.rows*in.width)
	for i := 0; i < n; {
		step, text := 1, in.One
		if n-i >= in.rows {
			step, text = in.rows, in.many
		}
		args = args[:0]
		for range step {
			args = fill(args, i)
			i++
		}
		if _, err := t.Exec(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// QueryList runs a query for any number of keys. A list of keys replaces "(?...)"
// in its text; before holds the arguments before the list.
func (t *Tx) QueryList(ctx context.Context, text string, before, keys []any, row func(*sql.Rows) error) error {
	return EachList(text, before, keys, func(text string, args []any) error {
		return t.Query(ctx, text, args, row)
	})
}

// ExecList is QueryList for a statement that returns no rows.
func (t *Tx) ExecList(ctx context.Context, text string, before, keys []any) error {
	return EachList(text, before, keys, func(text string, args []any) error {
		_, err := t.Exec(ctx, text, args...)
		return err
	})
}

// EachList calls run for up to MaxList keys at a time. A list is padded with its
// first key to a power of four, so that few statements need to be prepared.
func EachList(text string, before, keys []any, run func(text string, args []any) error) error {
	for len(keys) > 0 {
		n := min(len(keys), MaxList)
		width := 1
		for width < n {
			width *= 4
		}
		args := make([]any, 0, len(before)+width)
		args = append(append(args, before...), keys[:n]...)
		for range width - n {
			args = append(args, keys[0])
		}
		if err := run(strings.Replace(text, "(?...)", "("+Placeholders(width)+")", 1), args); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// Args returns strings as arguments of a statement.
func Args(list []string) []any {
	args := make([]any, len(list))
	for i, s := range list {
		args[i] = s
	}
	return args
}

// BoolInt returns b as it is stored: 0 or 1.
func BoolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
