package subjects

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

const (
	readChanges  = "changes, PostgreSQL"
	readBare     = "changes, bare pgx scan"
	readPostgres = "first read, PostgreSQL"
	readSQLite   = "first read, SQLite"
)

// measurePostgresRead compares what a builder reads with a bare scan of the same rows, and
// with a read from a file.
func measurePostgresRead(ctx context.Context, r *harness.Run) (section report.Section, err error) {
	server, err := r.Postgres(ctx)
	if err != nil {
		return section, err
	}
	defer server.Close() // the run closes it too, and returns the error
	err = inDatabase(ctx, server, func(dsn string) error {
		return inFolder(r, func(dir string) error {
			section, err = measureReads(ctx, r, dsn, "sqlite:"+filepath.Join(dir, "gamedex.db"))
			return err
		})
	})
	return section, err
}

func measureReads(ctx context.Context, r *harness.Run, dsn, fileDSN string) (report.Section, error) {
	from := sample.New(r.Seed, harness.Pick(r, 5_500, 100_500))
	db, all, err := openFilled(ctx, dsn, from)
	if err != nil {
		return report.Section{}, err
	}
	defer db.Close()
	file, _, err := openFilled(ctx, fileDSN, from)
	if err != nil {
		return report.Section{}, err
	}
	defer file.Close()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return report.Section{}, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return report.Section{}, err
	}
	changed := all - listings.MaxBatch // after the first generation
	results, err := r.Rounds(ctx,
		reading(readChanges, changed, func() (int, error) { return countChanges(ctx, db, 1) }),
		reading(readBare, changed, func() (int, error) { return scanChanges(ctx, conn, 1) }),
		reading(readPostgres, all, func() (int, error) { return firstRead(ctx, db) }),
		reading(readSQLite, all, func() (int, error) { return firstRead(ctx, file) }))
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "A builder reads from PostgreSQL",
		Intro: fmt.Sprintf("%d changes in a database of %d listings, four regions, over a Unix socket, after a VACUUM ANALYZE; the file of SQLite is in the page cache. "+
			"The bare scan runs the same statement and reads all columns into variables. Ours makes listings with their prices of them, in a transaction. "+
			"A first read is what a builder that has started reads: the number of listings, all facts, the fields of all details, and all listings.", changed, all),
		Goals: []report.Goal{
			{What: "rows/s of reading changes / of a bare pgx scan of them", Limit: 0.7, Stretch: 0.9, Unit: "x", Figure: results.Ratio(harness.RowsRate, readChanges, readBare)},
			{What: "rows/s of a first read from PostgreSQL / from SQLite", Limit: 0.8, Stretch: 1.2, Unit: "x", Figure: results.Ratio(harness.RowsRate, readPostgres, readSQLite)},
		},
		Tables: []report.Table{report.Compare("Ratios are to the bare scan.", results, readBare, harness.RowsRate)},
	}, nil
}

// openFilled opens a new database and stores the listings of a sample in it. The largest
// batch that can be stored is the first generation.
func openFilled(ctx context.Context, dsn string, from *sample.Sample) (db *sqldb.DB, stored int, err error) {
	if db, err = sqldb.Open(ctx, dsn, engine.Options{Create: true}); err != nil {
		return nil, 0, err
	}
	batch := make([]catalog.Listing, 0, listings.MaxBatch)
	save := func() error {
		saved, err := db.Listings.Save(ctx, batch)
		batch, stored = batch[:0], stored+saved.New
		return err
	}
	for l := range from.Listings(4) {
		if batch = append(batch, *l); len(batch) == cap(batch) {
			if err := save(); err != nil {
				return nil, 0, errors.Join(err, db.Close())
			}
		}
	}
	if err := save(); err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	return db, stored, nil
}

// reading measures a read, which returns how many rows it has read.
func reading(name string, want int, read func() (int, error)) harness.Candidate {
	return harness.Candidate{Name: name, Round: func(context.Context) (harness.Values, error) {
		runtime.GC()
		var n int
		took, err := harness.Milliseconds(func() (err error) { n, err = read(); return err })
		if err == nil && n != want {
			err = fmt.Errorf("%d rows, want %d", n, want)
		}
		return harness.Values{harness.RowsRate: float64(n) / took * 1000}, err
	}}
}

// countChanges reads the listings that were saved after a generation, as a builder does.
func countChanges(ctx context.Context, db *sqldb.DB, since int64) (n int, err error) {
	err = db.Listings.Read(ctx, func(r *listings.Reading) error {
		_, err := r.Changes(since, func(*catalog.Change) error { n++; return nil })
		return err
	})
	return n, err
}

// scanChanges reads the same columns of the same rows.
func scanChanges(ctx context.Context, conn *pgx.Conn, since int64) (n int, err error) {
	rows, err := conn.Query(ctx, `SELECT platform, region, product, first_seen, observed_at, priced_at, withdrawn,
		currency, base, current, base_text, current_text, discount_percent, discount_label, discount_ends_at, flags, source,
		popularity, locale, store_url, facts_id, prose_id FROM listing WHERE generation > $1`, since)
	if err != nil {
		return 0, err
	}
	var platform, withdrawn, percent, flags int32
	var firstSeen, observed, priced, base, current, endsAt, facts, prose int64
	var region, product, currency, baseText, currentText, label, source, locale, url string
	var popularity float64
	_, err = pgx.ForEachRow(rows, []any{&platform, &region, &product, &firstSeen, &observed, &priced, &withdrawn,
		&currency, &base, &current, &baseText, &currentText, &percent, &label, &endsAt, &flags, &source,
		&popularity, &locale, &url, &facts, &prose}, func() error { n++; return nil })
	return n, err
}

// firstRead reads what a builder reads first, and returns the number of listings.
func firstRead(ctx context.Context, db *sqldb.DB) (n int, err error) {
	err = db.Listings.Read(ctx, func(r *listings.Reading) error {
		count, err := r.Listings()
		if err == nil {
			err = r.NewFacts(0, func(int64, *catalog.Facts) error { return nil })
		}
		if err == nil {
			err = r.NewProse(0, func(int64, catalog.ProseFields) error { return nil })
		}
		if err == nil {
			_, err = r.Changes(0, func(*catalog.Change) error { n++; return nil })
		}
		if err == nil && n != count {
			err = fmt.Errorf("%d listings are counted and %d read", count, n)
		}
		return err
	})
	return n, err
}
