package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"gamedex/internal/account"
	"gamedex/internal/bucket"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/demo"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/node/conditions"
	"gamedex/internal/node/datadir"
	"gamedex/internal/node/overrides"
	"gamedex/internal/node/platforms"
	"gamedex/internal/publish"
	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/rates"
	"gamedex/internal/registry"
	"gamedex/internal/serve"
	"gamedex/internal/snapshot"
	"gamedex/internal/sqldb"
	"gamedex/internal/webhook"
)

// Roles are what a process does, sorted: api answers requests, build makes snapshots,
// collect reads the stores and the exchange rates.
type Roles []string

func (r Roles) has(role string) bool { return slices.Contains(r, role) }

// Config configures a node. The caller has checked its values.
type Config struct {
	DB            *sqldb.DB
	Bucket        Bucket          // of the snapshots
	CacheDir      string          // for copies of snapshots that are in an S3 service
	KeepSnapshots *time.Duration  // how long replaced snapshots are kept; nil: the default of the bucket
	Counters      *shared.Address // of the server that counts requests for all nodes; nil: this process counts, in memory
	OverridesFile string          // of the operator's corrections, if the database is a file
	ServerFile    datadir.ServerFile
	KeepPrivate   func() error // removes the access of other users to the data
	NodeName      string       // of this process, for operators
	Version       string
	Roles         Roles
	ActiveRegions []catalog.Region // empty: the default, see catalog.ActiveRegions
	Demo          bool             // fill an empty database with the sample catalog
	DemoStill     bool             // the prices of the sample do not change

	Addr, OpsAddr       string   // port 0 takes a free one
	PublicURL           string   // empty: http:// and the address of the listener
	CORSOrigins         []string // whose pages may call the API
	ConsoleName, PCName string
	Limits              quota.Limits // of keys that have no limit set

	Stores *StoreConfig // nil: no store is read
	Rates  *RateConfig  // nil: exchange rates are not fetched

	AnswerMemory int64         // see api.Config
	AnswerCache  int64         // see api.Config
	Webhooks     bool          // keys may have webhooks, and the role build sends their messages
	WebhookHosts webhook.Hosts // receivers that may have private addresses

	SignUp         web.SignUp
	PublicPages    bool // whether people see games and prices without an account
	Proxies        serve.Proxies
	CountryHeader  string // of the proxies; "": none
	ImageHosts     []string
	AuditRetention int // days; zero: forever
	OIDC           *openid.Settings

	// Drain returns how long requests are answered after the context of Run ended,
	// while /readyz tells load balancers to send them elsewhere. It is called then.
	Drain func() time.Duration

	Stdout io.Writer // for addresses and hints
	// Hint returns a text in which commands begin with the program's name as the
	// operator called it. Log does so itself.
	Hint func(string) string
	Now  func() time.Time
	// OwnClock makes Now count, whatever the database's clock shows: for tests that set the time.
	OwnClock bool
	Log      *slog.Logger
	// QuietRequests logs requests at debug level.
	QuietRequests bool
	// LogsDropped returns how many log lines were dropped because nothing read
	// them, and whether that still goes on.
	LogsDropped func() (lines int64, now bool)
}

// node is one running process.
type node struct {
	Config
	baseURL  string // where clients reach the API
	opsURL   string
	ended    <-chan struct{} // closed when the process was asked to stop
	stop     func(error)     // closes ended, with the reason
	stopWork func()          // ends what work returns

	demo *demo.Catalog
	// demoPassword is the sample user's; empty if this start did not create it.
	demoPassword string

	bucket   bucket.Bucket
	cache    *publish.Cache // nil: the bucket is a folder
	live     index.Live
	builder  *builder.Builder // nil: no snapshot is built here
	follow   *publish.Follower
	outdated sync.Once                          // a snapshot of an older version is logged once
	newer    atomic.Pointer[publish.NewerError] // the last snapshot of a newer version; nil: none
	away     atomic.Pointer[bucketAway]         // when the bucket did not answer last; nil: it always has
	metrics  *nodeMetrics
	items    func() (hits, misses int64) // of bulk prices; nil: this process answers no requests
	keys     *account.Cache
	counter  quota.Counter
	shared   *shared.Shared      // nil: requests are counted in memory
	people   quota.Counter       // of their requests in the explorer; nil: this process alone, in memory
	tries    account.SharedTries // of sign-ins; nil: this process alone
	usage    *quota.Usage
	flusher  *quota.Flusher
	pages    *dashboard.Dashboard
	nodes    *registry.Registrar // this node among the others
	watch    *conditions.Watch

	collection *Collection // nil: no store is read here
	rates      *rates.Loop // nil: exchange rates are not fetched here
}

