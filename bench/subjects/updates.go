package subjects

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

const (
	updateAll   = "a build from an empty builder"
	updateSweep = "one sweep of a region: all its listings seen again, a tenth repriced"
	updateShare = "1 % of all listings repriced, at random"
)

// measureUpdates measures how long a changed price takes from the database to a
// snapshot that can be opened.
func measureUpdates(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := largeCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	defer r.Drop(c) // no other subject needs it
	dir, err := os.MkdirTemp(r.Dir, "updates-")
	if err != nil {
		return report.Section{}, err
	}
	// Nothing else uses the database after this subject.
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(c.DataDir, "gamedex.db"), engine.Options{})
	if err != nil {
		return report.Section{}, err
	}
	defer db.Close()
	changes := &priceChanges{sample: c.Sample, regions: c.Shape.Regions, at: sample.Observed(), rng: r.Rng(9)}
	results := harness.NewResults(updateAll, updateSweep, updateShare)
	rounds := harness.Pick(r, 2, 3)
	for round := range rounds {
		b, err := harness.StartBuilder(ctx, db, filepath.Join(dir, fmt.Sprint(round)))
		if err != nil {
			return report.Section{}, err
		}
		if err := measureUpdateRound(ctx, r, b, changes, round, results); err != nil {
			return report.Section{}, err
		}
		if err := b.Close(); err != nil {
			return report.Section{}, err
		}
	}
	return report.Section{
		Title: "A changed price becomes visible",
		Intro: fmt.Sprintf("%d cards in %d regions. From the commit of the changes to a published and opened snapshot: "+
			"what a builder and a node do, in one process, without the builder's pause between builds. %d rounds, because each begins with a whole build; "+
			"the sweep and the change of 1%% follow it in the same builder, on the data that earlier rounds have left.", c.View.Len(), c.Shape.Regions, rounds),
		Goals: []report.Goal{
			{What: "sweep / build from an empty builder", AtMost: true, Limit: 0.25, Stretch: 0.1, Unit: "x", Figure: results.Ratio(harness.Time, updateSweep, updateAll)},
			{What: "1 % at random / build from an empty builder", AtMost: true, Limit: 0.25, Stretch: 0.1, Unit: "x", Figure: results.Ratio(harness.Time, updateShare, updateAll)},
		},
		Tables: []report.Table{
			report.Compare("", results, updateAll, harness.Time),
			report.Medians("Where the time goes (median, ms):", results, "read", "merge", "index", "write", "open"),
		},
	}, nil
}

// measureUpdateRound measures a build from nothing, and then two with changes.
func measureUpdateRound(ctx context.Context, r *harness.Run, b *harness.Builder, ch *priceChanges, round int, results *harness.Results) error {
	for _, kind := range []string{updateAll, updateSweep, updateShare} {
		var changed []catalog.Listing
		var built builder.Report
		var err error
		switch kind {
		case updateAll:
			built, err = b.Next(ctx)
		case updateSweep:
			changed = ch.sweep(round)
			built, err = b.Change(ctx, changed)
		case updateShare:
			changed = ch.share()
			built, err = b.Change(ctx, changed)
		}
		if err != nil {
			return err
		}
		var view *index.View
		opening, err := harness.Milliseconds(func() (err error) { view, err = b.OpenNewest(ctx); return err })
		if err != nil {
			return err
		}
		if err := checkPrices(view, changed); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		values := harness.Values{
			harness.Time: built.All.Seconds()*1000 + opening, "read": built.Read.Seconds() * 1000, "merge": built.Merge.Seconds() * 1000,
			"index": built.Index.Seconds() * 1000, "write": built.Write.Seconds() * 1000, "open": opening,
		}
		results.Add(kind, values)
		r.Logf("  %-40s %v", kind, values)
	}
	return nil
}

// checkPrices checks that a view has the prices of all changed listings.
func checkPrices(v *index.View, changed []catalog.Listing) error {
	want := map[catalog.Key]money.Amount{}
	for i := range changed {
		if p := changed[i].Price; p != nil {
			want[changed[i].Key] = p.Current
		}
	}
	for i := range v.Len() {
		card := v.Card(i)
		rows := card.Rows()
		for j := range rows.Len() {
			row := rows.At(j)
			key := catalog.Key{Platform: card.Platform(), Region: v.Region(row.Region).Code, Product: row.Product()}
			if current, changed := want[key]; changed && current != row.Current {
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

// priceChanges makes listings that differ from the sample's only in prices and
// times.
type priceChanges struct {
	sample  *sample.Sample
	regions int
	at      catalog.Millis
	rng     *rand.Rand
}

// sweep returns all listings of one region. A tenth has another price.
func (c *priceChanges) sweep(round int) []catalog.Listing {
	return c.seen(func(_, region int) bool { return region == round%c.regions }, func() bool { return c.rng.IntN(10) == 0 })
}

// share returns one of a hundred listings, with other prices.
func (c *priceChanges) share() []catalog.Listing {
	return c.seen(func(int, int) bool { return c.rng.IntN(100) == 0 }, func() bool { return true })
}

// firstListings returns the listings of the first n products in the first region, with
// other prices.
func (c *priceChanges) firstListings(n int) []catalog.Listing {
	return c.seen(func(product, region int) bool { return region == 0 && product < n }, func() bool { return true })
}

// seen returns listings as seen an hour after the last ones.
func (c *priceChanges) seen(again func(product, region int) bool, repriced func() bool) []catalog.Listing {
	c.at += 3_600_000
	var out []catalog.Listing
	for l := range c.sample.Some(c.regions, again) {
		l.ObservedAt = c.at
		if repriced() && l.Price != nil && l.Price.Current.Known() {
			p := *l.Price
			p.Base += money.Amount(1 + c.rng.IntN(500))
			p.Current, p.DiscountPercent, p.DiscountEndsAt, p.DiscountLabel = p.Base, catalog.NoPercent, 0, ""
			p.BaseText, p.CurrentText, p.Subscription = "", "", false
			l.Price = &p
		}
		out = append(out, *l)
	}
	return out
}
