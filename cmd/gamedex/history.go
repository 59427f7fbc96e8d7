package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/feed/rejected"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

type historyCommand struct {
	Export historyExport `cmd:"" help:"Write the past prices of listings, and the exchange rates of past days, to standard output (doc/feed.md)."`
	Import historyImport `cmd:"" help:"Add past prices that are older than those in the database, and exchange rates of days that have none. Import the listings first."`
}

type historyExport struct {
	Platform string `placeholder:"P" help:"Only this platform: consolestore or pcstore."`
	Region   string `placeholder:"R" help:"Only this region: a country code."`
}

// Run writes the exchange rates of past days, and the history of all listings that have
// shown more than one price.
func (e *historyExport) Run(ctx context.Context, p *program, c *commands) error {
	platform, region, err := parseFilter(e.Platform, e.Region)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		out := bufio.NewWriterSize(p.Stdout, 1<<16)
		w := feed.NewHistoryWriter(out)
		if err := db.Nodes.EachDayRates(ctx, 0, catalog.MillisOf(p.Now()).Day(), w.WriteRates); err != nil {
			return err
		}
		if err := db.Listings.ExportHistory(ctx, listings.Filter{Platform: platform, Region: region}, w.Write); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write history: %w", err)
		}
		return nil
	})
}

type historyImport struct {
	Files []string `arg:"" name:"file" help:"Files that history export wrote, plain, gzip or zstd; - is standard input; HTTP(S) URLs are downloaded."`
}

// Run imports all files. Its status is 1 if any line was rejected.
func (i *historyImport) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		var report rejected.Report
		open := importer.Inputs(p.Stdin, &http.Client{Timeout: time.Hour})
		sum, err := importer.ImportHistory(ctx, pastStore{db}, i.Files, open, p.Now, report.Add)
		report.Write(p.Stderr)
		if err == nil || sum.Read > 0 {
			fmt.Fprintf(p.Stdout, "read %d, added %d steps, left out %d that are not older than the first one stored, rejected %d\n",
				sum.Read, sum.Added, sum.Overlap, sum.Rejected)
		}
		if sum.Days > 0 {
			fmt.Fprintf(p.Stdout, "days with exchange rates: %d added, %d left out because they have some\n", sum.NewDays, sum.Days-sum.NewDays)
		}
		if sum.Unknown > 0 {
			fmt.Fprintf(p.Stderr, "lines of listings that are not in the database: %d; to add their history, import the listings first\n", sum.Unknown)
		}
		if err == nil && sum.Rejected+sum.Unknown > 0 {
			return errPartly
		}
		return err
	})
}

// pastStore is a database as an importer.HistoryStore.
type pastStore struct{ db *sqldb.DB }

// SaveHistory implements importer.HistoryStore.
func (p pastStore) SaveHistory(ctx context.Context, batch []history.Series) (history.ImportCounts, error) {
	return p.db.Listings.SaveHistory(ctx, batch)
}

// AddDayRates implements importer.HistoryStore.
func (p pastStore) AddDayRates(ctx context.Context, tables []history.DayRates) (int, error) {
	return p.db.Nodes.AddDayRates(ctx, tables)
}
