package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// lockPoll is how often a lock that somebody has is tried again.
const lockPoll = time.Millisecond

// fileLock is a lock that processes share. Its file stays: if it were removed,
// who waits would get a lock that nobody else sees. The system frees the lock
// of a process that dies. It is made at its first use.
type fileLock struct {
	path string
	mu   sync.Mutex // guards f; held for one try, never while waiting
	f    *os.File
}

// acquire waits for the lock as long as ctx allows.
func (l *fileLock) acquire(ctx context.Context) error {
	for {
		if ok, err := l.try(); ok || err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// try takes the lock if nobody has it.
func (l *fileLock) try() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return false, err
		}
		l.f = f
	}
	ok, err := lockFile(l.f)
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

// close returns the lock back for good.
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

// pause waits a moment, unless ctx ends; then it gives the cause.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lockPoll):
		return nil
	}
}

// locked runs fn while this process alone has the lock.
func locked(ctx context.Context, path string, fn func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := &fileLock{path: path}
	if err := lock.acquire(ctx); err != nil {
		return fmt.Errorf("wait for %s: %w", path, err)
	}
	return errors.Join(fn(), lock.close())
}

// LockCounters claims, for this process, to count requests in memory beside
// this database; two such processes would each grant the whole limit. It fails
// if another process has the claim. Close gives it back.
func (db *DB) LockCounters() (io.Closer, error) {
	lock := &fileLock{path: db.path + ".counters.lock"}
	ok, err := lock.try()
	if err != nil {
		return nil, fmt.Errorf("lock counters: %w", err)
	}
	if !ok {
		lock.close()
		return nil, fmt.Errorf("another gamedex is already serving %s; stop it or use --data-dir", db.path)
	}
	return lock.f, nil
}
