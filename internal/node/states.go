package node

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// states reads the states of the platforms, for manifests.
type states struct {
	db  *sqldb.DB
	now func() time.Time

	mu        sync.Mutex
	epoch     string // of the database, of all below
	freshness []catalog.Freshness
	next      time.Time // when freshness may be read again
	sweeps    []sweep.State
	sweepsAt  catalog.Millis // when they were read
}

// The freshness of listings changes with every sweep; a query for it reads a whole
// index.
const (
	freshnessEvery = time.Minute
	freshnessRest  = 50  // times as long as the last query took
	sweepsEvery    = 500 // milliseconds
)

// platforms returns the current states. Their freshness is at most a minute old,
// on a large catalog a little more, but not of another epoch of the database.
func (s *states) platforms(ctx context.Context, epoch string) ([]index.PlatformState, error) {
	s.begin(epoch)
	overrides, err := s.db.Nodes.PlatformOverrides(ctx)
	if err != nil {
		return nil, err
	}
	now := catalog.MillisOf(s.now())
	collections, err := s.db.Sweeps.Collections(ctx)
	if err != nil {
		return nil, err
	}
	var sweeps []sweep.State
	if len(collections) > 0 {
		if sweeps, err = s.swept(ctx, now); err != nil {
			return nil, err
		}
	}
	freshness, err := s.fresh(ctx)
	if err != nil {
		return nil, err
	}
	var list []index.PlatformState
	for _, p := range catalog.Platforms() {
		var override catalog.Status
		if word := overrides[p]; word != "" {
			if override, err = catalog.ParseStatus(word); err != nil {
				return nil, fmt.Errorf("stored state of %s: %w", p, err)
			}
		}
		state := stateOf(p, override, collections, sweeps, now)
		for _, f := range freshness {
			if f.Platform == p {
				state.Freshness = append(state.Freshness, f)
			}
		}
		list = append(list, state)
	}
	return list, nil
}

// stateOf returns the state of a platform without its freshness.
func stateOf(p catalog.Platform, override catalog.Status, collections []sweep.Collection, sweeps []sweep.State, now catalog.Millis) index.PlatformState {
	var on *sweep.Collection
	if i := slices.IndexFunc(collections, func(c sweep.Collection) bool { return c.Platform == p }); i >= 0 {
		on = &collections[i]
	}
	own := slices.DeleteFunc(slices.Clone(sweeps), func(s sweep.State) bool { return s.Scope.Platform != p })
	return index.PlatformState{
		Platform: p, Status: sweep.PlatformStatus(override, on, own, now).String(),
		Collecting: on != nil && on.Interval > 0, FirstSweepDone: sweep.FirstSweepDone(own),
	}
}

// begin forgets what was read in another epoch.
func (s *states) begin(epoch string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch {
		s.epoch, s.next, s.sweepsAt = epoch, time.Time{}, 0
	}
}

// swept returns the states of sweeps, at most half a second old and without pending
// items, because the builder calls it several times a second.
func (s *states) swept(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := now - s.sweepsAt; s.sweepsAt != 0 && 0 <= age && age < sweepsEvery {
		return s.sweeps, nil
	}
	list, err := s.db.Sweeps.Sweeps(ctx, now, 0)
	if err != nil {
		return nil, err
	}
	s.sweeps, s.sweepsAt = list, now
	return list, nil
}

func (s *states) fresh(ctx context.Context) ([]catalog.Freshness, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := s.now()
	if start.Before(s.next) {
		return s.freshness, nil
	}
	list, err := s.db.Sweeps.Freshness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read freshness: %w", err)
	}
	took := s.now().Sub(start)
	s.freshness, s.next = list, start.Add(max(freshnessEvery, freshnessRest*took))
	return list, nil
}
