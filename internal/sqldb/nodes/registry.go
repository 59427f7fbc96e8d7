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
)

var upsertNode = engine.Insert{Table: "node", Columns: nodeColumns,
	Then: `ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, seen = excluded.seen, ahead = excluded.ahead`}

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
			stored.Epoch, stored.Seq, stored.Started, stored.Seen, stored.Ahead, stored.Settings.String())
		if err != nil {
			return err
		}
		all.Nodes, err = readNodes(ctx, t)
		return err
	})
	all.Sort()
	return stored, all, err
}

// ListNodes returns the nodes that were seen recently, live or not.
func (repo *Repository) ListNodes(ctx context.Context) (all registry.List, err error) {
	// Only a transaction that writes knows the engine's clock.
	err = repo.db.Write(ctx, "list nodes", func(t *engine.Tx) (err error) {
		if all.At, err = t.Now(ctx); err != nil {
			return err
		}
		all.Nodes, err = readNodes(ctx, t)
		return err
	})
	all.Sort()
	return all, err
}

func readNodes(ctx context.Context, t *engine.Tx) (list []registry.Node, err error) {
	err = t.Query(ctx, listNodes, []any{maxNodes}, func(rows engine.Rows) error {
		var n registry.Node
		var roles, settings string
		err := rows.Scan(&n.ID, &n.Name, &n.Version, &roles, &n.Epoch, &n.Seq, &n.Started, &n.Seen, &n.Ahead, &settings)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.ID, err)
		}
		n.Roles, n.Settings = strings.Split(roles, ","), registry.ParseSettings(settings)
		list = append(list, n)
		return nil
	})
	return list, err
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
