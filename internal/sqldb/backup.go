package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a copy of the database, as of one moment, into a new file that
// only its owner can read. Others go on reading and writing. It refuses a file
// that exists, and leaves none behind when it fails.
func (db *DB) Backup(ctx context.Context, file string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s exists already; name another file", file)
		}
		return fmt.Errorf("back up: %w", err)
	}
	// In a folder of its own, so that nobody else can open the copy before it
	// is whole and closed to others.
	dir, err := os.MkdirTemp(filepath.Dir(file), ".backup-*")
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "part")
	if err := db.copyInto(ctx, part); err != nil {
		return db.Failed("back up", err)
	}
	if err := settle(part, file); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return nil
}

// copyInto writes the copy over a connection of its own: those that read may
// not write any file.
func (db *DB) copyInto(ctx context.Context, part string) error {
	pool, err := connector(db.path)
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO $1", part)
	return errors.Join(err, pool.Close())
}

// settle brings a finished file to disk and gives it its name, unless the name
// has been taken meanwhile.
func settle(part, file string) error {
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
