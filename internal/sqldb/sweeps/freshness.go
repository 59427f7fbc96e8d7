package sweeps

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

const seenTimes = "SELECT platform, region, seen_at, source = 'doubtful' FROM listing WHERE withdrawn = 0"

// Freshness says how old the listings of each platform and region are, where
// there are any that are not withdrawn, by platform and region. It reads all
// listings through, in a memory that does not grow with them: where they were
// seen at more than a few thousand moments, the median is as exact as the
// moments' spread over so many allows.
func (store *Store) Freshness(ctx context.Context) ([]catalog.Freshness, error) {
	found := map[listings.Place]*ages{}
	var swept map[listings.Place]catalog.Millis
	err := store.db.Read(ctx, func(r *sqldb.ReadTx) (err error) {
		if swept, err = lastSweeps(r); err != nil {
			return err
		}
		return r.Query(seenTimes, nil, func(rows *sql.Rows) error {
			var at listings.Place
			var region sql.RawBytes
			var seen catalog.Millis
			var doubtful bool
			err := rows.Scan(&at.Platform, &region, &seen, &doubtful)
			copy(at.Region[:], region)
			a := found[at]
			if a == nil {
				a = &ages{oldest: seen, moments: moments{counts: map[catalog.Millis]int{}, width: 1}}
				found[at] = a
			}
			a.add(seen, doubtful)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read freshness: %w", err)
	}
	list := make([]catalog.Freshness, 0, len(found))
	for at, a := range found {
		list = append(list, a.freshness(at, swept[at]))
	}
	slices.SortFunc(list, func(a, b catalog.Freshness) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region))
	})
	return list, nil
}

// lastSweeps returns when each region's prices were last swept through.
func lastSweeps(r *sqldb.ReadTx) (map[listings.Place]catalog.Millis, error) {
	last := map[listings.Place]catalog.Millis{}
	const text = "SELECT platform, regions, completed_at FROM sweep WHERE kind = $1"
	err := r.Query(text, []any{int64(sweep.Prices)}, func(rows *sql.Rows) error {
		var at listings.Place
		var regions string
		var completed catalog.Millis
		err := rows.Scan(&at.Platform, &regions, &completed)
		for _, at.Region = range splitRegions(regions) {
			last[at] = max(last[at], completed)
		}
		return err
	})
	return last, err
}

// ages sums up when the listings of a place were seen.
type ages struct {
	oldest             catalog.Millis
	listings, doubtful int
	moments            moments
}

func (a *ages) add(seen catalog.Millis, doubtful bool) {
	a.oldest = min(a.oldest, seen)
	a.listings++
	if doubtful {
		a.doubtful++
	}
	a.moments.add(seen)
}

func (a *ages) freshness(at listings.Place, swept catalog.Millis) catalog.Freshness {
	return catalog.Freshness{
		Platform: at.Platform, Region: at.Region, Listings: a.listings, Doubtful: a.doubtful,
		OldestSeen: a.oldest, MedianSeen: max(a.oldest, a.moments.median(a.listings)), LastSweep: swept,
	}
}

// maxMoments bounds the moments that are told apart.
const maxMoments = 4096

// moments counts times. As long as there are few, each is counted for itself;
// of more, those that share a stretch of width are counted together. Which
// stretches come out does not depend on the order.
type moments struct {
	width  catalog.Millis
	counts map[catalog.Millis]int // by the beginning of the stretch
}

func (m *moments) add(at catalog.Millis) {
	m.counts[at-at%m.width]++
	for len(m.counts) > maxMoments {
		m.widen()
	}
}

func (m *moments) widen() {
	m.width *= 2
	wider := make(map[catalog.Millis]int, len(m.counts))
	for at, n := range m.counts {
		wider[at-at%m.width] += n
	}
	m.counts = wider
}

// median is the beginning of the stretch that the middle one of n times, or
// the earlier one of two, is in.
func (m *moments) median(n int) catalog.Millis {
	starts := make([]catalog.Millis, 0, len(m.counts))
	for at := range m.counts {
		starts = append(starts, at)
	}
	slices.Sort(starts)
	rest := (n - 1) / 2
	for _, at := range starts {
		if rest -= m.counts[at]; rest < 0 {
			return at
		}
	}
	return 0
}
