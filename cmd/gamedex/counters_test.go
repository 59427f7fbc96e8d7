package main

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// away is what a process logs once for each outage of the counter server.
const away = "the counter server does not answer; this node counts alone"

// countingNodes are processes that answer requests and count them together.
type countingNodes struct {
	t     *testing.T
	dir   string
	redis *enginetest.Redis
	all   []*server
}

// newCountingNodes starts nodes on PostgreSQL and Redis. All may build: the metrics of
// builders say how many nodes they see.
func newCountingNodes(t *testing.T, n int) *countingNodes {
	t.Helper()
	enginetest.Need(t, "postgres")
	c := &countingNodes{t: t, dir: t.TempDir(), redis: enginetest.NewRedis(t)}
	usePostgres(t, c.dir)
	must(t, c.dir, newStock(10, "UA", "TR").feed(0), "import", "-")
	for range n {
		c.start("api,build")
	}
	return c
}

// start starts a further node, and waits until it has a catalog.
func (c *countingNodes) start(roles string) *server {
	c.t.Helper()
	s := start(c.t, c.dir, "--roles", roles, "--counters", "redis://"+c.redis.Addr())
	s.healthy()
	c.all = append(c.all, s)
	return s
}

// metric returns the sum of a metric over all nodes.
func (c *countingNodes) metric(name string) int {
	c.t.Helper()
	sum := 0
	for _, s := range c.all {
		sum += int(s.metric(name))
	}
	return sum
}

// together waits until all nodes count together.
func (c *countingNodes) together() {
	c.t.Helper()
	if !await.Progress(func() bool { return c.metric("gamedex_counters_alone") == 0 }, await.Nothing) {
		c.t.Fatalf("a node goes on counting alone:\n%s", c.all[0].stderr)
	}
}

// byWindow returns how many answers each minute or day allowed, by its end, and the ends of those
// that refused one. A window is "Minute" or "Day".
func byWindow(replies []reply, window string) (allowed map[string]int, full map[string]bool) {
	allowed, full = map[string]int{}, map[string]bool{}
	for _, r := range replies {
		end := r.header.Get("X-RateLimit-Reset-" + window)
		if r.status == http.StatusTooManyRequests {
			full[end] = true
		} else {
			allowed[end]++
		}
	}
	return allowed, full
}

// allowedOf returns how many requests were allowed.
func allowedOf(replies []reply) (n int) {
	allowed, _ := byWindow(replies, "Minute")
	for _, of := range allowed {
		n += of
	}
	return n
}

// dayUsed returns how many requests an answer says the key has used today, of a limit.
func dayUsed(t *testing.T, r reply) int {
	t.Helper()
	return r.limit(t, "Limit-Day") - r.limit(t, "Remaining-Day")
}

// own returns how much all nodes have decided without the server: in an outage, or because
// an answer was late, as it may be on a busy machine.
func (c *countingNodes) own() int {
	c.t.Helper()
	return c.metric("gamedex_counters_own_decisions_total")
}

// undisturbed repeats what a test does until the server has decided all of it.
func (c *countingNodes) undisturbed(try func()) {
	c.t.Helper()
	for range 20 {
		c.together()
		before := c.own()
		try()
		if c.own() == before {
			return
		}
	}
	c.t.Fatal("the nodes decide without the server again and again")
}

// outages returns how many outages all nodes have logged and counted.
func (c *countingNodes) outages() (logged, counted int) {
	for _, s := range c.all {
		logged += strings.Count(s.stderr.String(), away)
	}
	return logged, c.metric("gamedex_counters_outages_total")
}

// guess tries wrong passwords on the nodes in turn, and checks that the sixth is refused.
func (c *countingNodes) guess() {
	c.t.Helper()
	email, got := 0, []int(nil)
	c.undisturbed(func() {
		email, got = email+1, nil
		for i := range 7 {
			form := url.Values{"email": {strconv.Itoa(email) + "@example.org"}, "password": {"a wrong password"}}
			status, _, _ := newPerson(c.t, c.all[i%len(c.all)].api).send("/signin", form)
			got = append(got, status)
		}
	})
	if want := []int{401, 401, 401, 401, 401, 429, 429}; !slices.Equal(got, want) {
		c.t.Errorf("answers to wrong passwords: %d, want %d", got, want)
	}
}

