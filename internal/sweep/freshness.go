package sweep

import (
	"maps"
	"slices"

	"gamedex/internal/catalog"
)

// maxIntervals bounds the memory of a SeenTimes.
const maxIntervals = 4096

// SeenTimes summarizes when the listings of a region were last seen. It counts up
// to maxIntervals distinct times exactly. With more, it counts by interval; the
// intervals do not depend on the order of the times. The zero value is empty.
type SeenTimes struct {
	oldest             catalog.Millis
	listings, doubtful int
	width              catalog.Millis         // of an interval
	counts             map[catalog.Millis]int // listings by the start of their interval
}

// AddListing adds a listing that was last seen at the given time.
func (s *SeenTimes) AddListing(seen catalog.Millis, doubtful bool) {
	if s.listings == 0 {
		s.oldest, s.width, s.counts = seen, 1, map[catalog.Millis]int{}
	}
	s.oldest = min(s.oldest, seen)
	s.listings++
	if doubtful {
		s.doubtful++
	}
	s.counts[seen-seen%s.width]++
	for len(s.counts) > maxIntervals {
		s.width *= 2
		wider := make(map[catalog.Millis]int, len(s.counts))
		for at, n := range s.counts {
			wider[at-at%s.width] += n
		}
		s.counts = wider
	}
}

// Freshness returns the number of listings, and the oldest and the median time.
// The median is the start of its interval; of two middle times it is the earlier.
func (s *SeenTimes) Freshness() catalog.Freshness {
	f := catalog.Freshness{Listings: s.listings, Doubtful: s.doubtful, OldestSeen: s.oldest}
	rest := (s.listings - 1) / 2
	for _, at := range slices.Sorted(maps.Keys(s.counts)) {
		if rest -= s.counts[at]; rest < 0 {
			f.MedianSeen = max(s.oldest, at)
			break
		}
	}
	return f
}
