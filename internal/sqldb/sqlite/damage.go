package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"modernc.org/sqlite"
)

// damaged is the error of a file that is damaged or gone.
type damaged struct {
	path, cause string // cause continues path: "is truncated"
	remedy      string
}

// Error says how, and what to do.
func (d *damaged) Error() string { return d.path + " " + d.cause + d.remedy }

// putBack is what to do about a damaged file. What is beside it belongs to it: SQLite would write an
// old log into a backup.
func putBack(path string) string {
	return fmt.Sprintf("; move all files %s* away, and put a backup in its place or import again", path)
}

// Unusable returns how the file is damaged, as far as was noticed; nil: it is not. From then on nothing
// is read from it, because that may be wrong, or written to it, because that may harm more:
// all calls return this error.
func (db *DB) Unusable() error {
	if err := db.unusable.Load(); err != nil {
		return *err
	}
	return nil
}

// noteDamage makes the file unusable if err says that it is damaged.
func (db *DB) noteDamage(err error) {
	if !isDamage(err) {
		return
	}
	var cause string
	if found, ok := errors.AsType[*damaged](err); ok {
		cause = found.cause
	} else if said, ok := errors.AsType[*sqlite.Error](err); ok {
		cause = "is damaged: " + said.Error()
	}
	err = &damaged{"database " + db.path, cause, fmt.Sprintf("; this process no longer reads or writes it:"+
		" stop it, move all files %s* away, and put a backup in its place (doc/operations/backup.md) or import again", db.path)}
	db.unusable.CompareAndSwap(nil, &err)
}

// CheckFile looks for damage: whether the file is the one that was opened, has all its
// pages, and can be read; all of a small one. It returns what Unusable does then. It is for one goroutine.
func (db *DB) CheckFile(ctx context.Context) error {
	if err := db.Unusable(); err != nil || db.alone.Load() { // nobody else can open it if alone
		return err
	}
	err := db.replaced()
	if err == nil {
		err = withPool(db.path, readOnly, false, func(pool *sql.DB) error {
			if err := quickCheck(ctx, db.path, pool); err != nil {
				return err
			}
			var tables int
			return pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
		})
	}
	db.noteDamage(err) // other errors are those of who uses the file
	return db.Unusable()
}

// replaced returns an error if the file was removed, replaced or cut since it was opened.
func (db *DB) replaced() error {
	st, err := os.Stat(db.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &damaged{db.path, "was removed", putBack(db.path)}
	case err != nil:
		return nil // whoever uses it next reports the error
	case !os.SameFile(st, db.opened):
		return &damaged{db.path, "was replaced by another file", putBack(db.path)}
	}
	for {
		had := db.size.Load()
		if st.Size() < had {
			return cutShort(db.path, st.Size(), had) // it never shrinks
		}
		if db.size.CompareAndSwap(had, st.Size()) {
			return nil
		}
	}
}

// quickCheck checks the pages of a file that is small.
func quickCheck(ctx context.Context, path string, pool *sql.DB) error {
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
		return &damaged{path, "is damaged (" + verdict + ")", putBack(path)}
	}
	return nil
}