// TestNodesCountTogether runs two nodes with one Redis. It checks the limits of a key and
// of sign-ins over both; that both go on without Redis, and say so; and that nobody gets a
// fresh day from a Redis that lost its memory.
func TestNodesCountTogether(t *testing.T) {
	t.Parallel()
	c := newCountingNodes(t, 2)
	c.all[0].prints(`(http://\S+/setup/\S+)`)
	c.all[1].prints("Another start of gamedex has printed a one-time link")
	requests := 70
	if fullWorld() {
		requests = 300
	}

	const minuteLimit, dayLimit = 30, 100
	var replies []reply
	c.undisturbed(func() {
		_, token := newKey(t, c.dir)
		replies = burst(t, token, requests, c.all...)
	})
	allowed, full := byWindow(replies, "Minute")
	for end, n := range allowed {
		if n > minuteLimit || full[end] && n != minuteLimit {
			t.Errorf("%d requests passed in the minute that ends at %s, want %d", n, end, minuteLimit)
		}
	}
	most := 0
	for _, r := range replies {
		most = max(most, dayUsed(t, r))
	}
	through := len(passed(t, replies, minuteLimit, 43200))
	if most != through || through < minuteLimit {
		t.Errorf("%d requests passed, and %d are counted today", through, most)
	}

	c.guess()
	var token string
	c.undisturbed(func() {
		_, token = newKey(t, c.dir, "--limit-minute", "1000", "--limit-day", strconv.Itoa(dayLimit))
		replies = burst(t, token, 60, c.all...)
	})
	known := len(passed(t, replies, 1000, dayLimit))
	if known != 60 {
		t.Errorf("%d of 60 requests passed", known)
	}

	for _, s := range c.all { // the first one has to look again
		await.That(t, "the nodes to see each other", func() bool {
			_, text := fetch(t, "GET", s.ops+"/metrics")
			return hasLine(text, `gamedex_nodes{role="api"} 2`)
		})
	}
	if err := c.redis.Kill(); err != nil {
		t.Fatal(err)
	}
	_, token1 := newKey(t, c.dir)
	_, token2 := newKey(t, c.dir)
	inside := minuteLimit + len(c.all) - 1
	for _, tt := range []struct {
		what, token string
		most        int
	}{
		{"as the nodes notice that Redis is gone", token1, 2 * inside},
		{"without Redis", token2, inside},
	} {
		allowed, _ := byWindow(burst(t, tt.token, requests, c.all...), "Minute")
		for end, n := range allowed {
			if n > tt.most {
				t.Errorf("%s: %d requests passed in the minute that ends at %s, want at most %d", tt.what, n, end, tt.most)
			}
		}
		if n := c.metric("gamedex_counters_alone"); n != len(c.all) {
			t.Errorf("%s: %d nodes count alone, want all", tt.what, n)
		}
	}
	for _, s := range c.all {
		s.readyzSays("ready", "does not answer (--counters)")
		s.quietLog()
	}
	if logged, counted := c.outages(); logged != counted {
		t.Errorf("%d outages are logged, %d counted", logged, counted)
	}

	// Redis comes back empty.
	c.redis.Restart(t)
	c.together()
	before := c.own()
	// A node that knows more than the server notices it with its first request, and says
	// so with the second. Requests that it sends meanwhile are counted from less.
	for range 2 * len(c.all) {
		known += allowedOf(burst(t, token, len(c.all), c.all...))
	}
	known += allowedOf(burst(t, token, 60, c.all...))
	// What the nodes decide alone is within their shares, and may count twice.
	own := c.own() - before
	if known > dayLimit+2*len(c.all)+own || known < dayLimit-5-own {
		t.Errorf("%d requests passed in a day with a limit of %d", known, dayLimit)
	}

	// A new process knows nothing, and starts without Redis.
	for _, s := range c.all {
		s.stopInOrder()
	}
	if err := c.redis.Kill(); err != nil {
		t.Fatal(err)
	}
	c.all = nil
	fresh := c.start("api")
	fresh.logs(away)
	fresh.quietLog()
	burst(t, token, 1, c.all...)
	c.redis.Restart(t)
	c.together()
	used := 0
	c.undisturbed(func() { used = dayUsed(t, burst(t, token, 1, c.all...)[0]) })
	if used < min(known, dayLimit) {
		t.Errorf("a new process with an empty Redis: %d requests used today, want at least the %d that passed, or the limit", used, known)
	}
}
