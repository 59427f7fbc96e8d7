package index

import (
	"sync"
	"sync/atomic"

	"gamedex/internal/catalog"
)

// lazy is a value that is made when it is first needed.
type lazy[T any] struct {
	once  sync.Once
	made  atomic.Bool
	value T
}

func (l *lazy[T]) get(make func() T) *T {
	l.once.Do(func() {
		l.value = make()
		l.made.Store(true)
	})
	return &l.value
}

// PrepareLike makes the columns, games and discounts that requests have needed of old, the
// snapshot before, so that the first requests for this one do not wait.
func (s *Snapshot) PrepareLike(old *Snapshot) {
	if old.catalog.columns.made.Load() {
		s.Columns()
	}
	if old.catalog.games.made.Load() {
		s.Games()
	}
	for _, code := range old.PreparedRegions() {
		if no, known := s.RegionNo(code); known {
			s.Discounts(no)
		}
	}
}

// PreparedRegions returns the regions whose discounts are made.
func (s *Snapshot) PreparedRegions() (list []catalog.Region) {
	for i := range s.catalog.regions {
		if r := &s.catalog.regions[i]; s.discounts[r.No].made.Load() {
			list = append(list, r.Code)
		}
	}
	return list
}
