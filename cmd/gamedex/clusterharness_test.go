package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
	"gamedex/internal/testing/storesim"
)

// cluster is the processes of one service, as on machines of their own: they share
// PostgreSQL, Redis and an S3 service, and nothing else. The load balancer of deploy/
// sends requests to those with the role api.
type cluster struct {
	*deployment
	counted countingNodes // those with the role api
	parts   []*part       // all processes
	front   *server       // what clients see; it has only an address
}

// part is one process of a cluster, and those that take its place: they have its flags,
// addresses and data folder.
type part struct {
	*member
	name, role string
}

// newCluster starts the engines. The processes are still to be started: they reach the
// engines directly.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	enginetest.Need(t, "haproxy")
	c := &cluster{deployment: newDeployment(t)}
	c.dsn = c.postgres.OwnDSN(c.database)
	c.counted = countingNodes{t: t, dir: c.dir, redis: c.redis}
	t.Cleanup(func() {
		for _, p := range c.parts {
			if t.Failed() {
				t.Logf("%s logged: %s", p.name, p.stderr)
			}
		}
	})
	return c
}

// startCollecting imports a feed, and starts a builder, its standby and two collectors of
// simulated stores, which send so many requests a second.
func (c *cluster) startCollecting(stores storesim.Config, requests int, feed string) {
	c.t.Helper()
	world := simulate(c.t, stores, nil)
	world.hosts(c.t, "requestsPerSecond", requests)
	must(c.t, c.dir, feed, "import", "-")
	must(c.t, c.dir, string(world.world.Rates().AppendJSON(nil)), "rates", "import", "-")
	for i := range 2 {
		c.join(fmt.Sprint("builder", i+1), "build")
		c.join(fmt.Sprint("collector", i+1), "collect", "--collect-profile", world.profile)
	}
}

// join starts a process with a role.
func (c *cluster) join(name, role string, args ...string) *part {
	c.t.Helper()
	direct := append(c.at(strings.TrimPrefix(c.s3.URL, "http://")), "--counters", "redis://"+c.redis.Addr(), "--node-name", name,
		"--addr", porttest.Addr(c.t), "--ops-addr", porttest.Addr(c.t),
		"--trusted-proxies", "127.0.0.1/32")
	p := &part{c.start(role, append(direct, args...)...), name, role}
	c.parts = append(c.parts, p)
	if role == "api" {
		c.counted.all = append(c.counted.all, p.server)
	}
	return p
}

// replace stops a process in order, and starts another one in its place; one of another
// version if the path of a program is given.
func (c *cluster) replace(p *part, program string) {
	c.t.Helper()
	former := p.server
	c.stopped(p)
	cmd := command(c.t, p.dir, append(serveAnywhere, p.args...)...)
	if program != "" {
		cmd.Path = program
	}
	p.server = startCommand(c.t, cmd)
	if i := slices.Index(c.counted.all, former); i >= 0 {
		c.counted.all[i] = p.server
	}
}

// stopped stops a process, and checks that it ends in order.
func (c *cluster) stopped(p *part) {
	c.t.Helper()
	status := p.stop()
	if log := p.stderr.String(); status != 0 || strings.Contains(log, "panic") {
		c.t.Errorf("%s ends with %d: %s", p.name, status, log)
	}
}

// balance starts the load balancer before the processes with the role api.
func (c *cluster) balance() {
	c.t.Helper()
	for _, s := range c.counted.all {
		s.healthy()
	}
	h := enginetest.NewWebProxy(c.t, "haproxy", func(addr, _ string) string { return c.balancing(addr) })
	c.front = &server{t: c.t, api: "http://" + h.Addr, stderr: &await.Text{}}
	c.front.healthy()
}

