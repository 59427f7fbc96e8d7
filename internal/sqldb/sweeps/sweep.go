package sweeps

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sweep"
)

// allSweeps counts up to $3 pending items in each of three ranges of an index: due,
// postponed, and read, but not by the running sweep.
const allSweeps = `SELECT platform, region, kind, regions, active, interval_ms, began_at, cursor, torn,
	completed_at, collected_at, failed, requests, parts, doubtful, withdrawn, held_back,
	(SELECT COUNT(*) FROM (SELECT 1 FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at <= $1 LIMIT $3) AS due) +
	(SELECT COUNT(*) FROM (SELECT 1 FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at > $1 AND i.due_at < $2 AND i.read_at < s.began_at LIMIT $3) AS late) +
	(SELECT COUNT(*) FROM (SELECT 1 FROM sweep_item i WHERE i.platform = s.platform AND i.region = s.region AND i.kind = s.kind
		AND i.due_at = $2 AND i.read_at < s.began_at LIMIT $3) AS old)
	FROM sweep s ORDER BY platform, region, kind`

// Sweeps returns every job and the state of its sweeps at now, by platform,
// region and kind. It counts at most countTo pending items of each: a store has
// hundreds of thousands.
func (repo *Repository) Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error) {
	var list []sweep.State
	err := repo.db.Read(ctx, "read sweeps", func(q engine.Querier) error {
		leases, err := nodes.ReadLeases(ctx, q, leasePrefix)
		if err != nil {
			return err
		}
		return q.Query(ctx, allSweeps, []any{int64(now), notDue, int64(countTo)}, func(rows engine.Rows) error {
			var s sweep.State
			var region, regions string
			err := rows.Scan(&s.Scope.Platform, &region, &s.Scope.Kind, &regions, (*engine.Bool)(&s.Active), &s.Interval, &s.Began, &s.Cursor, (*engine.Bool)(&s.Interrupted),
				&s.Completed, &s.Collected, (*engine.Bool)(&s.Failed), &s.Requests, &s.Parts, &s.Doubtful, &s.Withdrawn, &s.HeldBack, &s.Pending)
			copy(s.Scope.Region[:], region)
			s.Regions, s.Pending = splitRegions(regions), min(s.Pending, countTo)
			l := leases[leaseName(s.Scope)]
			s.DueAt, s.Attempts, s.LastError = catalog.Millis(l.DueAt), l.Attempts, l.LastError
			if until := catalog.Millis(l.Until); until > now {
				s.RunBy, s.RunUntil = l.Holder, until
			}
			list = append(list, s)
			return err
		})
	})
	return list, err
}

// whereScope selects a scope by the first three placeholders.
const whereScope = " WHERE platform = $1 AND region = $2 AND kind = $3"

// BeginSweep begins a new sweep at a time and abandons a running one.
// Like the other methods that take a lease, it wraps lease.ErrLost if l is no
// longer held or the job no longer exists.
func (repo *Repository) BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error {
	return repo.changeSweep(ctx, "begin", l, s, `UPDATE sweep SET began_at = $4, cursor = '', torn = 0,
		requests = 0, parts = 0, doubtful = 0, withdrawn = 0, priced = 0, unpriced = 0`+whereScope, int64(at))
}

// FailSweep records that the sweep cannot go on for now. Its progress stays.
func (repo *Repository) FailSweep(ctx context.Context, l lease.Lease, s sweep.Scope) error {
	return repo.changeSweep(ctx, "fail", l, s, "UPDATE sweep SET failed = 1"+whereScope)
}

func (repo *Repository) changeSweep(ctx context.Context, what string, l lease.Lease, s sweep.Scope, text string, args ...any) error {
	return repo.db.Write(ctx, what+" sweep of "+s.String(), func(t *engine.Tx) error {
		if err := checkLease(ctx, t, l, s); err != nil {
			return err
		}
		return setSweep(ctx, t, s, text, args...)
	})
}

// setSweep updates the row of a scope. It wraps lease.ErrLost if the row is missing
// because the job was deleted.
func setSweep(ctx context.Context, t *engine.Tx, s sweep.Scope, text string, args ...any) error {
	changed, err := t.Exec(ctx, text, append(scopeArgs(s), args...)...)
	if err == nil && changed == 0 {
		err = fmt.Errorf("%s is no longer collected: %w", s, lease.ErrLost)
	}
	return err
}

// checkLease returns an error unless l is the scope's lease and still held. It also
// locks the leases of other scopes.
func checkLease(ctx context.Context, t *engine.Tx, l lease.Lease, s sweep.Scope, others ...string) error {
	if l.Name != leaseName(s) {
		return fmt.Errorf("lease %q is not the lease of %s", l.Name, s)
	}
	return nodes.CheckHeld(ctx, t, l, others...)
}

const seenTimes = "SELECT platform, region, seen_at, source = 'doubtful' FROM listing WHERE withdrawn = 0"

// Freshness returns the freshness of each platform and region with listings, in
// their order. It scans all listings, and its memory does not grow with them.
func (repo *Repository) Freshness(ctx context.Context) ([]catalog.Freshness, error) {
	found, swept := map[listings.PlatformRegion]*sweep.SeenTimes{}, map[listings.PlatformRegion]catalog.Millis{}
	err := repo.db.Read(ctx, "read freshness", func(q engine.Querier) error {
		const lastSweeps = "SELECT platform, regions, completed_at FROM sweep WHERE kind = $1"
		err := q.Query(ctx, lastSweeps, []any{int64(sweep.Prices)}, func(rows engine.Rows) error {
			var at listings.PlatformRegion
			var regions string
			var completed catalog.Millis
			err := rows.Scan(&at.Platform, &regions, &completed)
			for _, at.Region = range splitRegions(regions) {
				swept[at] = max(swept[at], completed)
			}
			return err
		})
		if err != nil {
			return err
		}
		var at listings.PlatformRegion
		var region string
		var seen catalog.Millis
		var doubtful engine.Bool
		dest := []any{&at.Platform, &region, &seen, &doubtful}
		return q.Query(ctx, seenTimes, nil, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			copy(at.Region[:], region)
			if found[at] == nil {
				found[at] = &sweep.SeenTimes{}
			}
			found[at].AddListing(seen, bool(doubtful))
			return err
		})
	})
	list := make([]catalog.Freshness, 0, len(found))
	for at, times := range found {
		f := times.Freshness()
		f.Platform, f.Region, f.LastSweep = at.Platform, at.Region, swept[at]
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b catalog.Freshness) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region))
	})
	return list, err
}
