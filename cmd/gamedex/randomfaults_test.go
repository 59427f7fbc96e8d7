package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/storesim"
)

// fault is one that a deployment has for a while.
type fault struct {
	name       string
	begin, end func()
	down       *member // the process that does not answer meanwhile; nil: all do
	database   bool    // commands may fail meanwhile
}

// faulty is a deployment that has faults: two nodes under load, a builder, its standby
// and a collector.
type faulty struct {
	*deployment
	campaign
	stock          stock
	acknowledged   int // the last version of the listings whose import succeeded
	tried          int // the last that may be stored
	nodes, others  []*member
	loads          map[*member]*steadyLoad
	token          string   // of a key without limits
	busy, busyWith string   // the id and the token of the key of the load
	most           int64    // requests of the load that may be stored, of nodes that were killed
	working, gone  []string // tokens of keys that were created, and of those that were revoked
	ids            map[string]string
	joined         bool // a node has started, and the others may not know yet
}

func newFaulty(t *testing.T) *faulty {
	t.Helper()
	f := &faulty{deployment: newDeployment(t), campaign: newCampaign(t), stock: newStock(100, "UA", "TR"),
		loads: map[*member]*steadyLoad{}, ids: map[string]string{}, joined: true}
	f.fill(f.stock)
	_, f.token = newKey(t, f.dir, unlimited...)
	f.busy, f.busyWith = newKey(t, f.dir, unlimited...)
	world := simulate(t, storesim.Config{Seed: 1, ConsoleGames: 60, PCGames: 60, Regions: regionsOf("US", "DE")}, nil)
	world.hosts(t, "requestsPerSecond", 5)
	f.others = []*member{f.start("build"), f.start("build"), f.start("collect", "--collect-profile", world.profile)}
	for range 2 {
		m := f.start("api")
		m.waitForVersion(f.token, f.stock, 0)
		f.nodes = append(f.nodes, m)
		f.loads[m] = startLoad(t, m.server, f.busyWith)
	}
	return f
}

// kill ends a process without warning.
func (f *faulty) kill(m *member) {
	if load := f.loads[m]; load != nil {
		load.kill(m.server)
		f.most += load.answered.Load() + loadClients // the last ones may be stored and not answered
	} else {
		m.kill()
	}
	f.sane(m)
}

// revive starts a process again.
func (f *faulty) revive(m *member) {
	m.again()
	if f.loads[m] != nil {
		f.loads[m] = startLoad(f.t, m.server, f.busyWith)
	}
}

// sane checks the log of a process that has ended.
func (f *faulty) sane(m *member) {
	if log := m.stderr.String(); strings.Contains(log, "panic") || strings.Contains(log, "fatal error") {
		f.t.Errorf("a process has panicked:\n%s", log)
	}
}

// pick returns a random fault.
func (f *faulty) pick() fault {
	members := append(slices.Clone(f.nodes), f.others...)
	m := members[f.IntN(len(members))]
	who := strings.Join(m.args[:2], " ")
	engine, names := f.IntN(3), []string{"PostgreSQL", "Redis", "the bucket"}
	switch f.IntN(3) {
	case 0:
		list := [][]outage{outages(f.t, f.postgres), outages(f.t, f.redis), outages(f.t, f.s3)}[engine]
		o := list[f.IntN(len(list))]
		return fault{name: names[engine] + " " + o.name, begin: o.begin, end: o.end, database: engine == 0}
	case 1:
		list := badNetworks(f.t, []*enginetest.Proxy{m.postgres, m.redis, m.s3}[engine])
		o := list[f.IntN(len(list))]
		return fault{name: who + ", from " + names[engine] + ": " + o.name, begin: o.begin, end: o.end}
	}
	if f.IntN(2) == 0 {
		return fault{name: who + " killed", begin: func() { f.kill(m) }, end: func() { f.revive(m) }, down: m}
	}
	return fault{name: who + " asleep", begin: func() { sendSignal(f.t, m.server, syscall.SIGSTOP) },
		end: func() { sendSignal(f.t, m.server, syscall.SIGCONT) }, down: m}
}

// round has one fault, changes what is stored meanwhile, and checks afterwards that the
// promises hold.
func (f *faulty) round(i int) {
	f.t.Helper()
	now := f.pick()
	lasts := f.between(0, 3*time.Second)
	if f.IntN(8) == 0 {
		lasts += 16 * time.Second // leases end
	}
	f.t.Logf("fault %d, for %v: %s", i, lasts, now.name)
	_, limited := newKey(f.t, f.dir, "--limit-minute", fmt.Sprint(faultLimit))
	for _, m := range f.nodes {
		m.waitFor(limited, "/api/v1/account/me", works)
	}
	if f.joined {
		f.knowNodes()
	}
	f.joined = slices.Contains(f.nodes, now.down)
	over := time.After(lasts)
	now.begin()
	f.change(now.database)
	f.exhaust(now, limited)
	<-over
	now.end()
	f.holds()
}

const faultLimit = 30

