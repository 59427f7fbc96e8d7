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
	"gamedex/internal/history"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

type importCommand struct {
	CSV      bool     `name:"csv" help:"The files are CSV tables whose first row names the fields of the feed (doc/feed.md)."`
	Decimal  string   `placeholder:"MARK" help:"With --csv: the decimal mark of the columns price and fullPrice, a comma or a point, if their cells do not show it."`
	Columns  []string `placeholder:"HEADER=FIELD" help:"With --csv: which fields columns with other names are, for example Game=title,Now=price."`
	Platform string   `help:"With --csv: the platform of tables that have no such column."`
	Region   string   `help:"With --csv: the region of tables that have no such column."`
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
	return c.withDatabase(ctx, p, true, func(db *sqldb.DB) error {
		if table != nil {
			table.TempDir = tempDir(db)
		}
		done := db.Nodes.KeepLoading(ctx, node.ProcessID(), p.Now)
		defer done()
		report, warnings := rejected.Report{}, rejected.Report{Prefix: "warning: "}
		bar := newBar(p.Stderr, true)
		summary, err := importer.Import(ctx, db.Listings, importer.Options{
			Inputs: i.Files, Open: importer.Inputs(p.Stdin, &http.Client{Timeout: time.Hour}), Now: p.Now,
			Table: table, Strict: i.Strict, TempDir: tempDir(db), Complete: scopes, Force: i.Force,
			Rejected: report.Add, Warned: warnings.Add, Progress: func(p importer.Progress) {
				name := p.Input
				if p.Checking {
					name = "checking " + name
				}
				bar.show(name, p.Bytes, p.Size, fmt.Sprintf("%s: %d lines, %d stored, %d rejected",
					shorten(name, 30), p.Summary.Read, p.Summary.Stored(), p.Summary.Rejected))
			},
		})
		bar.end()
		warnings.Write(p.Stderr)
		for _, r := range summary.Repeats {
			fmt.Fprintf(p.Stderr, "warning: %s: %v\n", r.Input, r)
		}
		report.Write(p.Stderr)
		if err == nil || summary.Read > 0 {
			writeSummary(p.Stdout, summary, i.CSV)
			err = errors.Join(err, c.writeAboutRegions(ctx, p.Stdout, db))
		}
		if !i.CSV && summary.Rejected > 0 && slices.ContainsFunc(i.Files, isTableName) {
			fmt.Fprintln(p.Stderr, p.hint("to read tables: gamedex import --csv FILE"))
		}
		if err == nil && summary.Rejected > 0 {
			return errPartly
		}
		return err
	})
}

// check parses --complete and looks for the files, before the data folder is created.
func (i *importCommand) check() (scopes []importer.Scope, err error) {
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

// tableOptions returns the options of tables; nil if the inputs are none.
func (i *importCommand) tableOptions() (*feed.TableOptions, error) {
	if !i.CSV {
		if i.Decimal != "" || len(i.Columns) > 0 || i.Platform != "" || i.Region != "" {
			return nil, errors.New("--decimal, --columns, --platform and --region are only for tables: add --csv")
		}
		return nil, nil
	}
	o := feed.TableOptions{Columns: make(map[string]string)}
	if i.Platform != "" {
		platform, err := catalog.ParsePlatform(i.Platform)
		if err != nil {
			return nil, fmt.Errorf("--platform: %w", err)
		}
		o.Platform = platform.String()
	}
	if i.Region != "" {
		region, err := catalog.FindRegion(i.Region)
		if err != nil {
			return nil, fmt.Errorf("--region: %w", err)
		}
		o.Region = region.String()
	}
	for _, renamed := range i.Columns {
		at := strings.LastIndexByte(renamed, '=')
		if at < 1 {
			return nil, fmt.Errorf("--columns %q: must be HEADER=FIELD, such as Game=title", renamed)
		}
		o.Columns[strings.TrimSpace(renamed[:at])] = strings.TrimSpace(renamed[at+1:])
	}
	switch i.Decimal {
	case "":
	case ".", ",":
		o.Decimal = rune(i.Decimal[0])
	default:
		return nil, fmt.Errorf("--decimal %q: must be , or .", i.Decimal)
	}
	return &o, nil
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
		about = fmt.Sprintf("not active: %s; a game is served if it is sold in an active region: %s; to serve all games, start serve with --active-regions %s",
			catalog.JoinRegions(inactive, ", "), catalog.JoinRegions(active, ", "), catalog.JoinRegions(slices.Concat(active, inactive), ","))
	}
	if about != "" {
		fmt.Fprintln(w, about)
	}
	return nil
}

func writeSummary(w io.Writer, s importer.Summary, table bool) {
	repeated := ""
	if s.Repeated > 0 {
		repeated = fmt.Sprintf(", repeated %d", s.Repeated)
	}
	fmt.Fprintf(w, "read %d, stored %d (%d new, %d changed), unchanged %d, older %d, rejected %d%s, withdrawn %d\n",
		s.Read, s.Stored(), s.Saved.New, s.Saved.Changed, s.Saved.Unchanged, s.Saved.Older, s.Rejected, repeated, s.Withdrawn)
	if s.Saved.Older > 0 {
		fmt.Fprintln(w, "older: observed before the stored listing was last seen, so it is not replaced; to replace it, raise observedAt")
	}
	for _, note := range s.Notes {
		fmt.Fprintf(w, "%s: %s\n", note.Input, note.Text)
	}
	if s.Decoded > 0 {
		fmt.Fprintf(w, "HTML entities such as &amp; decoded in titles and names, lines: %d\n", s.Decoded)
	}
	unknown := "field"
	if table {
		unknown = "column"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown %s %q ignored, lines: %d\n", unknown, name, s.Unknown[name])
	}
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
	CSV bool `name:"csv" help:"Write a table in CSV instead, with a row for each time at one price (doc/operations/exchange-rates.md)."`
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
		sum, err := importer.ImportHistory(ctx, historyRepository{db}, i.Files, open, p.Now, report.Add, warnings.Add)
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

// historyRepository is a database as an importer.HistoryRepository.
type historyRepository struct{ db *sqldb.DB }

// SaveHistory implements importer.HistoryRepository.
func (r historyRepository) SaveHistory(ctx context.Context, batch []history.Series) (history.ImportCounts, error) {
	return r.db.Listings.SaveHistory(ctx, batch)
}

// AddDayRates implements importer.HistoryRepository.
func (r historyRepository) AddDayRates(ctx context.Context, tables []history.DayRates) (int, error) {
	return r.db.Nodes.AddDayRates(ctx, tables)
}
