package platforms

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// States reads the states of the platforms, for the manifests of one builder. It is for one
// goroutine.
type States struct {
	DB  *sqldb.DB
	Now func() time.Time

	epoch     string // of the database, when freshness was read
	freshness []catalog.Freshness
	next      time.Time // when freshness may be read again
}

// The freshness of listings changes with every sweep; a query for it reads a whole
// index.
const (
	freshnessEvery = time.Minute
	freshnessPause = 50 // times as long as the last query took
)

// Read returns the current states. Their freshness is at most a minute old,
// on a large catalog a little more, but not of another epoch of the database.
func (s *States) Read(ctx context.Context, epoch string) ([]index.PlatformState, error) {
	overrides, err := s.DB.Nodes.PlatformOverrides(ctx)
	if err != nil {
		return nil, err
	}
	now := catalog.MillisOf(s.Now())
	collections, err := s.DB.Sweeps.Collections(ctx)
	if err != nil {
		return nil, err
	}
	var sweeps []sweep.State
	if len(collections) > 0 {
		if sweeps, err = s.DB.Sweeps.Sweeps(ctx, now, 0); err != nil {
			return nil, err
		}
	}
	freshness, err := s.fresh(ctx, epoch)
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
		var on *sweep.Collection
		if i := slices.IndexFunc(collections, func(c sweep.Collection) bool { return c.Platform == p }); i >= 0 {
			on = &collections[i]
		}
		own := slices.DeleteFunc(slices.Clone(sweeps), func(s sweep.State) bool { return s.Scope.Platform != p })
		state := index.PlatformState{
			Platform: p, Status: sweep.PlatformStatus(override, on, own, now).String(),
			Collecting: on != nil && on.Interval > 0, FirstSweepDone: sweep.FirstSweepDone(own),
		}
		for _, f := range freshness {
			if f.Platform == p {
				state.Freshness = append(state.Freshness, f)
			}
		}
		list = append(list, state)
	}
	return list, nil
}

// fresh returns the freshness of all listings. What was read in another epoch does not count.
func (s *States) fresh(ctx context.Context, epoch string) ([]catalog.Freshness, error) {
	start := s.Now()
	if start.Before(s.next) && epoch == s.epoch {
		return s.freshness, nil
	}
	list, err := s.DB.Sweeps.Freshness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read freshness: %w", err)
	}
	took := s.Now().Sub(start)
	s.epoch, s.freshness, s.next = epoch, list, start.Add(max(freshnessEvery, freshnessPause*took))
	return list, nil
}
