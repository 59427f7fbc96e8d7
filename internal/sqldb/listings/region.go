package listings

import (
	"context"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

// PlatformRegion is a region of a platform: the first part of a listing's key.
type PlatformRegion struct {
	Platform catalog.Platform
	Region   catalog.Region
}

// Args returns the arguments that select the region.
func (p PlatformRegion) Args() []any { return []any{int64(p.Platform), p.Region.String()} }

// LockRegions makes the transaction the only one that changes listings of the regions,
// before it reads them.
func LockRegions(ctx context.Context, t *engine.Tx, regions []PlatformRegion) error {
	names := make([]string, len(regions))
	for i, p := range regions {
		names[i] = "listings/" + p.Platform.String() + "/" + p.Region.String()
	}
	return t.Lock(ctx, names...)
}

// distinctRegions returns the regions of listings.
func distinctRegions(ls []catalog.Listing) []PlatformRegion {
	var regions []PlatformRegion
	for i := range ls {
		at := PlatformRegion{ls[i].Platform, ls[i].Region}
		// Most lines are of the region of the one before.
		if n := len(regions); (n == 0 || regions[n-1] != at) && !slices.Contains(regions, at) {
			regions = append(regions, at)
		}
	}
	return regions
}

// byRegion groups the products of n keys.
func byRegion(n int, key func(i int) catalog.Key) map[PlatformRegion][]string {
	groups := make(map[PlatformRegion][]string)
	for i := range n {
		k := key(i)
		at := PlatformRegion{k.Platform, k.Region}
		groups[at] = append(groups[at], k.Product)
	}
	return groups
}
