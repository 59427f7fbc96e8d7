package sqlite

import (
	"context"

	"gamedex/internal/sqldb/engine"
)

// One statement carries at most rowsPerStatement rows and, if it has more than
// one, argsPerStatement arguments: see maxList. SQLite also saves the former
// state of all pages that a statement of several rows changes, in a file if there
// are more than sixteen: with ten rows, each with a hash anywhere in an index, an
// import wrote three times as much to disk.
const (
	rowsPerStatement = 4
	argsPerStatement = 32
)

// rowsAtOnce returns how many rows one statement inserts.
func rowsAtOnce(in *engine.Insert) int {
	return max(1, min(rowsPerStatement, argsPerStatement/in.Width()))
}

// bulk is the texts of an Insert or an Update: for one row and, for an insert, for
// several.
type bulk struct {
	one, many string
	rows      int // of many
}

// bulkOf returns the texts of key, an Insert or an Update; text returns sqldb's text
// for a number of rows.
func (w *writer) bulkOf(key any, rows int, text func(rows int) string) (*bulk, error) {
	if b, ok := w.bulks[key]; ok {
		return b, nil
	}
	one, err := compile(text(1))
	if err != nil {
		return nil, err
	}
	many, err := compile(text(rows))
	if err != nil {
		return nil, err
	}
	w.bulks[key] = &bulk{one.texts[0], many.texts[0], rows}
	return w.bulks[key], nil
}

// InsertRows implements engine.Conn.
func (c conn) InsertRows(ctx context.Context, in *engine.Insert, n int, fill func(args []any, i int) []any) (changed int64, err error) {
	ctx = context.WithoutCancel(ctx)
	b, err := c.db.writer.bulkOf(in, rowsAtOnce(in), in.Text)
	if err != nil {
		return 0, err
	}
	args := make([]any, 0, b.rows*in.Width())
	for i := 0; i < n; {
		step, text := 1, b.one
		if n-i >= b.rows {
			step, text = b.rows, b.many
		}
		args = args[:0]
		for range step {
			args = fill(args, i)
			i++
		}
		rows, err := c.db.writer.execute(ctx, text, args)
		if err != nil {
			return 0, err
		}
		changed += rows
	}
	return changed, nil
}

// UpdateRows implements engine.Conn.
func (c conn) UpdateRows(ctx context.Context, up *engine.Update, n int, fill func(args []any, i int) []any) (left []int, err error) {
	if n == 0 {
		return nil, nil
	}
	ctx = context.WithoutCancel(ctx)
	b, err := c.db.writer.bulkOf(up, 1, func(int) string { return up.Text() })
	if err != nil {
		return nil, err
	}
	args := make([]any, 0, up.Width())
	for i := range n {
		args = fill(args[:0], i)
		changed, err := c.db.writer.execute(ctx, b.one, args)
		if err != nil {
			return nil, err
		}
		if changed == 0 && up.If != "" {
			left = append(left, i)
		}
	}
	return left, nil
}

func (w *writer) execute(ctx context.Context, text string, args []any) (changed int64, err error) {
	result, err := w.conn.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
