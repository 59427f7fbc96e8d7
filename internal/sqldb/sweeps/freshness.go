package sweeps

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

const seenTimes = "SELECT platform, region, seen_at, source = 'doubtful' FROM listing WHERE withdrawn = 0"

// Freshness returns the freshness of each platform and region with listings, in
// their order. It scans all listings, and its memory does not grow with them.
func (repo *Repository) Freshness(ctx context.Context) ([]catalog.Freshness, error) {
	found, swept := map[listings.PlatformRegion]*sweep.SeenTimes{}, map[listings.PlatformRegion]catalog.Millis{}
	err := repo.db.Read(ctx, func(r *engine.ReadTx) error {
		const lastSweeps = "SELECT platform, regions, completed_at FROM sweep WHERE kind = $1"
		err := r.Query(lastSweeps, []any{int64(sweep.Prices)}, func(rows engine.Rows) error {
			var at listings.PlatformRegion
			var regions string
			var completed catalog.Millis
			err := rows.Scan(&at.Platform, &regions, &completed)
			for _, at.Region = range splitRegions(regions) {
				swept[at] = max(swept[at], completed)
			}
			return err
		})
		if err != nil {
			return err
		}
		var at listings.PlatformRegion
		var region string
		var seen catalog.Millis
		var doubtful engine.Bool
		dest := []any{&at.Platform, &region, &seen, &doubtful}
		return r.Query(seenTimes, nil, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			copy(at.Region[:], region)
			if found[at] == nil {
				found[at] = &sweep.SeenTimes{}
			}
			found[at].AddListing(seen, bool(doubtful))
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read freshness: %w", err)
	}
	list := make([]catalog.Freshness, 0, len(found))
	for at, times := range found {
		f := times.Freshness()
		f.Platform, f.Region, f.LastSweep = at.Platform, at.Region, swept[at]
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b catalog.Freshness) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region))
	})
	return list, nil
}
