package sqldb

import (
	"context"
	"fmt"
	"io"
)

// Join makes this process one of those that work with the database for long.
// alone says that no other was there: the holder of any lease is dead. Close
// leaves.
func (db *DB) Join(ctx context.Context) (alone bool, leave io.Closer, err error) {
	lock := &fileLock{path: db.path + ".nodes.lock"}
	if alone, err = lock.try(); err == nil {
		// A moment between the two locks harms nobody: who takes the file for
		// itself in it finds no lease of this process yet.
		err = lock.share(ctx)
	}
	if err != nil {
		lock.close()
		return false, nil, fmt.Errorf("join %s: %w", db.path, err)
	}
	return alone, lock.f, nil
}

// share takes the lock together with others, as soon as nobody has it alone.
func (l *fileLock) share(ctx context.Context) error {
	for {
		if ok, err := shareFile(l.f); ok || err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}
