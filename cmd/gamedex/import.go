package main

import (
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
	"gamedex/internal/feed/importer"
	"gamedex/internal/feed/rejected"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
)

type importCommand struct {
	CSV      bool     `name:"csv" help:"The files are CSV tables whose first row names the fields of the feed (doc/feed.md)."`
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
	return c.withDatabase(ctx, p, true, func(db *sqldb.DB) error {
		done := db.Nodes.KeepLoading(ctx, node.ProcessID(), p.Now)
		defer done()
		var report rejected.Report
		bar := newBar(p.Stderr, true)
		summary, err := importer.Import(ctx, db.Listings, importer.Options{
			Inputs: i.Files, Open: importer.Inputs(p.Stdin, &http.Client{Timeout: time.Hour}), Now: p.Now,
			Table: i.CSV, Strict: i.Strict, TempDir: tempDir(db), Complete: scopes, Force: i.Force,
			Rejected: report.Add, Progress: func(p importer.Progress) {
				name := p.Input
				if p.Checking {
					name = "checking " + name
				}
				bar.show(name, p.Bytes, p.Size, fmt.Sprintf("%s: %d lines, %d stored, %d rejected",
					shorten(name, 30), p.Summary.Read, p.Summary.Stored(), p.Summary.Rejected))
			},
		})
		bar.end()
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

// tempDir returns the folder for copies of inputs: that of a database in a file, whose
// disk has space for them, or "", the system's.
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

// writeAboutRegions says in which of the imported regions games may not be served.
func (c *commands) writeAboutRegions(ctx context.Context, w io.Writer, db *sqldb.DB) error {
	server, err := c.serverFile().Read()
	if err != nil {
		return err
	}
	listed, err := db.Listings.Regions(ctx)
	if err != nil {
		return err
	}
	// Which games are sold in no active region only a builder knows.
	if about := builder.AboutRegions(server.ActiveRegions, listed, listed); about != "" {
		fmt.Fprintln(w, about)
	}
	return nil
}

func writeSummary(w io.Writer, s importer.Summary, table bool) {
	fmt.Fprintf(w, "read %d, stored %d (%d new, %d changed), unchanged %d, older %d, rejected %d, withdrawn %d\n",
		s.Read, s.Stored(), s.Saved.New, s.Saved.Changed, s.Saved.Unchanged, s.Saved.Older, s.Rejected, s.Withdrawn)
	if s.Saved.Older > 0 {
		fmt.Fprintln(w, "older: observed before the stored listing was last seen, so it is not replaced; to replace it, raise observedAt")
	}
	unknown := "field"
	if table {
		unknown = "column"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown %s %q ignored, lines: %d\n", unknown, name, s.Unknown[name])
	}
}
