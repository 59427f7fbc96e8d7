package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// maxWait is how long a writer waits for others before it gives up.
const maxWait = 10 * time.Second

// errWaited says that others kept a writer out for maxWait.
var errWaited = errors.New("other processes write all the time")

// writer owns the one connection that writes, with its prepared statements.
//
// SQLite gives its write lock to the process that asks at the right moment, so that an
// import, which asks again at once, would keep everybody else out. Therefore
// each process takes the gate, a file lock, before it asks, and gives it back
// when it has the write lock: who waits at the gate is the next to write.
type writer struct {
	pool *sql.DB
	gate *fileLock
	turn chan struct{} // holds a value while nobody of this process writes
	conn *sql.Conn     // nil until needed, and again after an error
	// prepared stays small: every text is a constant, or one with a list of
	// one of few lengths.
	prepared map[string]*sql.Stmt
}

func newWriter(pool *sql.DB, gate *fileLock) *writer {
	pool.SetMaxOpenConns(1)
	pool.SetMaxIdleConns(0) // an unwanted connection is closed, not kept
	w := &writer{pool: pool, gate: gate, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w
}

// run returns fn a transaction and commits what it did, or leaves everything as
// it was. A connection that saw an error is not used again.
func (w *writer) run(ctx context.Context, fn func(*Tx) error) error {
	// One wait for all: who waits for the turn of others that wait in vain
	// must not wait for each of them.
	ctx, cancel := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer cancel()
	select {
	case <-w.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { w.turn <- struct{}{} }()
	err := w.transact(ctx, fn)
	if err != nil {
		w.drop()
	}
	return err
}

func (w *writer) transact(ctx context.Context, fn func(*Tx) error) error {
	begun, err := w.begin(ctx)
	if err != nil {
		return err
	}
	defer begun.Rollback() // of no effect after a commit
	if err := fn(&Tx{writer: w}); err != nil {
		return err
	}
	return begun.Commit()
}

// begin waits for the write lock, as long as ctx allows. The
// transaction does not end with ctx: its statements run on the connection, and
// must never find themselves outside of it.
func (w *writer) begin(ctx context.Context) (*sql.Tx, error) {
	if err := w.connect(ctx); err != nil {
		return nil, err
	}
	if err := w.gate.acquire(ctx); err != nil {
		return nil, err
	}
	defer w.gate.release()
	for {
		begun, err := w.conn.BeginTx(context.WithoutCancel(ctx), nil)
		if !isBusy(err) {
			return begun, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// EmptyLog writes all of the log beside the file into it and cuts it, as far as
// those who read or write at this moment allow it.
func (db *DB) EmptyLog(ctx context.Context) error {
	return db.Failed("empty the log", db.writer.emptyLog(ctx))
}

// emptyLog writes all of the log into the file and cuts it, unless somebody
// reads or writes meanwhile: it does not wait for them.
func (w *writer) emptyLog(ctx context.Context) error {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { w.turn <- struct{}{} }()
	if err := w.connect(ctx); err != nil {
		return err
	}
	var busy, pages, moved int64
	err := w.conn.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if isBusy(err) {
		return nil
	}
	return err
}

// connect opens the connection and tells it not to wait for locks by itself,
// which it would do too sleepily and deaf to the context.
func (w *writer) connect(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	conn, err := w.pool.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return errors.Join(err, conn.Close())
	}
	w.conn, w.prepared = conn, make(map[string]*sql.Stmt)
	return nil
}

// drop closes the connection. Its statements first: it would not end before
// them, and the log would stay behind.
func (w *writer) drop() error {
	if w.conn == nil {
		return nil
	}
	var errs []error
	for _, stmt := range w.prepared {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, w.conn.Close())
	w.conn, w.prepared = nil, nil
	return errors.Join(errs...)
}

func (w *writer) close() error {
	<-w.turn // for good: nobody writes after this
	return errors.Join(w.drop(), w.pool.Close(), w.gate.close())
}

// Tx is a transaction that writes. It holds the write lock of the file.
type Tx struct{ writer *writer }

// Write runs fn in a transaction; what it did is on disk when write returns
// nil. The error says what was tried and names the file.
func (db *DB) Write(ctx context.Context, what string, fn func(*Tx) error) error {
	return db.Failed(what, db.writer.run(ctx, fn))
}

// statement returns the text, prepared. It runs on the connection itself, which
// is in the transaction.
func (t *Tx) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := t.writer.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := t.writer.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	t.writer.prepared[text] = stmt
	return stmt, nil
}

// Exec runs a statement. Only the wait for the write lock listens to the
// context: a batch takes milliseconds, and watching each statement costs more.
func (t *Tx) Exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	stmt, err := t.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// Query calls row for each row of the answer.
func (t *Tx) Query(ctx context.Context, text string, args []any, row func(*sql.Rows) error) error {
	ctx = context.WithoutCancel(ctx)
	stmt, err := t.statement(ctx, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, row)
}

// FindRow reads the last row of the answer into dest; found is false without one.
func (t *Tx) FindRow(ctx context.Context, text string, args, dest []any) (found bool, err error) {
	err = t.Query(ctx, text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// ExecAffects reports whether a statement changed any row.
func (t *Tx) ExecAffects(ctx context.Context, text string, args ...any) (bool, error) {
	result, err := t.Exec(ctx, text, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// RaiseCounter raises a counter by n and returns its new value. The counter's row
// stays locked until commit.
func (t *Tx) RaiseCounter(ctx context.Context, counter string, n int) (int64, error) {
	var value int64
	found, err := t.FindRow(ctx, "UPDATE counter SET value = value + $1 WHERE name = $2 RETURNING value",
		[]any{n, counter}, []any{&value})
	if err == nil && !found {
		err = fmt.Errorf("counter %s is missing", counter)
	}
	return value, err
}

// Query reads outside any transaction.
func (db *DB) Query(ctx context.Context, what, text string, args []any, row func(*sql.Rows) error) error {
	rows, err := db.reader.QueryContext(ctx, text, args...)
	if err != nil {
		return db.Failed(what, err)
	}
	return db.Failed(what, eachRow(rows, row))
}

// FindRow reads one row into dest; found is false without one.
func (db *DB) FindRow(ctx context.Context, what, text string, args, dest []any) (found bool, err error) {
	err = db.Query(ctx, what, text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// eachRow calls row for every row of an answer and closes it.
func eachRow(rows *sql.Rows, row func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