// noListings returns why there is no catalog, and what an operator can do about it.
func (n *node) noListings() string {
	if away := n.away.Load(); away != nil && time.Since(away.at) < awayFor {
		return "no prices yet: the snapshots cannot be read; it is tried again every few seconds: " + away.err.Error()
	}
	if about := n.aboutDamage(); about != "" {
		return "no prices yet: " + about
	}
	if n.collection == nil {
		return "no listings yet: gamedex import FILE, or restart serve with --demo"
	}
	return "no listings yet: " + n.aboutCollection()
}

// Run opens everything that c's roles need, serves until ctx ends, and closes it
// again. The database stays open.
func Run(ctx context.Context, c Config) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	n := &node{Config: c, ended: ctx.Done(), stop: stop}
	if damage := n.damage(); damage != nil {
		if !n.Roles.has(roleAPI) {
			return damage
		}
		n.Roles, n.Demo = Roles{roleAPI}, false // from the stored snapshot
	}
	leave, err := n.join(ctx)
	if err != nil {
		return err
	}
	defer leave()
	closeBucket, err := n.openBucket(ctx)
	if err != nil {
		return err
	}
	defer closeBucket()
	closeCounters, err := n.openCounters(ctx)
	if err != nil {
		return err
	}
	defer closeCounters()
	if err := n.prepare(ctx); err != nil {
		return err
	}
	listeners, err := n.listen()
	if err != nil {
		return err
	}
	// Open the last snapshot before the first request is answered.
	n.openSnapshot(ctx)
	if damage := n.damage(); damage != nil && n.live.View() == nil {
		return errors.Join(damage, listeners.close())
	}
	demoKey, err := n.fillDemo(ctx)
	if err != nil {
		return errors.Join(err, listeners.close())
	}
	err = n.serve(ctx, listeners, demoKey)
	if cause := context.Cause(ctx); errors.Is(cause, lease.ErrLost) {
		err = errors.Join(cause, err)
	}
	return err
}

// join makes this process one of those that work with the database. Only one
// process may count requests in memory. If it is the only process of a database in a
// file, the holders of all leases are dead, and join releases them if it can.
func (n *node) join(ctx context.Context) (leave func(), err error) {
	if n.DB.File == nil {
		return n.claimCounters(ctx)
	}
	alone, joined, err := n.DB.File.Join(ctx)
	if err != nil {
		return nil, err
	}
	leave = func() { joined.Close() }
	if n.Roles.has(roleAPI) {
		claim, err := n.DB.File.LockCounters()
		if err != nil {
			leave()
			return nil, err
		}
		leave = func() { claim.Close(); joined.Close() }
	}
	if alone && n.damage() == nil {
		if err := n.DB.Nodes.ReleaseAll(ctx); err != nil && ctx.Err() == nil {
			n.Log.Warn("leases of dead processes were not released; they expire within "+leaseTTL.String(), "error", err)
		}
	}
	return leave, nil
}

// serve starts all parts, waits for the end, and stops them in order: listeners
// first, so that what was answered is counted before the last flush.
func (n *node) serve(ctx context.Context, l listeners, demoKey string) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	parts, partsCtx := errgroup.WithContext(background)
	workCtx, stopWork := context.WithCancel(partsCtx)
	defer stopWork()
	n.stopWork = stopWork
	if n.damage() != nil {
		stopWork()
	}
	for _, loop := range n.loops() {
		parts.Go(func() error { return loop(partsCtx) })
	}
	for _, work := range n.work() {
		parts.Go(func() error { return work(workCtx) })
	}
	n.writeServerNotes() // first, for commands that follow the addresses at once
	n.printAddresses(ctx)
	if n.Demo {
		parts.Go(func() error { n.printDemoHint(partsCtx, demoKey); return nil })
	}
	err := l.run(ctx)
	stop()
	err = errors.Join(err, parts.Wait())
	n.Log.Info("stopped")
	return err
}

// prepare makes what the parts share. The process must have joined.
func (n *node) prepare(ctx context.Context) (err error) {
	if n.demo, err = demo.New(); err != nil {
		return err
	}
	n.metrics = newMetrics(prometheus.NewRegistry(), n)
	if n.Roles.has(roleBuild) {
		n.builder = n.newBuilder()
	}
	if gap := n.DB.EpochGap(); gap != "" {
		n.Log.Warn("a failover that loses commits, or a restore, may go unnoticed: the database role may not call "+gap, "without", gap)
	}
	n.follow = n.newFollower()
	n.keys = account.NewCache(n.DB.Accounts, n.nowMillis, n.Log)
	n.nodes = n.newRegistrar()
	if n.damage() == nil {
		n.nodes.Compare(ctx, n.DB.Nodes.Clock)
	}
	n.watch = n.newWatch()
	if err := n.openSources(ctx); err != nil {
		return err
	}
	err = errors.Join(n.keys.Refresh(ctx), n.flusher.Load(ctx))
	if n.damage() != nil {
		return nil // what is stored outside of the database is served
	}
	return err
}

