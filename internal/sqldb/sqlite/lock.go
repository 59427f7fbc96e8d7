package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

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
	err := l.f.Close()
	l.f = nil
	return err
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
