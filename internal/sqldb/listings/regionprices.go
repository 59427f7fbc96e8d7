package listings

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

// productsAtOnce is the most products in one query of prices of all regions.
const productsAtOnce = 300

// selectRegionPrices steps along the key from region to region and looks up the
// products in each, so that it reads no listing of another product.
const selectRegionPrices = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM listing WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM listing WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT l.region, l.product, l.currency, l.base, l.current, l.base_text, l.current_text, l.flags, l.source
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
