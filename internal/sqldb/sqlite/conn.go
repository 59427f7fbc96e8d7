package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/sqldb/engine"
)

// conn is a transaction that writes. It holds the write lock of the file. It ignores
// the end of contexts: a batch takes milliseconds, and watching a context costs
// more.
type conn struct{ db *DB }

// Write implements engine.Engine.
func (db *DB) Write(ctx context.Context, fn func(engine.Conn) error) error {
	db.share(ctx)
	db.using.RLock()
	defer db.using.RUnlock()
	err := db.writer.write(ctx, func() error { return fn(conn{db}) })
	db.note(err)
	return err
}

// Query implements engine.Conn.
func (c conn) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	return reading{c.db, c.db.writer.conn}.Query(context.WithoutCancel(ctx), text, args, row)
}

// Exec implements engine.Conn.
func (c conn) Exec(ctx context.Context, text string, args ...any) (changed int64, err error) {
	ctx = context.WithoutCancel(ctx)
	s, err := c.db.compiled.statement(text)
	if err != nil {
		return 0, err
	}
	err = s.each(args, func(text int, args []any) error {
		n, err := c.db.writer.execute(ctx, s.texts[text], args)
		changed += n
		return err
	})
	return changed, err
}

// Lock implements engine.Conn: there is only one writer.
func (conn) Lock(context.Context, ...string) error { return nil }

// Now implements engine.Conn.
func (c conn) Now(context.Context) (int64, error) { return c.db.now().UnixMilli(), nil }

// reading runs queries, in a transaction or outside.
type reading struct {
	db *DB
	on interface {
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	}
}

// Read implements engine.Engine.
func (db *DB) Read(ctx context.Context, fn func(engine.Querier) error) error {
	db.using.RLock()
	defer db.using.RUnlock()
	begun, err := db.pools.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer begun.Rollback()
	return fn(reading{db, begun})
}

// Query implements engine.Engine. When the context ends, it stops at the next row: watching a
// context takes as long as reading a few rows by their key.
func (db *DB) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	db.using.RLock()
	defer db.using.RUnlock()
	conn, err := db.pools.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return reading{db, conn}.Query(context.WithoutCancel(ctx), text, args, func(rows engine.Rows) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return row(rows)
	})
}

// Query implements engine.Querier.
func (r reading) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	s, err := r.db.compiled.statement(text)
	if err != nil {
		return err
	}
	return s.each(args, func(text int, args []any) error {
		rows, err := r.on.QueryContext(ctx, s.texts[text], args...)
		if err != nil {
			return err
		}
		return eachRow(rows, row)
	})
}

// eachRow calls row for every row of a result and closes it.
func eachRow(rows *sql.Rows, row func(engine.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
