package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gamedex/bench/published"
	"gamedex/bench/sample"
	"gamedex/internal/index"
)

// size is what tells catalogs apart.
type size struct{ cards, regions int }

// Catalog is a sample, stored and built by the program itself.
type Catalog struct {
	Sample  *sample.Sample
	Regions int
	DataDir string      // of the program: database and snapshots
	View    *index.View // of the published snapshot
	Import  time.Duration
	Build   time.Duration // from an empty builder, until published; with the start of the program

	keys []string
}

// Catalog gives the catalog of a size. The first one to ask waits until it is
// made: imported by the program and built by it.
func (l *Lab) Catalog(ctx context.Context, cards, regions int) (*Catalog, error) {
	at := size{cards, regions}
	if c := l.catalogs[at]; c != nil {
		return c, nil
	}
	l.Logf("making the catalog of %d cards in %d regions", cards, regions)
	dir := filepath.Join(l.Dir, fmt.Sprintf("catalog-%dx%d", cards, regions))
	c := &Catalog{
		Sample: sample.New(l.Seed, cards), Regions: regions, DataDir: filepath.Join(dir, "data"),
	}
	if err := c.make(ctx, l, dir); err != nil {
		return nil, fmt.Errorf("make catalog of %d cards in %d regions: %w", cards, regions, err)
	}
	l.catalogs[at] = c
	l.Logf("imported in %v, built in %v, %d cards are served", c.Import.Round(time.Millisecond), c.Build.Round(time.Millisecond), c.View.Len())
	return c, nil
}

func (c *Catalog) make(ctx context.Context, l *Lab, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := l.Program(ctx); err != nil { // compiling is no part of the import
		return err
	}
	if err := c.imports(ctx, l, filepath.Join(dir, "feed.ndjson")); err != nil {
		return err
	}
	if err := l.importRates(ctx, c.DataDir); err != nil {
		return err
	}
	began := time.Now()
	if err := l.buildOnce(ctx, c.DataDir); err != nil {
		return err
	}
	c.Build = time.Since(began)
	return c.open(ctx)
}

// imports writes the feed, has the program import it, and removes it: that of
// 60 regions is some gigabytes.
func (c *Catalog) imports(ctx context.Context, l *Lab, feed string) error {
	if err := c.writeFeed(feed); err != nil {
		return err
	}
	began := time.Now()
	if _, err := l.Run(ctx, "import", "--data-dir="+c.DataDir, feed); err != nil {
		return err
	}
	c.Import = time.Since(began)
	return os.Remove(feed)
}

func (c *Catalog) writeFeed(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := c.Sample.WriteFeed(f, c.Regions); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Snapshots is the folder of the published snapshots.
func (c *Catalog) Snapshots() string { return filepath.Join(c.DataDir, "snapshots") }

// Blobs reads the newest snapshot.
func (c *Catalog) Blobs(ctx context.Context) (published.Blobs, error) {
	return published.Read(ctx, c.Snapshots())
}

func (c *Catalog) open(ctx context.Context) (err error) {
	if c.View, err = published.View(ctx, c.Snapshots()); err != nil {
		return err
	}
	if c.View.Len() != len(c.Sample.Products) {
		return fmt.Errorf("%d products became %d cards", len(c.Sample.Products), c.View.Len())
	}
	return nil
}

// Run runs a command of the program to its end and gives what it printed.
func (l *Lab) Run(ctx context.Context, args ...string) (string, error) {
	program, err := l.Program(ctx)
	if err != nil {
		return "", err
	}
	var out, log bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("gamedex %s: %w\n%s", args[0], err, log.String())
	}
	return out.String(), nil
}

// Drop forgets a catalog and its files, for one that no other subject needs.
func (l *Lab) Drop(c *Catalog) {
	for at, held := range l.catalogs {
		if held == c {
			delete(l.catalogs, at)
		}
	}
	// What stays is removed with the folder of the run.
	_ = os.RemoveAll(filepath.Dir(c.DataDir))
}
