package registry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// deployment is a database and the nodes that serve from it, in a bubble of synctest.
type deployment struct {
	t  *testing.T
	db *sqldb.DB
}

func newDeployment(t *testing.T) *deployment {
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &deployment{t, db}
}

// started is a node that runs.
type started struct {
	*registry.Registrar
	ahead   atomic.Int64 // nanoseconds
	seq     atomic.Int64
	epoch   atomic.Value // a string
	damaged atomic.Pointer[[]string]
	log     bytes.Buffer // to be read while the bubble sleeps
	stop    func()
	kill    func() // stops it without its row being removed
}

// unremoved is a database for nodes that are killed.
type unremoved struct {
	registry.Repository
	killed atomic.Bool
}

func (s *unremoved) RemoveNode(ctx context.Context, id string) error {
	if s.killed.Load() {
		return nil
	}
	return s.Repository.RemoveNode(ctx, id)
}

// start starts a node, with pairs of settings.
func (d *deployment) start(name, roles string, pairs ...string) *started {
	return d.startAs("id of "+name, name, roles, pairs...)
}

func (d *deployment) startAs(id, name, roles string, pairs ...string) *started {
	n := new(started)
	settings := registry.Settings{}
	for pair := range slices.Chunk(pairs, 2) {
		settings.Set(pair[0], pair[1])
	}
	n.epoch.Store("7/1")
	n.damaged.Store(new([]string))
	store := &unremoved{Repository: d.db.Nodes}
	n.Registrar = registry.New(registry.Config{
		Repository: store, Self: registry.Node{ID: id, Name: name, Version: "1.2.3", Roles: strings.Split(roles, ","), Settings: settings},
		Damaged: func() []string { return *n.damaged.Load() },
		Serving: n.seq.Load, Epoch: func() string { return n.epoch.Load().(string) }, Now: func() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) },
		Rand: func() float64 { return 0 }, Log: slog.New(slog.NewTextHandler(&n.log, nil)),
	})
	ctx, cancel := context.WithCancel(d.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	d.t.Cleanup(n.stop)
	n.kill = func() { store.killed.Store(true); n.stop() }
	return n
}

// later lets all nodes be seen so often.
func later(beats int) {
	time.Sleep(time.Duration(beats)*registry.Every + time.Millisecond)
	synctest.Wait()
}

func TestNodesKnowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a := d.start("a", "api,build")
		if a.Count("api") != 1 || a.Count("collect") != 0 || len(a.List().Nodes) != 0 {
			t.Errorf("before the database answered: %d api nodes, %d collectors", a.Count("api"), a.Count("collect"))
		}
		b, c := d.start("b", "api"), d.start("c", "collect")
		b.seq.Store(7)
		later(2) // in each step nodes may be seen in any order
		for _, n := range []*started{a, b, c} {
			if n.Count("api") != 2 || n.Count("build") != 1 || n.Count("collect") != 1 {
				t.Errorf("%+v", n.List())
			}
		}
		if row := a.List().Nodes[1]; row.Name != "b" || row.Seq != 7 || row.Seen-row.Started < registry.Every.Milliseconds() {
			t.Errorf("b is listed as %+v", row)
		}
		b.stop()
		later(2)
		if n := a.Count("api"); n != 1 || len(a.List().Nodes) != 2 {
			t.Errorf("after b stopped there are %d api nodes: %+v", n, a.List())
		}
		c.kill()
		later(1)
		if a.Count("collect") != 1 {
			t.Error("a node that was seen just now does not count")
		}
		later(3)
		if a.Count("collect") != 0 || len(a.List().Nodes) != 2 {
			t.Errorf("after c was killed: %+v", a.List())
		}
		a.stop()
		if list, err := d.db.Nodes.ListNodes(t.Context()); err != nil || len(list.Nodes) != 1 {
			t.Errorf("the rows that are left: %+v, %v", list, err)
		}
	})
}

// has checks that a log has lines with these texts, in this order, and no others.
func (n *started) has(t *testing.T, texts ...string) {
	t.Helper()
	lines := slices.Collect(strings.Lines(n.log.String()))
	ok := len(lines) == len(texts)
	for i := 0; ok && i < len(lines); i++ {
		ok = strings.Contains(lines[i], texts[i])
	}
	if !ok {
		t.Errorf("the log is\n%swant lines with %q", n.log.String(), texts)
	}
}

func TestDisagreementIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a, b := d.start("a", "api", "limit-day", "1"), d.start("b", "api", "limit-day", "2")
		later(3)
		const text = "--limit-day: a / b"
		if list := a.Warnings(); len(list) != 1 || !strings.Contains(list[0], text) {
			t.Errorf("warnings %q", list)
		}
		a.has(t, text)
		b.stop()
		later(3)
		a.has(t, text, "nodes agree again")
		if list := a.Warnings(); len(list) != 0 {
			t.Errorf("warnings %q", list)
		}
	})
}

// TestSharedNameIsLogged checks that a node that starts again after it was killed is no reason for
// a warning, and that two nodes of one name are.
func TestSharedNameIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a, b := d.start("a", "api"), d.start("b", "api")
		later(2)
		b.kill()
		later(1)
		d.startAs("another id", "b", "api")
		later(1)
		if list := a.Warnings(); len(list) != 0 || len(a.List().Nodes) != 3 {
			t.Errorf("after b started again: warnings %q, nodes %+v", list, a.List().Nodes)
		}
		c := d.startAs("a third id", "b", "build")
		later(2)
		const text = "several nodes are named b; give each its own --node-name"
		if list := a.Warnings(); len(list) != 1 || list[0] != text {
			t.Errorf("warnings %q", list)
		}
		c.stop()
		later(2)
		a.has(t, text, "nodes agree again")
	})
}

