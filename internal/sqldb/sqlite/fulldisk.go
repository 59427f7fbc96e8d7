package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"gamedex/internal/sqldb/engine"
)

// pools are the connections to a file.
//
// SQLite keeps an index of the write-ahead log in a file beside the database. The
// first process that opens the database empties that file and grows it again, which
// fails on a full disk. A process that is alone, the only one that uses the database,
// keeps the index in memory instead: it reads everything that was committed, including
// what is only in the log, and writes as far as the disk allows. No other process can
// open the database meanwhile.
type pools struct {
	write, read *sql.DB
	alone       bool
}

func openPools(path string, alone bool) (p pools, err error) {
	p.alone = alone
	if p.write, err = connector(path, readWrite, alone, "_txlock=immediate", "_pragma=cache_size(-16384)"); err != nil {
		return pools{}, err
	}
	p.write.SetMaxOpenConns(1)
	p.write.SetMaxIdleConns(0) // close a returned connection instead of keeping it
	if p.read, err = connector(path, readWrite, alone, "_query_only=1", "_pragma=cache_size(-8192)"); err != nil {
		return pools{}, errors.Join(err, p.write.Close())
	}
	p.read.SetMaxOpenConns(maxReaders)
	p.read.SetMaxIdleConns(idleReader)
	return p, nil
}

func (p pools) close() error { return errors.Join(p.read.Close(), p.write.Close()) }

// isFull reports whether a file could not grow because the disk is full.
func isFull(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// Trouble returns why the database cannot be written: that it is damaged, the error of the last
// write, or that of opening it on a full disk. It returns nil if the last write succeeded, or
// failed for a reason other than the file.
func (db *DB) Trouble() error {
	if err := db.Unusable(); err != nil {
		return err
	}
	if err := db.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// note records the outcome of a write for Trouble.
func (db *DB) note(err error) {
	db.noteDamage(err)
	switch {
	case err == nil && !db.alone.Load():
		db.trouble.Store(nil)
	case cannotWrite(err):
		err = db.failed("write", err)
		db.trouble.Store(&err)
	}
}

// TryWrite writes to the database without changing it.
func (db *DB) TryWrite(ctx context.Context) error {
	return db.failed("try to write", db.Write(ctx, func(c engine.Conn) error {
		_, err := c.Exec(ctx, "INSERT INTO meta (name, value) VALUES ('tried', '') ON CONFLICT (name) DO NOTHING")
		if err == nil {
			_, err = c.Exec(ctx, "DELETE FROM meta WHERE name = 'tried'")
		}
		return err
	}))
}

// spare is the space in bytes that the index of the log needs, with a margin.
const spare = 256 << 10

// share lets other processes open the database again, if the disk has space and
// nothing uses the database now. Otherwise the next write tries again.
func (db *DB) share(ctx context.Context) {
	if !db.alone.Load() || !db.using.TryLock() {
		return
	}
	defer db.using.Unlock()
	if !db.pools.alone || !hasSpace(db.path+".space") {
		return
	}
	shared, err := openPools(db.path, false)
	if err != nil {
		return
	}
	// All connections must be closed before the next one is opened: the file is
	// locked until then.
	_ = errors.Join(db.writer.drop(), db.pools.close()) // they wrote nothing that is not on disk
	var tables int
	if err := shared.read.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); isFull(err) {
		_ = shared.close()
		if shared, err = openPools(db.path, true); err != nil {
			return // not possible: the same parameters were valid before
		}
	}
	db.pools, db.writer.pool = shared, shared.write
	db.alone.Store(shared.alone)
}

// hasSpace reports whether a file of the given name can grow to spare bytes. It
// removes the file.
func hasSpace(name string) bool {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	_, err = f.Write(make([]byte, spare))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(name)) == nil
}