// change stores something. Without the database that may fail, and nobody knows whether it
// is stored.
func (f *faulty) change(mayFail bool) {
	f.t.Helper()
	try := func(stdin string, args ...string) (r result, ok bool) {
		if r = run(f.t, f.dir, stdin, args...); r.status != 0 && !mayFail {
			f.t.Errorf("gamedex %v: status %d\n%s", args, r.status, r.stderr)
		}
		return r, r.status == 0
	}
	what := f.IntN(3)
	if what == 0 || !mayFail {
		f.tried++
		if _, ok := try(f.stock.feed(f.tried), "import", "-"); ok {
			f.acknowledged = f.tried
		}
	}
	if what == 1 || !mayFail {
		if r, ok := try("", append([]string{"key", "create", "--json", "--name", "test"}, unlimited...)...); ok {
			id, token := printedKey(f.t, r.stdout)
			f.ids[token] = id
			f.working = append(f.working, token)
		}
	}
	if (what == 2 || !mayFail) && len(f.working) > 3 {
		token := f.working[0]
		f.working = f.working[1:]
		if _, ok := try("", "key", "revoke", f.ids[token]); ok {
			f.gone = append(f.gone, token)
		}
	}
}

// knowNodes waits until each node has read the list of nodes since all of them are in it:
// without Redis, its share of a limit depends on their number.
func (f *faulty) knowNodes() {
	f.t.Helper()
	var complete time.Time // when all were in the list
	var text string
	if !await.Progress(func() bool {
		text = must(f.t, f.dir, "", "nodes", "--json")
		shown := decoded[nodesShown](f.t, text)
		live, current := 0, true
		for _, n := range shown.Nodes {
			if n.Live && slices.Contains(n.Roles, "api") {
				live++
				current = current && n.SeenAt.After(complete)
			}
		}
		if live < len(f.nodes) {
			return false
		}
		if complete.IsZero() {
			complete, current = time.Now(), false
		}
		return current
	}, await.Nothing) {
		f.t.Fatalf("a node does not know all %d nodes: %s", len(f.nodes), text)
	}
}

// exhaust sends more requests of a key than its limit allows to all nodes that answer.
// None says that more is used than the limit; in a minute with a fault at most twice as many
// pass as nodes without Redis allow together.
func (f *faulty) exhaust(now fault, token string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var replies []reply
	c := clients(f.t)
	ask := func(m *member, path string, good ...int) {
		r, err := m.try(c, "GET", token, "/api/v1/account/"+path, "")
		if err != nil || !slices.Contains(append(good, http.StatusOK, http.StatusTooManyRequests), r.status) {
			f.t.Errorf("a limited key: %v %d %.200s", err, r.status, r.body)
			return
		}
		var u usageAnswer
		if path == "usage" && r.status == http.StatusOK && (json.Unmarshal([]byte(r.body), &u) != nil || u.Data.Minute.Used > u.Data.Minute.Limit) {
			f.t.Errorf("a limited key: %s", r.body)
		}
		mu.Lock()
		defer mu.Unlock()
		if r.status != http.StatusServiceUnavailable {
			replies = append(replies, r)
		}
	}
	for _, m := range f.nodes {
		if m == now.down {
			continue
		}
		for i := range 50 {
			all.Go(func() {
				if i%10 == 0 {
					ask(m, "usage", http.StatusServiceUnavailable) // it needs the database
				} else {
					ask(m, "me")
				}
			})
		}
	}
	all.Wait()
	allowed, _ := byWindow(replies, "Minute")
	for end, n := range allowed {
		if most := 2 * (faultLimit + len(f.nodes) - 1); n > most {
			f.t.Errorf("%d requests passed in the minute that ends at %s, want at most %d", n, end, most)
		}
	}
}

// holds checks that everything that was acknowledged is in force on all nodes, and that
// all snapshots are whole.
func (f *faulty) holds() {
	f.t.Helper()
	slugs := f.stock.slugs(10)
	path := "/api/v1/catalog/prices?regions=all&ids=" + strings.Join(slugs, ",")
	for _, m := range f.nodes {
		m.waitFor(f.token, path, func(status int, body string) bool {
			if status != http.StatusOK {
				return false
			}
			versions := f.stock.versions(f.t, body)
			version := versions[slug(0)]
			return f.acknowledged <= version && version <= f.tried && allOf(versions, len(slugs), version)
		})
		for _, token := range f.working {
			m.waitFor(token, "/api/v1/account/me", works)
		}
		for _, token := range f.gone {
			m.waitFor(token, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusForbidden })
		}
	}
	f.gone = f.gone[max(0, len(f.gone)-5):]
	f.check()
}

// finish stops everything. What nodes that were not killed have answered is stored, once.
func (f *faulty) finish() {
	f.t.Helper()
	swept(f.t, f.dir)
	var least int64
	for _, load := range f.loads {
		load.stop()
		least += load.answered.Load()
	}
	for _, m := range append(f.nodes, f.others...) {
		m.stopInOrder()
		f.sane(m)
	}
	if n := int64(stored(f.t, f.dir, f.busy)); n < least || n > least+f.most {
		f.t.Errorf("%d requests are stored, want %d to %d", n, least, least+f.most)
	}
}

// TestRandomFaults kills, freezes and cuts off engines and processes of a deployment
// under load, one after the other and in random order. After each fault everything that
// was acknowledged is there, no request of a node that was not killed has failed, no
// answer went back or mixed versions, and all snapshots are whole.
func TestRandomFaults(t *testing.T) {
	f := newFaulty(t)
	for i := range number(t, faultsVariable, 20) {
		var watched []func()
		for _, m := range f.nodes {
			watched = append(watched, watchVersions(t, m.server, f.token, f.stock))
		}
		f.round(i)
		for _, done := range watched {
			done()
		}
		if t.Failed() {
			return
		}
	}
	f.finish()
}
