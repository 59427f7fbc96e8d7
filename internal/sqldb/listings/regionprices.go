package listings

import (
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// MaxRegionPrices is the most products of one call of RegionPrices.
const MaxRegionPrices = 300

// selectRegionPrices steps along the key from region to region and looks up the
// products in each, so that it reads no listing of another product.
const selectRegionPrices = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM listing WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM listing WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT l.region, l.product, l.currency, l.base, l.current, l.base_text, l.current_text, l.flags, l.source
	FROM known CROSS JOIN listing l
	WHERE l.platform = $1 AND l.region = known.region AND l.withdrawn = 0 AND l.current >= 0 AND l.product = ANY($2)`

// RegionPrices returns the known prices of products in all regions, in no order. A
// call takes at most MaxRegionPrices products. The prices lack the fields of a
// discount.
func (store *Store) RegionPrices(ctx context.Context, p catalog.Platform, products []string) ([]sweep.RegionPrice, error) {
	if len(products) > MaxRegionPrices {
		return nil, fmt.Errorf("read prices of all regions: %d products at once; the maximum is %d", len(products), MaxRegionPrices)
	}
	var list []sweep.RegionPrice
	var e sweep.RegionPrice
	var region string
	var flags int64
	price := &e.Price
	dest := []any{&region, &e.Product, &price.Currency, &price.Base, &price.Current, &price.BaseText, &price.CurrentText, &flags, &price.Source}
	err := store.Read(ctx, func(r *Reading) error {
		return r.tx.Query(selectRegionPrices, []any{int64(p), products}, func(rows sqldb.Rows) error {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			found := e
			found.Region = regionOf(region)
			priceOf(&found.Price, flags)
			list = append(list, found)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read prices of all regions: %w", err)
	}
	return list, nil
}
