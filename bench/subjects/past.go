package subjects

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

const (
	pastOneOurs = "one series, rows of encoded steps"
	pastOneRows = "one series, a row for each step"
	pastAllOurs = "all series, rows of encoded steps"
	pastAllRows = "all series, a row for each step"
)

// pastCatalog returns the catalog in which every price has a past.
func pastCatalog(ctx context.Context, r *harness.Run) (*harness.Catalog, error) {
	return r.Catalog(ctx, harness.Shape{Cards: harness.Pick(r, 5_000, 50_000), Regions: 4, Steps: historySteps})
}

// measurePast compares reading series with the table that the program had before.
func measurePast(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := pastCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	db, err := sqldb.Open(ctx, c.Database(), engine.Options{})
	if err != nil {
		return report.Section{}, err
	}
	defer db.Close()
	file := filepath.Join(r.Dir, "price-changes.db")
	changes, err := alternatives.OpenPriceChanges(ctx, file)
	if err != nil {
		return report.Section{}, err
	}
	defer changes.Close()
	p := past{db: db, changes: changes}
	if err := p.fill(ctx); err != nil {
		return report.Section{}, err
	}
	if err := p.check(ctx); err != nil {
		return report.Section{}, err
	}
	one, err := p.measureOne(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	all, err := harness.Rounds(ctx, harness.Pick(r, 2, 5), r.Rng(2), p.readers(ctx), func(round int, name string, v harness.Values) {
		r.Logf("  round %d  %-40s %v", round, name, v)
	})
	if err != nil {
		return report.Section{}, err
	}
	ours, err := alternatives.TableSizes(ctx, c.File())
	if err != nil {
		return report.Section{}, err
	}
	rows, err := alternatives.TableSizes(ctx, file)
	if err != nil {
		return report.Section{}, err
	}
	return p.section(one, all, ours["history"]/float64(p.steps), rows["price_change"]/float64(p.steps)), nil
}

// past is a database with series, and the same series in the table of before.
type past struct {
	db      *sqldb.DB
	changes *alternatives.PriceChanges
	keys    []catalog.Key
	steps   int // of all series
}

// all calls fn for each series of ours.
func (p *past) all(ctx context.Context, fn func(history.Series) error) error {
	return p.db.Listings.Read(ctx, func(r *listings.Reading) error { return r.AllSeries(fn) })
}

// fill copies our series to the other side.
func (p *past) fill(ctx context.Context) error {
	var batch []history.Series
	err := p.all(ctx, func(s history.Series) error {
		p.keys, p.steps = append(p.keys, s.Key), p.steps+len(s.Steps)
		s.Steps = slices.Clone(s.Steps)
		if batch = append(batch, s); len(batch) < 1000 {
			return nil
		}
		err := p.changes.Save(ctx, batch)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	return p.changes.Save(ctx, batch)
}

// check compares the series of both sides, but for what the old table does not have.
func (p *past) check(ctx context.Context) error {
	for i := 0; i < len(p.keys); i += 97 {
		ours, err := p.db.Listings.History(ctx, p.keys[i])
		if err != nil {
			return err
		}
		for j := range ours {
			ours[j].EndsAt, ours[j].Doubtful = 0, false
		}
		theirs, err := p.changes.Steps(ctx, p.keys[i])
		if err != nil {
			return err
		}
		if len(ours) != historySteps || !slices.Equal(ours, theirs) {
			return fmt.Errorf("%v has the steps %+v, in the table of before %+v", p.keys[i], ours, theirs)
		}
	}
	return nil
}

func (p *past) measureOne(ctx context.Context, r *harness.Run) (*harness.Results, error) {
	var asked []catalog.Key
	for rng := r.Rng(41); len(asked) < harness.Pick(r, 500, 4000); {
		asked = append(asked, p.keys[rng.IntN(len(p.keys))])
	}
	wantSteps := func(steps []history.Step, err error) error {
		if err == nil && len(steps) != historySteps {
			err = fmt.Errorf("%d steps, want %d", len(steps), historySteps)
		}
		return err
	}
	return r.Rounds(ctx,
		harness.Repeat(pastOneOurs, len(asked), func(i int) error { return wantSteps(p.db.Listings.History(ctx, asked[i])) }),
		harness.Repeat(pastOneRows, len(asked), func(i int) error { return wantSteps(p.changes.Steps(ctx, asked[i])) }))
}

// readers read all series of each side.
func (p *past) readers(ctx context.Context) []harness.Candidate {
	count := func(read func(context.Context, func(history.Series) error) error) func() error {
		return func() error {
			series, steps := 0, 0
			err := read(ctx, func(s history.Series) error {
				series, steps = series+1, steps+len(s.Steps)
				return nil
			})
			if err == nil && (series != len(p.keys) || steps != p.steps) {
				err = errors.New("not all series were read")
			}
			return err
		}
	}
	return []harness.Candidate{harness.Once(pastAllOurs, count(p.all)), harness.Once(pastAllRows, count(p.changes.All))}
}

func (p *past) section(one, all *harness.Results, ours, rows float64) report.Section {
	return report.Section{
		Title: "Past prices in the database",
		Intro: fmt.Sprintf("%d series of about %d steps in SQLite. Our side is the product's: rows of encoded steps, read and decoded with their checksums. The other side is the table that the product had before, "+
			"a row for each step, without the ends of discounts and without doubtful prices, in the same engine. One series is that of a random listing; the other side reads it in a transaction, as the product did, ours is a single statement without one. Bytes are those of the table "+
			"with its index; our rows came as an import writes them, those of the other side in the order of their keys.", len(p.keys), historySteps),
		Goals: []report.Goal{
			{What: "one series: CPU of a row for each step / ours", Limit: 3, Stretch: 5, Unit: "x", Figure: one.Ratio(harness.CPUCall, pastOneRows, pastOneOurs)},
			{What: "all series: CPU of a row for each step / ours", Limit: 20, Stretch: 40, Unit: "x", Figure: all.Ratio(harness.CPUTotal, pastAllRows, pastAllOurs)},
			{What: "bytes a step", AtMost: true, Limit: 16, Stretch: 12, Figure: harness.Exactly(ours)},
		},
		Tables: []report.Table{
			report.Compare("", one, pastOneOurs, harness.CPUCall, harness.P50, harness.P99, harness.Allocs),
			report.Compare("", all, pastAllOurs, harness.CPUTotal, harness.Time),
		},
		Notes: []string{fmt.Sprintf("A row for each step takes %.1f bytes.", rows)},
	}
}
