package sweeps

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

const upsertSweep = `INSERT INTO sweep (platform, region, kind, regions, active, interval_ms, began_at, cursor, torn,
	completed_at, collected_at, failed, requests, parts, doubtful, withdrawn, held_back)
	VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0, 0, 0, 0, 0, 0, 0, 0, 0)
	ON CONFLICT (platform, region, kind) DO UPDATE SET
	torn = CASE WHEN sweep.began_at > 0 AND sweep.regions <> excluded.regions THEN 1 ELSE sweep.torn END,
	regions = excluded.regions, active = excluded.active, interval_ms = excluded.interval_ms`

// SetCollection says that a platform is collected, and by which jobs: of them
// it takes Scope, Regions, Active and Interval. What is known of how they stand
// stays, and so do Since and the stop of a platform that is collected already.
// A job that is no longer among them goes, with its items and its lease, but
// for a lease that is held: its holder finds the job gone. A job with a
// shorter interval than before is due that much sooner. One whose answers stand
// for other regions than before has not seen them all: its sweep under way
// withdraws nothing.
func (store *Store) SetCollection(ctx context.Context, c sweep.Collection, jobs []sweep.State) error {
	for i := range jobs {
		if jobs[i].Scope.Platform != c.Platform {
			return fmt.Errorf("set collection of %s: job %s is of another platform", c.Platform, jobs[i].Scope)
		}
	}
	return store.db.Write(ctx, "set collection of "+c.Platform.String(), func(t *sqldb.Tx) error {
		_, err := t.Exec(ctx, `INSERT INTO collection (platform, since, interval_ms, stopped_until, stop_reason)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (platform) DO UPDATE SET interval_ms = excluded.interval_ms`,
			int64(c.Platform), int64(c.Since), int64(c.Interval), int64(c.StoppedUntil), c.StopReason)
		if err != nil {
			return err
		}
		return setJobs(ctx, t, c.Platform, jobs)
	})
}

func setJobs(ctx context.Context, t *sqldb.Tx, p catalog.Platform, jobs []sweep.State) error {
	before, err := readIntervals(ctx, t, p)
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(jobs))
	for i := range jobs {
		wanted[leaseName(jobs[i].Scope)] = true
		if err := setJob(ctx, t, &jobs[i], before[jobs[i].Scope]); err != nil {
			return err
		}
	}
	for scope := range before {
		if !wanted[leaseName(scope)] {
			if err := dropSweep(ctx, t, scope); err != nil {
				return err
			}
		}
	}
	return dropLeases(ctx, t, p, wanted)
}

// setJob stores a job that had another interval before, or none.
func setJob(ctx context.Context, t *sqldb.Tx, job *sweep.State, before catalog.Millis) error {
	_, err := t.Exec(ctx, upsertSweep, append(scopeArgs(job.Scope),
		joinRegions(job.Regions), sqldb.BoolInt(job.Active), int64(job.Interval))...)
	if sooner := before - job.Interval; err == nil && sooner > 0 {
		_, err = t.Exec(ctx, "UPDATE lease SET due_at = due_at - $1 WHERE name = $2 AND due_at > $1 AND attempts = 0",
			int64(sooner), leaseName(job.Scope))
	}
	return err
}

// readIntervals returns the scopes that a platform has, each with its interval.
func readIntervals(ctx context.Context, t *sqldb.Tx, p catalog.Platform) (map[sweep.Scope]catalog.Millis, error) {
	known := map[sweep.Scope]catalog.Millis{}
	const text = "SELECT region, kind, interval_ms FROM sweep WHERE platform = $1"
	err := t.Query(ctx, text, []any{int64(p)}, func(rows *sql.Rows) error {
		s := sweep.Scope{Platform: p}
		var region sql.RawBytes
		var interval catalog.Millis
		err := rows.Scan(&region, &s.Kind, &interval)
		copy(s.Region[:], region)
		known[s] = interval
		return err
	})
	return known, err
}

