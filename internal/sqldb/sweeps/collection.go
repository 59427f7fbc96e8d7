package sweeps

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

const upsertSweep = `INSERT INTO sweep (platform, region, kind, regions, active, interval_ms, began_at, cursor, torn,
	completed_at, collected_at, failed, requests, parts, doubtful, withdrawn, held_back)
	VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0, 0, 0, 0, 0, 0, 0, 0, 0)
	ON CONFLICT (platform, region, kind) DO UPDATE SET
	torn = CASE WHEN sweep.began_at > 0 AND sweep.regions <> excluded.regions THEN 1 ELSE sweep.torn END,
	regions = excluded.regions, active = excluded.active, interval_ms = excluded.interval_ms`

// addLease makes the lease of a job that never ran, so that a batch which names items of the
// job can lock it. Otherwise a run of the job could end between the batch's items and its
// commit, see no items, and rest for its interval.
const addLease = `INSERT INTO lease (name, holder, until, token, due_at, cursor, attempts, last_error)
	VALUES ($1, '', 0, 0, 0, '', 0, '') ON CONFLICT (name) DO NOTHING`

// SetCollection starts or changes the collection of a platform with the given
// jobs, of which it uses Scope, Regions, Active and Interval. The state of known
// jobs stays, as do Since and the stop of a platform that is already collected. It
// deletes all other jobs of the platform with their items and leases, except held
// leases: their holders find the job missing. A job with a shorter interval than
// before is due that much sooner. If a job's answers are now for other regions,
// its running sweep has not seen all of them and withdraws nothing.
func (repo *Repository) SetCollection(ctx context.Context, c sweep.Collection, jobs []sweep.State) error {
	for i := range jobs {
		if jobs[i].Scope.Platform != c.Platform {
			return fmt.Errorf("set collection of %s: job %s is of another platform", c.Platform, jobs[i].Scope)
		}
	}
	return repo.db.Write(ctx, "set collection of "+c.Platform.String(), func(t *engine.Tx) error {
		leases, err := lockLeases(ctx, t, c.Platform)
		if err != nil {
			return err
		}
		for i := range jobs {
			if _, err := t.Exec(ctx, addLease, leaseName(jobs[i].Scope)); err != nil {
				return err
			}
		}
		_, err = t.Exec(ctx, `INSERT INTO collection (platform, since, interval_ms, stopped_until, stop_reason)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (platform) DO UPDATE SET interval_ms = excluded.interval_ms`,
			int64(c.Platform), int64(c.Since), int64(c.Interval), int64(c.StoppedUntil), c.StopReason)
		if err != nil {
			return err
		}
		return setJobs(ctx, t, c.Platform, jobs, leases)
	})
}

func setJobs(ctx context.Context, t *engine.Tx, p catalog.Platform, jobs []sweep.State, leases map[string]bool) error {
	before, err := readIntervals(ctx, t, p)
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(jobs))
	for i := range jobs {
		job, name := &jobs[i], leaseName(jobs[i].Scope)
		wanted[name] = true
		regions := make([]string, len(job.Regions))
		for k, r := range job.Regions {
			regions[k] = r.String()
		}
		args := append(scopeArgs(job.Scope), strings.Join(regions, " "), engine.BoolInt(job.Active), int64(job.Interval))
		_, err := t.Exec(ctx, upsertSweep, args...)
		if sooner := before[job.Scope] - job.Interval; err == nil && sooner > 0 {
			_, err = t.Exec(ctx, "UPDATE lease SET due_at = due_at - $1 WHERE name = $2 AND due_at > $1 AND attempts = 0", int64(sooner), name)
		}
		if err != nil {
			return err
		}
	}
	for scope := range before {
		if wanted[leaseName(scope)] {
			continue
		}
		for _, table := range []string{"sweep", "sweep_item"} {
			_, err := t.Exec(ctx, "DELETE FROM "+table+" WHERE platform = $1 AND region = $2 AND kind = $3", scopeArgs(scope)...)
			if err != nil {
				return err
			}
		}
	}
	for name, held := range leases {
		if wanted[name] || held {
			continue
		}
		if _, err := t.Exec(ctx, "DELETE FROM lease WHERE name = $1", name); err != nil {
			return err
		}
	}
	return nil
}

