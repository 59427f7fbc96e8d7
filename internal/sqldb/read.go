package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// ReadTx is a reading transaction: a consistent snapshot of the database. It is
// for one goroutine, and valid until the function passed to Read returns.
type ReadTx struct {
	ctx context.Context
	tx  *sql.Tx
}

// Read runs fn in a reading transaction. It may be long, because it does not block
// other readers and writers. Read returns the error of fn unchanged.
func (db *DB) Read(ctx context.Context, fn func(*ReadTx) error) error {
	db.using.RLock()
	defer db.using.RUnlock()
	begun, err := db.pools.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return db.Failed("begin reading", err)
	}
	defer begun.Rollback()
	if err := fn(&ReadTx{ctx: ctx, tx: begun}); err != nil {
		if remedy := remedy(err); remedy != "" {
			return fmt.Errorf("database %s %s: %w", db.path, remedy, err)
		}
		return err
	}
	return nil
}

// Query calls row for each row of the result.
func (r *ReadTx) Query(text string, args []any, row func(*sql.Rows) error) error {
	rows, err := r.tx.QueryContext(r.ctx, text, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, row)
}

// Query calls row for each row of the result, outside any transaction.
func (db *DB) Query(ctx context.Context, what, text string, args []any, row func(*sql.Rows) error) error {
	db.using.RLock()
	defer db.using.RUnlock()
	rows, err := db.pools.read.QueryContext(ctx, text, args...)
	if err != nil {
		return db.Failed(what, err)
	}
	return db.Failed(what, eachRow(rows, row))
}

// List returns all rows of the result, each read by scan.
func List[T any](ctx context.Context, db *DB, what, text string, args []any, scan func(*sql.Rows, *T) error) ([]T, error) {
	var list []T
	err := db.Query(ctx, what, text, args, func(rows *sql.Rows) error {
		var v T
		err := scan(rows, &v)
		list = append(list, v)
		return err
	})
	return list, err
}

// FindRow reads one row into dest; found is false without one.
func (db *DB) FindRow(ctx context.Context, what, text string, args, dest []any) (found bool, err error) {
	err = db.Query(ctx, what, text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// eachRow calls row for every row of a result and closes it.
func eachRow(rows *sql.Rows, row func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
