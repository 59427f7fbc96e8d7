package listings

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
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

// knownRegions steps along the key from region to region of a platform.
const (
	knownRegions = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM listing WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM listing WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)`
	selectRegions = knownRegions + ` SELECT known.region FROM known WHERE known.region IS NOT NULL
	AND EXISTS (SELECT 1 FROM listing l WHERE l.platform = $1 AND l.region = known.region AND l.withdrawn = 0)`
)

// regionOf returns the region with a stored code.
func regionOf(code string) (r catalog.Region) {
	copy(r[:], code)
	return r
}

func scanRegion(rows engine.Rows, r *catalog.Region) error {
	var code string
	err := rows.Scan(&code)
	*r = regionOf(code)
	return err
}

// Regions returns the regions with listings that are not withdrawn, of all platforms,
// sorted.
func (repo *Repository) Regions(ctx context.Context) ([]catalog.Region, error) {
	var list []catalog.Region
	err := repo.db.Read(ctx, "read regions", func(q engine.Querier) error {
		for _, p := range catalog.Platforms() {
			of, err := engine.ListIn(ctx, q, selectRegions, []any{int64(p)}, scanRegion)
			if list = append(list, of...); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(list, catalog.Region.Compare)
	return slices.Compact(list), err
}

// productsAtOnce is the most products in one query of prices of all regions.
const productsAtOnce = 300

// selectRegionPrices looks up the products in each region, so that it reads no listing of another product.
const selectRegionPrices = knownRegions +
	` SELECT l.region, l.product, l.currency, l.base, l.current, l.base_text, l.current_text, l.flags, l.source
	FROM known CROSS JOIN listing l
	WHERE l.platform = $1 AND l.region = known.region AND l.withdrawn = 0 AND l.current >= 0 AND l.product = ANY($2)`

// LockPlatform makes the transaction the only one that compares prices of the
// platform. It is taken before the locks of regions.
func LockPlatform(ctx context.Context, t *engine.Tx, p catalog.Platform) error {
	return t.Lock(ctx, "listings/"+p.String())
}

// RegionPrices returns the known prices of products in all regions, in no particular order. The
// prices lack the fields of a discount.
func RegionPrices(ctx context.Context, t *engine.Tx, p catalog.Platform, products []string) ([]sweep.RegionPrice, error) {
	var list []sweep.RegionPrice
	var e sweep.RegionPrice
	var region string
	var flags int64
	price := &e.Price
	dest := []any{&region, &e.Product, &price.Currency, &price.Base, &price.Current, &price.BaseText, &price.CurrentText, &flags, &price.Source}
	for some := range slices.Chunk(products, productsAtOnce) {
		err := t.Query(ctx, selectRegionPrices, []any{int64(p), some}, func(rows engine.Rows) error {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			found := e
			found.Region = regionOf(region)
			priceOf(&found.Price, flags)
			list = append(list, found)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read prices of all regions: %w", err)
		}
	}
	return list, nil
}
