package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// maxWait is how long a write waits for others before it fails.
const maxWait = 10 * time.Second

// errWaited is the cause of a write that waited for maxWait.
var errWaited = errors.New("other processes keep writing")

// writer owns the one connection that writes, with its prepared statements.
//
// SQLite grants its write lock to the process that tries at the right moment. An
// import tries again at once and would keep all others out. Therefore each process
// locks a file, the gate, before it tries, and releases the gate when it has the
// write lock: a process that waits at the gate is the next to write.
type writer struct {
	pool *sql.DB
	gate *fileLock
	turn chan struct{} // holds a value while no goroutine of this process writes
	conn *sql.Conn     // nil until needed, and again after an error
	// prepared stays small: every text is a constant, or has a list with one of
	// a few lengths.
	prepared map[string]*sql.Stmt
}

// write runs fn in a transaction and commits it, or rolls back. After an error it
// does not use the connection again.
func (w *writer) write(ctx context.Context, fn func(*Tx) error) (err error) {
	// The limit covers all waits: a goroutine must not wait for each of several
	// others whose waits fail.
	ctx, cancel := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer cancel()
	select {
	case <-w.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() {
		if err != nil {
			w.drop()
		}
		w.turn <- struct{}{}
	}()
	begun, err := w.begin(ctx)
	if err != nil {
		return err
	}
	defer begun.Rollback() // has no effect after a commit
	if err := fn(&Tx{writer: w}); err != nil {
		return err
	}
	return begun.Commit()
}

// begin waits for the write lock until ctx ends. The transaction does not end
// with ctx: its statements run on the connection and must never run
// outside the transaction.
func (w *writer) begin(ctx context.Context) (*sql.Tx, error) {
	if err := w.connect(ctx); err != nil {
		return nil, err
	}
	if err := w.gate.acquire(ctx, false); err != nil {
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

// EmptyLog writes the log back into the database file and truncates it. It does
// nothing if others read or write at this moment.
func (db *DB) EmptyLog(ctx context.Context) error {
	db.using.RLock()
	defer db.using.RUnlock()
	w := db.writer
	select {
	case <-w.turn:
	case <-ctx.Done():
		return db.Failed("empty the log", ctx.Err())
	}
	defer func() { w.turn <- struct{}{} }()
	err := w.connect(ctx)
	if err == nil {
		var busy, pages, moved int64
		err = w.conn.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
		if isBusy(err) {
			return nil
		}
	}
	return db.Failed("empty the log", err)
}

// connect opens the connection. It disables SQLite's own waiting for locks, which
// is coarse and ignores the context.
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

// drop closes the statements and then the connection: an open statement would keep
// the connection and the log open.
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
	<-w.turn // never released: no write follows
	return errors.Join(w.drop(), w.pool.Close(), w.gate.close())
}

// Tx is a transaction that writes. It holds the write lock of the file.
type Tx struct{ writer *writer }

// Write runs fn in a transaction, which is on disk when Write returns nil.
func (db *DB) Write(ctx context.Context, what string, fn func(*Tx) error) error {
	db.share(ctx)
	db.using.RLock()
	defer db.using.RUnlock()
	err := db.Failed(what, db.writer.write(ctx, fn))
	db.note(err)
	return err
}

// Exec runs one statement in a transaction and returns how many rows it changed.
func (db *DB) Exec(ctx context.Context, what, text string, args ...any) (changed int64, err error) {
	err = db.Write(ctx, what, func(t *Tx) error {
		changed, err = t.ExecCount(ctx, text, args...)
		return err
	})
	if err != nil {
		return 0, err
	}
	return changed, nil
}

// statement returns the prepared statement of a text.
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

// Exec runs a statement. It ignores the end of ctx, as all statements of a
// transaction do: a batch takes milliseconds, and watching ctx costs more.
func (t *Tx) Exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	stmt, err := t.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// Query calls row for each row of the result.
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

// FindRow reads the last row of the result into dest; found is false without one.
func (t *Tx) FindRow(ctx context.Context, text string, args, dest []any) (found bool, err error) {
	err = t.Query(ctx, text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// ExecCount runs a statement and returns how many rows it changed.
func (t *Tx) ExecCount(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := t.Exec(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// RaiseCounter raises a counter by n and returns its new value. The counter stays
// locked until commit.
func (t *Tx) RaiseCounter(ctx context.Context, counter string, n int) (int64, error) {
	var value int64
	found, err := t.FindRow(ctx, "UPDATE counter SET value = value + $1 WHERE name = $2 RETURNING value",
		[]any{n, counter}, []any{&value})
	if err == nil && !found {
		err = fmt.Errorf("counter %s is missing", counter)
	}
	return value, err
}
