package sqldb

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

// fileLock is a lock between processes. Its file stays: after a removal, waiting
// processes would lock a file that others no longer see. The system frees the
// lock of a process that dies. The file is created at its first use.
type fileLock struct {
	path string
	mu   sync.Mutex // guards f; held for one try, never while waiting
	f    *os.File
}

// acquire waits for the lock as long as ctx allows.
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

// tryAcquire takes the lock if it is free, alone or together with others; a
// process that has it alone may share it.
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

// pause waits for lockPoll, or returns the cause for which ctx ended.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lockPoll):
		return nil
	}
}

// LockCounters claims for this process the right to count requests in memory;
// two such processes on one database would each grant the whole limit. It fails
// if another process has the claim. Close releases it.
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

// Join adds this process to those that work with the database for a long time.
// alone reports that there was no other: the holder of any lease is dead. Close
// leaves.
func (db *DB) Join(ctx context.Context) (alone bool, leave io.Closer, err error) {
	lock := &fileLock{path: db.path + ".nodes.lock"}
	if alone, err = lock.tryAcquire(false); err == nil {
		// Another process may take the lock alone between the two steps. That is
		// harmless: it finds no lease of this process yet.
		err = lock.acquire(ctx, true)
	}
	if err != nil {
		lock.close()
		return false, nil, fmt.Errorf("join %s: %w", db.path, err)
	}
	return alone, lock.f, nil
}
