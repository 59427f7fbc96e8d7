package shared

import (
	"context"
	"errors"
	"time"

	"gamedex/internal/quota"
)

// probeEvery is how often a node that counts alone tries the server, on average.
const probeEvery = time.Second

// trip makes this node count alone after a call failed. probe is a call that shows
// whether such a call works again; nil: to connect shows it.
func (s *Shared) trip(probe func(context.Context) error, err error) {
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
		wait := time.NewTimer(time.Duration((0.5 + s.cfg.Rand()) * float64(probeEvery)))
		select {
		case <-ctx.Done():
			wait.Stop()
			return false
		case <-wait.C:
		}
		err := s.probe(ctx)
		var fault *Fault
		switch {
		case err == nil:
			return true
		case errors.As(err, &fault) && fault.Error() != said:
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
	return failed(ctx)
}

// tripAt is trip after a call for p failed.
func (s *Shared) tripAt(p pair, err error) {
	s.trip(func(ctx context.Context) error { return s.report(ctx, p) }, err)
}

// report reports to the server what this node knows and has granted.
func (s *Shared) report(ctx context.Context, p pair) error {
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	known, add, report := p.claim()
	_, err := s.exchange(ctx, p, call{report: true, minimum: known, add: add}, quota.Owner{}, s.tick())
	if err != nil {
		p.putBack(add, report)
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
		p := pair{key: c.(*cell)}
		for range 2 { // the batch whose report failed, and what was granted since
			if !p.owes() {
				break
			}
			if err := s.report(ctx, p); err != nil {
				s.tripAt(p, err)
				return false
			}
		}
		return ctx.Err() == nil
	})
}
