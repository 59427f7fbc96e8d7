package sweeps

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/nodes"
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

// Sweeps returns every job and how its sweeps stand at now, by platform, region
// and kind.
func (store *Store) Sweeps(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	var list []sweep.State
	err := store.db.Read(ctx, func(r *sqldb.ReadTx) error {
		leases, err := nodes.ReadLeases(r, collectMark)
		if err != nil {
			return err
		}
		return r.Query(allSweeps, []any{int64(now), notDue}, func(rows *sql.Rows) error {
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
// under way is given up. It wraps lease.ErrLost if l is no longer held, or
// the job is gone; so do the other methods of a sweep.
func (store *Store) BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error {
	return store.changeSweep(ctx, "begin", l, s, `UPDATE sweep SET began_at = $4, cursor = '', torn = 0,
		requests = 0, parts = 0, doubtful = 0, withdrawn = 0`+whereScope, int64(at))
}

// FailSweep says that the sweep cannot go on for now. How far it is stays.
func (store *Store) FailSweep(ctx context.Context, l lease.Lease, s sweep.Scope) error {
	return store.changeSweep(ctx, "fail", l, s, "UPDATE sweep SET failed = 1"+whereScope)
}

func (store *Store) changeSweep(ctx context.Context, what string, l lease.Lease, s sweep.Scope, text string, args ...any) error {
	return store.db.Write(ctx, what+" sweep of "+s.String(), func(t *sqldb.Tx) error {
		if err := checkLease(ctx, t, l, s); err != nil {
			return err
		}
		return setSweep(ctx, t, s, text, args...)
	})
}

// setSweep changes the row of a scope, which is gone if the job is.
func setSweep(ctx context.Context, t *sqldb.Tx, s sweep.Scope, text string, args ...any) error {
	changed, err := t.ExecCount(ctx, text, append(scopeArgs(s), args...)...)
	if err == nil && changed == 0 {
		err = fmt.Errorf("%s is no longer collected: %w", s, lease.ErrLost)
	}
	return err
}

// checkLease lets only the holder of the scope's lease go on.
func checkLease(ctx context.Context, t *sqldb.Tx, l lease.Lease, s sweep.Scope) error {
	if l.Name != leaseName(s) {
		return fmt.Errorf("lease %q is not that of %s", l.Name, s)
	}
	return nodes.CheckHeld(ctx, t, l)
}
