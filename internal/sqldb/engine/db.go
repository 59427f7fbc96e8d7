package engine

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// Options are the options of opening a database.
type Options struct {
	Create      bool             // create the database if there is none
	KeepDamaged bool             // open a damaged file too; every call returns the reason
	KeepSchema  bool             // refuse a missing or older schema; otherwise it is migrated
	Rand        io.Reader        // source of a new database's id; nil is crypto/rand
	Now         func() time.Time // the clock of an embedded engine; nil is time.Now
	Warn        func(string)     // tells the operator something while the database is open, from any goroutine; nil tells nobody
}

// DB is an open database. Its methods may be called from any goroutine, and other
// processes may have the same database open. Its errors come from Failed.
type DB struct{ engine Engine }

// New returns a DB on an open engine, which Close closes.
func New(engine Engine) *DB { return &DB{engine} }

// CheckVersion returns why a program that knows the schemas up to known cannot run on a
// database with schema has, or nil. A schema that is newer names the oldest program that
// may run on it: one that knows oldest.
func CheckVersion(name string, has, known, oldest int64) error {
	if has <= known || 0 < oldest && oldest <= known {
		return nil
	}
	return fmt.Errorf("%s was made by a newer gamedex (schema %d; this version supports %d); use that version, or restore a backup", name, has, known)
}

// OlderSchema returns the error for a database whose schema Options.KeepSchema keeps.
func OlderSchema(name string, has, known int64) error {
	return fmt.Errorf("%s has schema %d, and this gamedex needs %d: run gamedex migrate, or start with --migrate auto", name, has, known)
}

// SelectOldest reads the oldest schema that a program must know to run on this one.
const SelectOldest = "SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'oldest_schema'"

// DrawID draws the id of a new database.
func DrawID(random io.Reader) (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return "", fmt.Errorf("generate database id: %w", err)
	}
	return hex.EncodeToString(id[:]), nil
}

// The statements about the id of a database. InsertID keeps one that is there.
const (
	InsertID = "INSERT INTO meta (name, value) VALUES ('database_id', $1) ON CONFLICT (name) DO NOTHING"
	SelectID = "SELECT value FROM meta WHERE name = 'database_id'"
)

// Close closes the engine.
func (db *DB) Close() error { return db.engine.Close() }

// DatabaseID returns the id of this database: 32 characters drawn when it was
// created. Copies have the same id.
func (db *DB) DatabaseID() string { return db.engine.ID() }

// Epoch returns the text of an expression of type text, for any statement. While its
// value stays the same, so do stored rows and numbers that no transaction changes. A
// process that keeps something of the database in memory reads it anew if the epoch is
// another one: the database was restored, or a standby that lacks the last commits was
// promoted.
func (db *DB) Epoch() string {
	text, _ := db.engine.Epoch()
	return text
}

// EpochGap returns what the epoch lacks because the role may not ask for it; "" if it
// is complete.
func (db *DB) EpochGap() string {
	_, gap := db.engine.Epoch()
	return gap
}

// Failed wraps err with the name of the action. If the database is the reason, it adds
// which one and a remedy. It returns nil for a nil err.
func (db *DB) Failed(what string, err error) error { return Explain(what, err, db.engine.Remedy(err)) }

// Explain wraps err with the name of the action and with a remedy, unless they are
// "". It returns nil for a nil err.
func Explain(what string, err error, remedy string) error {
	for _, about := range []string{remedy, what} {
		if err != nil && about != "" {
			err = fmt.Errorf("%s: %w", about, err)
		}
	}
	return err
}

// An UnreachableError is the error of opening a database whose server does not answer
// now: it may do so later.
type UnreachableError struct{ Err error }

