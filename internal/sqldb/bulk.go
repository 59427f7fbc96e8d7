package sqldb

import (
	"context"
	"database/sql"
	"strings"
)

// One statement carries at most rowsPerStatement rows and, if they are more
// than one, argsPerStatement arguments. The SQLite driver finds each argument by
// walking the list of them from its start. And SQLite keeps the former state of
// all pages that a statement of several rows touches, in a file if they are more
// than sixteen: ten rows, each with a hash somewhere in an index, tripled what
// an import writes to disk.
const (
	rowsPerStatement = 4
	argsPerStatement = 32
)

// MaxList is how many values one IN list carries, for the first reason.
const MaxList = 256

// Insert is a statement that takes one row, and one that takes several.
type Insert struct {
	One, many string
	width     int // columns
	rows      int // that many takes
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

// Placeholders returns n of them.
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

// QueryList runs a query for any number of keys. "(?...)" in its text stands for
// a list of them; before holds the arguments left of it.
func (t *Tx) QueryList(ctx context.Context, text string, before, keys []any, row func(*sql.Rows) error) error {
	return EachList(text, before, keys, func(text string, args []any) error {
		return t.Query(ctx, text, args, row)
	})
}

// ExecList is QueryList for a statement without an answer.
func (t *Tx) ExecList(ctx context.Context, text string, before, keys []any) error {
	return EachList(text, before, keys, func(text string, args []any) error {
		_, err := t.Exec(ctx, text, args...)
		return err
	})
}

// EachList calls run for up to MaxList keys at a time. A list is filled
// up with its own first key to one of few lengths, because every length is a
// statement that is kept prepared.
func EachList(text string, before, keys []any, run func(text string, args []any) error) error {
	for len(keys) > 0 {
		n := min(len(keys), MaxList)
		width := listWidth(n)
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

func listWidth(n int) int {
	width := 1
	for width < n {
		width *= 4
	}
	return width
}

// Args returns texts as arguments of a statement.
func Args(list []string) []any {
	args := make([]any, len(list))
	for i, s := range list {
		args[i] = s
	}
	return args
}

// BoolInt returns how a truth is stored: 0 or 1.
func BoolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
