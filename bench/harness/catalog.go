package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// Shape is the size and kind of a catalog.
type Shape struct {
	Cards, Regions int
	DistinctPrices bool // no two listings have the same price
	Steps          int  // of the history of each listing; see sample.Sample
}

// Catalog is a sample that the program has imported and built.
type Catalog struct {
	Sample  *sample.Sample
	Shape   Shape
	DataDir string      // the program's data folder: database and snapshots
	View    *index.View // of the published snapshot
	Import  time.Duration
	History time.Duration // for importing the past prices
	Build   time.Duration // from starting the program to the published snapshot

	keys []string
}

// Catalog returns the catalog of a shape. The first call for a shape makes it:
// the program imports and builds the sample.
func (r *Run) Catalog(ctx context.Context, shape Shape) (*Catalog, error) {
	if c := r.catalogs[shape]; c != nil {
		return c, nil
	}
	r.Logf("making a catalog: %+v", shape)
	name := fmt.Sprintf("catalog-%dx%d", shape.Cards, shape.Regions)
	s := sample.New(r.Seed, shape.Cards)
	if s.DistinctPrices = shape.DistinctPrices; s.DistinctPrices {
		name += "-distinct"
	}
	if s.Steps = shape.Steps; s.Steps > 0 {
		name += fmt.Sprintf("x%d", s.Steps)
	}
	c := &Catalog{Sample: s, Shape: shape, DataDir: filepath.Join(r.Dir, name)}
	if err := c.make(ctx, r); err != nil {
		return nil, fmt.Errorf("make catalog %+v: %w", shape, err)
	}
	r.catalogs[shape] = c
	r.Logf("imported in %v, built in %v, %d cards", c.Import.Round(time.Millisecond), c.Build.Round(time.Millisecond), c.View.Len())
	return c, nil
}

// SampleCatalog returns the catalog that most subjects use.
func (r *Run) SampleCatalog(ctx context.Context) (*Catalog, error) {
	return r.Catalog(ctx, Shape{Cards: Pick(r, 20_000, 100_000), Regions: 4})
}

func (c *Catalog) make(ctx context.Context, r *Run) error {
	if _, err := r.Program(ctx); err != nil { // compiling does not count as import
		return err
	}
	feed := c.DataDir + "-feed.ndjson"
	if err := c.writeFeed(feed); err != nil {
		return err
	}
	began := time.Now()
	if _, err := r.Command(ctx, "import", "--data-dir="+c.DataDir, feed); err != nil {
		return err
	}
	c.Import = time.Since(began)
	if err := os.Remove(feed); err != nil { // several gigabytes for 60 regions
		return err
	}
	if err := r.importRates(ctx, c.DataDir); err != nil {
		return err
	}
	began = time.Now()
	if err := c.importHistory(ctx); err != nil {
		return err
	}
	c.History = time.Since(began)
	began = time.Now()
	err := r.buildOnce(ctx, c.DataDir)
	if err != nil {
		return err
	}
	c.Build = time.Since(began)
	if c.View, err = OpenView(ctx, c.Snapshots()); err != nil {
		return err
	}
	if c.View.Len() != len(c.Sample.Products) {
		return fmt.Errorf("%d products became %d cards", len(c.Sample.Products), c.View.Len())
	}
	return nil
}

func (c *Catalog) writeFeed(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := c.Sample.WriteFeed(f, c.Shape.Regions); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// importHistory adds the past prices of the sample as "gamedex history import" does.
func (c *Catalog) importHistory(ctx context.Context) (err error) {
	if c.Sample.Steps == 0 {
		return nil
	}
	db, err := sqldb.Open(ctx, c.Database(), engine.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var sum history.ImportCounts
	for batch := range batches(c.Sample.Series(c.Shape.Regions), listings.MaxBatch) {
		n, err := db.Listings.SaveHistory(ctx, batch)
		if err != nil {
			return err
		}
		sum = sum.Add(n)
	}
	if want := len(c.Sample.Products) * c.Shape.Regions * (c.Sample.Steps - 1); sum.Added != want {
		return fmt.Errorf("import of history: %+v, want %d steps added", sum, want)
	}
	return nil
}

// batches yields copies of all series, up to size at a time.
func batches(all iter.Seq[history.Series], size int) iter.Seq[[]history.Series] {
	return func(yield func([]history.Series) bool) {
		batch := make([]history.Series, 0, size)
		for s := range all {
			s.Steps = slices.Clone(s.Steps)
			if batch = append(batch, s); len(batch) == size {
				if !yield(batch) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// File returns the file of the database.
func (c *Catalog) File() string { return filepath.Join(c.DataDir, "gamedex.db") }

// Database returns the DSN of the database.
func (c *Catalog) Database() string { return "sqlite:" + c.File() }

// Snapshots returns the folder of the published snapshots.
func (c *Catalog) Snapshots() string { return filepath.Join(c.DataDir, "snapshots") }

// RandomIDs returns sets of random card ids. No set has an id twice.
func (c *Catalog) RandomIDs(rng *rand.Rand, sets, size int) [][]string {
	list := make([][]string, sets)
	for i := range list {
		for _, n := range rng.Perm(c.View.Len())[:size] {
			list[i] = append(list[i], c.View.Card(n).ID())
		}
	}
	return list
}

// Drop removes a catalog that no other subject needs.
func (r *Run) Drop(c *Catalog) {
	delete(r.catalogs, c.Shape)
	_ = os.RemoveAll(c.DataDir) // what remains goes with the run's folder
}
