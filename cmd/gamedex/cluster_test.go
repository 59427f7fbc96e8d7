package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/storesim"
)

// TestCluster runs a whole service as on many machines: three processes that answer
// requests behind a load balancer, two that collect from simulated stores, a builder and
// its standby. All answer the same from the same manifest; limits are exact over all; a
// revoked key is refused everywhere; and each answered request is counted once, although
// the network between a process and PostgreSQL breaks in several ways.
func TestCluster(t *testing.T) {
	c := newCluster(t)
	k := newStock(40, "UA")
	c.startCollecting(storesim.Config{Seed: 7, ConsoleGames: 60, PCGames: 120, Regions: regionsOf("TR", "PL")}, 100, k.feed(0))
	c.join("api1", "api")
	c.join("api2", "api")
	c.dsn = "" // the test breaks the network of this process
	far := c.join("api3", "api", "--log-level", "info")
	c.balance()

	c.sameAnswers(k)
	limited, answered := c.exactLimits()
	c.revocations(50)
	busy, token := newKey(t, c.dir, unlimited...)
	load := startCrowd(t, c.front, token, k, 12, 20*time.Millisecond)
	breakFlushes(t, far.postgres, far.server, load)
	load.stop()
	t.Logf("under load with a broken network: %d requests, %d failed; %s", load.answered.Load(), load.failed.Load(), load.times())
	for _, p := range c.parts {
		c.stopped(p)
	}
	if n := stored(t, c.dir, busy); int64(n) != load.answered.Load() {
		t.Errorf("%d requests are stored, %d were answered", n, load.answered.Load())
	}
	if n := stored(t, c.dir, limited); n != answered {
		t.Errorf("%d requests of the limited key are stored, %d were answered", n, answered)
	}
}

// resolvedTitles asks for ids of titles of the stock: as they are, with words of shops, with a typing error.
const resolvedTitles = `/catalog/resolve {"items":["Game 00001","Game 00002 PS4 & PS5","Gaem 00004 Deluxe Edition","Nothing Like It",{"title":"Game 00006","platform":"pcstore"}]}`

// sameAnswers imports version after version while the stores are collected, and compares
// the answers of all nodes from the same manifest, byte by byte. A mirror that asks the
// nodes in turn what has changed has what each shows.
func (c *cluster) sameAnswers(k stock) {
	c.t.Helper()
	_, token := newKey(c.t, c.dir, unlimited...)
	answers, last := 0, 0
	collected := "" // finds games of the simulated stores
	copied := &mirror{path: "/catalog/prices?regions=all&include=url,meta,image,editions&ids=" + strings.Join(k.slugs(k.games), ","), items: map[string]any{}}
	for version := 1; version <= 20; version++ {
		if version == 20 {
			swept(c.t, c.dir)
			collected = c.searchForCollected()
		}
		must(c.t, c.dir, k.feed(version), "import", "-")
		if !await.Progress(func() bool {
			seq, n := c.look(k, token, collected)
			if seq <= last {
				return false
			}
			answers, last = answers+n, seq
			return true
		}, await.Nothing) {
			c.t.Fatalf("the nodes do not come to the same manifest after %d", last)
		}
		for node := range c.counted.all {
			c.follow(copied, node, token)
		}
	}
	c.t.Logf("the mirror was compared %d times, and %d games were left out", copied.compared, copied.left)
	if copied.compared == 0 || copied.left == 0 {
		c.t.Error("the mirror was not compared, or no game was left out")
	}
	if r := c.answer(0, token, resolvedTitles); r.status != http.StatusOK || strings.Count(r.data, `"status":"resolved"`) < 3 {
		c.t.Errorf("%s: status %d: %s", resolvedTitles, r.status, r.data)
	}
	found := foundIDs(c.t, c.answer(0, token, collected).data)
	c.t.Logf("%d answers compared, up to manifest %d; %s finds %d games", answers, last, collected, len(found))
	if len(found) == 0 {
		c.t.Error("no collected game is in the answers")
	}
}

// searchForCollected returns the path of a search with the title of a collected game.
func (c *cluster) searchForCollected() string {
	c.t.Helper()
	for _, l := range listingsOf(c.t, c.dir) {
		if title := l.Facts.Title; l.Facts.Type == catalog.Game && title != "" && !strings.HasPrefix(title, "Game ") {
			return "/catalog/search?limit=100&includeRelated=1&q=" + url.QueryEscape(title)
		}
	}
	c.t.Fatal("no game was collected")
	return ""
}