func dropSweep(ctx context.Context, t *sqldb.Tx, s sweep.Scope) error {
	for _, table := range []string{"sweep", "sweep_item"} {
		_, err := t.Exec(ctx, "DELETE FROM "+table+" WHERE platform = $1 AND region = $2 AND kind = $3", scopeArgs(s)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// dropLeases deletes a platform's leases that nobody holds and nobody wants.
func dropLeases(ctx context.Context, t *sqldb.Tx, p catalog.Platform, wanted map[string]bool) error {
	var idle []string
	const text = "SELECT name FROM lease WHERE name >= $1 AND name < $2 AND holder = ''"
	err := t.Query(ctx, text, leaseRange(p), func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		idle = append(idle, name)
		return err
	})
	for _, name := range idle {
		if err == nil && !wanted[name] {
			_, err = t.Exec(ctx, "DELETE FROM lease WHERE name = $1", name)
		}
	}
	return err
}

// EndCollection says that a platform is no longer collected: its jobs go,
// with their items and leases, and a process at work on one loses it. The
// listings stay.
func (store *Store) EndCollection(ctx context.Context, p catalog.Platform) error {
	return store.db.Write(ctx, "end collection of "+p.String(), func(t *sqldb.Tx) error {
		for _, table := range []string{"collection", "sweep", "sweep_item"} {
			if _, err := t.Exec(ctx, "DELETE FROM "+table+" WHERE platform = $1", int64(p)); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, "DELETE FROM lease WHERE name >= $1 AND name < $2", leaseRange(p)...)
		return err
	})
}

// StopCollection says that nobody may ask a platform's store until the given
// moment, and why. A later stop that is known already stays; 0 lifts it.
func (store *Store) StopCollection(ctx context.Context, p catalog.Platform, until catalog.Millis, reason string) error {
	if until == 0 {
		reason = ""
	}
	return store.db.Write(ctx, "stop collection of "+p.String(), func(t *sqldb.Tx) error {
		_, err := t.Exec(ctx, `UPDATE collection SET stopped_until = $1, stop_reason = $2
			WHERE platform = $3 AND ($1 = 0 OR stopped_until < $1)`, int64(until), reason, int64(p))
		return err
	})
}

// Collections returns the platforms that are collected.
func (store *Store) Collections(ctx context.Context) ([]sweep.Collection, error) {
	var list []sweep.Collection
	const text = "SELECT platform, since, interval_ms, stopped_until, stop_reason FROM collection ORDER BY platform"
	err := store.db.Query(ctx, "read collections", text, nil, func(rows *sql.Rows) error {
		var c sweep.Collection
		err := rows.Scan(&c.Platform, &c.Since, &c.Interval, &c.StoppedUntil, &c.StopReason)
		list = append(list, c)
		return err
	})
	return list, err
}

// collectMark begins the name of every lease of a scope.
const collectMark = "collect/"

func leaseName(s sweep.Scope) string { return collectMark + s.String() }

// leaseRange bounds the names of a platform's leases: from the first up to,
// but not with, the second.
func leaseRange(p catalog.Platform) []any {
	return []any{collectMark + p.String() + "/", collectMark + p.String() + "0"}
}

// scopeOf is the scope whose lease has this name; ok is false for others.
func scopeOf(name string) (s sweep.Scope, ok bool) {
	rest, ok := strings.CutPrefix(name, collectMark)
	if !ok {
		return s, false
	}
	s, err := sweep.ParseScope(rest)
	return s, err == nil
}

// scopeArgs are platform, region and kind: the front of every row of a scope.
func scopeArgs(s sweep.Scope) []any {
	return []any{int64(s.Platform), s.Region.String(), int64(s.Kind)}
}

func joinRegions(regions []catalog.Region) string {
	var b strings.Builder
	for i, r := range regions {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.String())
	}
	return b.String()
}

func splitRegions(s string) []catalog.Region {
	words := strings.Fields(s)
	regions := make([]catalog.Region, len(words))
	for i, word := range words {
		copy(regions[i][:], word)
	}
	return regions
}
