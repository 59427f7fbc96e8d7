package sqldb

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// applicationID marks a file as ours, in the place that SQLite keeps for it.
const applicationID = 0x67616d78 // "gamx"

// smallFile is the size up to which a file is read through at every open; that
// takes a tenth of a second. Larger ones are read through by Check.
const smallFile = 16 << 20

// lockPath is the file that a process locks to make, migrate or write to a
// database.
func lockPath(path string) string { return path + ".lock" }

// prepare makes or checks the file, and brings its schema up to date.
func prepare(ctx context.Context, path string, opts Options) error {
	err := checkFile(path)
	if errors.Is(err, fs.ErrNotExist) && !opts.Create {
		return fmt.Errorf("there is none at %s yet; `gamedex import FILE` or `gamedex serve` makes one", path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		done, err := upToDate(ctx, path)
		if err != nil || done {
			return err
		}
	}
	return locked(ctx, lockPath(path), func() error {
		if err := create(ctx, path); err != nil {
			return err
		}
		return migrate(ctx, path, opts.Rand)
	})
}

// checkFile judges a file by its first hundred bytes and its size. An empty
// file, which a stopped start may leave, counts as none.
func checkFile(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !st.Mode().IsRegular(): // to open a pipe would wait for its other end
		return fmt.Errorf("%s is a pipe or a device; name a file", path)
	case st.Size() == 0:
		return fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var header [100]byte
	if _, err := io.ReadFull(f, header[:]); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return checkHeader(path, header[:], st.Size())
}

func checkHeader(path string, header []byte, size int64) error {
	const foreign = "; name another file with --database, or move this one away"
	if !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%s is not a gamedex database, nor any SQLite one%s", path, foreign)
	}
	if size < int64(len(header)) {
		return cutShort(path, size, int64(len(header)))
	}
	if binary.BigEndian.Uint32(header[68:]) != applicationID {
		return fmt.Errorf("%s is an SQLite database of another program%s", path, foreign)
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	whole := pageSize * int64(binary.BigEndian.Uint32(header[28:]))
	if size < whole && !hasLog(path) {
		return cutShort(path, size, whole)
	}
	return nil
}

func cutShort(path string, size, whole int64) error {
	return fmt.Errorf("%s is cut short: %d bytes instead of at least %d; put a backup in its place, or move it away and import again",
		path, size, whole)
}

// hasLog reports whether some of the database may still be in its log, so that
// the size of the file itself proves nothing.
func hasLog(path string) bool {
	st, err := os.Stat(path + "-wal")
	return err == nil && st.Size() > 0
}

// create makes an empty file of ours, unless there is one. It is made under
// another name and then given its own: a process that is killed meanwhile
// leaves nothing that looks like a database, or like that of another program.
func create(ctx context.Context, path string) error {
	if err := checkFile(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	unborn := path + ".new"
	for _, left := range []string{unborn, unborn + "-journal", unborn + "-wal", unborn + "-shm"} {
		if err := removeIfThere(left); err != nil {
			return err
		}
	}
	if err := mark(ctx, unborn); err != nil {
		return err
	}
	if err := os.Rename(unborn, path); err != nil {
		return err
	}
	return syncFolder(folder)
}

// mark makes a file with our mark in it. It has a log from the start: to give
// it one takes the whole file, for which SQLite does not wait, so that two who
// open a new database at once would fail each other.
func mark(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", fileURI(path)+"?mode=rw&_synchronous=FULL")
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA journal_mode = WAL", applicationID))
	return errors.Join(err, pool.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes a new name in a folder survive a power cut.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && runtime.GOOS != "windows" { // which cannot
		return errors.Join(err, d.Close())
	}
	return d.Close()
}

// quickCheck reads a small file through.
func quickCheck(ctx context.Context, pool *sql.DB, path string) error {
	st, err := os.Stat(path)
	if err != nil || st.Size() > smallFile {
		return err
	}
	var verdict string
	if err := pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		verdict = strings.Join(strings.Fields(verdict), " ")
		return fmt.Errorf("%s is damaged (%s); put a backup in its place, or move it away and import again", path, verdict)
	}
	return nil
}
