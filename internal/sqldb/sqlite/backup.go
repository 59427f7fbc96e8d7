package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of the database into a new file that only its
// owner can read. Readers and writers continue meanwhile. Backup refuses a file
// that exists, and leaves no file behind if it fails.
func (db *DB) Backup(ctx context.Context, file string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s exists already; name another file", file)
		}
		return fmt.Errorf("back up: %w", err)
	}
	// The copy is made in a private folder: nobody else can open it before it
	// is complete and its permissions are set.
	dir, err := os.MkdirTemp(filepath.Dir(file), ".backup-*")
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "part")
	db.using.RLock()
	defer db.using.RUnlock()
	pool, err := connector(db.path, db.pools.alone) // the reading pool may not write any file
	if err == nil {
		_, err = pool.ExecContext(ctx, "VACUUM INTO $1", part)
		err = errors.Join(err, pool.Close())
	}
	if err != nil {
		return db.failed("back up", err)
	}
	if err := publishCopy(part, file); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return nil
}

// publishCopy syncs a finished copy to disk and renames it, unless the name has
// been taken meanwhile.
func publishCopy(part, file string) error {
	if err := os.Chmod(part, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	reserved, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), os.Rename(part, file)); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}
