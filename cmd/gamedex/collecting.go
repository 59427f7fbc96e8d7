package main

import (
	"context"
	"errors"
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
	"gamedex/internal/pcstore"
	"gamedex/internal/sqldb"
	"gamedex/internal/upstream"
)

// collectFlags say what is read of the stores; serve and collect share them.
type collectFlags struct {
	CollectProfile string `placeholder:"FILE" help:"What to read of the stores, and how politely (doc/operations.md). Without one nothing is collected."`
	CollectTexts   bool   `help:"Collect descriptions too. See to it that you may pass them on."`
	CollectImages  bool   `help:"Collect the links of pictures too; the pictures stay where they are."`
}

// collecting is everything that reads the stores.
type collecting struct {
	client     *upstream.Client
	collector  *collect.Collector
	connectors []collect.Connector
}

// collectingOn is what the program around it brings.
type collectingOn struct {
	db      *sqldb.DB
	active  []catalog.Region
	now     func() time.Time
	log     *slog.Logger
	observe func(host, outcome string, took time.Duration) // requests; may be nil
	ran     func(collect.Event)                            // runs of sweeps; may be nil
}

// leaseTTL is how long what a process does stays undone after it was killed.
const leaseTTL = 15 * time.Second

// open makes the client, the connectors and the collector of a profile.
func (f *collectFlags) open(on collectingOn) (*collecting, error) {
	p, err := readProfile(f.CollectProfile)
	if err != nil {
		return nil, err
	}
	hosts, err := p.upstreamHosts()
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", f.CollectProfile, err)
	}
	c := &collecting{}
	c.client, err = upstream.New(upstream.Config{
		UserAgent: userAgent(p.Contact), Pacer: pacer{on.db, on.now}, Now: on.now, Rand: rand.Float64,
		Log: on.log, Observe: on.observe,
	}, hosts)
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", f.CollectProfile, err)
	}
	if p.console != nil {
		c.connectors = append(c.connectors, consolestore.New(consolestore.Config{Profile: *p.console, Client: c.client,
			Texts: f.CollectTexts, Images: f.CollectImages, Now: on.now, Log: on.log}))
	}
	if p.pc != nil {
		c.connectors = append(c.connectors, pcstore.New(pcstore.Config{Profile: *p.pc, Client: c.client,
			Texts: f.CollectTexts, Images: f.CollectImages, Now: on.now, Log: on.log}))
	}
	c.collector, err = collect.New(collect.Config{
		Database: on.db, Connectors: c.connectors, Active: on.active, Intervals: p.sweepIntervals(),
		Leases: lease.Holder{Store: on.db, ID: processID(), TTL: leaseTTL, Now: func() int64 { return on.now().UnixMilli() }},
		Rates:  func(ctx context.Context) (money.Rates, error) { return source{on.db, on.now}.Rates(ctx) },
		Now:    on.now, Rand: rand.Float64, Log: on.log, Stop: c.client.Stop, Observe: on.ran,
	})
	if err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", f.CollectProfile, err)
	}
	return c, nil
}

// userAgent names the program and who runs it: stores can reach them.
func userAgent(contact string) string {
	return fmt.Sprintf("gamedex/%s (%s)", version, contact)
}

// pacer lets all processes of a database share the pace of a host.
type pacer struct {
	db  *sqldb.DB
	now func() time.Time
}

// Reserve implements upstream.Pacer.
func (p pacer) Reserve(ctx context.Context, host string, n int, every time.Duration) (time.Time, error) {
	first, err := p.db.ReserveRequests(ctx, host, n, p.now().UnixMicro(), every.Microseconds())
	return time.UnixMicro(first), err
}

// collects says whether a platform is read.
func (c *collecting) collects(p catalog.Platform) bool {
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.connectors, func(s collect.Connector) bool { return s.Platform() == p })
}

// prepareCollection opens what reads the stores and the providers of exchange
// rates, in a process whose role it is.
func (n *node) prepareCollection() (err error) {
	if !n.flags.has("collect") {
		return nil
	}
	on := collectingOn{db: n.db, active: n.active, now: n.program.Now, log: n.log, observe: n.metrics.upstream.observe, ran: n.metrics.upstream.ran}
	if n.flags.CollectProfile != "" {
		if n.collecting, err = n.flags.collectFlags.open(on); err != nil {
			return err
		}
	}
	if n.flags.Rates == "auto" {
		n.rates, err = n.flags.ratesFlags.open(on)
	}
	return err
}

// collectOn reads the stores until ctx ends. Platforms that no profile names
// any more are switched off first.
func (n *node) collectOn(ctx context.Context) error {
	collections, err := n.db.Collections(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("read what is collected: %w", err)
	}
	for _, c := range collections {
		p := c.Platform
		if n.collecting.collects(p) {
			continue
		}
		n.log.Info("collection is off: no profile names this platform any more; its listings stay", "platform", p)
		if err := n.db.EndCollection(ctx, p); err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("switch collection of %s off: %w", p, err)
		}
	}
	if n.collecting == nil {
		return nil
	}
	return n.collecting.collector.Run(ctx)
}
