package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
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

// keysPerStatement is how many values one IN list carries, for the first reason.
const keysPerStatement = 256

// insert is a statement that takes one row, and one that takes several.
type insert struct {
	one, many string
	width     int // columns
	rows      int // that many takes
}

// insertInto describes an insert of the given columns, separated by commas.
// The placeholders are not numbered, because the driver compares numbers as
// text.
func insertInto(table, columns, after string) insert {
	width := strings.Count(columns, ",") + 1
	head := "INSERT INTO " + table + " (" + columns + ") VALUES "
	row, rows := "("+placeholders(width)+")", max(1, min(rowsPerStatement, argsPerStatement/width))
	return insert{
		one:   head + row + " " + after,
		many:  head + row + strings.Repeat(", "+row, rows-1) + " " + after,
		width: width,
		rows:  rows,
	}
}

// placeholders gives n of them.
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// insertRows writes n rows; fill appends the arguments of row i to args.
func (t *tx) insertRows(ctx context.Context, in insert, n int, fill func(args []any, i int) []any) error {
	if n == 0 {
		return nil
	}
	return t.bulk(ctx, func(b *bulk) error {
		args := make([]any, 0, in.rows*in.width)
		for i := 0; i < n; {
			step, text := 1, in.one
			if n-i >= in.rows {
				step, text = in.rows, in.many
			}
			args = args[:0]
			for range step {
				args = fill(args, i)
				i++
			}
			if err := b.exec(text, args); err != nil {
				return err
			}
		}
		return nil
	})
}

// bulk runs many small statements on the driver's own connection: database/sql
// would look each argument over, and keep books about each call, for a fifth
// of the time of an import.
type bulk struct {
	ctx   context.Context
	tx    *tx
	conn  driver.ConnPrepareContext
	named []driver.NamedValue
}

// bulk gives fn the connection of the transaction. Other statements of the
// transaction have to wait until it returns.
func (t *tx) bulk(ctx context.Context, fn func(*bulk) error) error {
	return t.writer.conn.Raw(func(conn any) error {
		preparer, ok := conn.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's %T prepares no statements", conn)
		}
		return fn(&bulk{ctx: context.WithoutCancel(ctx), tx: t, conn: preparer})
	})
}

func (b *bulk) exec(text string, args []any) error {
	stmt, err := b.statement(text)
	if err != nil {
		return err
	}
	for len(b.named) < len(args) {
		b.named = append(b.named, driver.NamedValue{Ordinal: len(b.named) + 1})
	}
	named := b.named[:len(args)]
	for i, arg := range args {
		if !driver.IsValue(arg) {
			if arg, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
		named[i].Value = arg
	}
	_, err = stmt.ExecContext(b.ctx, named)
	return err
}

// statement gives the text, prepared.
func (b *bulk) statement(text string) (driver.StmtExecContext, error) {
	if stmt, ok := b.tx.writer.bulk[text]; ok {
		return stmt, nil
	}
	made, err := b.conn.PrepareContext(b.ctx, text)
	if err != nil {
		return nil, err
	}
	stmt, ok := made.(bulkStatement)
	if !ok {
		return nil, fmt.Errorf("the driver's %T runs without a context", made)
	}
	b.tx.writer.bulk[text] = stmt
	return stmt, nil
}

// bulkStatement is a statement of the driver.
type bulkStatement interface {
	driver.Stmt
	driver.StmtExecContext
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
		if err := run(strings.Replace(text, "(?...)", "("+placeholders(width)+")", 1), args); err != nil {
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