// TestEpochs checks that nodes tell which epoch of the database they read, and notice that
// one reads another.
func TestEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a, b, c := d.start("a", "api"), d.start("b", "api"), d.start("c", "build")
		later(2)
		if list := a.Warnings(); len(list) != 0 || a.List().Nodes[1].Epoch != "7/1" {
			t.Errorf("warnings %q, nodes %+v", list, a.List().Nodes)
		}
		b.epoch.Store("7/2")
		later(2)
		if list := a.Warnings(); len(list) != 1 || !strings.Contains(list[0], "different epochs of the database: a, c / b;") {
			t.Errorf("warnings %q", list)
		}
		a.has(t, "different epochs of the database: a, c / b;")
		a.epoch.Store("7/2")
		c.epoch.Store("") // an older version tells none
		later(2)
		if list := a.Warnings(); len(list) != 0 {
			t.Errorf("warnings %q", list)
		}
	})
}

func TestSkewIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a := d.start("a", "api")
		later(1)
		for _, ahead := range []time.Duration{2 * time.Second, -2500 * time.Millisecond, -3 * time.Second, -1500 * time.Millisecond} {
			a.ahead.Store(int64(ahead))
			later(1)
			if a.Ahead() != ahead {
				t.Errorf("%v ahead, measured %v", ahead, a.Ahead())
			}
			if now := a.Now(); !now.Equal(time.Now()) {
				t.Errorf("%v ahead: now is %v, by the database %v", ahead, now, time.Now())
			}
			if got, want := len(a.Warnings()) == 1, ahead < -2*time.Second; got != want {
				t.Errorf("%v ahead: warnings %q", ahead, a.Warnings())
			}
		}
		a.has(t, "ahead=-2.5s")
		a.ahead.Store(0)
		later(2)
		a.has(t, "ahead=-2.5s", "agrees with the database's again")
	})
}

// TestNow checks that a node whose clock is days behind knows the time by the database's clock, as soon as the
// clocks are compared, and that its own counts if the database does not answer.
func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := func() time.Time { return time.Now().Add(-72 * time.Hour) }
		r, right := registry.New(registry.Config{Now: own}), false
		for range 2 {
			r.Compare(t.Context(), func(context.Context) (int64, error) {
				if right {
					return time.Now().UnixMilli(), nil
				}
				return 0, errors.New("no answer")
			})
			time.Sleep(time.Hour)
			want := own()
			if right {
				want = time.Now()
			}
			if now := r.Now(); !now.Equal(want) {
				t.Errorf("now is %v, want %v", now, want)
			}
			right = true
		}
	})
}

// TestWithoutDatabase checks that a node remembers the others while the database does
// not answer, and says once that they do not see it.
func TestWithoutDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a := d.start("a", "api")
		d.start("b", "api")
		later(1)
		if _, err := d.db.Exec(t.Context(), "break", "ALTER TABLE node RENAME TO hidden"); err != nil {
			t.Fatal(err)
		}
		later(5)
		a.has(t, "the other nodes do not see this one")
		if n := a.Count("api"); n != 2 {
			t.Errorf("without the database there are %d api nodes", n)
		}
		if _, err := d.db.Exec(t.Context(), "repair", "ALTER TABLE hidden RENAME TO node"); err != nil {
			t.Fatal(err)
		}
		later(1)
		a.has(t, "the other nodes do not see this one", "the other nodes see this one again")
	})
}

// TestBehind checks that a node which does not get to what is published is behind after ten
// seconds, but only while another node that answers is not.
func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a, b, c := d.start("a", "api"), d.start("b", "api"), d.start("c", "build")
		nodes := []*started{a, b, c}
		publish := func(seq int64) {
			if _, err := d.db.Nodes.Raise(t.Context(), seq); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, behind ...int64) {
			t.Helper()
			for i, n := range nodes {
				if got := n.Behind(); got != behind[i] {
					t.Errorf("%s: %s is behind %d, want %d", when, []string{"a", "b", "c"}[i], got, behind[i])
				}
			}
		}
		publish(5)
		c.seq.Store(5)
		later(4)
		want("only a builder serves it", 0, 0, 0)
		a.seq.Store(5)
		later(2)
		want("another node does", 0, 5, 0)
		b.seq.Store(5)
		want("it is opened", 0, 0, 0)
		for seq := int64(6); seq < 12; seq++ { // always a little late
			publish(seq)
			later(1)
			for _, n := range nodes {
				n.seq.Store(seq)
			}
			want("they follow", 0, 0, 0)
		}
		b.seq.Store(10)
		later(1)
		want("at first", 0, 0, 0)
		later(2)
		want("another one cannot open 11", 0, 11, 0)
		a.stop()
		later(4)
		want("nobody else answers", 0, 0, 0)
	})
}

// TestDamagedFilesAreReported checks that what a node cannot use comes and goes in its row.
func TestDamagedFilesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeployment(t)
		a, b := d.start("a", "api"), d.start("b", "build")
		damaged := []string{"blob/00ff"}
		a.damaged.Store(&damaged)
		later(2)
		if got := b.List().Damaged(); !slices.Equal(got, damaged) {
			t.Errorf("damaged: %q", got)
		}
		if about := strings.Join(b.List().Warnings(), "\n"); !strings.Contains(about, "a cannot use blob/00ff in the bucket") {
			t.Errorf("warnings: %q", about)
		}
		a.damaged.Store(new([]string))
		later(2)
		if got := b.List().Damaged(); got != nil {
			t.Errorf("after the repair: %q", got)
		}
	})
}
