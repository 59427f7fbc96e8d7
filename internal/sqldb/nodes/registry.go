package nodes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gamedex/internal/registry"
	"gamedex/internal/sqldb/engine"
)

const (
	nodeColumns = "id, name, version, roles, epoch, seq, started, seen, ahead, settings"
	listNodes   = "SELECT " + nodeColumns + " FROM node ORDER BY seen DESC, id LIMIT $1"
	maxNodes    = 1000 // that a list has, those seen last
	readSeq     = "SELECT seq FROM publication"
)

var upsertNode = engine.Insert{Table: "node", Columns: nodeColumns,
	Then: `ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, seen = excluded.seen, ahead = excluded.ahead, settings = excluded.settings`}

// Beat implements [registry.Repository].
func (repo *Repository) Beat(ctx context.Context, n registry.Node, clock func() time.Time) (stored registry.Node, all registry.List, err error) {
	err = repo.db.Write(ctx, "register node", func(t *engine.Tx) (err error) {
		before := clock()
		if all.At, err = t.Now(ctx); err != nil {
			return err
		}
		stored = n
		stored.Seen, stored.Ahead = all.At, registry.Ahead(before, all.At, clock())
		if stored.Started == 0 {
			stored.Started = all.At
		}
		_, err = t.InsertRow(ctx, &upsertNode, stored.ID, stored.Name, stored.Version, strings.Join(stored.Roles, ","),
			stored.Epoch, stored.Seq, stored.Started, stored.Seen, stored.Ahead, stored.SettingsText())
		if err != nil {
			return err
		}
		return readNodes(ctx, t, &all)
	})
	all.Sort()
	return stored, all, err
}

// Clock returns the time of the database's clock in Unix milliseconds.
func (repo *Repository) Clock(ctx context.Context) (at int64, err error) {
	// Only a transaction that writes knows the engine's clock.
	err = repo.db.Write(ctx, "read the clock", func(t *engine.Tx) error {
		at, err = t.Now(ctx)
		return err
	})
	return at, err
}

// ListNodes returns the nodes that were seen recently, live or not.
func (repo *Repository) ListNodes(ctx context.Context) (all registry.List, err error) {
	err = repo.db.Write(ctx, "list nodes", func(t *engine.Tx) (err error) {
		if all.At, err = t.Now(ctx); err != nil {
			return err
		}
		return readNodes(ctx, t, &all)
	})
	all.Sort()
	return all, err
}

// readNodes reads the rows of the nodes, and the number of the newest publication.
func readNodes(ctx context.Context, t *engine.Tx, into *registry.List) error {
	err := t.Query(ctx, listNodes, []any{maxNodes}, func(rows engine.Rows) error {
		var n registry.Node
		var roles, settings string
		err := rows.Scan(&n.ID, &n.Name, &n.Version, &roles, &n.Epoch, &n.Seq, &n.Started, &n.Seen, &n.Ahead, &settings)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.ID, err)
		}
		n.Roles = strings.Split(roles, ",")
		n.Settings, n.Damaged = registry.ParseSettings(settings)
		into.Nodes = append(into.Nodes, n)
		return nil
	})
	if err == nil {
		_, err = t.FindRow(ctx, readSeq, nil, []any{&into.Seq})
	}
	return err
}

// RemoveNode implements [registry.Repository].
func (repo *Repository) RemoveNode(ctx context.Context, id string) error {
	_, err := repo.db.Exec(ctx, "remove node", "DELETE FROM node WHERE id = $1", id)
	return err
}

// ForgetNodes deletes the rows of nodes that were killed [registry.KeptFor] ago.
func (repo *Repository) ForgetNodes(ctx context.Context) error {
	return repo.db.Write(ctx, "forget nodes", func(t *engine.Tx) error {
		now, err := t.Now(ctx)
		if err == nil {
			_, err = t.Exec(ctx, "DELETE FROM node WHERE seen < $1", now-registry.KeptFor.Milliseconds())
		}
		return err
	})
}

// Seq returns the number of the newest publication; 0 before any.
func (repo *Repository) Seq(ctx context.Context) (seq int64, err error) {
	_, err = repo.db.FindRow(ctx, "read publication", readSeq, nil, []any{&seq})
	return seq, err
}

// Advance raises the number from seq to seq+1 if it still is seq. Of several calls
// with the same number, only one succeeds.
func (repo *Repository) Advance(ctx context.Context, seq int64) (won bool, err error) {
	changed, err := repo.db.Exec(ctx, "advance publication", "UPDATE publication SET seq = seq + 1 WHERE seq = $1", seq)
	return changed > 0, err
}

// Raise sets the number to seq if it is lower, and returns it.
func (repo *Repository) Raise(ctx context.Context, seq int64) (now int64, err error) {
	err = repo.db.Write(ctx, "raise publication", func(t *engine.Tx) error {
		if _, err := t.Exec(ctx, "UPDATE publication SET seq = $1 WHERE seq < $1", seq); err != nil {
			return err
		}
		_, err := t.FindRow(ctx, readSeq, nil, []any{&now})
		return err
	})
	return now, err
}

// farAhead is the most microseconds by which the next request to a host may be
// ahead. A larger value comes from a wrong clock and would stop all requests.
const farAhead = int64(3600 * 1e6)

// ReserveRequests implements upstream.Pacer, by the database's clock: processes whose clocks
// differ keep one pace.
func (repo *Repository) ReserveRequests(ctx context.Context, host string, n int, every time.Duration) (wait time.Duration, err error) {
	if n < 1 || every < 0 {
		return 0, fmt.Errorf("reserve requests to %s: %d of them, every %v", host, n, every)
	}
	span := int64(n) * every.Microseconds()
	err = repo.db.Write(ctx, "reserve requests to "+host, func(t *engine.Tx) error {
		nowMillis, err := t.Now(ctx)
		if err != nil {
			return err
		}
		var next int64
		now := nowMillis * 1000
		_, err = t.FindRow(ctx, `INSERT INTO request_pace (host, next_at) VALUES ($1, $2)
			ON CONFLICT (host) DO UPDATE SET next_at = $3 +
			CASE WHEN request_pace.next_at > $4 AND request_pace.next_at < $5 THEN request_pace.next_at ELSE $4 END
			RETURNING next_at`, []any{host, now + span, span, now, now + farAhead}, []any{&next})
		wait = time.Duration(next-span-now) * time.Microsecond
		return err
	})
	return wait, err
}
