package main

import (
	"fmt"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// TestRollingUpgrade restarts the processes of a cluster one by one, and then replaces
// them by those of a newer version, with the drain and the load balancer's configuration
// that are in deploy/. Meanwhile clients send requests, and repeat none: none fails, and
// all are counted.
func TestRollingUpgrade(t *testing.T) {
	c := newCluster(t)
	newer := nextVersion(t)
	k := newStock(40, "UA")
	c.startCollecting(storesim.Config{Seed: 6, ConsoleGames: 30, PCGames: 60, Regions: regionsOf("TR", "PL")}, 50, k.feed(1))
	var nodes []*part
	for i := range 3 {
		nodes = append(nodes, c.join(fmt.Sprint("api", i+1), "api", "--drain", "10s"))
	}
	id, token := newKey(t, c.dir, unlimited...)
	_, looking := newKey(t, c.dir, unlimited...)
	c.balance()
	c.show(looking, k, 1)
	began := time.Now()
	load := startCrowd(t, c.front, token, k, 16, 20*time.Millisecond)
	load.more(t, 500)

	for _, p := range nodes {
		c.replace(p, "")
		c.isAsked(p)
	}
	must(t, c.dir, k.feed(2), "import", "-")
	c.show(looking, k, 2)
	t.Logf("rolling restart: %d requests in %v, %d failed", load.answered.Load(), time.Since(began).Round(time.Second), load.failed.Load())

	for _, p := range nodes {
		c.replace(p, newer)
		c.isAsked(p)
	}
	must(t, c.dir, k.feed(3), "import", "-")
	c.show(looking, k, 3) // of the old builder
	for _, role := range []string{"collect", "build"} {
		for _, p := range c.parts {
			if p.role == role {
				c.replace(p, newer)
			}
		}
	}
	must(t, c.dir, k.feed(4), "import", "-")
	c.show(looking, k, 4)
	c.hasVersion("1" + version)
	swept(t, c.dir)
	load.until(t, 50_000)
	load.stop()
	t.Logf("restart and upgrade: %d requests in %v, %d failed; %s", load.answered.Load(), time.Since(began).Round(time.Second), load.failed.Load(), load.times())
	for _, p := range c.parts {
		c.stopped(p)
	}
	if n := stored(t, c.dir, id); int64(n) != load.answered.Load() {
		t.Errorf("%d requests are stored, %d were answered", n, load.answered.Load())
	}
}

// show waits until all processes with the role api show a version of a stock.
func (c *cluster) show(token string, k stock, version int) {
	c.t.Helper()
	for _, s := range c.counted.all {
		s.waitForVersion(token, k, version)
	}
}

// isAsked waits until the load balancer sends requests to a process.
func (c *cluster) isAsked(p *part) {
	c.t.Helper()
	await.That(c.t, "a request to reach "+p.name, func() bool {
		_, metrics := fetch(c.t, "GET", p.ops+"/metrics")
		return hasLine(metrics, "gamedex_http_requests_total{", `code="200"`)
	})
}

// hasVersion waits until all processes are of a version.
func (c *cluster) hasVersion(version string) {
	c.t.Helper()
	var shown nodesShown
	if !await.Progress(func() bool {
		shown = decoded[nodesShown](c.t, must(c.t, c.dir, "", "nodes", "--json"))
		for _, n := range shown.Nodes {
			if n.Version != version {
				return false
			}
		}
		return len(shown.Nodes) == len(c.parts)
	}, await.Nothing) {
		c.t.Errorf("not all %d processes are of version %s: %+v", len(c.parts), version, shown)
	}
}
