package sweeps

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

// notDue is the due time of an item that only the next sweep reads.
const notDue = int64(math.MaxInt64)

// The queries of the three ranges of an index: items that are due, postponed, and
// read. From the latter two, a running sweep takes the items that it has not read.
const (
	dueItems  = "SELECT item FROM sweep_item" + whereScope + " AND due_at <= $4 ORDER BY due_at, read_at, item LIMIT $5"
	lateItems = "SELECT item FROM sweep_item" + whereScope + ` AND due_at > $4 AND due_at < $5 AND read_at < $6
	ORDER BY due_at, read_at, item LIMIT $7`
	oldItems = "SELECT item FROM sweep_item" + whereScope + ` AND due_at = $4 AND read_at < $5
	ORDER BY read_at, item LIMIT $6`
)

// DueItems returns at most limit items of a scope to read: those due at now, the
// longest due first, then those that the running sweep, if any, has not read.
func (repo *Repository) DueItems(ctx context.Context, s sweep.Scope, now catalog.Millis, limit int) ([]string, error) {
	var items []string
	err := repo.db.Read(ctx, "read due items of "+s.String(), func(q engine.Querier) error {
		var began int64
		_, err := engine.FindIn(ctx, q, "SELECT began_at FROM sweep"+whereScope, scopeArgs(s), &began)
		for _, due := range []struct {
			text string
			args []any
		}{
			{dueItems, []any{int64(now)}},
			{lateItems, []any{int64(now), notDue, began}},
			{oldItems, []any{notDue, began}},
		} {
			if err == nil && len(items) < limit {
				var more []string
				args := append(append(scopeArgs(s), due.args...), limit-len(items))
				more, err = engine.ListIn(ctx, q, due.text, args, func(rows engine.Rows, item *string) error { return rows.Scan(item) })
				items = append(items, more...)
			}
		}
		return err
	})
	return items, err
}

// NamedItems returns those of the items of a scope that were named since the given time.
func (repo *Repository) NamedItems(ctx context.Context, s sweep.Scope, items []string, since catalog.Millis) ([]string, error) {
	return engine.List(ctx, repo.db, "read named items of "+s.String(), namedItems, append(scopeArgs(s), items, int64(since)),
		func(rows engine.Rows, item *string) error { return rows.Scan(item) })
}

