package nodes

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
)

const leaseColumns = "name, holder, until, token, due_at, cursor, attempts, last_error"

// claimLease is one statement, so that one of several simultaneous claims wins.
const claimLease = `INSERT INTO lease (` + leaseColumns + `) VALUES ($1, $2, $3, 1, 0, '', 0, '')
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, token = lease.token + 1
	WHERE lease.until <= $4 AND lease.due_at <= $4
	RETURNING ` + leaseColumns

// Claim implements [lease.Repository], by the database's clock.
func (repo *Repository) Claim(ctx context.Context, name, holder string, ttl time.Duration) (l lease.Lease, ok bool, err error) {
	err = repo.db.Write(ctx, "claim lease "+name, func(t *engine.Tx) error {
		now, err := t.Now(ctx)
		if err == nil {
			ok, err = t.FindRow(ctx, claimLease, []any{name, holder, now + ttl.Milliseconds(), now}, leaseFields(&l))
		}
		return err
	})
	return l, ok && err == nil, err
}

// ifHeld is the condition that a lease is still held as its holder knows it. The token
// alone does not show that: a standby that is promoted without the claim of one process
// gives the same token to the next.
const ifHeld = " WHERE name = $1 AND token = $2 AND holder = $3 AND holder <> ''"

// Renew implements [lease.Repository], by the database's clock.
func (repo *Repository) Renew(ctx context.Context, l lease.Lease, ttl time.Duration) (ok bool, err error) {
	const text = "UPDATE lease SET until = $4, cursor = $5" + ifHeld
	err = repo.db.Write(ctx, "renew lease "+l.Name, func(t *engine.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		changed, err := t.Exec(ctx, text, l.Name, l.Token, l.Holder, now+ttl.Milliseconds(), l.Cursor)
		ok = changed > 0
		return err
	})
	return ok && err == nil, err
}

// Release implements [lease.Repository], and calls Released if the lease was held.
func (repo *Repository) Release(ctx context.Context, l lease.Lease) (ok bool, err error) {
	err = repo.db.Write(ctx, "release lease "+l.Name, func(t *engine.Tx) error {
		changed, err := t.Exec(ctx, "UPDATE lease SET holder = '', until = 0, due_at = $4, cursor = $5, attempts = $6, last_error = $7"+ifHeld,
			l.Name, l.Token, l.Holder, l.DueAt, l.Cursor, l.Attempts, l.LastError)
		if ok = changed > 0; err != nil || !ok {
			return err
		}
		return repo.Released(ctx, t, l.Name)
	})
	return ok && err == nil, err
}

const lockLeases = "SELECT name, token, holder FROM lease WHERE name = ANY($1) ORDER BY name FOR UPDATE"

// CheckHeld wraps lease.ErrLost if l is no longer held. It locks the rows of l and of
// the other leases that the transaction may change, so that l stays held until commit.
func CheckHeld(ctx context.Context, t *engine.Tx, l lease.Lease, others ...string) error {
	names := append([]string{l.Name}, others...)
	slices.Sort(names)
	held := false
	err := t.Query(ctx, lockLeases, []any{slices.Compact(names)}, func(rows engine.Rows) error {
		var stored lease.Lease
		err := rows.Scan(&stored.Name, &stored.Token, &stored.Holder)
		held = held || stored.Name == l.Name && stored.Token == l.Token && stored.Holder == l.Holder && l.Holder != ""
		return err
	})
	if err == nil && !held {
		err = fmt.Errorf("%s: %w", l.Name, lease.ErrLost)
	}
	return err
}

// ReadLeases returns the leases whose names begin with prefix, by name.
func ReadLeases(ctx context.Context, q engine.Querier, prefix string) (map[string]lease.Lease, error) {
	found := map[string]lease.Lease{}
	const text = "SELECT " + leaseColumns + " FROM lease WHERE name >= $1 AND name < $2"
	err := q.Query(ctx, text, []any{prefix, prefix + "\U0010ffff"}, func(rows engine.Rows) error {
		var l lease.Lease
		err := rows.Scan(leaseFields(&l)...)
		found[l.Name] = l
		return err
	})
	return found, err
}