// look asks all nodes for the same, and compares their answers if all were from one
// manifest, whose number it returns; 0 if not.
func (c *cluster) look(k stock, token, collected string) (seq, compared int) {
	c.t.Helper()
	before, differ := c.manifests(), []string(nil)
	paths := append(comparedPaths(k), "/catalog/platforms", "/catalog/suggest?q=st&limit=20", resolvedTitles)
	if collected != "" {
		paths = append(paths, collected)
	}
	for i := 0; i < len(paths); i++ {
		first := c.answer(0, token, paths[i])
		for node := 1; node < len(c.counted.all); node++ {
			if other := c.answer(node, token, paths[i]); other != first {
				differ = append(differ, fmt.Sprintf("%s: %.1000v; node %d: %.1000v", paths[i], first, node, other))
			}
		}
		if paths[i] != collected {
			continue
		}
		if ids := foundIDs(c.t, first.data); len(ids) > 0 { // then their prices
			paths = append(paths, "/catalog/prices?regions=all&include=url,meta,image,editions&ids="+strings.Join(ids, ","))
		}
	}
	if all := append(before, c.manifests()...); slices.Min(all) != slices.Max(all) {
		return 0, 0
	}
	for _, d := range differ {
		c.t.Errorf("answers from manifest %d differ: %s", before[0], d)
	}
	return before[0], len(paths)
}

// content is what has to be the same in the answers of all nodes: data byte by byte.
type content struct {
	status    int
	tag, data string
}

// answer asks a node. The path of a POST is followed by a space and the body.
func (c *cluster) answer(node int, token, path string) content {
	c.t.Helper()
	method := "GET"
	path, sent, post := strings.Cut(path, " ")
	if post {
		method = "POST"
	}
	r, err := c.counted.all[node].try(http.DefaultClient, method, token, "/api/v1"+path, sent)
	var body struct{ Data json.RawMessage }
	if err == nil {
		err = json.Unmarshal([]byte(r.body), &body)
	}
	if err != nil {
		c.t.Fatalf("%s: %v: %.200q", path, err, r.body)
	}
	return content{r.status, r.header.Get("ETag"), string(body.Data)}
}

// foundIDs returns the ids in the data of a search.
func foundIDs(t *testing.T, data string) (ids []string) {
	t.Helper()
	found := decoded[struct{ Results []struct{ ID string } }](t, data)
	for _, item := range found.Results {
		ids = append(ids, url.QueryEscape(item.ID))
	}
	return ids
}

// manifests returns the number of the manifest that each node serves.
func (c *cluster) manifests() (list []int) {
	c.t.Helper()
	for _, s := range c.counted.all {
		list = append(list, int(s.metric("gamedex_manifest_seq")))
	}
	return list
}

// exactLimits sends requests of one key from 300 clients: all at once, then over the turn
// of two minutes. It returns the key and the number of its requests.
//
// On a busy machine Redis may answer late. Then a node decides alone, within its share.
// Each such decision may let one request more or less pass.
func (c *cluster) exactLimits() (key string, requests int) {
	c.t.Helper()
	const callers = 300
	exact := false
	for try := 0; try < 20 && !exact; try++ {
		c.counted.together()
		before := c.counted.own()
		_, token := c.knownKey()
		replies := burst(c.t, token, callers, c.front)
		own := c.counted.own() - before
		c.checkMinutes(replies, own)
		if exact = own == 0; exact {
			passed(c.t, replies, 30, 43200)
		}
	}
	if !exact {
		c.t.Error("in each of 20 attempts a node decided without Redis")
	}
	key, token := c.knownKey()
	before, replies := c.counted.own(), []reply(nil)
	var mu sync.Mutex
	ends := map[string]bool{}
	add := func(r reply) (more bool) {
		mu.Lock()
		defer mu.Unlock()
		replies = append(replies, r)
		ends[r.header.Get("X-RateLimit-Reset-Minute")] = true
		return len(ends) <= 2
	}
	var asking sync.WaitGroup
	for i := range callers {
		asking.Go(func() {
			conn, pace := connection{}, time.NewTicker(time.Second)
			defer conn.close()
			defer pace.Stop()
			for route := limitedRoutes[i%len(limitedRoutes)]; ; <-pace.C {
				r, err := conn.ask(c.front.api, "GET", route, token, "")
				if err != nil {
					c.t.Error(err)
					return
				}
				if !add(r) {
					return
				}
			}
		})
	}
	asking.Wait()
	for _, r := range replies {
		checkWindow(c.t, r, "Minute", 30)
		checkWindow(c.t, r, "Day", 43200)
	}
	own := c.counted.own() - before
	c.t.Logf("%d clients, %d requests, %d decided without Redis: %v pass by minute", callers, len(replies), own, c.checkMinutes(replies, own))
	return key, len(replies)
}

