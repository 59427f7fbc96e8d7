package subjects

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/builder"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// historySteps is how many steps the history of each listing has.
const historySteps = 20

// What a builder does, with and without past prices.
const (
	scaleLoad  = "first load"
	scaleDay   = "daily pass"
	scaleSweep = "sweep of a region"

	scalePast    = ", with lows"
	scaleWithout = ", without"

	readTime  harness.Metric = "read ms"
	indexTime harness.Metric = "index ms"
	writeTime harness.Metric = "write ms"
	openTime  harness.Metric = "open ms"
	peakBytes harness.Metric = "peak MB"
)

// measurePastScale measures what past prices cost where there are many.
func measurePastScale(ctx context.Context, r *harness.Run) (report.Section, error) {
	shape := allRegions(r)
	shape.Steps = historySteps
	c, err := r.Catalog(ctx, shape)
	if err != nil {
		return report.Section{}, err
	}
	defer r.Drop(c) // no other subject needs it
	size, err := alternatives.TableSizes(ctx, c.File())
	if err != nil {
		return report.Section{}, err
	}
	whole, err := measureWhole(ctx, r, c)
	if err != nil {
		return report.Section{}, err
	}
	results, err := measurePastBuilds(ctx, r, c)
	if err != nil {
		return report.Section{}, err
	}
	cards := len(c.Sample.Products)
	series := float64(cards * c.Shape.Regions)
	notes := []string{
		fmt.Sprintf("The database has %.2f GB, %.2f GB of it for the history: %.1f bytes a step. Importing the listings took %v, importing their past prices %v.",
			size[alternatives.AllTables]/1e9, size["history"]/1e9, size["history"]/(series*historySteps), c.Import.Round(time.Second), c.History.Round(time.Second)),
		fmt.Sprintf("One process with all roles, from its start with an empty folder for snapshots until it is ready: %.1f s, %.1f s of CPU, at most %.2f GB of memory (VmHWM); %.2f GB once it is ready.",
			whole.took.Seconds(), whole.cpu.Seconds(), float64(whole.peak)/1e9, float64(whole.resident)/1e9),
	}
	return report.Section{
		Title: "Past prices of a large catalog",
		Intro: fmt.Sprintf("%d cards in %d regions, each region price with a history of %d steps: a sale in every month. Builders as in \"A changed price becomes visible\", in this process; those without lows "+
			"read the same database, but no history. The first load reads everything; the daily pass follows it, when the clock of the builder reaches 00:00 UTC; then a region is swept, all its listings seen again and "+
			"a tenth repriced. The lows of the regions in which a price changed are packed, hashed, written, opened and checked with each new version of the prices, those of all regions once a day. Times are from the commit to a published snapshot that a node has opened, which keeps open what did not change. The CPU is that of the whole process.",
			cards, c.Shape.Regions, historySteps),
		Goals: []report.Goal{
			{What: "a sweep becomes visible, CPU with lows / without", AtMost: true, Limit: 1.25, Stretch: 1.1, Unit: "x",
				Figure: results.Ratio(harness.CPUTotal, scaleSweep+scalePast, scaleSweep+scaleWithout)},
			{What: "memory of one process that does everything, for each region price", AtMost: true, Limit: 1000, Unit: " bytes", Figure: harness.Exactly(float64(whole.peak) / series)},
		},
		Tried: "In a profile of sweeps, lows take a fifth of the CPU, nearly all of it for reading past prices from SQLite (decision 29).",
		Tables: []report.Table{
			report.Compare("", results, scaleSweep+scaleWithout, harness.CPUTotal, harness.Time),
			report.Medians("Where the time goes, and the memory of this process (medians):", results, readTime, indexTime, writeTime, openTime, peakBytes),
		},
		Notes: notes,
	}, nil
}

// whole is what one process needs for its first load.
type whole struct {
	took, cpu      time.Duration
	peak, resident int64
}

func measureWhole(ctx context.Context, r *harness.Run, c *harness.Catalog) (w whole, err error) {
	began := time.Now()
	s, err := r.ServeAndBuild(ctx, c)
	if err != nil {
		return w, err
	}
	w.took = time.Since(began)
	if w.cpu, err = harness.CPUTime(s.PID); err != nil {
		return w, err
	}
	if w.peak, err = harness.PeakResident(s.PID); err != nil {
		return w, err
	}
	if w.resident, err = harness.Resident(s.PID); err != nil {
		return w, err
	}
	r.Logf("  one process: %+v", w)
	return w, s.Stop()
}

// pastBuilds are builders with and without past prices on one database.
type pastBuilds struct {
	run     *harness.Run
	db      *sqldb.DB
	changes *priceChanges
	results *harness.Results
}

func measurePastBuilds(ctx context.Context, r *harness.Run, c *harness.Catalog) (*harness.Results, error) {
	db, err := sqldb.Open(ctx, c.Database(), engine.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	p := &pastBuilds{run: r, db: db, results: harness.NewResults(),
		changes: &priceChanges{sample: c.Sample, regions: c.Shape.Regions, at: sample.Observed(), rng: r.Rng(9)}}
	for _, side := range []string{scaleWithout, scalePast} { // each takes minutes
		if err := p.measure(ctx, side); err != nil {
			return nil, err
		}
	}
	return p.results, nil
}

// measure starts a builder and measures its first load, a daily pass and some sweeps.
func (p *pastBuilds) measure(ctx context.Context, side string) (err error) {
	dir, err := os.MkdirTemp(p.run.Dir, "past-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := harness.StartBuilder
	if side == scaleWithout {
		start = harness.StartBuilderWithoutPast
	}
	if err := harness.ResetPeak(); err != nil {
		return err
	}
	b, err := start(ctx, p.db, filepath.Join(dir, "snapshots"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := p.build(ctx, b, scaleLoad+side, b.Next); err != nil {
		return err
	}
	if err := p.build(ctx, b, scaleDay+side, b.NextDay); err != nil {
		return err
	}
	for round := range harness.Pick(p.run, 2, 7) {
		if err := b.Save(ctx, p.changes.sweep(round)); err != nil {
			return err
		}
		if err := p.build(ctx, b, scaleSweep+side, b.BuildSaved); err != nil {
			return err
		}
	}
	return nil
}

// build measures one build and the opening of its snapshot.
func (p *pastBuilds) build(ctx context.Context, b *harness.Builder, name string, next func(context.Context) (builder.Report, error)) error {
	var built builder.Report
	var opening float64
	v, err := harness.Measure(func() (err error) {
		if built, err = next(ctx); err != nil {
			return err
		}
		opening, err = harness.Milliseconds(func() error { return b.Follow(ctx) })
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	peak, err := harness.PeakResident(os.Getpid())
	if err != nil {
		return err
	}
	v[harness.Time] = built.All.Seconds()*1000 + opening // without the wait before the build
	v[readTime], v[indexTime], v[writeTime] = built.Read.Seconds()*1000, built.Index.Seconds()*1000, built.Write.Seconds()*1000
	v[openTime], v[peakBytes] = opening, float64(peak)/1e6
	p.results.Add(name, v)
	p.run.Logf("  %-40s %v", name, v)
	return harness.ResetPeak()
}
