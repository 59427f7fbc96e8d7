package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/bucket"
	"gamedex/internal/build"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/demo"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/publish"
	"gamedex/internal/quota"
	"gamedex/internal/rates"
	"gamedex/internal/serve"
	"gamedex/internal/snapshot"
	"gamedex/internal/sqldb"
)

// node is one running process: everything that serve wires together.
type node struct {
	program   *program
	flags     *serveCommand
	active    []catalog.Region
	db        *sqldb.DB
	bucketDir string
	overrides overridesFile
	log       *slog.Logger
	baseURL   string // where clients reach the API
	opsURL    string

	demo *demo.Catalog
	// demoPassword is the sample user's; "" if this start did not make him.
	demoPassword string

	bucket  bucket.Bucket
	live    index.Live
	follow  *publish.Follower
	metrics *nodeMetrics
	keys    *account.Cache
	memory  *quota.Memory
	usage   *quota.Usage
	flusher *quota.Flusher
	pages   *dashboard.Dashboard

	collecting *collecting // nil: nothing is collected here
	rates      *rates.Loop // nil: nobody is asked for exchange rates here
}

const (
	noListings         = "no listings yet: gamedex import FILE, or serve --demo"
	collectingListings = "no listings yet: the first sweep of the stores is under way, see gamedex collect plan"
)

// noListings is what everybody is told before there is a catalog.
func (n *node) noListings() string {
	if n.collecting != nil {
		return collectingListings
	}
	return noListings
}