// ReleaseAll releases every lease and removes every node. Only a process that uses the
// database alone may call it (see Join): then the holder of any lease was killed, or uses
// the original of a copied database.
func (repo *Repository) ReleaseAll(ctx context.Context) error {
	return repo.db.Write(ctx, "release all leases", func(t *engine.Tx) error {
		_, err := t.Exec(ctx, "UPDATE lease SET holder = '', until = 0 WHERE holder <> ''")
		if err == nil {
			_, err = t.Exec(ctx, "DELETE FROM node")
		}
		return err
	})
}

// FindLease implements [lease.Repository].
func (repo *Repository) FindLease(ctx context.Context, name string) (l lease.Lease, found bool, err error) {
	found, err = repo.db.FindRow(ctx, "find lease "+name, "SELECT "+leaseColumns+" FROM lease WHERE name = $1",
		[]any{name}, leaseFields(&l))
	return l, found, err
}

// leaseFields returns the destinations of leaseColumns.
func leaseFields(l *lease.Lease) []any {
	return []any{&l.Name, &l.Holder, &l.Until, &l.Token, &l.DueAt, &l.Cursor, &l.Attempts, &l.LastError}
}

// The marks of running imports are rows without a holder, one for each import.
const (
	loadingMark  = "loading/" // and the import's own name
	loadingMarks = "name >= 'loading/' AND name < 'loading0'"
)

// MarkLoading records that an import runs until a time (Unix
// milliseconds), so that a builder waits for its end. The import renews its mark
// while it runs and deletes it at the end. The mark of a killed import expires, and
// the next call deletes it.
func (repo *Repository) MarkLoading(ctx context.Context, name string, now, until int64) error {
	return repo.db.Write(ctx, "mark loading", func(t *engine.Tx) error {
		// Several imports delete the same marks.
		if err := t.Lock(ctx, "lease/"+loadingMark); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM lease WHERE "+loadingMarks+" AND until < $1", now); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `INSERT INTO lease (`+leaseColumns+`) VALUES ($1, '', $2, 0, 0, '', 0, '')
			ON CONFLICT (name) DO UPDATE SET until = excluded.until`, loadingMark+name, until)
		return err
	})
}

// EndLoading deletes an import's mark.
func (repo *Repository) EndLoading(ctx context.Context, name string) error {
	_, err := repo.db.Exec(ctx, "end loading", "DELETE FROM lease WHERE name = $1", loadingMark+name)
	return err
}

// An import renews its mark every loadingEvery.
const (
	loadingLasts = 10 * time.Second
	loadingEvery = 3 * time.Second
)

// KeepLoading renews the mark of an import until the returned function is called, which
// deletes it. It ignores errors and reports none: without a mark the builder only builds more
// often during the import, and a mark that is not deleted expires.
func (repo *Repository) KeepLoading(ctx context.Context, name string, now func() time.Time) (done func()) {
	mark := func() {
		at := now()
		_ = repo.MarkLoading(ctx, name, at.UnixMilli(), at.Add(loadingLasts).UnixMilli()) // the import does not need it
	}
	mark() // before the first batch is stored
	stop := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(loadingEvery):
				mark()
			}
		}
	})
	return func() {
		close(stop)
		renewing.Wait()
		_ = repo.EndLoading(context.WithoutCancel(ctx), name) // otherwise it expires
	}
}

// LoadingUntil returns the latest time until which an import is marked as
// running; 0 without any mark.
func (repo *Repository) LoadingUntil(ctx context.Context) (until int64, err error) {
	_, err = repo.db.FindRow(ctx, "read loading marks", "SELECT COALESCE(MAX(until), 0) FROM lease WHERE "+loadingMarks, nil, []any{&until})
	return until, err
}