// Hasten makes scopes due at once, even those that failed. A scope that was never
// run is due anyway.
func (repo *Repository) Hasten(ctx context.Context, scopes []sweep.Scope) error {
	return repo.db.Write(ctx, "hasten sweeps", func(t *engine.Tx) error {
		names := make([]string, len(scopes))
		for i, s := range scopes {
			names[i] = leaseName(s)
		}
		slices.Sort(names)
		for _, name := range names {
			if _, err := t.Exec(ctx, "UPDATE lease SET due_at = 0 WHERE name = $1", name); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	whereItems    = whereScope + " AND item = ANY($4)"
	knownMarks    = "SELECT item, mark FROM sweep_item" + whereItems
	namedItems    = "SELECT item FROM sweep_item" + whereItems + " AND named_at >= $5 ORDER BY item"
	keepItems     = "UPDATE sweep_item SET named_by = $5, named_at = $6" + whereItems
	postponeItems = "UPDATE sweep_item SET read_at = $5, due_at = $6" + whereItems
	// An item whose mark changed after the read stays due.
	readItems = `UPDATE sweep_item SET read_at = $5,
	due_at = CASE WHEN due_at > $5 AND due_at <= named_at THEN due_at ELSE $6 END` + whereItems
)

// An item whose mark changes again keeps its place in the queue.
var upsertItem = engine.Insert{Table: "sweep_item",
	Columns: "platform, region, kind, item, mark, named_by, named_at, read_at, due_at",
	Then: `ON CONFLICT (platform, region, kind, item) DO UPDATE SET
	mark = excluded.mark, named_by = excluded.named_by, named_at = excluded.named_at,
	due_at = CASE WHEN sweep_item.due_at < excluded.due_at THEN sweep_item.due_at ELSE excluded.due_at END`}

// nameItems stores the items that a batch names, and returns how many are due at
// once: new ones, and those whose mark has changed. It skips items that no job
// reads.
func nameItems(ctx context.Context, t *engine.Tx, batch *sweep.Batch) (hot int, err error) {
	byKind := map[sweep.Kind]map[string]string{}
	for _, item := range batch.Items {
		if byKind[item.Kind] == nil {
			byKind[item.Kind] = map[string]string{}
		}
		byKind[item.Kind][item.ID] = item.Mark
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		s := batch.Scope
		s.Kind = kind
		n, err := nameItemsOf(ctx, t, s, batch, byKind[kind])
		if err != nil {
			return 0, fmt.Errorf("name items of %s: %w", s, err)
		}
		hot += n
	}
	return hot, nil
}

func nameItemsOf(ctx context.Context, t *engine.Tx, s sweep.Scope, batch *sweep.Batch, marks map[string]string) (hot int, err error) {
	var n int
	// The job's lease may be new, and not among those that SetCollection has locked.
	if job, err := t.FindRow(ctx, "SELECT 1 FROM sweep"+whereScope+" FOR UPDATE", scopeArgs(s), []any{&n}); err != nil || !job {
		return 0, err
	}
	var fresh, same []string
	ids, known := slices.Sorted(maps.Keys(marks)), make(map[string]string, len(marks))
	var id, mark string
	dest := []any{&id, &mark}
	err = t.Query(ctx, knownMarks, append(scopeArgs(s), ids), func(rows engine.Rows) error {
		err := rows.Scan(dest...)
		known[id] = mark
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if mark, ok := known[id]; ok && mark == marks[id] {
			same = append(same, id)
		} else {
			fresh = append(fresh, id)
		}
	}
	by, at := int64(batch.Scope.Kind), int64(batch.At)
	if _, err := t.Exec(ctx, keepItems, append(scopeArgs(s), same, by, at)...); err != nil || len(fresh) == 0 {
		return 0, err
	}
	_, err = t.InsertRows(ctx, &upsertItem, len(fresh), func(args []any, i int) []any {
		return append(append(args, scopeArgs(s)...), fresh[i], marks[fresh[i]], by, at, int64(0), at)
	})
	if err != nil {
		return 0, err
	}
	return len(fresh), dueBy(ctx, t, s, at)
}

// dueBy makes the scope's lease due by a time, unless the scope failed and
// waits for its next attempt.
func dueBy(ctx context.Context, t *engine.Tx, s sweep.Scope, at int64) error {
	_, err := t.Exec(ctx, "UPDATE lease SET due_at = $1 WHERE name = $2 AND due_at > $1 AND attempts = 0", at, leaseName(s))
	return err
}

// dueWithItems makes the lease of a scope due when its first item is due: items
// that were named while the scope ran must not wait for the next sweep.
func dueWithItems(ctx context.Context, t *engine.Tx, name string) error {
	rest, ok := strings.CutPrefix(name, leasePrefix)
	s, err := sweep.ParseScope(rest)
	if !ok || err != nil {
		return nil // the lease of something else
	}
	due := notDue
	_, err = t.FindRow(ctx, "SELECT due_at FROM sweep_item"+whereScope+" ORDER BY due_at LIMIT 1", scopeArgs(s), []any{&due})
	if err != nil || due == notDue {
		return err
	}
	return dueBy(ctx, t, s, due)
}

// news remembers, for this process, the scopes whose last batch mostly brought something new,
// as in a first sweep or at the beginning of a sale. There the next batch does not look for
// listings that its parts confirm (seeAgain): most look-ups would find nothing.
type news struct{ scopes sync.Map } // of true, by sweep.Scope

func (n *news) mostly(s sweep.Scope) bool {
	_, found := n.scopes.Load(s)
	return found
}

// learn remembers the counts of a batch. A look-up that finds its listing saves about twice
// what one costs that does not.
func (n *news) learn(s sweep.Scope, c catalog.SaveCounts) {
	if c.New+c.Changed <= 2*c.Unchanged {
		n.scopes.Delete(s)
	} else {
		n.scopes.Store(s, true)
	}
}
