package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/feed/rejected"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

type importCommand struct {
	CSV      bool     `name:"csv" help:"The files are CSV tables whose first row names the fields of the feed (doc/feed.md)."`
	Decimal  string   `placeholder:"MARK" help:"With --csv: the decimal mark of the columns price and fullPrice, a comma or a point, if their cells do not show it."`
	Columns  []string `placeholder:"HEADER=FIELD" help:"With --csv: the fields of columns with other names, for example Game=title,Now=price."`
	Platform string   `help:"With --csv: the platform of tables that have no such column."`
	Region   string   `help:"With --csv: the region of tables that have no such column."`
	DryRun   bool     `help:"Store nothing; print the first rows as they are understood."`
	JSON     bool     `name:"json" help:"Print one JSON object."`
	Strict   bool     `help:"Check the whole input first; store nothing unless every line is valid."`
	Complete []string `placeholder:"PLATFORM:REGION" help:"The input has every listing of this platform and region, for example consolestore:TR: withdraw those that are missing. Repeatable."`
	Force    bool     `help:"Let --complete withdraw more than a tenth of a region."`
	Files    []string `arg:"" name:"file" help:"Feed files, plain, gzip or zstd; - is standard input; HTTP(S) URLs are downloaded."`
}

// Run imports all files. Its status is 1 if any line was rejected.
func (i *importCommand) Run(ctx context.Context, p *program, c *commands) error {
	scopes, err := i.check()
	if err != nil {
		return err
	}
	table, err := i.tableOptions()
	if err != nil {
		return err
	}
	if i.DryRun {
		return i.read(ctx, p, nil, importer.Options{Table: table, DryRun: true}, func(io.Writer) error { return nil })
	}
	return c.withDatabase(ctx, p, true, func(db *sqldb.DB) error {
		if table != nil {
			table.TempDir = tempDir(db)
		}
		done := db.Nodes.KeepLoading(ctx, node.ProcessID(), p.Now)
		defer done()
		o := importer.Options{Table: table, Strict: i.Strict, TempDir: tempDir(db), Complete: scopes, Force: i.Force}
		return i.read(ctx, p, db.Listings, o, func(w io.Writer) error { return c.writeAboutRegions(ctx, w, db) })
	})
}

// read imports the files with the options, and prints what it did; about prints more at its
// end.
func (i *importCommand) read(ctx context.Context, p *program, repository importer.Repository, o importer.Options, about func(io.Writer) error) error {
	report, warnings := rejected.Report{}, rejected.Report{Prefix: "warning: "}
	bar := newBar(p.Stderr, true)
	o.Inputs, o.Open, o.Now = i.Files, importer.Inputs(p.Stdin, &http.Client{Timeout: time.Hour}), p.Now
	o.Rejected, o.Warned = report.Add, warnings.Add
	o.Progress = func(p importer.Progress) {
		name := p.Input
		if p.Checking {
			name = "checking " + name
		}
		bar.show(name, p.Bytes, p.Size, fmt.Sprintf("%s: %d lines, %d stored, %d rejected",
			shorten(name, 30), p.Summary.Read, p.Summary.Stored(), p.Summary.Rejected))
	}
	summary, err := importer.Import(ctx, repository, o)
	bar.end()
	warnings.Write(p.Stderr)
	for _, r := range summary.Repeats {
		fmt.Fprintf(p.Stderr, "warning: %s: %v\n", r.Input, r)
	}
	report.Write(p.Stderr)
	if err == nil || summary.Read > 0 {
		if i.JSON {
			err = errors.Join(err, i.writeSummaryJSON(p.Stdout, summary, about))
		} else {
			i.writeSummary(p.Stdout, summary)
			err = errors.Join(err, about(p.Stdout))
		}
	}
	if !i.CSV && summary.Rejected > 0 && slices.ContainsFunc(i.Files, isTableName) {
		fmt.Fprintln(p.Stderr, p.hint("to read tables: gamedex import --csv FILE"))
	}
	if err == nil && summary.Rejected > 0 {
		return errPartly
	}
	return err
}

