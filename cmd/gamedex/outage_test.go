package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// knownRoutes are answered without the database, for keys that are known.
var knownRoutes = []string{
	"/api/v1/account/me",
	"/api/v1/catalog/search?q=farm",
	"/api/v1/catalog/exchange-rates",
	"/api/v1/catalog/platforms",
}

// steadyLoad sends requests with a key at an even pace until it is stopped. Every answer
// must be good.
type steadyLoad struct {
	answered atomic.Int64
	ending   atomic.Bool // the process is about to be killed
	stop     func()

	mu   sync.Mutex
	took []time.Duration // by each request since the last call of times
}

// kill kills the process under the load, and ends the load.
func (l *steadyLoad) kill(s *server) {
	l.ending.Store(true)
	s.kill()
	l.stop()
}

// times returns how long each request has taken since the last call.
func (l *steadyLoad) times() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := l.took
	l.took = nil
	return took
}

const loadClients = 3

// startLoad starts a load that needs no database.
func startLoad(t *testing.T, s *server, token string) *steadyLoad {
	t.Helper()
	return startTraffic(t, s, token, loadClients, 50*time.Millisecond, knownRoutes)
}

// startTraffic starts clients that send requests to routes in turn, each with a pause between two of them. An answer of
// limitedRoutes is good with 404 and 400, too.
func startTraffic(t *testing.T, s *server, token string, senders int, pause time.Duration, routes []string) *steadyLoad {
	t.Helper()
	l := &steadyLoad{}
	c, end := clients(t), make(chan struct{})
	var asking sync.WaitGroup
	for client := range senders {
		asking.Go(func() {
			pace := time.NewTicker(pause)
			defer pace.Stop()
			for i := client; ; i++ {
				select {
				case <-end:
					return
				case <-pace.C:
				}
				began := time.Now()
				r, err := s.try(c, "GET", token, routes[i%len(routes)], "")
				l.mu.Lock()
				l.took = append(l.took, time.Since(began))
				l.mu.Unlock()
				if err != nil && l.ending.Load() {
					return
				}
				if err != nil || !slices.Contains([]int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound}, r.status) {
					t.Errorf("load: %v %d %.200s", err, r.status, r.body)
					return // one wrong answer is enough
				}
				l.answered.Add(1)
			}
		})
	}
	l.stop = sync.OnceFunc(func() { close(end); asking.Wait() })
	t.Cleanup(l.stop)
	return l
}

// more waits for n more answers.
func (l *steadyLoad) more(t *testing.T, n int64) {
	t.Helper()
	want := l.answered.Load() + n
	if !await.Progress(func() bool { return l.answered.Load() >= want || t.Failed() }, func() any { return l.answered.Load() }) || t.Failed() {
		t.Fatalf("%d answers, want %d", l.answered.Load(), want)
	}
}

// metric returns the value of a metric without labels.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	_, text := fetch(s.t, "GET", s.ops+"/metrics")
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatalf("there is no metric %s", name)
	return 0
}

// unavailable sends a request that needs the database: it is answered with 503 and a
// time to come back.
func unavailable(t *testing.T, what string, c *http.Client, req *http.Request, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer res.Body.Close()
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode != http.StatusServiceUnavailable || err != nil || seconds < 1 {
		t.Errorf("%s: status %d, Retry-After %q, want 503 and seconds", what, res.StatusCode, res.Header.Get("Retry-After"))
	}
}

// needsDatabase checks that a process without its database answers with 503 what needs
// it: a key that it has not seen, a sign-in, and a change by a person who is signed in.
func needsDatabase(t *testing.T, what string, s *server, token string, p *person) {
	t.Helper()
	request, err := http.NewRequest("GET", s.api+"/api/v1/account/me", nil)
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	unavailable(t, what+": a new key", http.DefaultClient, request, err)
	for path, form := range map[string]url.Values{
		"/signin":   {"email": {"ann@example.org"}, "password": {"a long enough password"}},
		"/keys/new": {"name": {"another"}},
	} {
		request, err := http.NewRequest("POST", s.api+path, strings.NewReader(form.Encode()))
		if err == nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		unavailable(t, what+": "+path, p.client, request, err)
	}
}

// TestWithoutPostgres takes PostgreSQL away from a process that answers: by a network that
// ends connections, and in the full world by one that loses everything, as a server that hangs does. Known
// keys go on, without a failed request; what needs the database is answered with 503;
// a revocation waits; usage arrives once.
func TestWithoutPostgres(t *testing.T) {
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir := t.TempDir()
	name := usePostgres(t, dir)
	network := enginetest.NewProxy(t, fmt.Sprint("127.0.0.1:", enginetest.SharedPostgres(t).Port))
	must(t, dir, "", "import", "testdata/feed.ndjson")
	must(t, dir, "", "rates", "import", "testdata/rates.json")
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	busy, token := newKey(t, dir, unlimited...)
	cmd := command(t, dir, serveAnywhere...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("GAMEDEX_DATABASE=postgres://gamedex@%s/%s", network.Addr, name))
	s := startCommand(t, cmd)
	s.healthy()
	ann := newPerson(t, s.api)
	if !ann.signIn("ann@example.org", "a long enough password") {
		t.Fatal("ann cannot sign in")
	}
	load := startLoad(t, s, token)
	outages := map[string][]string{"cut": {enginetest.CutRequests, enginetest.CutAnswers}}
	if fullWorld() {
		outages["silent"] = []string{enginetest.LostRequests, enginetest.LostAnswers}
	}
	for what, faults := range outages {
		revoked, old := newKey(t, dir, unlimited...)
		s.waitFor(old, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusOK })
		load.more(t, 10)
		network.Break(t, faults...)
		must(t, dir, "", "key", "revoke", revoked)
		_, young := newKey(t, dir, unlimited...)
		await.That(t, what+": the age of the keys to grow", func() bool { return s.metric("gamedex_keys_age_seconds") > 3 })
		if status, body := s.get(old, "/api/v1/account/me"); status != http.StatusOK {
			t.Errorf("%s: a key that this process cannot know to be revoked: %d %s", what, status, body)
		}
		needsDatabase(t, what, s, young, ann)
		load.more(t, 10)
		network.Heal()
		refused(t, s, old, http.StatusForbidden, "KEY_REVOKED")
		s.waitFor(young, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusOK })
		await.That(t, what+": a sign-in afterwards", func() bool { return ann.signIn("ann@example.org", "a long enough password") })
	}
	load.stop()
	waitStored(t, dir, busy, int(load.answered.Load())) // a busy machine may need longer than the 5 s of a stop
	s.stopInOrder()
	if n := stored(t, dir, busy); int64(n) != load.answered.Load() {
		t.Errorf("%d requests are stored, %d were answered", n, load.answered.Load())
	}
}
