package listings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
)

// These read no column that can do without: reading one takes as long as decoding several
// steps.
const (
	seriesIn = "SELECT product, steps FROM history WHERE platform = $1 AND region = $2 ORDER BY product, at"
	seriesOf = "SELECT product, steps FROM history WHERE platform = $1 AND region = $2 AND product = ANY($3) ORDER BY product, at"
	// historyRegions steps along the key from region to region of a platform.
	historyRegions = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM history WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM history WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT region FROM known WHERE region IS NOT NULL`
)

// maxSeries is how many listings one query asks for.
const maxSeries = 2000

// AllSeries calls fn for each listing that has shown more than one step, in the order of
// their keys. fn does not keep the steps.
func (r *Reading) AllSeries(fn func(history.Series) error) error {
	if err := r.series(Filter{}, fn); err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	return nil
}

// Series calls fn for those of the listings with the given keys that have shown more than
// one step, in any order. fn does not keep the steps.
func (r *Reading) Series(keys []catalog.Key, fn func(history.Series) error) error {
	for at, products := range byRegion(len(keys), func(i int) catalog.Key { return keys[i] }) {
		slices.Sort(products)
		for some := range slices.Chunk(slices.Compact(products), maxSeries) {
			if err := r.seriesAt(at, seriesOf, append(at.Args(), some), fn); err != nil {
				return fmt.Errorf("read history in %s %s: %w", at.Platform, at.Region, err)
			}
		}
	}
	return nil
}

// series calls fn for the selected series, in the order of their keys.
func (r *Reading) series(f Filter, fn func(history.Series) error) error {
	regions, err := f.regionsWithHistory(r.tx)
	if err != nil {
		return err
	}
	for _, at := range regions {
		if err := r.seriesAt(at, seriesIn, at.Args(), fn); err != nil {
			return err
		}
	}
	return nil
}

// seriesAt calls fn for the series of a region whose rows a query returns.
func (r *Reading) seriesAt(at PlatformRegion, text string, args []any, fn func(history.Series) error) error {
	joined := seriesJoiner{fn: fn}
	key := catalog.Key{Platform: at.Platform, Region: at.Region}
	var row engine.RawBytes
	dest := []any{&key.Product, &row}
	err := r.tx.Query(text, args, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return joined.add(&key, row)
	})
	if err != nil {
		return err
	}
	return joined.end()
}

// regionsWithHistory returns the selected regions with rows of history, in the order of their keys.
func (f Filter) regionsWithHistory(tx *engine.ReadTx) (regions []PlatformRegion, err error) {
	for _, platform := range catalog.Platforms() {
		err = tx.Query(historyRegions, []any{int64(platform)}, func(rows engine.Rows) error {
			var region string
			err := rows.Scan(&region)
			if at := (PlatformRegion{platform, regionOf(region)}); f.selects(at) {
				regions = append(regions, at)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(regions, func(a, b PlatformRegion) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region))
	})
	return regions, nil
}

// seriesJoiner joins the rows of each series, which follow each other, and calls fn for
// it.
type seriesJoiner struct {
	fn     func(history.Series) error
	series history.Series
}

// add adds a row, which is valid until add returns.
func (j *seriesJoiner) add(key *catalog.Key, row []byte) error {
	if *key != j.series.Key {
		if err := j.end(); err != nil {
			return err
		}
		j.series.Key, j.series.Steps = *key, j.series.Steps[:0]
	}
	before := len(j.series.Steps)
	steps, err := history.AppendSteps(j.series.Steps, row)
	switch {
	case err != nil:
	case len(steps) == before:
		err = errors.New("a row without steps: damaged")
	case before > 0 && steps[before].At <= steps[before-1].At:
		err = fmt.Errorf("the rows before and from %d overlap", steps[before].At)
	}
	j.series.Steps = steps
	return ofHistory(key, err)
}

// end calls fn for the last series.
func (j *seriesJoiner) end() error {
	if len(j.series.Steps) == 0 {
		return nil
	}
	return j.fn(j.series)
}