// check parses --complete and looks for the files, before the data folder is created.
func (i *importCommand) check() (scopes []importer.Scope, err error) {
	if i.DryRun && (i.Strict || len(i.Complete) > 0) {
		return nil, errors.New("--dry-run stores nothing: leave out --strict and --complete")
	}
	for _, s := range i.Complete {
		scope, err := importer.ParseScope(s)
		if err != nil {
			return nil, fmt.Errorf("--complete %w", err)
		}
		scopes = append(scopes, scope)
	}
	for _, name := range i.Files {
		if name == "-" || strings.Contains(name, "://") {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			if failed, ok := errors.AsType[*fs.PathError](err); ok {
				err = failed.Err // without the name of a system call
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return scopes, nil
}

// tempDir returns the folder for copies of inputs: the folder of a database in a file,
// whose disk has space for them, or "" for the system's.
func tempDir(db *sqldb.DB) string {
	if db.File == nil {
		return ""
	}
	return filepath.Dir(db.File.Path())
}

// isTableName reports whether the name of a file, compressed or not, is that of a table.
func isTableName(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	return strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".tsv")
}

// writeAboutRegions prints in which of the imported regions games may not be served.
func (c *commands) writeAboutRegions(ctx context.Context, w io.Writer, db *sqldb.DB) error {
	server, err := c.serverFile().Read()
	if err != nil {
		return err
	}
	listed, err := db.Listings.Regions(ctx)
	if err != nil {
		return err
	}
	about := builder.AboutRegions(server.ActiveRegions, listed, listed)
	active := catalog.ActiveRegions(server.ActiveRegions, listed)
	inactive := catalog.InactiveRegions(active, listed)
	if len(inactive) > 0 && len(inactive) < len(listed) {
		// Only a builder knows whether a game is sold in no active region.
		about = fmt.Sprintf("a game is served with all its prices if it is sold in an active region (%s); for games that are sold only in %s, start serve with --active-regions %s",
			catalog.JoinRegions(active, ", "), catalog.JoinRegions(inactive, ", "), catalog.JoinRegions(slices.Concat(active, inactive), ","))
	}
	if about != "" {
		fmt.Fprintln(w, about)
	}
	return nil
}

type exportCommand struct {
	filterFlags
	CSV bool `name:"csv" help:"Write a table in CSV, which import --csv reads."`
}

// Run writes the listings, withdrawn ones included. Importing its output results
// in the same catalog.
func (e *exportCommand) Run(ctx context.Context, p *program, c *commands) error {
	return e.export(ctx, p, c, func(db *sqldb.DB, out io.Writer, f listings.Filter) error {
		if e.CSV {
			return exportTable(ctx, db, out, f)
		}
		return db.Listings.Export(ctx, f, feed.NewWriter(out).Write)
	})
}

// export writes what matches the flags to standard output.
func (f *filterFlags) export(ctx context.Context, p *program, c *commands, write func(*sqldb.DB, io.Writer, listings.Filter) error) error {
	platform, region, err := f.parse()
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		out := bufio.NewWriterSize(p.Stdout, 1<<16)
		if err := write(db, out, listings.Filter{Platform: platform, Region: region}); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write export: %w", err)
		}
		return nil
	})
}

type historyCommand struct {
	Export historyExport `cmd:"" help:"Write the past prices of listings, and the exchange rates of past days, to standard output (doc/feed.md)."`
	Import historyImport `cmd:"" help:"Add past prices that are older than those in the database, and exchange rates of days that have none. Import the listings first."`
}

type historyExport struct {
	filterFlags
	CSV bool `name:"csv" help:"Write a table in CSV instead, with a row for each period with one price (doc/operations/exchange-rates.md)."`
}

// Run writes the exchange rates of past days, and the history of all listings that have
// shown more than one price.
func (e *historyExport) Run(ctx context.Context, p *program, c *commands) error {
	return e.export(ctx, p, c, func(db *sqldb.DB, out io.Writer, f listings.Filter) error {
		if e.CSV {
			return c.exportPrices(ctx, db, out, f, catalog.MillisOf(p.Now()))
		}
		w := feed.NewHistoryWriter(out)
		if err := db.Nodes.EachDayRates(ctx, 0, catalog.MillisOf(p.Now()).Day(), w.WriteRates); err != nil {
			return err
		}
		return db.Listings.ExportHistory(ctx, f, w.Write)
	})
}

type historyImport struct {
	Files []string `arg:"" name:"file" help:"Files that history export wrote, plain, gzip or zstd; - is standard input; HTTP(S) URLs are downloaded."`
}

// Run imports all files. Its status is 1 if any line was rejected.
func (i *historyImport) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		report, warnings := rejected.Report{}, rejected.Report{Prefix: "warning: "}
		open := importer.Inputs(p.Stdin, &http.Client{Timeout: time.Hour})
		sum, err := importer.ImportHistory(ctx, node.NewDatabase(db, p.Now), i.Files, open, p.Now, report.Add, warnings.Add)
		warnings.Write(p.Stderr)
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

// exportTable writes the selected listings as a table.
func exportTable(ctx context.Context, db *sqldb.DB, out io.Writer, f listings.Filter) error {
	locales := map[string]bool{} // of further titles
	err := db.Listings.Read(ctx, func(r *listings.Reading) error {
		return r.NewFacts(0, func(_ int64, facts *catalog.Facts) error {
			for _, t := range facts.Titles {
				locales[t.Locale] = true
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	w, err := feed.NewTableWriter(out, slices.Sorted(maps.Keys(locales)))
	if err != nil {
		return err
	}
	if err := db.Listings.Export(ctx, f, w.Write); err != nil {
		return err
	}
	return w.Flush()
}
