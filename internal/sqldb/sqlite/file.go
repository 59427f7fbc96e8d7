package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pressly/goose/v3"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/upgrade"
)

// applicationID identifies a gamedex database, in SQLite's header field for it.
const applicationID = 0x67616d78 // "gamx"

// smallFile is the size up to which every open checks the whole file, which takes
// up to a tenth of a second. Larger files are checked by Check only.
const smallFile = 16 << 20

// lockPath returns the name of the file that a process locks to create, migrate or
// write to a database.
func lockPath(path string) string { return path + ".lock" }

// prepare creates or checks the file, and migrates its schema. full is the error of a
// full disk, if the file can be opened alone in spite of it.
func prepare(ctx context.Context, path string, opts engine.Options) (full, err error) {
	err = checkFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !opts.Create && opts.KeepDamaged:
		return nil, &damaged{path, "is missing, although there are snapshots of it", putBack(path)}
	case errors.Is(err, fs.ErrNotExist) && !opts.Create:
		return nil, fmt.Errorf("there is no database at %s; create it with `gamedex import FILE`, `gamedex serve` or `gamedex migrate`, or name the folder that has one with --data-dir (an installed service has /var/lib/gamedex)", path)
	case errors.Is(err, fs.ErrNotExist) && opts.KeepSchema:
		return nil, missing(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		done, err := upToDate(ctx, path, false, opts.KeepSchema)
		if isFull(err) && aloneVFS != "" {
			if done, _ := upToDate(ctx, path, true, opts.KeepSchema); done {
				return err, nil
			}
		}
		if isBusy(err) && !hasSpace(path+".probe") {
			return nil, fmt.Errorf("%s is open in another process, which cannot share it while the disk is full; free some space and try again", path)
		}
		if err != nil || done {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock := &fileLock{path: lockPath(path)}
	if err := lock.acquire(ctx, false); err != nil {
		return nil, fmt.Errorf("wait for %s: %w", lock.path, err)
	}
	if err = create(ctx, path); err == nil {
		err = migrate(ctx, path, opts.Rand)
	}
	return nil, errors.Join(err, lock.close())
}

// missing returns the error for a database that is not there, if none may be made.
func missing(path string) error {
	return fmt.Errorf("there is no database at %s; create it with gamedex migrate, or start with --migrate auto", path)
}

// checkFile checks the header and the size of a file. An empty file, which an
// interrupted start may leave, counts as none.
func checkFile(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !st.Mode().IsRegular(): // opening a pipe would wait for its other end
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
	const foreign = "; name another file with --database, or move this one away"
	if !bytes.HasPrefix(header[:], []byte("SQLite format 3\x00")) {
		return &damaged{path, "is not an SQLite database", foreign}
	}
	if st.Size() < int64(len(header)) {
		return cutShort(path, st.Size(), int64(len(header)))
	}
	if binary.BigEndian.Uint32(header[68:]) != applicationID {
		return fmt.Errorf("%s is an SQLite database of another program%s", path, foreign)
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	whole := pageSize * int64(binary.BigEndian.Uint32(header[28:]))
	log, err := os.Stat(path + "-wal")
	logged := err == nil && log.Size() > 0 // some pages may be in the log only, so the file may be shorter
	if st.Size() < whole && !logged {
		return cutShort(path, st.Size(), whole)
	}
	return nil
}

func cutShort(path string, size, whole int64) error {
	return &damaged{path, fmt.Sprintf("is truncated: it has %d bytes, not at least %d", size, whole), putBack(path)}
}

// create creates an empty database file, unless there is one. It creates the file
// under another name and renames it, so that a killed process does not leave an
// incomplete database.
//
// The file is in WAL mode from the start. SQLite needs exclusive access to
// change the mode and does not wait for it, so two processes that open a new
// database at once would make each other fail.
func create(ctx context.Context, path string) error {
	if err := checkFile(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part := path + ".new"
	for _, left := range []string{part, part + "-journal", part + "-wal", part + "-shm"} {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", fileURI(part)+"?mode=rw&_synchronous=FULL")
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA journal_mode = WAL", applicationID))
	if err := errors.Join(err, pool.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	// Sync the folder, so that the new name survives a power cut.
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := folder.Sync(); err != nil && runtime.GOOS != "windows" { // Windows cannot sync a folder
		return errors.Join(err, folder.Close())
	}
	return folder.Close()
}

//go:embed migrations/*.sql
var migrations embed.FS

// upToDate reports whether a database has at least the current schema, and its id, which
// migrate inserts last. It refuses a damaged file, one that a newer version wrote and
// this one cannot run on, and with keep an older schema.
func upToDate(ctx context.Context, path string, alone, keep bool) (done bool, err error) {
	mode := readOnly
	if alone { // which SQLite grants to a writer only
		mode = readWrite
	}
	err = withPool(path, mode, alone, func(pool *sql.DB) error {
		if err := quickCheck(ctx, path, pool); err != nil {
			return err
		}
		var tables int
		err = pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = $1", upgrade.SchemaTable).Scan(&tables)
		switch {
		case err == nil && tables == 0 && keep:
			return missing(path)
		case err != nil || tables == 0:
			return err
		}
		provider, err := upgrade.NewProvider(goose.DialectSQLite3, pool, migrations)
		if err != nil {
			return err
		}
		has, want, err := provider.GetVersions(ctx)
		switch {
		case err != nil:
			return err
		case has < want && keep:
			return engine.OlderSchema(path, has, want)
		case has < want:
			return nil
		case has > want:
			var oldest int64
			if err := pool.QueryRowContext(ctx, engine.SelectOldest).Scan(&oldest); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if err := engine.CheckVersion(path, has, want, oldest); err != nil {
				return err
			}
		}
		return pool.QueryRowContext(ctx, "SELECT count(*) > 0 FROM meta WHERE name = 'database_id'").Scan(&done)
	})
	return done, err
}

// migrate applies the missing migrations and generates the id of a new database.
// The caller holds the lock.
func migrate(ctx context.Context, path string, random io.Reader) error {
	return withPool(path, readWrite, false, func(pool *sql.DB) error {
		provider, err := upgrade.NewProvider(goose.DialectSQLite3, pool, migrations)
		if err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate %s: %w", path, err)
		}
		id, err := engine.DrawID(random)
		if err != nil {
			return err
		}
		_, err = pool.ExecContext(ctx, engine.InsertID, id)
		return err
	})
}

// withPool runs fn with a separate pool; an error about the file names it.
func withPool(path, mode string, alone bool, fn func(*sql.DB) error) error {
	pool, err := connector(path, mode, alone, "_txlock=immediate")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = fn(pool)
	if remedy := remedy(err); remedy != "" {
		err = fmt.Errorf("%s %s: %w", path, remedy, err)
	}
	return errors.Join(err, pool.Close())
}

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
	if err := db.Unusable(); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	db.using.RLock()
	defer db.using.RUnlock()
	pool, err := connector(db.path, readWrite, db.pools.alone) // the reading pool may not write any file
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
