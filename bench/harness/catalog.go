package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/index"
)

// Shape is the size and kind of a catalog.
type Shape struct {
	Cards, Regions int
	DistinctPrices bool // no two listings have the same price
}

// Catalog is a sample that the program has imported and built.
type Catalog struct {
	Sample  *sample.Sample
	Shape   Shape
	DataDir string      // the program's data folder: database and snapshots
	View    *index.View // of the published snapshot
	Import  time.Duration
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
	if err := r.buildOnce(ctx, c.DataDir); err != nil {
		return err
	}
	c.Build = time.Since(began)
	var err error
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