// knownKey creates a key, and waits until all nodes have read it: on a busy machine 300
// requests that ask for it at once may have to wait too long.
func (c *cluster) knownKey() (id, token string) {
	c.t.Helper()
	id, token = newKey(c.t, c.dir)
	made := time.Now()
	for _, s := range c.counted.all {
		await.That(c.t, "a node to look for new keys", func() bool {
			now, age := time.Now(), s.metric("gamedex_keys_age_seconds")
			return now.Add(-time.Duration(age * float64(time.Second))).After(made)
		})
	}
	return id, token
}

// checkMinutes checks that exactly the limit passed in each minute that refused a request,
// and no more in others; but for the decisions that nodes made by themselves.
func (c *cluster) checkMinutes(replies []reply, own int) (allowed map[string]int) {
	c.t.Helper()
	allowed, full := byWindow(replies, "Minute")
	for end, n := range allowed {
		if n > 30+own || full[end] && n < 30-own {
			c.t.Errorf("%d requests passed in the minute that ends at %s, want 30; %d were decided without Redis", n, end, own)
		}
	}
	return allowed
}

// revocations creates keys, uses each on all nodes, and revokes it. A node whose keys are
// as new as the revocation refuses the key, and goes on doing so.
func (c *cluster) revocations(n int) {
	c.t.Helper()
	var took []time.Duration
	withDB(c.t, c.dir, func(ctx context.Context, db *sqldb.DB) error {
		for range n {
			key, token, err := node.CreateKey(ctx, db, account.Draft{Name: "revoked", LimitMinute: 100_000, LimitDay: 4_000_000}, time.Now())
			if err != nil {
				return err
			}
			for _, s := range c.counted.all {
				s.waitFor(token, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusOK })
			}
			if _, err := db.Accounts.RevokeKey(ctx, key.ID, node.ByCommand(time.Now())); err != nil {
				return err
			}
			took = append(took, c.refusedEverywhere(token, time.Now()))
		}
		return nil
	})
	c.t.Logf("%d revocations refused everywhere: %s", n, quantiles(took))
}

// refusedEverywhere waits until all nodes refuse a key, and returns how long that took
// sent after the revocation was stored.
func (c *cluster) refusedEverywhere(token string, stored time.Time) time.Duration {
	c.t.Helper()
	left := slices.Clone(c.counted.all)
	if !await.Progress(func() bool {
		left = slices.DeleteFunc(left, func(s *server) bool { return !s.accepts(token, stored) })
		return len(left) == 0
	}, func() any { return len(left) }) {
		c.t.Fatalf("%d nodes accept a revoked key", len(left))
	}
	took := time.Since(stored)
	for _, s := range c.counted.all {
		if s.accepts(token, stored) {
			c.t.Error("a node that refused a revoked key accepts it")
		}
	}
	return took
}

// accepts reports whether a node accepts a key that is revoked. After two seconds it may do
// so only if it could not look for changes since.
func (s *server) accepts(token string, revoked time.Time) bool {
	s.t.Helper()
	ask := func() int {
		status, body := s.get(token, "/api/v1/account/me")
		if status != http.StatusOK && (status != http.StatusForbidden || !strings.Contains(body, "KEY_REVOKED")) {
			s.t.Errorf("a revoked key gets %d %s", status, body)
		}
		return status
	}
	if ask() != http.StatusOK {
		return false
	}
	if now := time.Now(); now.Sub(revoked) > 2*time.Second {
		age := time.Duration(s.metric("gamedex_keys_age_seconds") * float64(time.Second))
		if looked := now.Add(-age); looked.After(revoked.Add(2*time.Millisecond)) && ask() == http.StatusOK {
			s.t.Errorf("a node accepts a key that was revoked %v before it looked for changes", looked.Sub(revoked))
		}
	}
	return true
}

// breakFlushes breaks the network between a node and PostgreSQL in several ways, each
// until a flush of its usage has failed.
func breakFlushes(t *testing.T, network *enginetest.Proxy, s *server, load *crowd) {
	t.Helper()
	failures := func() int { return strings.Count(s.stderr.String(), "cannot save usage") }
	load.more(t, 200)
	for i, fault := range []string{enginetest.CutAnswers, enginetest.LostAnswers, enginetest.LostRequests} {
		before := failures()
		network.Break(t, fault)
		await.That(t, "a flush to fail", func() bool { return failures() > before })
		load.more(t, 200)
		for bytes := 100; i == 0 && bytes < 2000; bytes += 100 { // connections end anywhere in a flush
			network.Heal()
			network.Break(t, fmt.Sprintf(`{"type":"limit_data","stream":"downstream","attributes":{"bytes":%d}}`, bytes))
			load.more(t, 200)
		}
		network.Heal()
		await.That(t, "usage to be saved again", func() bool {
			return strings.Count(s.stderr.String(), "usage is being saved again") == failures()
		})
	}
}
