package node

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/consolestore"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/node/profile"
	"gamedex/internal/pcstore"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// StoreConfig configures what a node or command reads of the stores.
type StoreConfig struct {
	CollectProfile string // the file
	CollectTexts   bool   // descriptions too
	CollectImages  bool   // links to pictures too
}

// Collection reads the stores of a profile.
type Collection struct {
	Collector  *collect.Collector
	connectors []collect.Connector
}

// Environment is what collectors and rate loops run in.
type Environment struct {
	DB             *sqldb.DB
	Version        string
	ActiveRegions  []catalog.Region
	Now            func() time.Time
	Log            *slog.Logger
	ObserveRequest func(host, outcome string, took time.Duration) // may be nil
	ObserveSweep   func(collect.Event)                            // may be nil
}

// leaseTTL is how long the leases of a killed process last.
const leaseTTL = 15 * time.Second

// Open returns the connectors and the collector of the profile. Collectors that share a
// database on a server must have the same profile.
func (s StoreConfig) Open(ctx context.Context, in Environment) (*Collection, error) {
	p, err := profile.Read(s.CollectProfile)
	if err != nil {
		return nil, err
	}
	if in.DB.File == nil {
		if err := p.Agree(ctx, in.DB.Nodes, p.Hash(s.CollectTexts, s.CollectImages), in.Now().UnixMilli()); err != nil {
			return nil, fmt.Errorf("--collect-profile %s: %w", s.CollectProfile, err)
		}
	}
	hosts, err := p.UpstreamHosts()
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", s.CollectProfile, err)
	}
	client, err := upstream.New(upstream.Config{
		UserAgent: fmt.Sprintf("gamedex/%s (%s)", in.Version, p.Contact), Pacer: in.DB.Nodes, Now: in.Now, Rand: rand.Float64,
		Log: in.Log, Observe: in.ObserveRequest,
	}, hosts)
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", s.CollectProfile, err)
	}
	c := &Collection{}
	if p.ConsoleStore != nil {
		c.connectors = append(c.connectors, consolestore.New(consolestore.Config{Profile: *p.ConsoleStore, Client: client,
			Texts: s.CollectTexts, Images: s.CollectImages, Now: in.Now, Log: in.Log}))
	}
	if p.PCStore != nil {
		c.connectors = append(c.connectors, pcstore.New(pcstore.Config{Profile: *p.PCStore, Client: client,
			Texts: s.CollectTexts, Images: s.CollectImages, Now: in.Now, Log: in.Log}))
	}
	c.Collector, err = collect.New(collect.Config{
		Database: in.DB.Sweeps, Connectors: c.connectors, Active: catalog.ActiveRegions(in.ActiveRegions, c.regions()), Intervals: p.Intervals,
		Leases: lease.Holder{Repository: in.DB.Sweeps.Leases(), ID: ProcessID(), TTL: leaseTTL},
		Rates:  func(ctx context.Context) (money.Rates, error) { return NewDatabase(in.DB, in.Now).Rates(ctx) },
		Now:    in.Now, Clock: in.DB.Nodes.Clock, Rand: rand.Float64, Log: in.Log, Stop: client.Stop, Observe: in.ObserveSweep,
	})
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", s.CollectProfile, err)
	}
	return c, nil
}

// AboutRegions says which regions of the profile are not among the active ones, which an operator
// may have chosen; "" if all are.
func (c *Collection) AboutRegions(chosen []catalog.Region) string {
	active := catalog.ActiveRegions(chosen, c.regions())
	inactive := catalog.InactiveRegions(active, c.regions())
	if len(inactive) == 0 {
		return ""
	}
	return fmt.Sprintf("regions of the profile that are not active are read less often, and games that are sold only there are not served: %s; to change that: --active-regions %s",
		catalog.JoinRegions(inactive, ", "), catalog.JoinRegions(slices.Concat(active, inactive), ","))
}

// regions returns the regions of the profile, sorted.
func (c *Collection) regions() (list []catalog.Region) {
	for _, connector := range c.connectors {
		for _, job := range connector.Jobs() {
			list = append(list, job.Regions...)
		}
	}
	slices.SortFunc(list, catalog.Region.Compare)
	return slices.Compact(list)
}

