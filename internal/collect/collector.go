package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// Connector reads one store.
type Connector interface {
	Platform() catalog.Platform
	// Jobs are the scopes that it can read, the same at every call.
	Jobs() []sweep.Job
	// Host is what its requests go to, for what is said about stops.
	Host() string
	// Read fetches one page (from: where it begins, "" at the start) or one
	// item (from: its id). Errors of the store are *upstream.Error. It is
	// called from several goroutines at once.
	Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error)
}

// Database keeps what is collected, and how far the collection is.
type Database interface {
	SetCollection(ctx context.Context, c sweep.Collection, jobs []sweep.State) error
	Collections(ctx context.Context) ([]sweep.Collection, error)
	StopCollection(ctx context.Context, p catalog.Platform, until catalog.Millis, reason string) error
	Sweeps(ctx context.Context, now catalog.Millis) ([]sweep.State, error)
	// Hasten makes the leases of scopes due at once. When a lease is released
	// without a failure, it is due as soon as one of the scope's items is.
	Hasten(ctx context.Context, scopes []sweep.Scope) error
	// The following four work under a scope's lease: they fail with
	// lease.ErrLost once it is no longer held.
	BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error
	SaveStep(ctx context.Context, l lease.Lease, step sweep.Step, check func(*catalog.Listing) error) (sweep.StepCounts, error)
	FinishSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis, force bool) (sweep.End, error)
	FailSweep(ctx context.Context, l lease.Lease, s sweep.Scope) error
	// DueItems are items of the scope that are due at now, or that its sweep
	// under way has not read yet.
	DueItems(ctx context.Context, s sweep.Scope, now catalog.Millis, limit int) ([]string, error)
}

// Prices reads the stored prices of products in all regions.
type Prices interface {
	RegionPrices(ctx context.Context, p catalog.Platform, products []string) ([]sweep.RegionPrice, error)
}

// Config is what a Collector works with. Fields are required unless they say
// otherwise.
type Config struct {
	Database   Database
	Prices     Prices
	Connectors []Connector // one for a platform
	Leases     lease.Holder
	Active     []catalog.Region
	Intervals  Intervals
	Workers    int // scopes of a platform that are read at once; 0: two
	// Rates is the table in force, by which prices are compared; nil: none.
	Rates func(context.Context) (money.Rates, error)
	Now   func() time.Time
	Rand  func() float64 // in [0,1)
	Log   *slog.Logger
	// Stop tells the client of a host that must not be asked, which another
	// process may have learned; may be nil.
	Stop func(host string, until time.Time, reason string)
	// Observe is told of every run that ended; may be nil. It is called from
	// several goroutines.
	Observe func(Event)
}

// Collector runs the connectors. Create it with [New]; Run and Once may be
// called on the same one.
type Collector struct {
	cfg     Config
	sources []*source

	mu      sync.Mutex
	memory  map[sweep.Scope]*memory
	stops   map[catalog.Platform]catalog.Millis // last passed to cfg.Stop
	failing string                              // why the loop cannot go on, as last logged
	lacking int                                 // scopes that are not registered as here, as last logged

	overviewMu sync.Mutex // held while the database is read, so that idle workers read once
	overview   overview
}

// source is a connector with what is remembered of it.
type source struct {
	Connector
	jobs map[sweep.Scope]sweep.Job

	mu       sync.Mutex
	favoured time.Time // when what is overdue was last preferred
}

// New checks the configuration. Nothing is read or stored yet.
func New(cfg Config) (*Collector, error) {
	if cfg.Database == nil || cfg.Prices == nil || cfg.Now == nil || cfg.Rand == nil || cfg.Log == nil {
		return nil, errors.New("make collector: database, clock, random source or logger is missing")
	}
	var err error
	if cfg.Intervals, err = cfg.Intervals.complete(); err != nil {
		return nil, fmt.Errorf("make collector: %w", err)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = 2
	}
	if cfg.Stop == nil {
		cfg.Stop = func(string, time.Time, string) {}
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Event) {}
	}
	c := &Collector{
		cfg: cfg, memory: make(map[sweep.Scope]*memory), stops: make(map[catalog.Platform]catalog.Millis),
	}
	for _, connector := range cfg.Connectors {
		platform := connector.Platform()
		s := &source{Connector: connector, jobs: make(map[sweep.Scope]sweep.Job)}
		for _, job := range connector.Jobs() {
			if job.Scope.Platform != platform || len(job.Regions) == 0 || job.Regions[0] != job.Scope.Region {
				return nil, fmt.Errorf("make collector: job %s of platform %s: want its platform, and its region first among %d",
					job.Scope, platform, len(job.Regions))
			}
			s.jobs[job.Scope] = job
		}
		if slices.ContainsFunc(c.sources, func(o *source) bool { return o.Platform() == platform }) {
			return nil, fmt.Errorf("make collector: platform %s has two connectors", platform)
		}
		c.sources = append(c.sources, s)
	}
	if len(c.sources) == 0 {
		return nil, errors.New("make collector: no connector is given")
	}
	return c, nil
}