// Error returns the text of the engine's error.
func (e *UnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns the engine's error.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Write runs fn in a transaction, which is on disk when Write returns nil.
func (db *DB) Write(ctx context.Context, what string, fn func(*Tx) error) error {
	return db.Failed(what, db.engine.Write(ctx, func(c Conn) error { return fn(&Tx{c}) }))
}

// Exec runs one statement in a transaction and returns how many rows it changed.
func (db *DB) Exec(ctx context.Context, what, text string, args ...any) (changed int64, err error) {
	err = db.Write(ctx, what, func(t *Tx) error {
		changed, err = t.Exec(ctx, text, args...)
		return err
	})
	return changed, err
}

// Read runs fn in a reading transaction: on a consistent snapshot of the database. It may be
// long, because it does not block other readers and writers. If what is "", Read returns the
// error of fn unchanged, unless the database is the reason.
func (db *DB) Read(ctx context.Context, what string, fn func(Querier) error) error {
	return db.Failed(what, db.engine.Read(ctx, fn))
}

// Query calls row for each row of the result, outside any transaction.
func (db *DB) Query(ctx context.Context, what, text string, args []any, row func(Rows) error) error {
	return db.Failed(what, db.engine.Query(ctx, text, args, row))
}

// Querier runs queries outside any transaction. Their errors lack what Failed adds.
func (db *DB) Querier() Querier { return db.engine }

// List returns all rows of the result, each read by scan.
func List[T any](ctx context.Context, db *DB, what, text string, args []any, scan func(Rows, *T) error) ([]T, error) {
	list, err := ListIn(ctx, db.engine, text, args, scan)
	return list, db.Failed(what, err)
}

// ListIn is List in a transaction.
func ListIn[T any](ctx context.Context, q Querier, text string, args []any, scan func(Rows, *T) error) (list []T, err error) {
	err = q.Query(ctx, text, args, func(rows Rows) error {
		var v T
		err := scan(rows, &v)
		list = append(list, v)
		return err
	})
	return list, err
}

// FindRow reads the last row of the result into dest; found is false without one.
func (db *DB) FindRow(ctx context.Context, what, text string, args, dest []any) (found bool, err error) {
	found, err = FindIn(ctx, db.engine, text, args, dest...)
	return found, db.Failed(what, err)
}

// FindIn is FindRow in a transaction.
func FindIn(ctx context.Context, q Querier, text string, args []any, dest ...any) (found bool, err error) {
	err = q.Query(ctx, text, args, func(rows Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// Erase removes deleted rows from where the engine may still keep them, such as a
// log, as far as readers allow.
func (db *DB) Erase(ctx context.Context) error {
	return db.Failed("erase what was deleted", db.engine.Erase(ctx))
}

// Tx is a transaction that writes. It is for one goroutine, and valid until the
// function passed to Write returns.
type Tx struct{ Conn }

// FindRow is [FindIn].
func (t *Tx) FindRow(ctx context.Context, text string, args, dest []any) (found bool, err error) {
	return FindIn(ctx, t, text, args, dest...)
}

// InsertRow inserts one row and returns whether it inserted or changed one.
func (t *Tx) InsertRow(ctx context.Context, in *Insert, values ...any) (changed bool, err error) {
	n, err := t.InsertRows(ctx, in, 1, func(args []any, _ int) []any { return append(args, values...) })
	return n > 0, err
}

// RaiseCounter raises a counter by n and returns its new value. The counter stays
// locked until commit; see the package's order of locks.
func (t *Tx) RaiseCounter(ctx context.Context, counter string, n int) (value int64, err error) {
	found, err := t.FindRow(ctx, "UPDATE counter SET value = value + $1 WHERE name = $2 RETURNING value",
		[]any{n, counter}, []any{&value})
	if err == nil && !found {
		err = fmt.Errorf("counter %s is missing", counter)
	}
	return value, err
}

// MaxFaults is the number of faults after which Check stops.
const MaxFaults = 20

// Faults collects the faults of a database, one sentence each.
type Faults struct{ list []string }

// AddFault adds a sentence, up to MaxFaults.
func (f *Faults) AddFault(format string, args ...any) {
	if len(f.list) < MaxFaults {
		f.list = append(f.list, fmt.Sprintf(format, args...))
	}
}

// A Check reads a part of the database and adds its faults.
type Check func(context.Context, Querier, *Faults) error

// Check reads the whole database and returns its faults, at most MaxFaults sentences.
// It checks the engine's structure first, then runs checks. An error means that the
// check could not be completed.
func (db *DB) Check(ctx context.Context, checks ...Check) ([]string, error) {
	var faults Faults
	err := db.engine.Read(ctx, func(q Querier) error {
		if err := db.engine.CheckStructure(ctx, q, &faults); err != nil {
			return err
		}
		for _, check := range checks {
			if len(faults.list) >= MaxFaults {
				return nil
			}
			if err := check(ctx, q, &faults); err != nil {
				return err
			}
		}
		return nil
	})
	if damage := db.engine.Damage(err); damage != "" {
		faults.AddFault("%s", damage)
		return faults.list, nil
	}
	return faults.list, db.Failed("check database", err)
}
