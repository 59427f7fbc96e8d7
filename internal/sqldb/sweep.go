package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
)

// allSweeps counts what is to be read in three ranges of an index: what is
// due, what was put off, and what was read but not by the sweep under way.
const allSweeps = `SELECT platform, region, kind, regions, active, interval_ms, began_at, cursor, torn,
	completed_at, collected_at, failed, requests, parts, doubtful, withdrawn, held_back,
	(SELECT COUNT(*) FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at <= $1) +
	(SELECT COUNT(*) FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at > $1 AND i.due_at < $2 AND i.read_at < s.began_at) +
	(SELECT COUNT(*) FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at = $2 AND i.read_at < s.began_at)
	FROM sweep s ORDER BY platform, region, kind`

// Sweeps gives every job and how its sweeps stand at now, by platform, region
// and kind.
func (db *DB) Sweeps(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	var list []sweep.State
	err := db.Read(ctx, func(r *Reading) error {
		leases, err := r.leases()
		if err != nil {
			return err
		}
		return r.query(allSweeps, []any{int64(now), notDue}, func(rows *sql.Rows) error {
			s, err := scanSweep(rows)
			l := leases[leaseName(s.Scope)]
			s.DueAt, s.Attempts, s.LastError = catalog.Millis(l.DueAt), l.Attempts, l.LastError
			if until := catalog.Millis(l.Until); until > now {
				s.RunBy, s.RunUntil = l.Holder, until
			}
			list = append(list, s)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read sweeps: %w", err)
	}
	return list, nil
}

// leases gives those of all scopes by name.
func (r *Reading) leases() (map[string]lease.Lease, error) {
	found := map[string]lease.Lease{}
	const text = "SELECT " + leaseColumns + " FROM lease WHERE name >= 'collect/' AND name < 'collect0'"
	err := r.query(text, nil, func(rows *sql.Rows) error {
		var l lease.Lease
		err := scanLease(rows, &l)
		found[l.Name] = l
		return err
	})
	return found, err
}

func scanSweep(rows *sql.Rows) (s sweep.State, err error) {
	var region sql.RawBytes
	var regions string
	err = rows.Scan(&s.Scope.Platform, &region, &s.Scope.Kind, &regions, &s.Active, &s.Interval, &s.Began, &s.Cursor, &s.Interrupted,
		&s.Completed, &s.Collected, &s.Failed, &s.Requests, &s.Parts, &s.Doubtful, &s.Withdrawn, &s.HeldBack, &s.Pending)
	copy(s.Scope.Region[:], region)
	s.Regions = splitRegions(regions)
	return s, err
}

// whereScope chooses a scope by the first three placeholders.
const whereScope = " WHERE platform = $1 AND region = $2 AND kind = $3"

// BeginSweep begins a sweep from the start, at the given moment; one that was
// under way is given up. It wraps lease.ErrLost if l is not held any more, or
// the job is gone; so do the other methods of a sweep.
func (db *DB) BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error {
	return db.changeSweep(ctx, "begin", l, s, `UPDATE sweep SET began_at = $4, cursor = '', torn = 0,
		requests = 0, parts = 0, doubtful = 0, withdrawn = 0`+whereScope, int64(at))
}

// FailSweep says that the sweep cannot go on for now. How far it is stays.
func (db *DB) FailSweep(ctx context.Context, l lease.Lease, s sweep.Scope) error {
	return db.changeSweep(ctx, "fail", l, s, "UPDATE sweep SET failed = 1"+whereScope)
}

func (db *DB) changeSweep(ctx context.Context, what string, l lease.Lease, s sweep.Scope, text string, args ...any) error {
	return db.write(ctx, what+" sweep of "+s.String(), func(t *tx) error {
		if err := t.fence(ctx, l, s); err != nil {
			return err
		}
		return t.setSweep(ctx, s, text, args...)
	})
}

// setSweep changes the row of a scope, which is gone if the job is.
func (t *tx) setSweep(ctx context.Context, s sweep.Scope, text string, args ...any) error {
	ok, err := t.affects(ctx, text, append(scopeArgs(s), args...)...)
	if err == nil && !ok {
		err = fmt.Errorf("%s is not collected any more: %w", s, lease.ErrLost)
	}
	return err
}

// fence lets only the holder of the scope's lease go on. The write lock keeps
// it the holder until commit.
func (t *tx) fence(ctx context.Context, l lease.Lease, s sweep.Scope) error {
	if l.Name != leaseName(s) {
		return fmt.Errorf("lease %q is not that of %s", l.Name, s)
	}
	var token int64
	found, err := t.find(ctx, "SELECT token FROM lease WHERE name = $1 AND token = $2 AND holder = $3 AND holder <> ''",
		[]any{l.Name, l.Token, l.Holder}, []any{&token})
	if err == nil && !found {
		err = fmt.Errorf("%s: %w", l.Name, lease.ErrLost)
	}
	return err
}
