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
	// Jobs returns the scopes that it can read; every call returns the same.
	Jobs() []sweep.Job
	// Host returns the host of its requests, which the reports of stops name.
	Host() string
	// Read fetches one page or one item. from is the cursor of the page, "" for
	// the first, or the id of the item. Errors of the store are *upstream.Error.
	// Read is called from several goroutines at once.
	Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error)
}

// Database stores the collected listings and the progress of collection.
type Database interface {
	SetCollection(ctx context.Context, c sweep.Collection, jobs []sweep.State) error
	Collections(ctx context.Context) ([]sweep.Collection, error)
	StopCollection(ctx context.Context, p catalog.Platform, until catalog.Millis, reason string) error
	// Sweeps counts at most countTo pending items of each scope.
	Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error)
	// Hasten makes the leases of scopes due at once. A lease that is released
	// without a failure is due as soon as one of the scope's items is.
	Hasten(ctx context.Context, scopes []sweep.Scope) error
	// The following five need the scope's lease: they fail with
	// lease.ErrLost once it is no longer held.
	BeginSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis) error
	SaveBatch(ctx context.Context, l lease.Lease, batch sweep.Batch, rules sweep.Rules) (sweep.BatchCounts, error)
	FinishSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis, force bool) (sweep.End, error)
	FailSweep(ctx context.Context, l lease.Lease, s sweep.Scope) error
	SettlePrices(ctx context.Context, l lease.Lease, s sweep.Scope) (heldBack int, err error)
	// DueItems returns items of the scope that are due at now, or that its sweep
	// under way has not read yet.
	DueItems(ctx context.Context, s sweep.Scope, now catalog.Millis, limit int) ([]string, error)
	// NamedItems returns those of the items that were named since the given time.
	NamedItems(ctx context.Context, s sweep.Scope, items []string, since catalog.Millis) ([]string, error)
	// Missing returns the products of which FinishSweep would withdraw listings.
	Missing(ctx context.Context, s sweep.Scope) ([]string, error)
}

// Config configures a Collector. Fields are required unless their comments say
// otherwise.
type Config struct {
	Database   Database
	Connectors []Connector // one for a platform
	Leases     lease.Holder
	Active     []catalog.Region
	Intervals  Intervals
	Workers    int // scopes of a platform that are read at once; 0: two
	// Rates returns the exchange rates by which prices are compared, or the zero Rates.
	Rates func(context.Context) (money.Rates, error)
	Now   func() time.Time
	// Clock returns the time of the database's clock in Unix milliseconds. Nothing is
	// collected while Now differs much from it.
	Clock func(context.Context) (int64, error)
	Rand  func() float64 // in [0,1)
	Log   *slog.Logger
	// Stop stops requests to a host until the given time. Any process may have
	// found the reason.
	Stop func(host string, until time.Time, reason string)
	// Observe is called after every run, from several goroutines; it may be
	// nil.
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
	failing string                              // last logged error of the loop
	lacking int                                 // last logged number of unregistered scopes

	overviewMu sync.Mutex // held while the database is read, so that idle workers read once
	overview   overview
}

// source is a connector with the state of its turns.
type source struct {
	Connector
	jobs map[sweep.Scope]sweep.Job

	mu        sync.Mutex
	preferred time.Time // when overdue scopes were last preferred
}

