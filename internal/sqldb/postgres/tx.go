package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gamedex/internal/sqldb"
)

// Transactions begin with their limits, in one round trip. A lock is waited for as
// long as for SQLite's. A reader may be slow, such as an export into a pipe.
const (
	beginWriting = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " +
		"SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '1min'; SET LOCAL idle_in_transaction_session_timeout = '1min'"
	beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " +
		"SET LOCAL statement_timeout = '1h'; SET LOCAL idle_in_transaction_session_timeout = '10min'"
)

const (
	maxWait       = 10 * time.Second // for a connection
	commitTimeout = 30 * time.Second // then its outcome is unknown
	queryTimeout  = time.Hour        // outside a transaction
	maxAttempts   = 5                // of a transaction
	retryPause    = 50 * time.Millisecond
)

// The causes of a wait for a connection that took maxWait.
var (
	errNoConn   = errors.New("no connection is free")
	errNoAnswer = errors.New("no connection could be made")
)

// Write runs fn in a transaction, which is on disk when Write returns nil. If the
// server ended it because of a deadlock, Write runs fn again, after a random pause: at
// once, it could lock a row again before the other transaction wakes up to lock it, and
// end in the same deadlock. An error that wraps ErrUnclear leaves open whether the
// change is stored.
func (db *DB) Write(ctx context.Context, fn func(sqldb.Conn) error) error {
	for attempt := time.Duration(1); ; attempt++ {
		err := db.writeOnce(ctx, fn)
		if attempt == maxAttempts || !repeatable(err) {
			return err
		}
		select {
		case <-time.After(attempt*retryPause/2 + rand.N(attempt*retryPause)):
		case <-ctx.Done():
			return err
		}
	}
}

func (db *DB) writeOnce(ctx context.Context, fn func(sqldb.Conn) error) error {
	return db.inTx(ctx, beginWriting, func(tx pgx.Tx) error {
		if err := fn(&conn{querier{tx}, tx}); err != nil {
			return err
		}
		// The end of ctx must not leave open what happened to the commit.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
		defer cancel()
		return commitError(tx.Commit(ctx))
	})
}

// Read runs fn on one consistent snapshot.
func (db *DB) Read(ctx context.Context, fn func(sqldb.Querier) error) error {
	return db.inTx(ctx, beginReading, func(tx pgx.Tx) error { return fn(querier{tx}) })
}

// Query calls row for each row of the result, outside any transaction.
func (db *DB) Query(ctx context.Context, text string, args []any, row func(sqldb.Rows) error) error {
	return db.withConn(ctx, func(c *pgxpool.Conn) error { return querier{c}.Query(ctx, text, args, row) })
}

// inTx runs fn in a transaction and rolls it back, unless fn has committed it.
func (db *DB) inTx(ctx context.Context, begin string, fn func(pgx.Tx) error) error {
	return db.withConn(ctx, func(c *pgxpool.Conn) error {
		tx, err := c.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
			defer cancel()
			_ = tx.Rollback(ctx) // without effect after a commit; after an error the connection is closed
		}()
		return fn(tx)
	})
}

// withConn runs fn with a connection of the pool. If the server has become a replica,
// it closes the connections, so that the next ones look for the primary.
func (db *DB) withConn(ctx context.Context, fn func(*pgxpool.Conn) error) error {
	waiting, cancel := context.WithTimeoutCause(ctx, maxWait, errNoAnswer)
	c, err := db.pool.Acquire(waiting)
	if err != nil && errors.Is(context.Cause(waiting), errNoAnswer) {
		cause := errNoAnswer
		if db.pool.Stat().AcquiredConns() >= db.pool.Config().MaxConns {
			cause = errNoConn
		}
		err = fmt.Errorf("%w: %w", cause, err)
	}
	cancel()
	if err != nil {
		return err
	}
	defer c.Release()
	err = fn(c)
	if code(err) == readOnlyCode {
		db.pool.Reset()
	}
	return err
}

// querier runs queries in a transaction or on a connection.
type querier struct {
	on interface {
		Query(ctx context.Context, text string, args ...any) (pgx.Rows, error)
	}
}

// Query calls row for each row of the result. After an error of row it receives the
// rest of the result, so that the transaction can go on.
func (q querier) Query(ctx context.Context, text string, args []any, row func(sqldb.Rows) error) error {
	if emptyList(args) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	rows, err := q.on.Query(ctx, text, plainArgs(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
