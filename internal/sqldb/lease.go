package sqldb

import (
	"context"
	"database/sql"

	"gamedex/internal/lease"
)

const leaseColumns = "name, holder, until, token, due_at, cursor, attempts, last_error"

// claimLease is one statement, so that of all who try at once one wins. Its
// condition is lease.Lease.Claimable.
const claimLease = `INSERT INTO lease (` + leaseColumns + `) VALUES ($1, $2, $3, 1, 0, '', 0, '')
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, token = lease.token + 1
	WHERE lease.until <= $4 AND lease.due_at <= $4
	RETURNING ` + leaseColumns

// Claim gives name to holder until the given moment, if it is claimable at now;
// see lease.Store.
func (db *DB) Claim(ctx context.Context, name, holder string, now, until int64) (l lease.Lease, ok bool, err error) {
	err = db.write(ctx, "claim lease "+name, func(t *tx) error {
		return t.query(ctx, claimLease, []any{name, holder, until, now}, func(rows *sql.Rows) error {
			ok = true
			return scanLease(rows, &l)
		})
	})
	return l, ok && err == nil, err
}

// Renew sets Until and Cursor, if the lease is still held with l's token.
func (db *DB) Renew(ctx context.Context, l lease.Lease) (ok bool, err error) {
	err = db.write(ctx, "renew lease "+l.Name, func(t *tx) error {
		ok, err = t.affects(ctx, "UPDATE lease SET until = $1, cursor = $2 WHERE name = $3 AND token = $4 AND holder <> ''",
			l.Until, l.Cursor, l.Name, l.Token)
		return err
	})
	return ok && err == nil, err
}

// Release stores l, if the lease is still held with l's token. The lease of a
// scope that did not fail is due no later than the first of its items.
func (db *DB) Release(ctx context.Context, l lease.Lease) (ok bool, err error) {
	err = db.write(ctx, "release lease "+l.Name, func(t *tx) error {
		ok, err = t.affects(ctx, `UPDATE lease SET holder = $1, until = $2, due_at = $3, cursor = $4, attempts = $5,
			last_error = $6 WHERE name = $7 AND token = $8 AND holder <> ''`,
			l.Holder, l.Until, l.DueAt, l.Cursor, l.Attempts, l.LastError, l.Name, l.Token)
		if err != nil || !ok {
			return err
		}
		return t.dueWithItems(ctx, l.Name)
	})
	return ok && err == nil, err
}

// ReleaseAll takes every lease from its holder, as of a run that was killed or
// of the original of a copied database. It is for whoever knows that no other
// process works with this one: see LockCounters.
func (db *DB) ReleaseAll(ctx context.Context) error {
	return db.write(ctx, "release all leases", func(t *tx) error {
		_, err := t.exec(ctx, "UPDATE lease SET holder = '', until = 0 WHERE holder <> ''")
		return err
	})
}

// FindLease gives a lease as it stands, held or not; found is false if nobody
// ever claimed it.
func (db *DB) FindLease(ctx context.Context, name string) (l lease.Lease, found bool, err error) {
	err = db.query(ctx, "find lease "+name, "SELECT "+leaseColumns+" FROM lease WHERE name = $1", []any{name},
		func(rows *sql.Rows) error {
			found = true
			return scanLease(rows, &l)
		})
	return l, found, err
}

func scanLease(rows *sql.Rows, l *lease.Lease) error {
	return rows.Scan(&l.Name, &l.Holder, &l.Until, &l.Token, &l.DueAt, &l.Cursor, &l.Attempts, &l.LastError)
}

// The marks of imports at work are rows that nobody holds, one for each import.
const (
	loadingMark  = "loading/" // and the import's own name
	loadingMarks = "name >= 'loading/' AND name < 'loading0'"
)

// MarkLoading says that an import is at work until the given moment (Unix
// milliseconds), so that a builder waits for the rest. The import moves its
// mark on while it runs and takes it back at its end; that of one that was
// killed lapses, and is gone with the next mark after now.
func (db *DB) MarkLoading(ctx context.Context, name string, now, until int64) error {
	return db.write(ctx, "mark loading", func(t *tx) error {
		if _, err := t.exec(ctx, "DELETE FROM lease WHERE "+loadingMarks+" AND until < $1", now); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO lease (`+leaseColumns+`) VALUES ($1, '', $2, 0, 0, '', 0, '')
			ON CONFLICT (name) DO UPDATE SET until = excluded.until`, loadingMark+name, until)
		return err
	})
}

// EndLoading takes an import's mark back.
func (db *DB) EndLoading(ctx context.Context, name string) error {
	return db.write(ctx, "end loading", func(t *tx) error {
		_, err := t.exec(ctx, "DELETE FROM lease WHERE name = $1", loadingMark+name)
		return err
	})
}

// LoadingUntil is the latest moment to which any import is at work; 0 if none
// is.
func (db *DB) LoadingUntil(ctx context.Context) (int64, error) {
	var until int64
	_, err := db.find(ctx, "read loading marks", "SELECT COALESCE(MAX(until), 0) FROM lease WHERE "+loadingMarks, nil, []any{&until})
	return until, err
}
