package alternatives

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/sqlite"
)

// PriceChanges is the table that the program had before rows of encoded steps: a row for
// each step, in the program's own engine. It has no ends of discounts.
type PriceChanges struct{ db *engine.DB }

const (
	createPriceChange = `CREATE TABLE price_change (
	platform INTEGER NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL, at BIGINT NOT NULL,
	currency TEXT NOT NULL, base BIGINT NOT NULL, current BIGINT NOT NULL, flags INTEGER NOT NULL,
	PRIMARY KEY (platform, region, product, at))`
	changesOf  = "SELECT at, currency, base, current, flags FROM price_change WHERE platform = $1 AND region = $2 AND product = $3 ORDER BY at"
	allChanges = "SELECT platform, region, product, at, currency, base, current, flags FROM price_change ORDER BY platform, region, product, at"
)

var insertPriceChange = engine.Insert{Table: "price_change", Columns: "platform, region, product, at, currency, base, current, flags"}

// The flags of a row.
const (
	changePriced = 1 << iota
	changeTrial
	changeSubscription
)

// OpenPriceChanges creates a database with the table in a file.
func OpenPriceChanges(ctx context.Context, file string) (*PriceChanges, error) {
	opened, err := sqlite.Open(ctx, file, engine.Options{Create: true})
	if err != nil {
		return nil, err
	}
	p := &PriceChanges{engine.New(opened)}
	if _, err := p.db.Exec(ctx, "create price_change", createPriceChange); err != nil {
		p.db.Close()
		return nil, err
	}
	return p, nil
}

// Close closes the database.
func (p *PriceChanges) Close() error { return p.db.Close() }

// Save adds series.
func (p *PriceChanges) Save(ctx context.Context, batch []history.Series) error {
	type row struct {
		key  *catalog.Key
		step *history.Step
	}
	var rows []row
	for i := range batch {
		for j := range batch[i].Steps {
			rows = append(rows, row{&batch[i].Key, &batch[i].Steps[j]})
		}
	}
	return p.db.Write(ctx, "save price changes", func(t *engine.Tx) error {
		for some := range slices.Chunk(rows, 2000) {
			_, err := t.InsertRows(ctx, &insertPriceChange, len(some), func(args []any, i int) []any {
				k, s := some[i].key, some[i].step
				return append(args, int64(k.Platform), k.Region.String(), k.Product, int64(s.At), string(s.Currency), int64(s.Base), int64(s.Current), changeFlags(s))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func changeFlags(s *history.Step) (flags int64) {
	if s.State == history.Priced || s.State == history.Text {
		flags = changePriced
	}
	if s.Trial {
		flags |= changeTrial
	}
	if s.Subscription {
		flags |= changeSubscription
	}
	return flags
}

// changeScan is where rows are scanned, one by one.
type changeScan struct {
	step  history.Step
	flags int64
}

func (c *changeScan) dest() []any {
	return []any{&c.step.At, &c.step.Currency, &c.step.Base, &c.step.Current, &c.flags}
}

// scanned returns the step of the row.
func (c *changeScan) scanned() history.Step {
	s := c.step
	s.Trial, s.Subscription = c.flags&changeTrial != 0, c.flags&changeSubscription != 0
	switch {
	case c.flags&changePriced == 0:
		s.State = history.Unpriced
	case s.Current == money.None:
		s.State = history.Text
	default:
		s.State = history.Priced
	}
	return s
}

// Steps returns the steps of one listing.
func (p *PriceChanges) Steps(ctx context.Context, key catalog.Key) (steps []history.Step, err error) {
	var c changeScan
	dest := c.dest()
	err = p.db.Read(ctx, "", func(q engine.Querier) error {
		return q.Query(ctx, changesOf, []any{int64(key.Platform), key.Region.String(), key.Product}, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			steps = append(steps, c.scanned())
			return err
		})
	})
	return steps, err
}

// All calls fn for each listing with its steps, in the order of their keys. fn does not
// keep the steps.
func (p *PriceChanges) All(ctx context.Context, fn func(history.Series) error) error {
	var c changeScan
	var platform int64
	var region, product string
	var series history.Series
	dest := append([]any{&platform, &region, &product}, c.dest()...)
	err := p.db.Read(ctx, "", func(q engine.Querier) error {
		return q.Query(ctx, allChanges, nil, func(rows engine.Rows) error {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			key := catalog.Key{Platform: catalog.Platform(platform), Region: catalog.Region{region[0], region[1]}, Product: product}
			if key != series.Key && len(series.Steps) > 0 {
				if err := fn(series); err != nil {
					return err
				}
				series.Steps = series.Steps[:0]
			}
			series.Key, series.Steps = key, append(series.Steps, c.scanned())
			return nil
		})
	})
	if err == nil && len(series.Steps) > 0 {
		err = fn(series)
	}
	if err != nil {
		return fmt.Errorf("read price changes: %w", err)
	}
	return nil
}