// balancing returns the load balancer's configuration in deploy/, with the addresses of
// this cluster.
func (c *cluster) balancing(addr string) string {
	c.t.Helper()
	var servers strings.Builder
	for i, s := range c.counted.all {
		_, port, err := net.SplitHostPort(strings.TrimPrefix(s.ops, "http://"))
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&servers, "    server node%d %s check port %s\n", i+1, strings.TrimPrefix(s.api, "http://"), port)
	}
	text := read(c.t, filepath.Join("..", "..", "deploy", "haproxy", "haproxy.cfg"))
	for _, change := range [][2]string{
		{"bind :8080\n", "bind " + addr + "\n"},
		{"timeout check 5s\n", "timeout check 60s\n"}, // a busy machine is no fault
		{"    server-template node 1-20 api:8080 resolvers containers init-addr none\n", servers.String()},
	} {
		if strings.Count(text, change[0]) != 1 {
			c.t.Fatalf("deploy/haproxy/haproxy.cfg: want %q once", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	return text
}

// connection is a client's, which keeps it until an answer asks it not to. It repeats no
// request, as an [http.Client] does if a connection that was idle turns out to be closed.
type connection struct {
	conn net.Conn // nil: none is open
	from *bufio.Reader
}

// ask sends a request to http://HOST:PORT.
func (c *connection) ask(base, method, path, token, body string) (r reply, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", strings.TrimPrefix(base, "http://")); err != nil {
			return reply{}, err
		}
		c.from = bufio.NewReader(c.conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(await.Patience)); err != nil {
		return reply{}, err
	}
	_, err = fmt.Fprintf(c.conn, "%s %s HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, token, len(body), body)
	if err != nil {
		return reply{}, err
	}
	res, err := http.ReadResponse(c.from, nil)
	if err != nil {
		return reply{}, err
	}
	text, err := io.ReadAll(res.Body)
	if res.Close || err != nil {
		err = errors.Join(err, c.close())
	}
	return reply{res.StatusCode, res.Header, string(text)}, err
}

func (c *connection) close() error {
	if c.conn == nil {
		return nil
	}
	conn := c.conn
	c.conn = nil
	return conn.Close()
}

// crowd is clients that send requests with one key until they are stopped. Every answer
// must be good.
type crowd struct {
	answered atomic.Int64
	failed   atomic.Int64
	stop     func()

	mu   sync.Mutex
	took []time.Duration
}

// startCrowd starts clients of a service that sells a stock, each with a pace.
func startCrowd(t *testing.T, s *server, token string, k stock, clients int, pace time.Duration) *crowd {
	t.Helper()
	c, end := &crowd{}, make(chan struct{})
	ids := k.slugs(2)
	requests := [][3]string{
		{"GET", "/api/v1/account/me", ""},
		{"GET", "/api/v1/catalog/search?q=game&limit=5", ""},
		{"POST", "/api/v1/catalog/prices", bulkBody(ids)},
		{"GET", "/api/v1/catalog/pcstore/games/" + slug(0), ""},
		{"GET", "/api/v1/catalog/platforms", ""},
	}
	var asking sync.WaitGroup
	for client := range clients {
		asking.Go(func() {
			conn, tick := connection{}, time.NewTicker(pace)
			defer conn.close()
			defer tick.Stop()
			for i := client; ; i++ {
				select {
				case <-end:
					return
				case <-tick.C:
				}
				q, began := requests[i%len(requests)], time.Now()
				r, err := conn.ask(s.api, q[0], q[1], token, q[2])
				if err != nil || r.status != http.StatusOK {
					c.failed.Add(1)
					t.Errorf("%s %s: %d %.200s, %v", q[0], q[1], r.status, r.body, err)
					conn.close()
					continue
				}
				if q[0] == "POST" {
					checkWhole(t, k, r, len(ids), 0)
				}
				c.count(time.Since(began))
			}
		})
	}
	c.stop = sync.OnceFunc(func() { close(end); asking.Wait() })
	t.Cleanup(c.stop)
	return c
}

func (c *crowd) count(took time.Duration) {
	c.answered.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
}

// until waits until so many requests were answered.
func (c *crowd) until(t *testing.T, n int64) {
	t.Helper()
	if !await.Progress(func() bool { return c.answered.Load() >= n }, func() any { return c.answered.Load() }) {
		t.Fatalf("%d answers, want %d", c.answered.Load(), n)
	}
}

// more waits for n more answers.
func (c *crowd) more(t *testing.T, n int64) {
	t.Helper()
	c.until(t, c.answered.Load()+n)
}

// times returns how long the answers took.
func (c *crowd) times() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return quantiles(c.took)
}

// quantiles describes durations.
func quantiles(all []time.Duration) string {
	all = slices.Clone(all)
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return all[int(share*float64(len(all)-1))].Round(time.Millisecond / 10)
	}
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("p50 %v, p99 %v, max %v", at(0.5), at(0.99), at(1))
}
