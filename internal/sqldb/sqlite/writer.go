package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxWait is how long a write waits for other processes before it fails.
const maxWait = 10 * time.Second

// errWaited is the cause of a write that waited for maxWait.
var errWaited = errors.New("other processes keep writing")

// writer owns the one connection that writes.
//
// SQLite grants its write lock to the process that tries at the right time. An
// import tries again at once and would keep all others out. Therefore each process
// locks a file before it tries, and releases that lock when it has the
// write lock: a process that waits for the file is the next to write. Processes wait for
// the file in the order of another lock: of two that wait, the first one is first.
type writer struct {
	pool    *sql.DB
	locks   []*fileLock   // in the order in which a process takes them
	turn    chan struct{} // holds a value while no goroutine of this process writes
	maxWait time.Duration
	wrote   atomic.Int64 // Unix nanoseconds: when this process last ended a transaction
	conn    *sql.Conn    // nil until needed, and again after an error
}

// newWriter returns the writer of the database in path.
func newWriter(path string, pool *sql.DB) *writer {
	locks := []*fileLock{{path: path + ".queue.lock"}, {path: lockPath(path)}}
	w := &writer{pool: pool, locks: locks, turn: make(chan struct{}, 1), maxWait: maxWait}
	w.turn <- struct{}{}
	return w
}

// write runs fn in a transaction and commits it, or rolls back. After an error it
// does not use the connection again.
func (w *writer) write(ctx context.Context, fn func() error) (err error) {
	ctx, stop := w.limited(ctx)
	defer stop()
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
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { w.wrote.Store(time.Now().UnixNano()) }()
	defer begun.Rollback() // has no effect after a commit
	if err := fn(); err != nil {
		return err
	}
	return begun.Commit()
}

// limited returns a context that ends with errWaited once other processes have kept this
// one from writing for maxWait. Writes of other goroutines of this process start the time
// again. It covers all waits: a goroutine must not wait for each of several others whose
// waits fail.
func (w *writer) limited(ctx context.Context) (limited context.Context, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	began := time.Now()
	var look func()
	look = func() {
		last := time.Unix(0, w.wrote.Load())
		left := w.maxWait - min(time.Since(began), time.Since(last))
		if left <= 0 {
			cancel(errWaited)
		} else if limited.Err() == nil {
			time.AfterFunc(left, look)
		}
	}
	timer := time.AfterFunc(w.maxWait, look)
	return limited, func() { timer.Stop(); cancel(nil) }
}

// begin waits for the write lock until ctx ends. The transaction does not end
// with ctx: its statements run on the connection and must never run
// outside the transaction.
func (w *writer) begin(ctx context.Context) (*sql.Tx, error) {
	if err := w.connect(ctx); err != nil {
		return nil, err
	}
	last := len(w.locks) - 1
	for i, lock := range w.locks {
		err := lock.acquire(ctx, false)
		if i > 0 {
			w.locks[i-1].release()
		}
		if err != nil {
			return nil, err
		}
	}
	defer w.locks[last].release()
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

// Erase implements engine.Engine: it writes the log back into the database file and
// truncates it. It does nothing if others read or write now.
func (db *DB) Erase(ctx context.Context) error {
	if err := db.Unusable(); err != nil {
		return err
	}
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
	w.conn = conn
	return nil
}

// drop closes the connection.
func (w *writer) drop() error {
	if w.conn == nil {
		return nil
	}
	err := w.conn.Close()
	w.conn = nil
	return err
}

func (w *writer) close() error {
	<-w.turn // never released: no write follows
	err := errors.Join(w.drop(), w.pool.Close())
	for _, lock := range w.locks {
		err = errors.Join(err, lock.close())
	}
	return err
}

// lockPoll is the interval between attempts to take a lock.
const lockPoll = time.Millisecond

// fileLock is a lock between processes. Its file is created at the first use and
// never removed: otherwise waiting processes would lock a file that others no
// longer see. The system frees the lock of a process that dies.
type fileLock struct {
	path string
	mu   sync.Mutex // guards f; held for one attempt, never while waiting
	f    *os.File
}

// acquire waits for the lock until ctx ends.
func (l *fileLock) acquire(ctx context.Context, shared bool) error {
	for {
		if ok, err := l.tryAcquire(shared); ok || err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// tryAcquire takes the lock if it is free, for this process alone or shared with
// others. A process that holds it alone may change to a shared lock.
func (l *fileLock) tryAcquire(shared bool) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return false, err
		}
		l.f = f
	}
	ok, err := lockFile(l.f, shared)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", l.path, err)
	}
	return ok, nil
}

func (l *fileLock) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	return unlockFile(l.f)
}

// close frees the lock and closes its file.
func (l *fileLock) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

// pause waits for lockPoll. If ctx ends, it returns the cause.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lockPoll):
		return nil
	}
}

// LockCounters claims for this process the right to count requests in memory: with
// two such processes on one database, each would allow the whole limit. It fails if
// another process has the claim. Close releases the claim.
func (db *DB) LockCounters() (io.Closer, error) {
	lock := &fileLock{path: db.path + ".counters.lock"}
	ok, err := lock.tryAcquire(false)
	if err != nil {
		return nil, fmt.Errorf("lock counters: %w", err)
	}
	if !ok {
		lock.close()
		return nil, fmt.Errorf("another gamedex is already serving %s; stop it or use --data-dir", db.path)
	}
	return lock.f, nil
}

// Join registers this process as a long-term user of the database. alone reports
// that there is no other, so that the holder of any lease is dead. Closing leave
// ends the registration.
func (db *DB) Join(ctx context.Context) (alone bool, leave io.Closer, err error) {
	lock := &fileLock{path: db.path + ".nodes.lock"}
	if alone, err = lock.tryAcquire(false); err == nil {
		// Another process may take the lock alone between the two steps. That
		// does no harm: this process has no lease yet.
		err = lock.acquire(ctx, true)
	}
	if err != nil {
		lock.close()
		return false, nil, fmt.Errorf("join %s: %w", db.path, err)
	}
	return alone, lock.f, nil
}