// readIntervals returns the interval of each scope of a platform.
func readIntervals(ctx context.Context, t *engine.Tx, p catalog.Platform) (map[sweep.Scope]catalog.Millis, error) {
	known := map[sweep.Scope]catalog.Millis{}
	const text = "SELECT region, kind, interval_ms FROM sweep WHERE platform = $1"
	err := t.Query(ctx, text, []any{int64(p)}, func(rows engine.Rows) error {
		s := sweep.Scope{Platform: p}
		var region string
		var interval catalog.Millis
		err := rows.Scan(&region, &s.Kind, &interval)
		copy(s.Region[:], region)
		known[s] = interval
		return err
	})
	return known, err
}

// lockLeases locks the leases of a platform and returns whether each is held. While they
// are locked, no batch or sweep of the platform is saved, and no other transaction begins
// or ends its collection, even if it has no leases yet.
func lockLeases(ctx context.Context, t *engine.Tx, p catalog.Platform) (map[string]bool, error) {
	leases := map[string]bool{}
	if err := t.Lock(ctx, "lease/"+leasePrefix+p.String()); err != nil {
		return nil, err
	}
	const text = "SELECT name, holder <> '' FROM lease WHERE name >= $1 AND name < $2 ORDER BY name FOR UPDATE"
	err := t.Query(ctx, text, leaseRange(p), func(rows engine.Rows) error {
		var name string
		var held engine.Bool
		err := rows.Scan(&name, &held)
		leases[name] = bool(held)
		return err
	})
	return leases, err
}

// EndCollection ends the collection of a platform: it deletes the jobs with their
// items and leases, so that the processes that hold the leases lose them, and forgets
// its registered profile. The listings stay.
func (repo *Repository) EndCollection(ctx context.Context, p catalog.Platform) error {
	return repo.db.Write(ctx, "end collection of "+p.String(), func(t *engine.Tx) error {
		if _, err := lockLeases(ctx, t, p); err != nil {
			return err
		}
		for _, table := range []string{"collection", "collect_profile", "sweep", "sweep_item", "lost_price"} {
			if _, err := t.Exec(ctx, "DELETE FROM "+table+" WHERE platform = $1", int64(p)); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, "DELETE FROM lease WHERE name >= $1 AND name < $2", leaseRange(p)...)
		return err
	})
}

// StopCollection stops all requests to a platform's store until a time,
// for a reason. A stored stop that ends later stays; 0 removes the stop.
func (repo *Repository) StopCollection(ctx context.Context, p catalog.Platform, until catalog.Millis, reason string) error {
	if until == 0 {
		reason = ""
	}
	_, err := repo.db.Exec(ctx, "stop collection of "+p.String(), `UPDATE collection SET stopped_until = $1, stop_reason = $2
		WHERE platform = $3 AND (stopped_until < $1 OR $4 = 1)`, int64(until), reason, int64(p), engine.BoolInt(until == 0))
	return err
}

// Collections returns the platforms that are collected.
func (repo *Repository) Collections(ctx context.Context) ([]sweep.Collection, error) {
	const text = "SELECT platform, since, interval_ms, stopped_until, stop_reason FROM collection ORDER BY platform"
	return engine.List(ctx, repo.db, "read collections", text, nil, func(rows engine.Rows, c *sweep.Collection) error {
		return rows.Scan(&c.Platform, &c.Since, &c.Interval, &c.StoppedUntil, &c.StopReason)
	})
}

// leasePrefix is the prefix of the names of scopes' leases.
const leasePrefix = "collect/"

func leaseName(s sweep.Scope) string { return leasePrefix + s.String() }

// leaseRange returns the bounds of the names of a platform's leases: from the first
// up to, but not including, the second.
func leaseRange(p catalog.Platform) []any {
	return []any{leasePrefix + p.String() + "/", leasePrefix + p.String() + "0"}
}

// scopeArgs returns platform, region and kind: the first columns of every row of a
// scope.
func scopeArgs(s sweep.Scope) []any {
	return []any{int64(s.Platform), s.Region.String(), int64(s.Kind)}
}

func splitRegions(s string) []catalog.Region {
	words := strings.Fields(s)
	regions := make([]catalog.Region, len(words))
	for i, word := range words {
		copy(regions[i][:], word)
	}
	return regions
}
