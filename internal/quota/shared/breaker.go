package shared

import (
	"context"
	"errors"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/quota"
	"gamedex/internal/registry"
)

// trip makes this node count alone after a call failed. probe is a call that shows
// whether such a call works again; nil: to connect shows it.
func (s *Shared) trip(probe func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone.Load() {
		return
	}
	s.failed = probe
	s.alone.Store(true)
	s.outages.Add(1)
	s.cfg.Log.Warn("the counter server does not answer; this node counts alone", "server", s.cfg.Address.String(), "error", err)
	select {
	case s.tripped <- struct{}{}:
	default:
	}
}

// Run brings this node back to the server after each failure, and compares the clocks
// every 5 seconds, until ctx ends.
func (s *Shared) Run(ctx context.Context) error {
	for {
		s.compareClocks(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(s.every):
			continue
		case <-s.tripped:
		}
		if !s.awaitServer(ctx) {
			return nil
		}
		s.alone.Store(false)
		s.cfg.Log.Info("requests are counted on the server again", "server", s.cfg.Address.String())
		s.reportGrants(ctx)
	}
}

// awaitServer probes the server until it answers; false if ctx ended first.
func (s *Shared) awaitServer(ctx context.Context) bool {
	var said string
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Duration((0.5 + s.cfg.Rand()) * float64(probeEvery))):
		}
		err := s.probe(ctx)
		if err == nil {
			return true
		}
		if fault, ok := errors.AsType[*Fault](err); ok && fault.Error() != said {
			said = fault.Error()
			s.cfg.Log.Error("the counter server cannot be used; this node counts alone", "error", err)
		}
	}
}

// probe returns nil if the server works: also for the key whose call failed, and to
// write.
func (s *Shared) probe(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	failed := s.failed
	s.mu.Unlock()
	if failed == nil {
		return nil
	}
	return failed()
}

// tripAt is trip after a call for p failed.
func (s *Shared) tripAt(p pair, err error) {
	s.trip(func() error { return s.report(p) }, err)
}

// report reports to the server what this node knows and has granted.
func (s *Shared) report(p pair) error {
	claimed := p.claim(s.node)
	c := claimed
	c.report = true
	_, err := s.exchange(p, c, quota.Owner{}, s.tick())
	if err != nil {
		p.putBack(claimed)
	}
	if errors.Is(err, errUnknown) {
		return nil
	}
	return err
}

// reportGrants reports to the server what this node granted, also to keys that nobody uses
// any more.
func (s *Shared) reportGrants(ctx context.Context) {
	s.cells.Range(func(_, c any) bool {
		p := pair{key: c.(*cell), owner: new(cell)}
		for range 2 { // the batch whose report failed, and what was granted since
			p.lock()
			owes := p.granted() != quota.Pair{}
			p.unlock()
			if !owes {
				break
			}
			if err := s.report(p); err != nil {
				s.tripAt(p, err)
				return false
			}
		}
		return ctx.Err() == nil
	})
}

// Ahead returns how far this node's clock is ahead of the server's; negative: behind.
// It is 0 until the server has answered once. Of a cluster, the server that differs most
// counts.
func (s *Shared) Ahead() time.Duration { return time.Duration(s.ahead.Load()) }

// compareClocks compares this node's clock with those of all servers, and logs when one
// of them differs too much and when that is over. A server that does not answer in time is
// left out: the requests show whether it works.
func (s *Shared) compareClocks(ctx context.Context) {
	if s.alone.Load() {
		return
	}
	var most time.Duration
	answers := 0
	for _, server := range s.connections[0].client.Nodes() {
		ahead, ok := s.aheadOf(ctx, server)
		if !ok {
			continue
		}
		answers++
		if ahead.Abs() > most.Abs() {
			most = ahead
		}
	}
	if answers == 0 {
		return
	}
	s.ahead.Store(int64(most))
	log := s.cfg.Log.With("server", s.cfg.Address.String(), "ahead", most)
	switch {
	case most.Abs() > registry.MaxSkew && !s.skewed:
		log.Warn("the clock of this machine differs from the counter server's; synchronize it (NTP)")
		s.skewed = true
	case most.Abs() <= registry.MaxSkew/2 && s.skewed:
		log.Info("the clock of this machine agrees with the counter server's again")
		s.skewed = false
	}
}

// aheadOf returns how far this node's clock is ahead of a server's: the least that is
// possible, as [registry.Ahead] does. false: the server did not answer.
func (s *Shared) aheadOf(ctx context.Context, server valkey.Client) (time.Duration, bool) {
	ctx, cancel := context.WithTimeout(ctx, stuckTime)
	defer cancel()
	before := s.cfg.Now()
	at, err := server.Do(ctx, server.B().Time().Build()).AsIntSlice() // seconds, and microseconds in them
	after := s.cfg.Now()
	if err != nil || len(at) != 2 {
		return 0, false
	}
	return time.Duration(registry.Ahead(before, at[0]*1000+at[1]/1000, after)) * time.Millisecond, true
}
