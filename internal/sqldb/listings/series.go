package listings

import (
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
)

const seriesOf = "SELECT product, at, steps FROM history WHERE platform = $1 AND region = $2 AND product = ANY($3) ORDER BY product, at"

// mostSeries is how many listings one query of seriesOf is for.
const mostSeries = 2000

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
	for at, products := range byPlace(len(keys), func(i int) catalog.Key { return keys[i] }) {
		slices.Sort(products)
		for some := range slices.Chunk(slices.Compact(products), mostSeries) {
			joined := seriesJoiner{fn: fn}
			row := historyRow{key: catalog.Key{Platform: at.Platform, Region: at.Region}}
			err := r.tx.Query(seriesOf, append(at.Args(), some), func(rows sqldb.Rows) error {
				if err := rows.Scan(&row.key.Product, &row.at, (*sqldb.RawBytes)(&row.steps)); err != nil {
					return err
				}
				return joined.add(&row)
			})
			if err == nil {
				err = joined.end()
			}
			if err != nil {
				return fmt.Errorf("read history in %s %s: %w", at.Platform, at.Region, err)
			}
		}
	}
	return nil
}

// series calls fn for the selected series, in the order of their keys.
func (r *Reading) series(f Filter, fn func(history.Series) error) error {
	text, args := f.historyQuery()
	joined := seriesJoiner{fn: fn}
	if err := r.tx.Query(text, args, eachHistoryRow(joined.add)); err != nil {
		return err
	}
	return joined.end()
}

// seriesJoiner joins the rows of each series, which follow each other, and calls fn for
// it.
type seriesJoiner struct {
	fn     func(history.Series) error
	series history.Series
}

func (j *seriesJoiner) add(row *historyRow) error {
	if row.key != j.series.Key {
		if err := j.end(); err != nil {
			return err
		}
		j.series = history.Series{Key: row.key, Steps: j.series.Steps[:0]}
	}
	var err error
	j.series.Steps, err = row.appendTo(j.series.Steps)
	return err
}

// end calls fn for the last series.
func (j *seriesJoiner) end() error {
	if len(j.series.Steps) == 0 {
		return nil
	}
	return j.fn(j.series)
}