// run opens everything, serves until ctx ends, and closes it again.
func (n *node) run(ctx context.Context) error {
	leave, err := n.join(ctx)
	if err != nil {
		return err
	}
	defer leave()
	folder, err := bucket.OpenFolder(n.bucketDir)
	if err != nil {
		return err
	}
	defer folder.Close()
	n.bucket = folder
	if err := n.prepare(ctx); err != nil {
		return err
	}
	servers, err := n.listen()
	if err != nil {
		return err
	}
	n.lookFirst(ctx)
	demoKey, err := n.fillDemo(ctx)
	if err != nil {
		for _, s := range servers {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	return n.serve(ctx, servers, demoKey)
}

// join makes this process one of those that work with the database. Only one
// may count requests in memory. Whoever is alone knows that the holders of all
// leases are dead: there is nothing to wait for.
func (n *node) join(ctx context.Context) (leave func(), err error) {
	alone, joined, err := n.db.Join(ctx)
	if err != nil {
		return nil, err
	}
	leave = func() { joined.Close() }
	if n.flags.has("api") {
		claim, err := n.db.LockCounters()
		if err != nil {
			leave()
			return nil, err
		}
		leave = func() { claim.Close(); joined.Close() }
	}
	if alone {
		if err := n.db.ReleaseAll(ctx); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// serve starts all parts, waits for the end, and stops them in order: listeners
// first, so that what was answered is counted before the last flush.
func (n *node) serve(ctx context.Context, servers []*serve.Server, demoKey string) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	parts, partsCtx := errgroup.WithContext(background)
	for _, loop := range n.loops() {
		parts.Go(func() error { return loop(partsCtx) })
	}
	n.greet(ctx)
	if n.flags.Demo {
		parts.Go(func() error { n.greetDemo(partsCtx, demoKey); return nil })
	}
	listeners, listenersCtx := errgroup.WithContext(ctx)
	for _, s := range servers {
		listeners.Go(func() error { return s.Run(listenersCtx) })
	}
	err := listeners.Wait()
	stop()
	err = errors.Join(err, parts.Wait())
	n.log.Info("stopped")
	return err
}

// prepare makes what the parts share. Whoever calls it has claimed the counters.
func (n *node) prepare(ctx context.Context) (err error) {
	if n.demo, err = demo.New(); err != nil {
		return err
	}
	if n.metrics, err = newMetrics(prometheus.NewRegistry(), n); err != nil {
		return err
	}
	n.follow = publish.NewFollower(n.bucket, &n.live, n.snapshotUnusable)
	n.keys = account.NewCache(n.db, n.nowMillis, n.log)
	n.memory = quota.NewMemory()
	n.usage = quota.NewUsage(processID(), n.db)
	n.flusher = quota.NewFlusher(n.memory, n.usage, n.db, n.nowMillis, n.log)
	if err := n.prepareCollection(); err != nil {
		return err
	}
	return errors.Join(n.keys.Refresh(ctx), n.flusher.Load(ctx))
}

// loops are the parts that run beside the listeners.
func (n *node) loops() []func(context.Context) error {
	loops := []func(context.Context) error{n.keys.Run, n.flusher.Run, n.keepHouse, n.followOn}
	if n.flags.has("build") {
		loops = append(loops, n.builder().Run)
	}
	if n.flags.has("collect") {
		loops = append(loops, n.collectOn)
		if n.rates != nil {
			loops = append(loops, func(ctx context.Context) error { n.rates.Run(ctx); return nil })
		}
	}
	return loops
}

// followEvery is how often a node looks for a newer manifest.
const followEvery = 200 * time.Millisecond

// lookFirst takes up the last snapshot before anybody is answered.
func (n *node) lookFirst(ctx context.Context) {
	if _, err := n.follow.Poll(ctx); err != nil {
		n.snapshotUnusable(err)
	}
}

func (n *node) followOn(ctx context.Context) error { return n.follow.Run(ctx, followEvery) }

// snapshotUnusable tells of a snapshot that is not used. One of another version
// is what an upgrade leaves behind, and waits to be built anew.
func (n *node) snapshotUnusable(err error) {
	var other *snapshot.VersionError
	if errors.As(err, &other) {
		n.log.Info("snapshot is of another version of gamedex; a new one is built", "error", err)
		return
	}
	n.log.Error("snapshot not usable; the last good one stays", "error", err)
}

func (n *node) builder() *build.Builder {
	return build.New(build.Config{
		Database: source{n.db, n.program.Now}, Publication: n.db, ServedIDs: n.db, Bucket: n.bucket,
		Leases:    lease.Holder{Store: n.db, ID: processID(), TTL: leaseTTL, Now: n.nowMillis},
		Active:    n.active,
		Overrides: n.overrides.watch(),
		States:    (&states{db: n.db, now: n.program.Now}).look,
		Now:       n.program.Now, Log: n.log, OnBuild: n.metrics.built,
	})
}

// listen takes the addresses: the operations listener's always, the API's
// where this process answers requests.
func (n *node) listen() ([]*serve.Server, error) {
	ops, err := serve.Listen(serve.Config{Addr: n.flags.OpsAddr, Log: n.log, Handler: serve.Ops(n.metrics.registry, n.notReady)})
	if err != nil {
		return nil, err
	}
	n.opsURL = "http://" + reachable(ops.Addr())
	if !n.flags.has("api") {
		return []*serve.Server{ops}, nil
	}
	// The pages have links that begin with the address, which port 0 tells only
	// when it is taken: the handler comes after it.
	handler := new(lateHandler)
	front, err := serve.Listen(serve.Config{Addr: n.flags.Addr, Log: n.log, Handler: handler})
	if err != nil {
		return nil, errors.Join(err, ops.Close())
	}
	n.baseURL = "http://" + reachable(front.Addr())
	if n.flags.PublicURL != "" {
		n.baseURL = strings.TrimRight(n.flags.PublicURL, "/")
	}
	if handler.Handler, err = n.handler(); err != nil {
		return nil, errors.Join(err, front.Close(), ops.Close())
	}
	return []*serve.Server{front, ops}, nil
}

// lateHandler is a handler that is known before anybody is answered.
type lateHandler struct{ http.Handler }

// reachable is where a client on this machine finds a listener: one that takes
// calls on every address is found on the loopback one.
func reachable(addr string) string {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port())
	}
	return addr
}

func (n *node) handler() (http.Handler, error) {
	reference, err := api.Reference()
	if err != nil {
		return nil, err
	}
	config := api.Config{
		Version: version, ConsoleName: n.flags.ConsoleName, PCName: n.flags.PCName, CORSOrigin: n.flags.CORSOrigin,
		Limits: n.flags.limits(), Clock: n.program.Now, Live: &n.live, Keys: n.keys,
		Counter: n.memory, Usage: n.usage, NoListings: n.noListings(),
		Failed: func(requestID string, err error) {
			n.log.Error("request failed", "request_id", requestID, "error", err)
		},
	}
	wire := api.New(config)
	if n.pages, err = n.dashboard(config); err != nil {
		return nil, err
	}
	return &serve.Front{
		Next: site{api: wire, reference: reference, dashboard: n.pages, samples: n.demo}, Log: n.log, Metrics: n.metrics.http,
		Rand: rand.Reader, Now: n.program.Now, OnPanic: panicked(wire, n.pages),
	}, nil
}

// notReady says why this node cannot answer yet, with the way out.
func (n *node) notReady() []string {
	if n.live.View() == nil {
		return []string{n.noListings()}
	}
	return nil
}

func (n *node) nowMillis() int64 { return n.program.Now().UnixMilli() }

// processID tells this run of this process from every other.
func processID() string { return rand.Text() }

// greet says on standard output where everything is.
func (n *node) greet(ctx context.Context) {
	if n.flags.has("api") {
		fmt.Fprintf(n.program.Stdout, "API        %[1]s/api/v1\nreference  %[1]s/docs\ndashboard  %[1]s/\n", n.baseURL)
		defer n.greetPeople(ctx)
	}
	fmt.Fprintf(n.program.Stdout, "operations %s\n", n.opsURL)
	if generation, err := n.db.Generation(ctx); err == nil && generation == 0 {
		fmt.Fprintf(n.program.Stdout, "\n%s\n", n.noListings())
	}
}
