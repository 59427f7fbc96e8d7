package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/testing/await"
)

// loadedNodes are two nodes and a builder of a deployment, under load.
type loadedNodes struct {
	*deployment
	stock   stock
	version int    // of the listings
	busy    string // the id of the key of the load, which nothing else uses
	token   string // of another key without limits
	nodes   []*member
	builder *member
	loads   []*steadyLoad
}

// underLoad fills the deployment with a stock, starts two nodes and a builder, and sends
// requests to the nodes.
func (d *deployment) underLoad(k stock) *loadedNodes {
	t := d.t
	t.Helper()
	n := &loadedNodes{deployment: d, stock: k}
	n.fill(k)
	must(t, n.dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	busy, token := newKey(t, n.dir, unlimited...)
	n.busy = busy
	_, n.token = newKey(t, n.dir, unlimited...)
	n.builder = n.start("build")
	for range 2 {
		m := n.start("api")
		m.waitForVersion(n.token, k, 0)
		n.nodes = append(n.nodes, m)
		n.loads = append(n.loads, startLoad(t, m.server, token))
	}
	return n
}

// change imports the next version of all listings.
func (n *loadedNodes) change() {
	n.t.Helper()
	n.version++
	must(n.t, n.dir, n.stock.feed(n.version), "import", "-")
}

// changed waits until all nodes show the last version.
func (n *loadedNodes) changed() {
	n.t.Helper()
	for _, m := range n.nodes {
		m.waitForVersion(n.token, n.stock, n.version)
	}
}

// more waits for answers of all nodes.
func (n *loadedNodes) more(answers int64) {
	n.t.Helper()
	for _, l := range n.loads {
		l.more(n.t, answers)
	}
}

// alone waits until so many nodes count requests alone.
func (n *loadedNodes) alone(want float64) {
	n.t.Helper()
	await.That(n.t, fmt.Sprint(want, " nodes to count requests alone"), func() bool {
		return n.nodes[0].metric("gamedex_counters_alone")+n.nodes[1].metric("gamedex_counters_alone") == want
	})
}

// took logs how long the requests of the load have taken since the last call.
func (n *loadedNodes) took(when string) {
	n.t.Helper()
	var all []time.Duration
	for _, l := range n.loads {
		all = append(all, l.times()...)
	}
	n.t.Logf("%s: %d requests; %s", when, len(all), quantiles(all))
}

// finish stops the load and the nodes. Each request of the load is stored once, and all
// snapshots are whole.
func (n *loadedNodes) finish() {
	n.t.Helper()
	total := int64(0)
	for i, m := range n.nodes {
		n.loads[i].stop()
		total += n.loads[i].answered.Load()
		m.stopInOrder()
	}
	if found := stored(n.t, n.dir, n.busy); int64(found) != total {
		n.t.Errorf("%d requests are stored, %d were answered", found, total)
	}
	n.check()
}

// ann signs in on a process.
func ann(t *testing.T, s *server) *person {
	t.Helper()
	p := newPerson(t, s.api)
	await.That(t, "ann to sign in", func() bool { return p.signIn("ann@example.org", "a long enough password") })
	return p
}

// stranger returns a token that no database has.
func stranger(t *testing.T) string {
	t.Helper()
	token, err := account.NewToken(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func works(status int, _ string) bool { return status == http.StatusOK }

// TestPostgresIsLost kills and freezes the PostgreSQL server of two nodes and a builder
// under load. Known keys go on without a failed request; what needs the database is
// answered with 503. When the server is back, changes come into force everywhere.
func TestPostgresIsLost(t *testing.T) {
	n := newDeployment(t).underLoad(newStock(50, "UA", "TR"))
	people := []*person{ann(t, n.nodes[0].server), ann(t, n.nodes[1].server)}
	for _, o := range outages(t, n.postgres) {
		revoked, old := newKey(t, n.dir, unlimited...)
		for _, m := range n.nodes {
			m.waitFor(old, "/api/v1/account/me", works)
		}
		o.begin()
		for i, m := range n.nodes {
			await.That(t, o.name+": the age of the keys to grow", func() bool { return m.metric("gamedex_keys_age_seconds") > 3 })
			needsDatabase(t, o.name, m.server, stranger(t), people[i])
		}
		n.more(100)
		o.end()
		must(t, n.dir, "", "key", "revoke", revoked)
		_, young := newKey(t, n.dir, unlimited...)
		n.change()
		for i, m := range n.nodes {
			refused(t, m.server, old, http.StatusForbidden, "KEY_REVOKED")
			m.waitFor(young, "/api/v1/account/me", works)
			people[i] = ann(t, m.server)
		}
		n.changed()
	}
	n.finish()
}

// TestRedisIsLost kills and freezes the Redis server of two nodes under load. No request
// fails, and each is stored. The log says how long requests took.
func TestRedisIsLost(t *testing.T) {
	n := newDeployment(t).underLoad(newStock(10, "UA"))
	n.more(200)
	n.took("with Redis")
	for _, o := range outages(t, n.redis) {
		o.begin()
		n.alone(2)
		n.took(o.name + ", until both nodes have noticed it")
		n.more(300)
		n.took(o.name)
		o.end()
		n.alone(0)
		n.took("until both nodes have noticed that it is back")
	}
	n.finish()
}

// cuts end connections in the middle of a large object.
var cuts = map[string]string{
	"answers":  `{"type":"limit_data","stream":"downstream","attributes":{"bytes":20000}}`,
	"requests": `{"type":"limit_data","stream":"upstream","attributes":{"bytes":20000}}`,
}

// TestBucketIsLost kills and freezes the S3 service of two nodes and a builder under load,
// and cuts the network in the middle of objects. Nodes go on with what they have, also
// after a start, and answers never mix two versions. When the service is back, the last
// change is published.
func TestBucketIsLost(t *testing.T) {
	k := newStock(400, "UA", "TR")
	k.noise = newCampaign(t).Rand // so that a snapshot is larger than what arrives
	n := newDeployment(t).underLoad(k)
	spare := n.start("api")
	spare.waitForVersion(n.token, k, 0)
	all := append([]*member{n.builder, spare}, n.nodes...)
	faults := outages(t, n.s3)
	for what, cut := range cuts {
		faults = append(faults, outage{"cut in the middle of " + what,
			func() {
				for _, m := range all {
					m.s3.Break(t, cut)
				}
			},
			func() {
				for _, m := range all {
					m.s3.Heal()
				}
			}})
	}
	for _, o := range faults {
		var watched []func()
		for _, m := range n.nodes {
			watched = append(watched, watchVersions(t, m.server, n.token, k))
		}
		const failed = "build failed; it will be tried again"
		before := strings.Count(n.builder.stderr.String(), failed)
		spare.kill()
		o.begin()
		n.change()
		spare.again() // what it has kept is the version before
		spare.waitForVersion(n.token, k, n.version-1)
		// A frozen service is waited for, and a builder needs few answers.
		if o.name != "frozen" && !strings.Contains(o.name, "answers") &&
			!await.Progress(func() bool { return strings.Count(n.builder.stderr.String(), failed) > before+1 }, await.Nothing) {
			t.Errorf("%s: the builder does not try again: %s", o.name, n.builder.stderr)
		}
		n.more(50)
		o.end()
		n.changed()
		spare.waitForVersion(n.token, k, n.version)
		for _, done := range watched {
			done()
		}
		n.check()
	}
	n.finish()
}

// TestOneNodeIsCutOff takes each engine from one of two nodes under load, by a network
// that ends connections and by one that loses everything. That node goes on as without
// the engine; the other is not harmed.
func TestOneNodeIsCutOff(t *testing.T) {
	n := newDeployment(t).underLoad(newStock(50, "UA", "TR"))
	near, far := n.nodes[0], n.nodes[1]
	person := ann(t, far.server)
	unharmed := func() {
		t.Helper()
		n.change()
		near.waitForVersion(n.token, n.stock, n.version)
		ann(t, near.server)
		revoked, token := newKey(t, n.dir, unlimited...)
		near.waitFor(token, "/api/v1/account/me", works)
		must(t, n.dir, "", "key", "revoke", revoked)
		refused(t, near.server, token, http.StatusForbidden, "KEY_REVOKED")
	}
	for _, o := range cutOff(t, far.postgres) {
		revoked, old := newKey(t, n.dir, unlimited...)
		far.waitFor(old, "/api/v1/account/me", works)
		o.begin()
		must(t, n.dir, "", "key", "revoke", revoked)
		refused(t, near.server, old, http.StatusForbidden, "KEY_REVOKED")
		unharmed()
		needsDatabase(t, o.name, far.server, stranger(t), person)
		if status, body := far.get(old, "/api/v1/account/me"); status != http.StatusOK {
			t.Errorf("%s: a key that this node cannot know to be revoked: %d %s", o.name, status, body)
		}
		n.more(50)
		o.end()
		refused(t, far.server, old, http.StatusForbidden, "KEY_REVOKED")
		n.changed()
		person = ann(t, far.server)
	}
	for _, o := range cutOff(t, far.redis) {
		o.begin()
		await.That(t, o.name+": the node to notice it", func() bool { return far.metric("gamedex_counters_alone") == 1 })
		unharmed()
		n.more(50)
		o.end()
		n.alone(0)
	}
	for _, o := range cutOff(t, far.s3) {
		watched := watchVersions(t, far.server, n.token, n.stock)
		before := n.version
		o.begin()
		unharmed()
		n.more(50)
		far.waitForVersion(n.token, n.stock, before)
		o.end()
		n.changed()
		watched()
	}
	n.finish()
}
