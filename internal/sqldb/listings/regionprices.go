package listings

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// MaxRegionPrices is how many products RegionPrices takes at once.
const MaxRegionPrices = 300

// selectRegionPrices steps from region to region along the key, and looks the
// products up in each: no listing of another product is read.
const selectRegionPrices = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM listing WHERE platform = ?
	UNION ALL
	SELECT (SELECT MIN(region) FROM listing WHERE platform = ? AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT l.region, l.product, l.currency, l.base, l.current, l.base_text, l.current_text, l.flags, l.source
	FROM known CROSS JOIN listing l
	WHERE l.platform = ? AND l.region = known.region AND l.withdrawn = 0 AND l.current >= 0 AND l.product IN (?...)`

// RegionPrices returns what products cost in every region where they are
// listed at a known price, at most MaxRegionPrices products a call, in no order.
// The prices come without what is known of a discount.
func (store *Store) RegionPrices(ctx context.Context, p catalog.Platform, products []string) ([]sweep.RegionPrice, error) {
	if len(products) > MaxRegionPrices {
		return nil, fmt.Errorf("read prices of all regions: %d products at once; at most %d are taken", len(products), MaxRegionPrices)
	}
	var list []sweep.RegionPrice
	platform := []any{int64(p), int64(p), int64(p)}
	err := store.Read(ctx, func(r *Reading) error {
		return sqldb.EachList(selectRegionPrices, platform, sqldb.Args(products), func(text string, args []any) error {
			return r.tx.Query(text, args, func(rows *sql.Rows) error {
				e, err := scanRegionPrice(rows)
				list = append(list, e)
				return err
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read prices of all regions: %w", err)
	}
	return list, nil
}

func scanRegionPrice(rows *sql.Rows) (e sweep.RegionPrice, err error) {
	var region sql.RawBytes
	var flags int64
	p := &e.Price
	err = rows.Scan(&region, &e.Product, &p.Currency, &p.Base, &p.Current, &p.BaseText, &p.CurrentText, &flags, &p.Source)
	copy(e.Region[:], region)
	priceOf(p, flags)
	return e, err
}
