package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"modernc.org/sqlite"
)

// Options says how a database is opened.
type Options struct {
	// Create makes the database, and its folder, if there is none.
	Create bool
	// Rand is where a new database draws its id from; nil is crypto/rand.
	Rand io.Reader
}

// DB is the database. Its methods may be called from any goroutine, and other
// processes may have the same file open. Their errors say what was tried and,
// where the file is the reason, name it and the way out.
type DB struct {
	path   string
	id     string
	writer *writer
	reader *sql.DB
}

// The pools of connections.
const (
	maxReaders = 8
	idleReader = 4
)

// Open opens the database that dsn names: "sqlite:PATH". It makes one only
// with Create; it refuses a file that is not a whole gamedex database, and one
// that a newer version made. An older schema is brought up to date, which is
// safe when several processes start at once.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	path, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	if err := prepare(ctx, path, opts); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db, err := openPools(path)
	if err != nil {
		return nil, err
	}
	if db.id, err = db.databaseID(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func openPools(path string) (*DB, error) {
	write, err := connector(path, "_txlock=immediate", "_pragma=cache_size(-65536)")
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	read, err := connector(path, "_query_only=1", "_pragma=cache_size(-8192)")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), write.Close())
	}
	read.SetMaxOpenConns(maxReaders)
	read.SetMaxIdleConns(idleReader)
	return &DB{path: path, writer: newWriter(write, &fileLock{path: lockPath(path)}), reader: read}, nil
}

// Close ends all work; the last process to close leaves one file behind.
func (db *DB) Close() error {
	return errors.Join(db.reader.Close(), db.writer.close())
}

// Path is the database file, absolute.
func (db *DB) Path() string { return db.path }

// DatabaseID tells this database from every other: 32 characters drawn when it
// was made. A copy has it too.
func (db *DB) DatabaseID() string { return db.id }

func (db *DB) databaseID(ctx context.Context) (string, error) {
	var id string
	_, err := db.FindRow(ctx, "read database id", "SELECT value FROM meta WHERE name = 'database_id'", nil, []any{&id})
	return id, err
}

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

// connector opens a pool on an existing file. FULL puts every commit on disk
// before it returns. The log is written back in larger steps than usual, for
// imports, and cut afterwards. What is deleted is written over with zeros: the
// file keeps nobody's address that it was told to forget.
func connector(path string, params ...string) (*sql.DB, error) {
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

// fileURI writes the path so that no character of it is taken for syntax.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

func newDatabaseID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw database id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
