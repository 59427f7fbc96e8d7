package shared

import (
	"context"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/registry"
)

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
	for _, server := range s.client.Nodes() {
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
