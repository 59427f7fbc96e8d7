package sweeps

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// notDue is when an item is due that only the next sweep is to read.
const notDue = int64(math.MaxInt64)

// The three ranges of an index in which items wait: due, put off, and read. Of
// the latter two a sweep under way takes what it has not read.
const (
	dueItems  = "SELECT item FROM sweep_item" + whereScope + " AND due_at <= $4 ORDER BY due_at, read_at, item LIMIT $5"
	lateItems = "SELECT item FROM sweep_item" + whereScope + ` AND due_at > $4 AND due_at < $5 AND read_at < $6
	ORDER BY due_at, read_at, item LIMIT $7`
	oldItems = "SELECT item FROM sweep_item" + whereScope + ` AND due_at = $4 AND read_at < $5
	ORDER BY read_at, item LIMIT $6`
)

// DueItems returns at most limit items of a scope that are to be read: those due
// at now, the longest due first, then those that the sweep under way has not
// read yet. Without a sweep under way it gives the due ones alone.
func (store *Store) DueItems(ctx context.Context, s sweep.Scope, now catalog.Millis, limit int) ([]string, error) {
	var items []string
	take := func(rows *sql.Rows) error {
		var item string
		err := rows.Scan(&item)
		items = append(items, item)
		return err
	}
	err := store.db.Read(ctx, func(r *sqldb.ReadTx) error {
		var began int64
		err := r.Query("SELECT began_at FROM sweep"+whereScope, scopeArgs(s), func(rows *sql.Rows) error {
			return rows.Scan(&began)
		})
		for _, q := range []struct {
			text string
			args []any
		}{
			{dueItems, []any{int64(now)}},
			{lateItems, []any{int64(now), notDue, began}},
			{oldItems, []any{notDue, began}},
		} {
			if err == nil && len(items) < limit {
				err = r.Query(q.text, append(append(scopeArgs(s), q.args...), limit-len(items)), take)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read due items of %s: %w", s, err)
	}
	return items, nil
}

// Hasten makes scopes due at once, whatever they wait for. A scope that was
// never run is due anyway.
func (store *Store) Hasten(ctx context.Context, scopes []sweep.Scope) error {
	return store.db.Write(ctx, "hasten sweeps", func(t *sqldb.Tx) error {
		for _, s := range scopes {
			if _, err := t.Exec(ctx, "UPDATE lease SET due_at = 0 WHERE name = $1", leaseName(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	knownMarks = "SELECT item, mark FROM sweep_item WHERE platform = ? AND region = ? AND kind = ? AND item IN (?...)"
	keepItems  = `UPDATE sweep_item SET named_by = ?, named_at = ?
	WHERE platform = ? AND region = ? AND kind = ? AND item IN (?...)`
	putOffItems = `UPDATE sweep_item SET read_at = ?, due_at = ?
	WHERE platform = ? AND region = ? AND kind = ? AND item IN (?...)`
	// What changed its mark after it was read is due still.
	readItems = `UPDATE sweep_item SET read_at = ?, due_at = CASE WHEN due_at > ? AND due_at <= named_at THEN due_at ELSE ? END
	WHERE platform = ? AND region = ? AND kind = ? AND item IN (?...)`
)

// An item whose mark goes on changing keeps its place in the queue.
var upsertItem = sqldb.InsertInto("sweep_item", "platform, region, kind, item, mark, named_by, named_at, read_at, due_at",
	`ON CONFLICT (platform, region, kind, item) DO UPDATE SET
	mark = excluded.mark, named_by = excluded.named_by, named_at = excluded.named_at,
	due_at = CASE WHEN sweep_item.due_at < excluded.due_at THEN sweep_item.due_at ELSE excluded.due_at END`)

// nameItems stores the items that a step names, and gives how many are due at
// once: new ones, and those whose mark has changed. Items that no job reads are
// left out.
func nameItems(ctx context.Context, t *sqldb.Tx, step *sweep.Step) (hot int, err error) {
	byKind := map[sweep.Kind]map[string]string{}
	for _, item := range step.Items {
		if byKind[item.Kind] == nil {
			byKind[item.Kind] = map[string]string{}
		}
		byKind[item.Kind][item.ID] = item.Mark
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		s := sweep.Scope{Platform: step.Scope.Platform, Region: step.Scope.Region, Kind: kind}
		n, err := nameItemsOf(ctx, t, s, step, byKind[kind])
		if err != nil {
			return 0, fmt.Errorf("name items of %s: %w", s, err)
		}
		hot += n
	}
	return hot, nil
}

func nameItemsOf(ctx context.Context, t *sqldb.Tx, s sweep.Scope, step *sweep.Step, marks map[string]string) (hot int, err error) {
	var n int
	if job, err := t.FindRow(ctx, "SELECT 1 FROM sweep"+whereScope, scopeArgs(s), []any{&n}); err != nil || !job {
		return 0, err
	}
	var fresh []string
	var same []any
	known, err := readMarks(ctx, t, s, marks)
	if err != nil {
		return 0, err
	}
	for _, id := range slices.Sorted(maps.Keys(marks)) {
		if mark, ok := known[id]; ok && mark == marks[id] {
			same = append(same, id)
		} else {
			fresh = append(fresh, id)
		}
	}
	by, at := int64(step.Scope.Kind), int64(step.At)
	if err := t.ExecList(ctx, keepItems, append([]any{by, at}, scopeArgs(s)...), same); err != nil || len(fresh) == 0 {
		return 0, err
	}
	err = t.InsertRows(ctx, upsertItem, len(fresh), func(args []any, i int) []any {
		return append(append(args, scopeArgs(s)...), fresh[i], marks[fresh[i]], by, at, int64(0), at)
	})
	if err != nil {
		return 0, err
	}
	return len(fresh), dueBy(ctx, t, s, at)
}

func readMarks(ctx context.Context, t *sqldb.Tx, s sweep.Scope, of map[string]string) (map[string]string, error) {
	keys := make([]any, 0, len(of))
	for _, id := range slices.Sorted(maps.Keys(of)) {
		keys = append(keys, id)
	}
	known := make(map[string]string, len(of))
	err := t.QueryList(ctx, knownMarks, scopeArgs(s), keys, func(rows *sql.Rows) error {
		var id, mark string
		err := rows.Scan(&id, &mark)
		known[id] = mark
		return err
	})
	return known, err
}

// dueBy makes the scope's lease due by a moment. A scope that fails keeps the
// time that it was given to recover.
func dueBy(ctx context.Context, t *sqldb.Tx, s sweep.Scope, at int64) error {
	_, err := t.Exec(ctx, "UPDATE lease SET due_at = $1 WHERE name = $2 AND due_at > $1 AND attempts = 0", at, leaseName(s))
	return err
}

// dueWithItems makes the lease of a scope due by the time its first item is:
// what was named while the scope was run must not wait for the next sweep.
func dueWithItems(ctx context.Context, t *sqldb.Tx, name string) error {
	s, ok := scopeOf(name)
	if !ok {
		return nil
	}
	due := notDue
	_, err := t.FindRow(ctx, "SELECT due_at FROM sweep_item"+whereScope+" ORDER BY due_at LIMIT 1", scopeArgs(s), []any{&due})
	if err != nil || due == notDue {
		return err
	}
	return dueBy(ctx, t, s, due)
}

// markItems notes which items of its own scope a step has read.
func markItems(ctx context.Context, t *sqldb.Tx, step *sweep.Step) error {
	at, scope := int64(step.At), scopeArgs(step.Scope)
	if err := t.ExecList(ctx, readItems, append([]any{at, at, notDue}, scope...), sqldb.Args(step.Read)); err != nil {
		return err
	}
	return t.ExecList(ctx, putOffItems, append([]any{at, int64(step.RetryAt)}, scope...), sqldb.Args(step.Retry))
}