// New returns a Collector after checking the configuration. It does not read or
// store anything.
func New(cfg Config) (*Collector, error) {
	if cfg.Database == nil || cfg.Now == nil || cfg.Rand == nil || cfg.Log == nil {
		return nil, errors.New("make collector: database, clock, random source or logger is missing")
	}
	var err error
	if cfg.Intervals, err = cfg.Intervals.complete(); err != nil {
		return nil, fmt.Errorf("make collector: %w", err)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = 2
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
				return nil, fmt.Errorf("make collector: job %s of platform %s: want this platform, and the region of the scope first of its %d regions",
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
		return nil, errors.New("make collector: no connectors")
	}
	return c, nil
}

// The pace of the loop: how soon it notices what another process made due, and
// how long it waits after a failure.
const (
	lookEvery    = 10 * time.Second
	lookSoon     = 200 * time.Millisecond
	failurePause = time.Second
)

// Run registers the platforms as collected, then collects until ctx ends. It logs
// failures and tries again; only a failed registration is an error.
func (c *Collector) Run(ctx context.Context) error {
	for _, s := range c.sources {
		if err := c.register(ctx, s, c.cfg.Intervals.Prices); err != nil {
			return err
		}
		c.cfg.Log.Info("collection is on", "platform", s.Platform(), "host", s.Host(), "sweeps", len(s.jobs))
	}
	c.logLoopError(c.retryFailed(ctx))
	var workers sync.WaitGroup
	for _, s := range c.sources {
		for range c.cfg.Workers {
			workers.Go(func() {
				for ctx.Err() == nil {
					wait, err := c.runNext(ctx, s)
					if ctx.Err() != nil {
						return
					}
					c.logLoopError(err)
					if err != nil {
						wait = lookEvery
					}
					sleep(ctx, wait)
				}
			})
		}
	}
	workers.Wait()
	return nil
}

// retryFailed makes failed scopes due at once: the cause may have been fixed
// before the restart. Stopped stores stay stopped.
func (c *Collector) retryFailed(ctx context.Context) error {
	sweeps, err := c.cfg.Database.Sweeps(ctx, c.millis(), 0)
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

// register stores the scopes and how often they are swept; every is the interval
// that decides the platform's status.
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

// collection returns the stored state of a platform; the zero value if it is not registered.
func (c *Collector) collection(ctx context.Context, p catalog.Platform) (sweep.Collection, error) {
	list, err := c.cfg.Database.Collections(ctx)
	if i := slices.IndexFunc(list, func(s sweep.Collection) bool { return s.Platform == p }); i >= 0 {
		return list[i], err
	}
	return sweep.Collection{}, err
}

func (c *Collector) isActive(job sweep.Job) bool {
	return slices.ContainsFunc(job.Regions, func(r catalog.Region) bool { return slices.Contains(c.cfg.Active, r) })
}

// logLoopError logs an error that keeps the loop from continuing, and its end. It
// does not repeat the same error.
func (c *Collector) logLoopError(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	news := text != c.failing
	c.failing = text
	c.mu.Unlock()
	if news && err != nil {
		c.cfg.Log.Warn("collection failed; it will be tried again", "error", err)
	} else if news {
		c.cfg.Log.Info("collection works again")
	}
}

// runNext runs the most urgent scope whose lease it can claim. It returns how long
// to wait before the next one.
func (c *Collector) runNext(ctx context.Context, s *source) (time.Duration, error) {
	plan, err := c.cachedPlan(ctx)
	if err != nil {
		return 0, err
	}
	pause := lookEvery
	for _, next := range s.order(plan, c.cfg.Now()) {
		if wait := time.Duration(next.At-c.millis()) * time.Millisecond; wait > 0 {
			pause = min(pause, max(lookSoon, wait))
			continue
		}
		r := c.newRun(s, s.jobs[next.State.Scope], next.Class)
		r.slice = next.slice
		ran, err := r.hold(ctx)
		c.dropCachedPlan()
		switch {
		case ran && err != nil:
			return failurePause, nil // already reported
		case err != nil:
			return 0, err
		case ran:
			return 0, nil
		}
		pause = lookSoon // another process was faster: look again soon
	}
	return pause, nil
}

// A turn is a scope that a worker may run next.
type turn struct {
	Planned
	slice time.Duration // how long before it gives way; zero: the default of its kind
}

// Overdue scopes get one part in overdueShare of the time, even if more urgent
// scopes are always due. They get it in slices of at least overdueSlice.
const (
	overdueShare = 5
	overdueSlice = 30 * time.Second
)

// order returns the scopes of the plan that this source can run. Now and then it
// puts an overdue scope before everything else.
func (s *source) order(plan []Planned, now time.Time) []turn {
	var overdue []Planned
	var turns []turn
	for _, p := range plan {
		if s.owns(&p.State) && !p.Running {
			turns = append(turns, turn{Planned: p})
			if p.Overdue && p.At <= catalog.MillisOf(now) {
				overdue = append(overdue, p)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.preferred.IsZero() {
		s.preferred = now
	}
	slice := now.Sub(s.preferred) / (overdueShare - 1)
	if len(overdue) == 0 || slice < overdueSlice {
		return turns
	}
	s.preferred = now.Add(slice)
	longest := slices.MinFunc(overdue, func(a, b Planned) int { // the one whose sweep should have ended first
		return cmp.Compare(a.State.Completed+a.State.Interval, b.State.Completed+b.State.Interval)
	})
	return append([]turn{{longest, slice}}, turns...)
}

// owns reports whether a registered scope is one of the source's jobs. A scope
// with other regions belongs to another profile: read with this profile, it would
// seem to miss the listings of those regions.
func (s *source) owns(state *sweep.State) bool {
	job, known := s.jobs[state.Scope]
	return known && slices.Equal(job.Regions, state.Regions)
}

// overview is the stored state from which a plan is made.
type overview struct {
	at          time.Time // zero: look again
	sweeps      []sweep.State
	collections []sweep.Collection
}

// freshPlan returns the plan for the current state of the database.
func (c *Collector) freshPlan(ctx context.Context) ([]Planned, error) {
	c.dropCachedPlan()
	return c.cachedPlan(ctx)
}

// cachedPlan returns a plan that is at most lookEvery old, if this process has not
// run a scope since. The lease decides in the end whether a scope is due.
func (c *Collector) cachedPlan(ctx context.Context) ([]Planned, error) {
	c.overviewMu.Lock()
	defer c.overviewMu.Unlock()
	if now := c.cfg.Now(); c.overview.at.IsZero() || now.Sub(c.overview.at) >= lookEvery {
		if err := c.checkClock(ctx); err != nil {
			return nil, err
		}
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
		for _, state := range collections { // pass stops that are new to this process to the clients
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

// logUnregistered logs the number of scopes of this process's profile that are
// registered differently or not at all, because another profile was started
// later. It does not repeat the same number.
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
		c.cfg.Log.Info("some scopes are not read here: collection is off, or another process uses another profile", "scopes", lacking)
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
