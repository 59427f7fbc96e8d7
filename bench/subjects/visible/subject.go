package visible

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gamedex/bench/builder"
	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/build"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

const (
	empty = "a build from an empty builder"
	sweep = "one sweep of a region: all its listings seen again, a tenth repriced"
	share = "1 % of all listings repriced, at random"
)

// Subject measures both kinds of change.
func Subject() lab.Subject { return lab.Subject{Name: "visible", Measure: run} }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	c, err := l.Catalog(ctx, lab.Pick(l, 2_000, 100_000), 60)
	if err != nil {
		return report.Section{}, err
	}
	dir := filepath.Join(l.Dir, "visible")
	db, err := copyOf(ctx, c, dir)
	if err != nil {
		return report.Section{}, err
	}
	l.AtEnd(db.Close)
	defer l.Drop(c) // nobody after this one needs the large catalog
	changes := &changes{sample: c.Sample, regions: c.Regions, at: sample.Observed(), rng: l.Rng(9)}
	all := measure.Collected{}
	rounds := lab.Pick(l, 2, 3)
	for round := range rounds {
		r, err := builder.Start(ctx, db, filepath.Join(dir, fmt.Sprint("snapshots-", round)))
		if err != nil {
			return report.Section{}, err
		}
		if err := measureRound(ctx, l, r, changes, round, all); err != nil {
			return report.Section{}, err
		}
		if err := r.Close(); err != nil {
			return report.Section{}, err
		}
	}
	return section(c, rounds, all.Runs(empty, sweep, share)), nil
}

// measureRound builds from nothing, then lets the same builder follow.
func measureRound(ctx context.Context, l *lab.Lab, r *builder.Running, ch *changes, round int, all measure.Collected) error {
	first, err := r.Next(ctx)
	if err != nil {
		return err
	}
	if err := took(ctx, l, r, empty, first, nil, all); err != nil {
		return err
	}
	for _, kind := range []string{sweep, share} {
		changed := ch.sweep(round)
		if kind == share {
			changed = ch.share()
		}
		again, err := r.Change(ctx, changed)
		if err != nil {
			return err
		}
		if err := took(ctx, l, r, kind, again, changed, all); err != nil {
			return err
		}
	}
	return nil
}

// took notes a build, opening included, after it was seen to show the changes.
func took(ctx context.Context, l *lab.Lab, r *builder.Running, kind string, b build.Report, changed []catalog.Listing, all measure.Collected) error {
	s, opening, err := r.OpenNewest(ctx)
	if err != nil {
		return err
	}
	if err := shows(s, changed); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	sample := measure.Sample{
		measure.Time: (b.All + opening).Seconds() * 1000, "read": b.Read.Seconds() * 1000, "merge": b.Merge.Seconds() * 1000,
		"index": b.Index.Seconds() * 1000, "write": b.Write.Seconds() * 1000, "open": opening.Seconds() * 1000,
	}
	all.Add(kind, sample)
	l.Logf("  %-40s %v", kind, sample)
	return nil
}

// shows checks that the snapshot has the changed prices.
func shows(s *index.View, changed []catalog.Listing) error {
	want := map[catalog.Key]money.Amount{}
	for i := range changed {
		if p := changed[i].Price; p != nil {
			want[changed[i].Key] = p.Current
		}
	}
	for i := range s.Len() {
		card := s.Card(i)
		rows := card.Rows()
		for j := range rows.Len() {
			row := rows.At(j)
			key := catalog.Key{Platform: card.Platform(), Region: s.Region(row.Region).Code, Product: row.Product()}
			current, changed := want[key]
			if changed && current != row.Current {
				return fmt.Errorf("%s %s costs %d in the snapshot, want %d", key.Region, key.Product, row.Current, current)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		return fmt.Errorf("%d changed listings are in no card", len(want))
	}
	return nil
}

// copyOf opens a copy of the catalog's database: other subjects need it as it
// is.
func copyOf(ctx context.Context, c *lab.Catalog, dir string) (*sqldb.DB, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	to := filepath.Join(dir, "gamedex.db")
	if err := copyFile(filepath.Join(c.DataDir, "gamedex.db"), to); err != nil {
		return nil, err
	}
	return sqldb.Open(ctx, "sqlite:"+to, sqldb.Options{})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func section(c *lab.Catalog, rounds int, runs measure.Runs) report.Section {
	return report.Section{
		Title: "A changed price becomes visible",
		Intro: fmt.Sprintf("%d cards in %d regions. From the moment the changes are committed to a published snapshot that is open: "+
			"what a builder and a node do, in one process. The rest that a builder takes between builds is left out. %d rounds, because each begins with a whole build; "+
			"in each one the sweep and the share follow that build, on what the rounds before have left.", c.View.Len(), c.Regions, rounds),
		Goals: []report.Goal{
			{What: "sweep / build from an empty builder", AtMost: true, Limit: 0.25, Stretch: 0.1, Unit: "x", Figure: runs.Ratio(measure.Time, sweep, empty)},
			{What: "1 % at random / build from an empty builder", AtMost: true, Limit: 0.25, Stretch: 0.1, Unit: "x", Figure: runs.Ratio(measure.Time, share, empty)},
		},
		Tables: []report.Table{
			report.Compare("", runs, empty, measure.Time),
			report.Parts("What the time went into (median, ms):", runs, "read", "merge", "index", "write", "open"),
		},
	}
}
