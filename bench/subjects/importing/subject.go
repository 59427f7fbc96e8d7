package importing

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/sqldb"
)

const (
	fresh     = "import of new listings"
	bareNew   = "bare upserts of new rows"
	same      = "import of the same file again"
	seen      = "import: all seen again, nothing changed"
	repriced  = "import: all seen again, those with a number repriced"
	bareAgain = "bare upserts over what is there"
)

// Subject compares the two ways of storing rows.
func Subject() lab.Subject { return lab.Subject{Name: "import", Measure: run} }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	s := &stand{rows: rowsOf(sample.New(l.Seed, lab.Pick(l, 4_000, 50_000)), 4)}
	if err := s.write(); err != nil {
		return report.Section{}, err
	}
	all := measure.Collected{}
	rng := l.Rng(7)
	rounds := lab.Pick(l, 3, 5)
	for round := range rounds {
		sides := []func(context.Context, string, measure.Collected) error{s.imports, s.upserts}
		for _, i := range rng.Perm(2) {
			dir := filepath.Join(l.Dir, fmt.Sprintf("import-%d-%d", round, i))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return report.Section{}, err
			}
			if err := sides[i](ctx, dir, all); err != nil {
				return report.Section{}, err
			}
			if err := os.RemoveAll(dir); err != nil {
				return report.Section{}, err
			}
		}
		l.Logf("  round %d of the import is done", round+1)
	}
	return section(len(s.rows), rounds, all.Runs(fresh, bareNew, same, seen, repriced, bareAgain)), nil
}

// stand is what both sides store: rows for the one, lines for the other.
type stand struct {
	rows                 []catalog.Listing
	first, again, dearer []byte
	raised               int // rows that are dearer in the last feed
}

func rowsOf(s *sample.Sample, regions int) []catalog.Listing {
	var rows []catalog.Listing
	for l := range s.Listings(regions) {
		rows = append(rows, *l)
	}
	return rows
}

// write makes the three feeds: as they are, seen an hour later, and with other
// prices another hour later.
func (s *stand) write() (err error) {
	if s.first, err = lines(s.rows, func(*catalog.Listing) {}); err != nil {
		return err
	}
	if s.again, err = lines(s.rows, func(l *catalog.Listing) { l.ObservedAt += 3_600_000 }); err != nil {
		return err
	}
	s.dearer, err = lines(s.rows, func(l *catalog.Listing) {
		l.ObservedAt += 2 * 3_600_000
		if l.Price != nil && l.Price.Base.Known() {
			s.raised++
			p := *l.Price
			p.Base, p.Current, p.BaseText, p.CurrentText = p.Base+100, p.Current+100, "", ""
			p.DiscountPercent = catalog.NoPercent
			l.Price = &p
		}
	})
	return err
}

func lines(rows []catalog.Listing, change func(*catalog.Listing)) ([]byte, error) {
	var b bytes.Buffer
	w := feed.NewWriter(&b)
	for i := range rows {
		l := rows[i]
		change(&l)
		if err := w.Write(&l); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// imports runs the service's import in its four cases.
func (s *stand) imports(ctx context.Context, dir string, all measure.Collected) error {
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), sqldb.Options{Create: true})
	if err != nil {
		return err
	}
	for _, pass := range []struct {
		name string
		text []byte
		want func(catalog.SaveCounts) int
	}{
		{fresh, s.first, func(c catalog.SaveCounts) int { return c.New }},
		{same, s.first, func(c catalog.SaveCounts) int { return c.Unchanged }},
		{seen, s.again, func(c catalog.SaveCounts) int { return c.Unchanged }},
		{repriced, s.dearer, func(c catalog.SaveCounts) int { return c.Changed + len(s.rows) - s.raised }},
	} {
		began := time.Now()
		sum, err := feed.Import(ctx, db, feed.Options{Inputs: []string{"feed"}, Now: time.Now, Open: opener(pass.text)})
		if err != nil {
			return errors.Join(err, db.Close())
		}
		if got := pass.want(sum.Saved); got != len(s.rows) {
			return fmt.Errorf("%s: %d rows counted so, want %d: %+v", pass.name, got, len(s.rows), sum)
		}
		all.Add(pass.name, rate(len(s.rows), began))
	}
	return db.Close()
}

func opener(text []byte) feed.Opener {
	return func(context.Context, string) (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	}
}

// upserts runs the bare loop, and again over its own rows.
func (s *stand) upserts(ctx context.Context, dir string, all measure.Collected) error {
	pool, err := openBare(ctx, dir)
	if err != nil {
		return err
	}
	for _, name := range []string{bareNew, bareAgain} {
		began := time.Now()
		if err := upsertAll(ctx, pool, s.rows); err != nil {
			return errors.Join(err, pool.Close())
		}
		all.Add(name, rate(len(s.rows), began))
	}
	return errors.Join(counted(ctx, pool, len(s.rows)), pool.Close())
}

func counted(ctx context.Context, pool *sql.DB, want int) error {
	var n int
	if err := pool.QueryRowContext(ctx, "SELECT count(*) FROM listing").Scan(&n); err != nil {
		return err
	}
	if n != want {
		return fmt.Errorf("the bare table has %d rows, want %d", n, want)
	}
	return nil
}

func rate(rows int, began time.Time) measure.Sample {
	return measure.Sample{measure.RowsRate: float64(rows) / time.Since(began).Seconds()}
}

func section(rows, rounds int, runs measure.Runs) report.Section {
	return report.Section{
		Title: "Import",
		Intro: fmt.Sprintf("%d listings, four regions, into a new file on disk, synchronous full; every commit of both sides is on disk before it counts. "+
			"The import parses lines, checks them, finds details by content, decides what is new or older and counts generations; "+
			"the bare loop writes rows that are parsed already into one table with one index, in transactions of the same size, keeps no history, and does not overwrite with zeros what it deletes, as the service does. %d rounds, each with new files for both.", rows, rounds),
		Goals: []report.Goal{{What: "rows/s of an import of new listings / of bare upserts", Limit: 0.6, Stretch: 0.9, Unit: "x",
			Figure: runs.Ratio(measure.RowsRate, fresh, bareNew)}},
		Tables: []report.Table{report.Compare("", runs, bareNew, measure.RowsRate)},
	}
}
