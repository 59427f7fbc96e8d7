package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"gamedex/internal/sqldb/engine"
)

// DB is an open database, an engine of sqldb. Its methods may be called from any
// goroutine, and other processes may have the same file open.
type DB struct {
	path     string
	id       string
	now      func() time.Time
	writer   *writer
	compiled statements
	using    sync.RWMutex // held for reading while anything uses pools; see share
	pools    pools
	alone    atomic.Bool // pools.alone
	trouble  atomic.Pointer[error]
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
// space again.
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
	full, err := prepare(ctx, path, opts)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	opened, err := openPools(path, full != nil)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db := &DB{path: path, now: opts.Now, writer: newWriter(path, opened.write), pools: opened}
	db.alone.Store(opened.alone)
	db.note(full)
	err = db.Query(ctx, engine.SelectID, nil, func(rows engine.Rows) error { return rows.Scan(&db.id) })
	if err != nil {
		return nil, errors.Join(db.failed("read database id", err), db.Close())
	}
	return db, nil
}

// Close closes the database. The last process to close it removes the log.
func (db *DB) Close() error {
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

// connector opens a pool on an existing file. FULL syncs every commit to disk
// before it returns. Checkpoints are larger than the default, for imports, and
// truncate the log. Deleted rows are overwritten with zeros, so that no erased
// address stays in the file. alone is for a full disk: see pools.
func connector(path string, alone bool, params ...string) (*sql.DB, error) {
	if alone {
		params = append(params, "vfs="+aloneVFS)
	}
	c, err := sqlite.NewConnector(fileURI(path) + "?" + strings.Join(append([]string{
		"mode=rw", "_dqs=0", "_defensive=1", "_error_rc=1",
		"_busy_timeout=10000",
		"_journal_mode=WAL",
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
