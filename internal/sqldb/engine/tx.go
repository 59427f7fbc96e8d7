package engine

import (
	"context"
	"fmt"
)

// Tx is a transaction that writes. It is for one goroutine, and valid until the
// function passed to Write returns.
type Tx struct{ Conn }

// FindRow reads the last row of the result into dest; found is false without one.
func (t *Tx) FindRow(ctx context.Context, text string, args, dest []any) (found bool, err error) {
	err = t.Query(ctx, text, args, func(rows Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// InsertRow inserts one row and returns whether it inserted or changed one.
func (t *Tx) InsertRow(ctx context.Context, in *Insert, values ...any) (changed bool, err error) {
	n, err := t.InsertRows(ctx, in, 1, func(args []any, _ int) []any { return append(args, values...) })
	return n > 0, err
}

// RaiseCounter raises a counter by n and returns its new value. The counter stays
// locked until commit; see the package's order of locks.
func (t *Tx) RaiseCounter(ctx context.Context, counter string, n int) (int64, error) {
	var value int64
	found, err := t.FindRow(ctx, "UPDATE counter SET value = value + $1 WHERE name = $2 RETURNING value",
		[]any{n, counter}, []any{&value})
	if err == nil && !found {
		err = fmt.Errorf("counter %s is missing", counter)
	}
	return value, err
}

// ReadTx is a reading transaction: a consistent snapshot of the database. It is
// for one goroutine, and valid until the function passed to Read returns.
type ReadTx struct {
	ctx   context.Context
	query Querier
}

// Query calls row for each row of the result.
func (r *ReadTx) Query(text string, args []any, row func(Rows) error) error {
	return r.query.Query(r.ctx, text, args, row)
}