func (n *node) newBuilder() *builder.Builder {
	keep, present := n.builderPace()
	return builder.New(builder.Config{
		Database: NewDatabase(n.DB, n.now), Publication: n.DB.Nodes, ServedIDs: n.DB.Listings, Bucket: n.bucket,
		Leases:    lease.Holder{Repository: n.DB.Nodes, ID: ProcessID(), TTL: leaseTTL},
		Active:    n.ActiveRegions,
		Overrides: overrides.Of(n.DB, n.OverridesFile).Watch(n.Now),
		States:    (&platforms.States{DB: n.DB, Now: n.now}).Read,
		Keep:      keep, PresentEvery: present,
		Damaged: func() []string { return n.nodes.List().Damaged() },
		Now:     n.Now, Clock: n.now, Log: n.Log, OnBuild: n.metrics.observeBuild,
	})
}

// loops are the parts that run besides the listeners.
func (n *node) loops() []func(context.Context) error {
	loops := []func(context.Context) error{n.keys.Run, n.flusher.Run, n.nodes.Run, n.watch.Run,
		func(ctx context.Context) error { return n.follow.Run(ctx, n.followEvery()) }}
	if n.shared != nil {
		loops = append(loops, n.shared.Run)
	}
	return loops
}

// work is the parts that are of no use once the database is damaged: nothing of them is served.
func (n *node) work() []func(context.Context) error {
	work := []func(context.Context) error{n.runMaintenance}
	if n.builder != nil {
		work = append(work, n.builder.Run)
		if n.Webhooks {
			work = append(work, n.newSender().Run)
		}
	}
	if n.Demo {
		work = append(work, n.runDemoMoves)
	}
	if n.Roles.has(roleCollect) {
		work = append(work, n.runCollection)
		if n.rates != nil {
			work = append(work, func(ctx context.Context) error { n.rates.Run(ctx); return nil })
		}
	}
	return work
}

// listEvery is how often a node looks for a newer manifest in a folder.
const listEvery = 200 * time.Millisecond

// snapshotUnusable logs a snapshot that cannot be used. One of another version is
// no error: an upgrade leaves some behind, which the builder replaces, and this process
// may be the one that is not upgraded yet.
func (n *node) snapshotUnusable(err error) {
	if newer, ok := errors.AsType[*publish.NewerError](err); ok {
		if n.newer.Swap(newer) == nil {
			n.Log.Warn("new snapshots are of a newer version; this process serves the last one that it can read until it is upgraded", "error", err)
		}
		return
	}
	if _, ok := errors.AsType[*snapshot.VersionError](err); ok {
		n.outdated.Do(func() {
			n.Log.Info("snapshot is of another version of gamedex; a new one is built", "error", err)
		})
		return
	}
	n.noteAway(err)
	n.Log.Error("snapshot not usable; the last good one stays", "error", err)
}

// writeServerNotes writes what commands read about this server. Without the notes they
// assume the default flags.
func (n *node) writeServerNotes() {
	notes, err := n.ServerFile.Read()
	if n.Roles.has(roleAPI) {
		notes.URL = n.baseURL
	}
	if n.Roles.has(roleBuild) {
		notes.ActiveRegions = n.ActiveRegions
	}
	if err = errors.Join(err, n.ServerFile.Write(notes)); err != nil {
		n.Log.Warn("the file that tells commands about this server was not written; they assume the default flags", "error", err)
	}
}

// now returns the time by the database's clock. By it nodes agree on what has ended, and on the day,
// however wrong their own clocks are.
func (n *node) now() time.Time {
	if n.OwnClock || n.nodes == nil { // nil: before prepare
		return n.Now()
	}
	return n.nodes.Now()
}

func (n *node) nowMillis() int64 { return n.now().UnixMilli() }

// ProcessID returns a random name for one run of a process.
func ProcessID() string { return rand.Text() }

// printAddresses prints where clients and operators reach this node.
func (n *node) printAddresses(ctx context.Context) {
	if n.Roles.has(roleAPI) {
		fmt.Fprintf(n.Stdout, "API        %[1]s/api/v1\nreference  %[1]s/docs\ndashboard  %[1]s/\n", n.baseURL)
		if n.damage() == nil {
			defer n.printSetupHint(ctx)
		}
	}
	fmt.Fprintf(n.Stdout, "operations %s\n", n.opsURL)
	if _, generation, err := n.DB.Listings.Newest(ctx); err == nil && generation == 0 {
		fmt.Fprintf(n.Stdout, "\n%s\n", n.Hint(n.noListings()))
	}
}
