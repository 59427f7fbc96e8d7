package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/index"
	"gamedex/internal/sweep"
)

// states tells how the platforms are doing, for manifests. Only builders ask.
type states struct {
	db  *database.DB
	now func() time.Time

	mu        sync.Mutex
	freshness []catalog.Freshness
	next      time.Time // when freshness may be looked up again
	sweeps    []sweep.State
	sweepsAt  catalog.Millis // when they were read
}

// The freshness of listings moves with every sweep; looking it up reads an
// index through.
const (
	freshnessEvery = time.Minute
	freshnessRest  = 50  // times what the last look took
	sweepsEvery    = 500 // milliseconds
)

// look gives the states as they are now; freshness as it was at most a minute
// ago, on a large catalog a little more.
func (s *states) look(ctx context.Context) ([]index.PlatformState, error) {
	overrides, err := s.overrides(ctx)
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
		state := platformState(p, overrides[p], collections, sweeps, now)
		for _, f := range freshness {
			if f.Platform == p {
				state.Freshness = append(state.Freshness, f)
			}
		}
		list = append(list, state)
	}
	return list, nil
}

// overrides are the states that an operator has set.
func (s *states) overrides(ctx context.Context) (map[catalog.Platform]catalog.Status, error) {
	words, err := s.db.Nodes.PlatformOverrides(ctx)
	if err != nil {
		return nil, err
	}
	set := make(map[catalog.Platform]catalog.Status)
	for p, word := range words {
		if set[p], err = catalog.ParseStatus(word); err != nil {
			return nil, fmt.Errorf("stored state of %s: %w", p, err)
		}
	}
	return set, nil
}

func platformState(p catalog.Platform, override catalog.Status, collections []sweep.Collection, sweeps []sweep.State, now catalog.Millis) index.PlatformState {
	var on *sweep.Collection
	for i := range collections {
		if collections[i].Platform == p {
			on = &collections[i]
		}
	}
	var mine []sweep.State
	for _, s := range sweeps {
		if s.Scope.Platform == p {
			mine = append(mine, s)
		}
	}
	status := sweep.PlatformStatus(override, on, mine, now)
	return index.PlatformState{Platform: p, Status: status.String(), Collecting: on != nil && on.Interval > 0, FirstSweepDone: sweep.FirstSweepDone(mine)}
}

// swept gives how the sweeps stood half a second ago at most: reading it counts
// all that is pending, and a builder looks more often.
func (s *states) swept(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := now - s.sweepsAt; s.sweepsAt != 0 && 0 <= age && age < sweepsEvery {
		return s.sweeps, nil
	}
	list, err := s.db.Sweeps.Sweeps(ctx, now)
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
