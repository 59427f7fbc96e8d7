package listings

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

// selectRegions steps along the key from region to region of a platform.
const selectRegions = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM listing WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM listing WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT known.region FROM known WHERE known.region IS NOT NULL
	AND EXISTS (SELECT 1 FROM listing l WHERE l.platform = $1 AND l.region = known.region AND l.withdrawn = 0)`

// regionOf returns the region with a stored code.
func regionOf(code string) (r catalog.Region) {
	copy(r[:], code)
	return r
}

// Regions returns the regions with listings that are not withdrawn, of all platforms,
// sorted.
func (repo *Repository) Regions(ctx context.Context) ([]catalog.Region, error) {
	var list []catalog.Region
	err := repo.Read(ctx, func(r *Reading) error {
		for _, p := range catalog.Platforms() {
			err := r.tx.Query(selectRegions, []any{int64(p)}, func(rows engine.Rows) error {
				var region string
				err := rows.Scan(&region)
				list = append(list, regionOf(region))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read regions: %w", err)
	}
	slices.SortFunc(list, catalog.Region.Compare)
	return slices.Compact(list), nil
}
