package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gamedex/internal/sqldb/engine"
)

// Transactions begin with their limits, in one round trip. A lock is waited for as
// long as for SQLite's. The server ends the transaction of a writer that sends nothing for
// a shorter time, so that a process that is frozen fails no other writer. A reader may be
// slow, such as an export into a pipe.
const (
	beginWriting = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " +
		"SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '1min'; SET LOCAL idle_in_transaction_session_timeout = '7s'"
	beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " +
		"SET LOCAL statement_timeout = '1h'; SET LOCAL idle_in_transaction_session_timeout = '10min'"
)

const (
	maxWait       = 10 * time.Second // for a connection, and for the begin of a transaction
	pingTimeout   = time.Second      // before a connection is used that was idle for as long
	writeTimeout  = 65 * time.Second // for a statement of a writer: the server gives up before
	queryTimeout  = time.Hour        // for a query of a reader
	commitTimeout = 10 * time.Second // then its outcome is unknown
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
func (db *DB) Write(ctx context.Context, fn func(engine.Conn) error) error {
	for attempt := time.Duration(1); ; attempt++ {
		err := db.writeOnce(ctx, writing, func(c *conn) error { return fn(c) })
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

// writer is how a transaction that writes begins, and its limits in this process.
type writer struct {
	begin             string
	statement, commit time.Duration
}

var writing = writer{beginWriting, writeTimeout, commitTimeout}

func (db *DB) writeOnce(ctx context.Context, w writer, fn func(*conn) error) error {
	return db.inTx(ctx, w.begin, func(tx pgx.Tx) error {
		if err := fn(&conn{querier{tx, w.statement, modeOfWriter(tx.Conn())}, tx}); err != nil {
			return err
		}
		// The end of ctx must not leave open what happened to the commit.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.commit)
		defer cancel()
		return commitError(tx.Commit(ctx))
	})
}

// Read runs fn on one consistent snapshot.
func (db *DB) Read(ctx context.Context, fn func(engine.Querier) error) error {
	return db.inTx(ctx, beginReading, func(tx pgx.Tx) error { return fn(querier{on: tx, limit: queryTimeout}) })
}

// Query calls row for each row of the result, outside any transaction.
func (db *DB) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	return db.withConn(ctx, func(c *pgxpool.Conn) error { return querier{on: c, limit: queryTimeout}.Query(ctx, text, args, row) })
}

// inTx runs fn in a transaction and rolls it back, unless fn has committed it.
func (db *DB) inTx(ctx context.Context, begin string, fn func(pgx.Tx) error) error {
	return db.withConn(ctx, func(c *pgxpool.Conn) error {
		beginning, cancel := context.WithTimeout(ctx, maxWait)
		tx, err := c.BeginTx(beginning, pgx.TxOptions{BeginQuery: begin})
		cancel()
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

// withConn runs fn with a connection of the pool. If the server has become a standby,
// it closes the connections, so that the next ones look for the primary.
func (db *DB) withConn(ctx context.Context, fn func(*pgxpool.Conn) error) error {
	waiting, cancel := context.WithTimeoutCause(ctx, maxWait, errNoAnswer)
	c, err := db.acquire(waiting)
	err = shortened(err)
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
	defer release(c)
	err = fn(c)
	if c := code(err); c == readOnlyCode || c == inRecovery {
		db.pool.Reset()
	}
	return err
}

// acquire returns a connection of the pool. One that was idle has to answer first. If it
// does not, the others will not either: acquire closes them all, and connects anew. It
// does the same after another connection has found that the server of this one is an old
// primary.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	for {
		c, err := db.pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		if _, old := db.seen.isOld(c.Conn().PgConn()); old {
			c.Release()
			db.pool.Reset()
			continue
		}
		used, _ := c.Conn().PgConn().CustomData()[lastUse].(time.Time)
		if used.IsZero() || time.Since(used) < pingTimeout {
			return c, nil
		}
		pinging, cancel := context.WithTimeout(ctx, pingTimeout)
		err = c.Ping(pinging)
		cancel()
		if err == nil {
			return c, nil
		}
		release(c)
		db.pool.Reset()
	}
}

// lastUse is the name under which a connection has the time of its last use.
const lastUse = "last use"

// release gives a connection back to the pool. A broken one leaves the pool at once: the
// driver takes up to 15 seconds to close it, and a server that does not answer would take
// all places of the pool.
func release(c *pgxpool.Conn) {
	if c.Conn().IsClosed() {
		c.Hijack()
		return
	}
	c.Conn().PgConn().CustomData()[lastUse] = time.Now()
	c.Release()
}

// querier runs queries in a transaction or on a connection.
type querier struct {
	on interface {
		Query(ctx context.Context, text string, args ...any) (pgx.Rows, error)
	}
	limit time.Duration // for one query
	mode  []any         // pgx.QueryExecMode of its statements; none: the connection's own
}

// arguments returns what a statement of the driver gets after its text, with texts that the
// server accepts.
func (q querier) arguments(args []any) []any {
	args = slices.Concat(q.mode, args)
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			args[i] = engine.Plain(v)
		case []string:
			v = slices.Clone(v)
			for k := range v {
				v[k] = engine.Plain(v[k])
			}
			args[i] = v
		}
	}
	return args
}

// Query calls row for each row of the result. After an error of row it receives the
// rest of the result, so that the transaction can go on.
func (q querier) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	if emptyList(args) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	rows, err := q.on.Query(ctx, lookUpKeys(text, args), q.arguments(args)...)
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
