package sqldb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
)

// TestNodes checks that the rows of nodes come back as they were stored, with the times
// of the engine's clock, whatever the node's own clock shows.
func TestNodes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		began := time.Now().UnixMilli()
		same := registry.Settings{}
		same.Set("limit-day", "43200")
		first := registry.Node{ID: "1", Name: "api 1 \"ü\"", Version: "1.2.3", Roles: []string{"api", "build"}, Epoch: "e/1", Seq: 1 << 40, Settings: same}
		stored, _, err := db.Nodes.Beat(ctx, first, func() time.Time { return time.Now().Add(time.Hour) })
		must(t, err)
		took := time.Now().UnixMilli() - began // its answer may have been under way so long
		if d := stored.Ahead - time.Hour.Milliseconds(); d < -1000-took || d > 1000 {
			t.Errorf("a clock that is an hour ahead is %d ms ahead", stored.Ahead)
		}
		if stored.Started != stored.Seen || stored.Seen < began-1000 || stored.Seen > time.Now().UnixMilli()+1000 {
			t.Errorf("started %d, seen %d, now it is %d", stored.Started, stored.Seen, time.Now().UnixMilli())
		}
		second := registry.Node{ID: "2", Name: "b", Roles: []string{"collect"}, Started: 1 << 41, Settings: registry.Settings{}}
		other, all, err := db.Nodes.Beat(ctx, second, time.Now)
		must(t, err)
		if diff := cmp.Diff([]registry.Node{stored, other}, all.Nodes); diff != "" || all.At != other.Seen || other.Started != 1<<41 {
			t.Errorf("at %d (-stored +listed):\n%s", all.At, diff)
		}
		stored.Seq, stored.Epoch = 5, "e/2"
		again, _, err := db.Nodes.Beat(ctx, stored, time.Now)
		must(t, err)
		must(t, db.Nodes.RemoveNode(ctx, "2"))
		must(t, db.Nodes.RemoveNode(ctx, "2"))
		all, err = db.Nodes.ListNodes(ctx)
		must(t, err)
		if diff := cmp.Diff([]registry.Node{again}, all.Nodes); diff != "" || again.Started != stored.Started || all.Count("api") != 1 {
			t.Errorf("(-stored +listed):\n%s", diff)
		}
	})
}

// TestOldNodesAreForgotten checks that the row of a killed node stays for a day, and that
// a process which is alone knows that there are no others.
func TestOldNodesAreForgotten(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		for _, id := range []string{"old", "killed", "live"} {
			_, _, err := db.Nodes.Beat(ctx, registry.Node{ID: id, Name: id, Roles: []string{"api"}}, time.Now)
			must(t, err)
		}
		execute(t, db, "UPDATE node SET seen = seen - 86400001 WHERE id = 'old'", "UPDATE node SET seen = seen - 86000000 WHERE id = 'killed'")
		must(t, db.Nodes.ForgetNodes(ctx))
		list, err := db.Nodes.ListNodes(ctx)
		must(t, err)
		if len(list.Nodes) != 2 || list.Nodes[1].ID != "killed" || list.Count("api") != 1 {
			t.Errorf("left are %+v", list.Nodes)
		}
		must(t, db.Nodes.ReleaseAll(ctx))
		if list, err = db.Nodes.ListNodes(ctx); err != nil || len(list.Nodes) != 0 {
			t.Errorf("left are %+v, %v", list.Nodes, err)
		}
	})
}
