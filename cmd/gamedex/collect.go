package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"text/tabwriter"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/node"
	"gamedex/internal/node/profile"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

type collectCommand struct {
	Once    collectOnce    `cmd:"" help:"Read the stores once, in the foreground; also works while a server runs."`
	Plan    collectPlan    `cmd:"" help:"Show what is read next, when, and why."`
	Profile collectProfile `cmd:"" help:"Register the profile that all collectors of a PostgreSQL database must use."`
	Stop    collectStop    `cmd:"" help:"Stop the collection of a platform until a service starts with a profile that contains it. The listings stay."`
}

type collectOnce struct {
	collectFlags
	ActiveRegions string `placeholder:"UA,TR,PL,IN" help:"Active regions, the same as for serve."`
	filterFlags
	Force bool `help:"Let a sweep withdraw more than a tenth of its listings, or remove more than a tenth of its prices."`
}

// Run sweeps once. Its status is 1 if a sweep could not be completed.
func (o *collectOnce) Run(ctx context.Context, p *program, c *commands) error {
	if o.CollectProfile == "" {
		return errors.New("--collect-profile: required: the file that says what to read from the stores (doc/operations/collecting.md)")
	}
	platform, region, err := o.parse()
	if err != nil {
		return err
	}
	active, err := parseRegions(o.ActiveRegions)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		bar := newBar(p.Stderr, false)
		in := node.Environment{DB: db, Version: version, ActiveRegions: active, Now: p.Now,
			Log: slog.New(slog.NewTextHandler(bar, &slog.HandlerOptions{Level: slog.LevelError}))} // the table shows everything else
		opened, err := node.StoreConfig(o.collectFlags).Open(ctx, in)
		if err != nil {
			return err
		}
		if about := opened.AboutRegions(active); about != "" {
			p.warn(about)
		}
		done := db.Nodes.KeepLoading(ctx, node.ProcessID(), p.Now)
		defer done()
		summaries, err := opened.Collector.Once(ctx, collect.Filter{Platform: platform, Region: region, Force: o.Force}, func(p collect.Progress) {
			name := p.Scope.String()
			bar.show(name, int64(p.Done), int64(p.Of), fmt.Sprintf("%s: %d read", name, p.Done))
		})
		bar.end()
		if len(summaries) == 0 {
			return err
		}
		writeSweeps(p.Stdout, summaries)
		interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
		failed := slices.ContainsFunc(summaries, func(s collect.Summary) bool { return s.Err != nil })
		if interrupted || err == nil && failed {
			return errPartly // the table says so
		}
		return err
	})
}

func writeSweeps(w io.Writer, summaries []collect.Summary) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SWEEP\tREQUESTS\tREAD\tNEW\tCHANGED\tWITHDRAWN\tDOUBTFUL\tTOOK\tRESULT")
	for _, s := range summaries {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", s.Scope, s.Requests, s.Parts, s.Saved.New, s.Saved.Changed,
			s.Withdrawn, s.Doubtful, s.Took.Round(time.Millisecond), resultOf(s))
	}
	_ = table.Flush() // the reader of standard output may be gone
}

// resultOf returns the text of the column RESULT.
func resultOf(s collect.Summary) string {
	result := "complete"
	switch {
	case errors.Is(s.Err, context.Canceled):
		return "interrupted; what was read is kept"
	case s.Err != nil:
		return s.Err.Error()
	case s.Took == 0:
		return "not started"
	case s.HeldBack > 0:
		result = fmt.Sprintf("held back: %d would be withdrawn or lose their price at once; find out why, or repeat with --force", s.HeldBack)
	case s.Requests == 0:
		return "nothing to read"
	case s.Interrupted:
		result = "complete, but interrupted: something may have been missed, so nothing was withdrawn"
	}
	if s.Incomplete > 0 {
		result += fmt.Sprintf("; incomplete: %d", s.Incomplete)
	}
	if s.Rejected > 0 {
		result += fmt.Sprintf("; rejected: %d, the first: %s", s.Rejected, s.FirstRejected)
	}
	return result
}

type collectProfile struct {
	File          string `arg:"" help:"The file that --collect-profile names."`
	CollectTexts  bool   `help:"The collectors run with --collect-texts."`
	CollectImages bool   `help:"The collectors run with --collect-images."`
}

// Run registers the profile. Collectors that run go on with theirs until they restart.
func (r *collectProfile) Run(ctx context.Context, p *program, c *commands) error {
	read, err := profile.Read(r.File)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		if db.File != nil {
			return errors.New("a database in a file needs no registered profile: restart the service with --collect-profile " + r.File)
		}
		hash, platforms := read.Hash(r.CollectTexts, r.CollectImages), read.Platforms()
		if err := db.Nodes.RegisterProfile(ctx, platforms, hash, node.ByCommand(p.Now())); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "profile %s of %v: restart the collectors with it\n", hash, platforms)
		return err
	})
}

type collectStop struct {
	Platform string `required:"" placeholder:"P" help:"consolestore or pcstore."`
}

// Run ends the collection of a platform in all processes. A sweep that runs loses its
// lease.
func (s *collectStop) Run(ctx context.Context, p *program, c *commands) error {
	platform, err := catalog.ParsePlatform(s.Platform)
	if err != nil {
		return fmt.Errorf("--platform: %w", err)
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		collections, err := db.Sweeps.Collections(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(collections, func(c sweep.Collection) bool { return c.Platform == platform }) {
			return fmt.Errorf("--platform %s: is not collected", platform)
		}
		if err := db.Sweeps.EndCollection(ctx, platform); err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "%s: collection is off; its listings stay\n", platform)
		return err
	})
}

type collectPlan struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the plan of the collecting processes, from the state in the
// database.
func (k *collectPlan) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		now := catalog.MillisOf(p.Now())
		collections, err := db.Sweeps.Collections(ctx)
		if err != nil {
			return err
		}
		if len(collections) == 0 {
			return errors.New("collection is off: start gamedex serve with --collect-profile FILE")
		}
		sweeps, err := db.Sweeps.Sweeps(ctx, now, sweep.ManyItems)
		if err != nil {
			return err
		}
		plan := collect.Plan(sweeps, collections, now)
		scheduled := slices.ContainsFunc(collections, func(c sweep.Collection) bool { return c.Interval > 0 })
		if k.JSON {
			return writeJSON(p.Stdout, showPlan(scheduled, plan))
		}
		if !scheduled {
			fmt.Fprintln(p.Stdout, "only collect once has read the stores so far: nothing else runs until gamedex serve is started with --collect-profile FILE")
		}
		table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "SWEEP\tWHEN\tWHY\tLAST COMPLETE\tPENDING\tWITHDRAWN\tDOUBTFUL\tLAST ERROR")
		for _, s := range plan {
			when, completed := "now", "never"
			if s.At > now {
				when = "in " + collect.Span(time.Duration(s.At-now)*time.Millisecond)
			}
			if at := s.State.Completed; at != 0 {
				completed = collect.Span(time.Duration(now-at)*time.Millisecond) + " ago"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", s.State.Scope, when, s.Why,
				completed, s.State.PendingText(), s.State.Withdrawn, s.State.Doubtful, s.State.LastError)
		}
		return table.Flush()
	})
}