// openSources opens what reads the stores and the rate providers.
func (n *node) openSources(ctx context.Context) (err error) {
	if !n.Roles.has(roleCollect) {
		return nil
	}
	in := Environment{DB: n.DB, Version: n.Version, ActiveRegions: n.ActiveRegions, Now: n.now, Log: n.Log,
		ObserveRequest: n.metrics.observeRequest, ObserveSweep: n.metrics.observeSweep}
	if n.Stores != nil {
		if n.collection, err = n.Stores.Open(ctx, in); err != nil {
			return err
		}
		if about := n.collection.AboutRegions(n.ActiveRegions); about != "" {
			n.Log.Info(about)
		}
	}
	if n.Rates != nil {
		n.rates, err = n.Rates.Open(in)
	}
	return err
}

// runCollection reads the stores until ctx ends. It logs failures to begin and tries
// again.
func (n *node) runCollection(ctx context.Context) error {
	for {
		err := n.collect(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		n.Log.Error("collection did not begin; it will be tried again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(collectAfter):
		}
	}
}

// collectAfter is the pause after a failure to begin.
const collectAfter = 5 * time.Second

// collect switches off platforms that the profile does not name, and reads the stores
// until ctx ends. In a database of several machines the platforms stay: others may
// collect them.
func (n *node) collect(ctx context.Context) error {
	collections, err := n.DB.Sweeps.Collections(ctx)
	if err != nil {
		return fmt.Errorf("read what is collected: %w", err)
	}
	for _, c := range collections {
		p := c.Platform
		if n.collection != nil && slices.ContainsFunc(n.collection.connectors, func(s collect.Connector) bool { return s.Platform() == p }) {
			continue
		}
		if n.DB.File == nil {
			n.Log.Info("this process does not collect a platform that others may collect; to switch it off: gamedex collect stop --platform "+p.String(), "platform", p)
			continue
		}
		n.Log.Info("collection is off: no profile names this platform; its listings stay", "platform", p)
		if err := n.DB.Sweeps.EndCollection(ctx, p); err != nil {
			return fmt.Errorf("switch collection of %s off: %w", p, err)
		}
	}
	if n.collection == nil {
		return nil
	}
	return n.collection.Collector.Run(ctx)
}

// stateTime limits how long /readyz waits for the state of the collection.
const stateTime = 2 * time.Second

// aboutCollection returns what keeps the first sweep of the stores from giving listings.
func (n *node) aboutCollection() string {
	ctx, cancel := context.WithTimeout(context.Background(), stateTime)
	defer cancel()
	now := catalog.MillisOf(n.now())
	collections, err := n.DB.Sweeps.Collections(ctx)
	if err != nil {
		return "the state of the collection cannot be read: " + err.Error()
	}
	sweeps, err := n.DB.Sweeps.Sweeps(ctx, now, 0)
	if err != nil {
		return "the state of the sweeps cannot be read: " + err.Error()
	}
	return firstSweep(collections, sweeps, now)
}

// firstSweep says what becomes of the first sweep of the stores.
func firstSweep(collections []sweep.Collection, sweeps []sweep.State, now catalog.Millis) string {
	const plan = ", see gamedex collect plan"
	for _, c := range collections {
		if c.StoppedUntil > now {
			return fmt.Sprintf("%s asked for no requests until %s: %s%s", c.Platform, c.StoppedUntil.Time().UTC().Format(time.RFC3339), c.StopReason, plan)
		}
	}
	failed := slices.IndexFunc(sweeps, func(s sweep.State) bool { return s.LastError != "" })
	switch {
	case len(collections) == 0:
		return "the collection is about to begin (if gamedex collect stop was run, restart serve)" + plan
	case failed >= 0:
		return fmt.Sprintf("a sweep failed and will be tried again: %s: %s%s", sweeps[failed].Scope, sweeps[failed].LastError, plan)
	}
	return "the first sweep of the stores is under way" + plan
}
