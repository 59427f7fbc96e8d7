package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// Options are the options of Open.
type Options struct {
	Create bool      // create the database and its folder if there is none
	Rand   io.Reader // source of a new database's id; nil is crypto/rand
}

// DB is an open database. Its methods may be called from any goroutine, and other
// processes may have the same file open. Its errors come from Failed.
type DB struct {
	path    string
	id      string
	writer  *writer
	using   sync.RWMutex // held for reading while anything uses pools; see share
	pools   pools
	alone   atomic.Bool // pools.alone
	trouble atomic.Pointer[error]
}

// The pools of connections.
const (
	maxReaders = 8
	idleReader = 4
)

// Open opens the database that dsn names: "sqlite:PATH". It creates one only
// with opts.Create. It refuses a file that is not a complete gamedex database,
// and one that a newer version wrote. It migrates an older schema, which is safe
// when several processes start at once.
//
// On a full disk, Open opens a database with the current schema too, if no other
// process has it open: see Trouble. No other process can open it until a write finds
// space again.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	path, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	full, err := prepare(ctx, path, opts)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	opened, err := openPools(path, full != nil)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	w := &writer{pool: opened.write, gate: &fileLock{path: lockPath(path)}, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	db := &DB{path: path, writer: w, pools: opened}
	db.alone.Store(opened.alone)
	db.note(full)
	const selectID = "SELECT value FROM meta WHERE name = 'database_id'"
	if _, err := db.FindRow(ctx, "read database id", selectID, nil, []any{&db.id}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close closes the database. The last process to close it removes the log.
func (db *DB) Close() error {
	return errors.Join(db.pools.read.Close(), db.writer.close())
}

// Path returns the absolute path of the database file.
func (db *DB) Path() string { return db.path }

// DatabaseID returns the id of this database: 32 characters drawn when it was
// created. Copies have the same id.
func (db *DB) DatabaseID() string { return db.id }

func parseDSN(dsn string) (string, error) {
	scheme, rest, _ := strings.Cut(dsn, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		path, err := filepath.Abs(rest)
		if err != nil {
			return "", fmt.Errorf("database %s: %w", dsn, err)
		}
		return path, nil
	case scheme == "postgres" || scheme == "postgresql":
		return "", errors.New("this version keeps its listings in SQLite only; use sqlite:PATH")
	}
	return "", fmt.Errorf("database %q: want sqlite:PATH", dsn)
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
	return sql.OpenDB(c), nil
}

// fileURI returns the path as a URI, with its special characters escaped.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}
