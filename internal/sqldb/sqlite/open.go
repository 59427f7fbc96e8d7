package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"gamedex/internal/sqldb/engine"
)

// DB is an open database, an engine of sqldb. Its methods may be called from any
// goroutine, and other processes may have the same file open.
type DB struct {
	path     string
	id       string
	now      func() time.Time
	writer   *writer
	compiled sync.Map     // of *statement, by text; it stays small, as texts are constants
	using    sync.RWMutex // held for reading while anything uses pools; see share
	pools    pools
	alone    atomic.Bool // pools.alone
	trouble  atomic.Pointer[error]
	unusable atomic.Pointer[error]
	opened   os.FileInfo  // of the file that was opened
	size     atomic.Int64 // that it had at least
}

// The pools of connections.
const (
	maxReaders = 8
	idleReader = 4
)

// Open opens the database in a file. It creates one and its folder only with
// opts.Create. It refuses a file that is not a complete gamedex database,
// and one that a newer version wrote. It migrates an older schema, which is safe
// when several processes start at once.
//
// On a full disk, Open opens a database with the current schema too, if no other
// process has it open: see Trouble. No other process can open it until a write finds
// space again. With opts.KeepDamaged it also opens a damaged database, see Unusable, without
// reading or writing any more.
func Open(ctx context.Context, file string, opts engine.Options) (*DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", file, err)
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	db := &DB{path: path, now: opts.Now}
	err = db.open(ctx, opts)
	switch {
	case isDamage(err) && opts.KeepDamaged:
		db.noteDamage(err)
	case err != nil:
		return nil, err
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, opts engine.Options) error {
	full, err := prepare(ctx, db.path, opts)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if db.opened, err = os.Stat(db.path); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if db.pools, err = openPools(db.path, full != nil); err != nil {
		return fmt.Errorf("open database %s: %w", db.path, err)
	}
	db.writer = newWriter(db.path, db.pools.write)
	db.alone.Store(db.pools.alone)
	db.note(full)
	err = db.Query(ctx, engine.SelectID, nil, func(rows engine.Rows) error { return rows.Scan(&db.id) })
	if err != nil {
		return errors.Join(db.failed("read database id", err), db.Close())
	}
	return nil
}

// Close closes the database. The last process to close it writes the log back into the file and
// removes it, but not those of a file that is damaged: its connections end with the process.
func (db *DB) Close() error {
	if db.Unusable() != nil {
		return nil
	}
	return errors.Join(db.pools.read.Close(), db.writer.close())
}

// Path returns the absolute path of the database file.
func (db *DB) Path() string { return db.path }

// ID implements engine.Engine.
func (db *DB) ID() string { return db.id }

// Epoch implements engine.Engine: what a file holds never goes back while it is open.
func (db *DB) Epoch() (text, gap string) {
	return "'" + strings.ReplaceAll(db.id, "'", "''") + "'", ""
}

// The modes of a connection. The last one to be closed writes the log back unless it only reads.
const (
	readOnly  = "ro"
	readWrite = "rw"
)

// connector opens a pool on an existing file. FULL syncs every commit to disk
// before it returns. Checkpoints are larger than the default, for imports, and
// truncate the log. Deleted rows are overwritten with zeros, so that no erased
// address stays in the file. alone is for a full disk: see pools.
func connector(path, mode string, alone bool, params ...string) (*sql.DB, error) {
	if alone {
		params = append(params, "vfs="+aloneVFS)
	}
	if mode == readWrite {
		params = append(params, "_journal_mode=WAL") // a file that was copied may be in another
	}
	c, err := sqlite.NewConnector(fileURI(path) + "?" + strings.Join(append([]string{
		"mode=" + mode, "_dqs=0", "_defensive=1", "_error_rc=1",
		"_busy_timeout=10000",
		"_synchronous=FULL",
		"_pragma=secure_delete(1)",
		"_pragma=wal_autocheckpoint(4000)",
		"_pragma=journal_size_limit(67108864)",
	}, params...), "&"))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(preparing{c}), nil
}

// fileURI returns the path as a URI, with its special characters escaped.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

// Remedy implements engine.Engine.
func (db *DB) Remedy(err error) string {
	if _, said := errors.AsType[*damaged](err); said {
		return ""
	}
	if remedy := remedy(err); remedy != "" {
		return "database " + db.path + " " + remedy
	}
	return ""
}

// failed is engine.DB.Failed for what other engines do not have.
func (db *DB) failed(what string, err error) error { return engine.Explain(what, err, db.Remedy(err)) }

// Damage implements engine.Engine.
func (db *DB) Damage(err error) string {
	if !isDamage(err) {
		return ""
	}
	return fmt.Sprintf("the file is damaged: %v", err)
}

// CheckStructure implements engine.Engine: it checks that pages, indexes and rows
// agree.
func (db *DB) CheckStructure(ctx context.Context, q engine.Querier, faults *engine.Faults) error {
	return q.Query(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", engine.MaxFaults), nil, func(rows engine.Rows) error {
		var verdict string
		err := rows.Scan(&verdict)
		if verdict != "ok" {
			faults.AddFault("the file is damaged: %s", verdict)
		}
		return err
	})
}

const inUse = "is in use: another process did not stop writing for 10 seconds; try again"

// code returns SQLite's primary code of an error; 0 if it has none.
func code(err error) int {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return 0
	}
	return e.Code() & 0xff
}

func isBusy(err error) bool { return code(err) == sqlite3.SQLITE_BUSY }

func isDamage(err error) bool {
	_, found := errors.AsType[*damaged](err)
	c := code(err)
	return found || c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// cannotWrite reports whether a write failed because of the file, and not because
// others have locked it.
func cannotWrite(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}

// remedy returns what is wrong with the database file and how to fix it. It returns
// "" if the error is not about the file.
func remedy(err error) string {
	if errors.Is(err, errWaited) {
		return inUse
	}
	if isFull(err) {
		return "cannot grow: the disk is full; free some space and try again"
	}
	switch code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "cannot be written: check the permissions of the file and its folder"
	case sqlite3.SQLITE_BUSY:
		return inUse
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return "is damaged: run `gamedex check`, then move it and the files beside it away, and put a backup in its place or import again"
	case sqlite3.SQLITE_IOERR:
		return "cannot be read or written: check the disk and its free space"
	}
	return ""
}
