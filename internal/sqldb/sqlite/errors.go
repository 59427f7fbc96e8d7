package sqlite

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"gamedex/internal/sqldb/engine"
)

// Remedy implements engine.Engine.
func (db *DB) Remedy(err error) string {
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
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
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
		return "is damaged: run `gamedex check`, then put a backup in its place, or move the file away and import again"
	case sqlite3.SQLITE_IOERR:
		return "cannot be read or written: check the disk and its free space"
	}
	return ""
}
