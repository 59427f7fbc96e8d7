package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// maxWait is how long a write waits for others before it fails.
const maxWait = 10 * time.Second

// errWaited is the cause of a write that waited for maxWait.
var errWaited = errors.New("other processes keep writing")

// writer owns the one connection that writes.
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
	// bulks stays small: an Insert or an Update is a variable of a package.
	bulks map[any]*bulk
}

// write runs fn in a transaction and commits it, or rolls back. After an error it
// does not use the connection again.
func (w *writer) write(ctx context.Context, fn func() error) (err error) {
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
	if err := fn(); err != nil {
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

// Erase implements sqldb.Engine: it writes the log back into the database file and
// truncates it. It does nothing if others read or write at this moment.
func (db *DB) Erase(ctx context.Context) error {
	db.using.RLock()
	defer db.using.RUnlock()
	w := db.writer
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
	w.conn, w.bulks = conn, make(map[any]*bulk)
	return nil
}

// drop closes the connection.
func (w *writer) drop() error {
	if w.conn == nil {
		return nil
	}
	err := w.conn.Close()
	w.conn, w.bulks = nil, nil
	return err
}

func (w *writer) close() error {
	<-w.turn // never released: no write follows
	return errors.Join(w.drop(), w.pool.Close(), w.gate.close())
}