// The pace of the loop. How soon something is noticed that another process
// made due, and how long the loop rests after a failure.
const (
	lookEvery = 10 * time.Second
	lookSoon  = 200 * time.Millisecond
	restAfter = time.Second
)

// Run registers the platforms as collected, then works until ctx ends. What
// fails is logged and tried again; only a failed registration is an error.
func (c *Collector) Run(ctx context.Context) error {
	for _, s := range c.sources {
		if err := c.register(ctx, s, c.cfg.Intervals.Prices); err != nil {
			return err
		}
		c.cfg.Log.Info("collection is on", "platform", s.Platform(), "host", s.Host(), "sweeps", len(s.jobs))
	}
	c.logTrouble(c.retryFailed(ctx))
	var workers sync.WaitGroup
	for _, s := range c.sources {
		for range c.cfg.Workers {
			workers.Go(func() {
				for ctx.Err() == nil {
					rest, err := c.runNext(ctx, s)
					if ctx.Err() != nil {
						return
					}
					c.logTrouble(err)
					if err != nil {
						rest = lookEvery
					}
					sleep(ctx, rest)
				}
			})
		}
	}
	workers.Wait()
	return nil
}

// retryFailed makes failed scopes due at once: a restart may follow a fix. Stores
// that are stopped stay so.
func (c *Collector) retryFailed(ctx context.Context) error {
	sweeps, err := c.cfg.Database.Sweeps(ctx, c.millis())
	if err != nil {
		return err
	}
	var failed []sweep.Scope
	for _, s := range sweeps {
		if s.Attempts > 0 {
			failed = append(failed, s.Scope)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return c.cfg.Database.Hasten(ctx, failed)
}

// register stores which scopes there are and how often they are swept; every
// is the interval by which the platform's status is judged.
func (c *Collector) register(ctx context.Context, s *source, every time.Duration) error {
	state := sweep.Collection{Platform: s.Platform(), Since: c.millis(), Interval: millisOf(every)}
	var sweeps []sweep.State
	for _, job := range s.Jobs() {
		active := c.isActive(job)
		sweeps = append(sweeps, sweep.State{
			Scope: job.Scope, Regions: job.Regions, Active: active,
			Interval: millisOf(c.cfg.Intervals.Of(job.Scope.Kind, active)),
		})
	}
	if err := c.cfg.Database.SetCollection(ctx, state, sweeps); err != nil {
		return fmt.Errorf("register collection of %s: %w", s.Platform(), err)
	}
	return nil
}

func (c *Collector) isActive(job sweep.Job) bool {
	return slices.ContainsFunc(job.Regions, func(r catalog.Region) bool { return slices.Contains(c.cfg.Active, r) })
}

// logTrouble logs, once until it changes, why the loop cannot go on.
func (c *Collector) logTrouble(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	news := text != c.failing
	c.failing = text
	c.mu.Unlock()
	if news && err != nil {
		c.cfg.Log.Warn("collection cannot go on; it will be tried again", "error", err)
	} else if news {
		c.cfg.Log.Info("collection goes on")
	}
}

// runNext runs the most urgent scope whose lease it gets. It returns how long to
// rest before the next one.
func (c *Collector) runNext(ctx context.Context, s *source) (time.Duration, error) {
	plan, err := c.cachedPlan(ctx)
	if err != nil {
		return 0, err
	}
	rest := lookEvery
	for _, next := range s.order(plan, c.cfg.Now()) {
		if wait := time.Duration(next.At-c.millis()) * time.Millisecond; wait > 0 {
			rest = min(rest, max(lookSoon, wait))
			continue
		}
		r := c.newRun(s, s.jobs[next.State.Scope], next.Class)
		r.slice = next.slice
		ran, err := r.hold(ctx)
		c.dropCachedPlan()
		switch {
		case ran && err != nil:
			return restAfter, nil // reported where it happened
		case err != nil:
			return 0, err
		case ran:
			return 0, nil
		}
		rest = lookSoon // another was faster: the next look knows more
	}
	return rest, nil
}

// turnOf is what a worker may take next.
type turnOf struct {
	Planned
	slice time.Duration // to go on before giving way; zero: as its kind does
}

// What is overdue has a share of the time, however much there is to do that is
// more urgent: one part in so many, in pieces of no less than favour.
const (
	favourShare = 5
	favour      = 30 * time.Second
)

// order is the plan as far as this source can run it. Now and then what is
// overdue comes before everything else.
func (s *source) order(plan []Planned, now time.Time) []turnOf {
	var overdue []Planned
	var turns []turnOf
	for _, p := range plan {
		if s.owns(&p.State) && !p.Running {
			turns = append(turns, turnOf{Planned: p})
			if p.Overdue && p.At <= catalog.MillisOf(now) {
				overdue = append(overdue, p)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.favoured.IsZero() {
		s.favoured = now
	}
	slice := now.Sub(s.favoured) / (favourShare - 1)
	if len(overdue) == 0 || slice < favour {
		return turns
	}
	s.favoured = now.Add(slice)
	longest := slices.MinFunc(overdue, func(a, b Planned) int { // whose next sweep should have ended first
		return cmp.Compare(a.State.Completed+a.State.Interval, b.State.Completed+b.State.Interval)
	})
	return append([]turnOf{{longest, slice}}, turns...)
}

// owns reports whether a registered scope is one of the source's jobs. One that
// stands for other regions is another profile's: read here, it would seem to
// lack what those regions have.
func (s *source) owns(state *sweep.State) bool {
	job, known := s.jobs[state.Scope]
	return known && slices.Equal(job.Regions, state.Regions)
}

// overview is what a plan is made of, read at a moment.
type overview struct {
	at          time.Time // zero: look again
	sweeps      []sweep.State
	collections []sweep.Collection
}

// freshPlan returns the plan by what the database holds now.
func (c *Collector) freshPlan(ctx context.Context) ([]Planned, error) {
	c.dropCachedPlan()
	return c.cachedPlan(ctx)
}

// cachedPlan returns a plan that is at most lookEvery old if this process ran
// nothing since. The lease decides in the end whether a scope is due.
func (c *Collector) cachedPlan(ctx context.Context) ([]Planned, error) {
	c.overviewMu.Lock()
	defer c.overviewMu.Unlock()
	if now := c.cfg.Now(); c.overview.at.IsZero() || now.Sub(c.overview.at) >= lookEvery {
		sweeps, err := c.sweepsDue(ctx, catalog.MillisOf(now))
		if err != nil {
			return nil, err
		}
		c.logUnregistered(sweeps)
		collections, err := c.cfg.Database.Collections(ctx)
		if err != nil {
			return nil, err
		}
		c.overview = overview{now, sweeps, collections}
		for _, state := range collections { // tell the clients of stops that are new to this process
			c.mu.Lock()
			news := c.stops[state.Platform] != state.StoppedUntil
			c.stops[state.Platform] = state.StoppedUntil
			c.mu.Unlock()
			i := slices.IndexFunc(c.sources, func(s *source) bool { return s.Platform() == state.Platform })
			if i >= 0 && news && state.StoppedUntil > catalog.MillisOf(now) {
				c.cfg.Stop(c.sources[i].Host(), state.StoppedUntil.Time(), state.StopReason)
			}
		}
	}
	return Plan(c.overview.sweeps, c.overview.collections, c.millis()), nil
}

// sweepsDue reads how the sweeps stand. What is due later than any sweep of its
// interval can be was put off by a clock that was ahead, and is due now.
func (c *Collector) sweepsDue(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	sweeps, err := c.cfg.Database.Sweeps(ctx, now)
	if err != nil {
		return nil, err
	}
	var ahead []sweep.Scope
	for i := range sweeps {
		if s := &sweeps[i]; s.Attempts == 0 && s.DueAt > latestDue(s, now) {
			ahead = append(ahead, s.Scope)
			s.DueAt = now
		}
	}
	if len(ahead) == 0 {
		return sweeps, nil
	}
	c.cfg.Log.Warn("scopes were put off by a clock that was ahead; they are due now", "scopes", len(ahead), "first", ahead[0].String())
	return sweeps, c.cfg.Database.Hasten(ctx, ahead)
}

// latestDue is later than any sweep that was planned until now.
func latestDue(s *sweep.State, now catalog.Millis) catalog.Millis { return now + 2*s.Interval }

// logUnregistered logs, once until it changes, that scopes of this process's profile
// are registered otherwise or not at all: another profile was started later.
func (c *Collector) logUnregistered(sweeps []sweep.State) {
	lacking := 0
	for _, s := range c.sources {
		lacking += len(s.jobs)
		for i := range sweeps {
			if s.owns(&sweeps[i]) {
				lacking--
			}
		}
	}
	c.mu.Lock()
	news := lacking != c.lacking
	c.lacking = lacking
	c.mu.Unlock()
	if news && lacking > 0 {
		c.cfg.Log.Info("collection is off, or another process collects by another profile: some scopes are not read here", "scopes", lacking)
	}
}

func (c *Collector) dropCachedPlan() {
	c.overviewMu.Lock()
	defer c.overviewMu.Unlock()
	c.overview.at = time.Time{}
}

func (c *Collector) millis() catalog.Millis { return catalog.MillisOf(c.cfg.Now()) }

func millisOf(d time.Duration) catalog.Millis { return catalog.Millis(d.Milliseconds()) }

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
