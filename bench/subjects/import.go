package subjects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

const (
	importNew      = "import of new listings"
	importSame     = "import of the same file again"
	importSeen     = "import: all seen again, nothing changed"
	importRepriced = "import: all seen again, all known prices changed"
	upsertNew      = "plain upserts of new rows"
	upsertAgain    = "plain upserts over existing rows"
)

// importInput is what both sides store: lines for the import, rows for the upserts.
type importInput struct {
	rows                []catalog.Listing
	first, seen, dearer []byte // feeds
	changed             int    // rows with another price in the dearer feed
}

// measureImport compares an import, from lines of text to a durable database, with
// plain upserts of the same rows.
func measureImport(ctx context.Context, r *harness.Run) (report.Section, error) {
	in, err := newImportInput(sample.New(r.Seed, harness.Pick(r, 4_000, 50_000)))
	if err != nil {
		return report.Section{}, err
	}
	results := harness.NewResults(importNew, upsertNew, importSame, importSeen, importRepriced, upsertAgain)
	rounds, err := runImportRounds(r,
		func() error {
			return inFolder(r, func(dir string) error {
				return in.runImports(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), "", embedded, results)
			})
		},
		func() error {
			return inFolder(r, func(dir string) error {
				db, err := alternatives.OpenUpserts(ctx, filepath.Join(dir, "upserts.db"))
				if err != nil {
					return err
				}
				return in.runUpserts(ctx, db, "", embedded, results)
			})
		})
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Import",
		Intro: fmt.Sprintf("%d listings, four regions, into a new file on disk, with synchronous full: every commit of both sides is on disk before it is counted. "+
			"The import parses and checks lines, stores details by content, finds out what is new or outdated, and counts generations. "+
			"The plain upserts write parsed rows into one table with one index, in transactions of the same size; they keep no history and do not zero deleted data on disk, "+
			"as the import does. %d rounds, each with new files for both sides.", len(in.rows), rounds),
		Goals: []report.Goal{{What: "rows/s of an import of new listings / of plain upserts", Limit: 0.6, Stretch: 0.9, Unit: "x",
			Figure: results.Ratio(harness.RowsRate, importNew, upsertNew)}},
		Tables: []report.Table{report.Compare("", results, upsertNew, harness.RowsRate, rowOwnCPU)},
	}, nil
}

// runImportRounds calls all sides in each round, in random order.
func runImportRounds(r *harness.Run, sides ...func() error) (rounds int, err error) {
	rng, rounds := r.Rng(7), harness.Pick(r, 3, 5)
	for round := range rounds {
		for _, i := range rng.Perm(len(sides)) {
			if err := sides[i](); err != nil {
				return 0, err
			}
		}
		r.Logf("  round %d of the import is done", round+1)
	}
	return rounds, nil
}

// inFolder calls f with a new folder on the run's disk, which it removes.
func inFolder(r *harness.Run, f func(dir string) error) error {
	dir, err := os.MkdirTemp(r.Dir, "import-")
	if err != nil {
		return err
	}
	return errors.Join(f(dir), os.RemoveAll(dir))
}

// newImportInput makes three feeds of a sample: the sample itself, the same seen an
// hour later, and one with other prices seen another hour later.
func newImportInput(s *sample.Sample) (*importInput, error) {
	in := &importInput{}
	for l := range s.Listings(4) {
		in.rows = append(in.rows, *l)
	}
	var err error
	if in.first, err = writeFeed(in.rows, func(*catalog.Listing) {}); err != nil {
		return nil, err
	}
	if in.seen, err = writeFeed(in.rows, func(l *catalog.Listing) { l.ObservedAt += 3_600_000 }); err != nil {
		return nil, err
	}
	in.dearer, err = writeFeed(in.rows, func(l *catalog.Listing) {
		l.ObservedAt += 2 * 3_600_000
		if l.Price != nil && l.Price.Base.Known() {
			in.changed++
			p := *l.Price
			p.Base, p.Current, p.BaseText, p.CurrentText = p.Base+100, p.Current+100, "", ""
			p.DiscountPercent = catalog.NoPercent
			l.Price = &p
		}
	})
	return in, err
}

// writeFeed returns the feed of changed copies of rows.
func writeFeed(rows []catalog.Listing, change func(*catalog.Listing)) ([]byte, error) {
	var b bytes.Buffer
	w := feed.NewWriter(&b)
	for _, l := range rows {
		change(&l)
		if err := w.Write(&l); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// runImports runs the product's import in its four cases, into a new database of a server.
// where comes before the names of the results.
func (in *importInput) runImports(ctx context.Context, dsn, where string, server int, results *harness.Results) error {
	db, err := sqldb.Open(ctx, dsn, engine.Options{Create: true})
	if err != nil {
		return err
	}
	for _, pass := range []struct {
		name  string
		text  []byte
		count func(catalog.SaveCounts) int // of rows that were stored as expected
	}{
		{importNew, in.first, func(c catalog.SaveCounts) int { return c.New }},
		{importSame, in.first, func(c catalog.SaveCounts) int { return c.Unchanged }},
		{importSeen, in.seen, func(c catalog.SaveCounts) int { return c.Unchanged }},
		{importRepriced, in.dearer, func(c catalog.SaveCounts) int { return c.Changed + len(in.rows) - in.changed }},
	} {
		open := func(context.Context, string) (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(pass.text)), int64(len(pass.text)), nil
		}
		var sum importer.Summary
		v, err := measureRows(server, len(in.rows), func() (err error) {
			sum, err = importer.Import(ctx, db.Listings, importer.Options{Inputs: []string{"feed"}, Now: time.Now, Open: open})
			return err
		})
		if err != nil {
			return errors.Join(err, db.Close())
		}
		results.Add(where+pass.name, v)
		if got := pass.count(sum.Saved); got != len(in.rows) {
			return errors.Join(fmt.Errorf("%s: %d rows as expected of %d: %+v", pass.name, got, len(in.rows), sum), db.Close())
		}
	}
	return db.Close()
}

// upserts is a database with a single table.
type upserts interface {
	Save(ctx context.Context, rows []catalog.Listing) error
	Count(ctx context.Context) (int, error)
	Close() error
}

// runUpserts writes the rows twice into a database of a server, and closes it.
func (in *importInput) runUpserts(ctx context.Context, db upserts, where string, server int, results *harness.Results) error {
	defer db.Close()
	for _, name := range []string{upsertNew, upsertAgain} {
		v, err := measureRows(server, len(in.rows), func() error { return db.Save(ctx, in.rows) })
		if err != nil {
			return err
		}
		results.Add(where+name, v)
	}
	n, err := db.Count(ctx)
	if err == nil && n != len(in.rows) {
		err = fmt.Errorf("the table has %d rows, want %d", n, len(in.rows))
	}
	return err
}
