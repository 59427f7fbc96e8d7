package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index/pack"
	"gamedex/internal/publish"
)

// builtBlobs names the blobs of a build and holds what is needed to reprice them.
type builtBlobs struct {
	repricer        *pack.Repricer            // nil: nothing was built
	catalog, prices string                    // names of the blobs
	lows            map[catalog.Region]string // names of the blobs
	cards           int
	unserved        []catalog.Region // of games that have no listing in an active region
	lone            string           // text of aboutLone
	catalogBytes    int
	pricesBytes     int
}

// build builds a snapshot of the current database and publishes it.
func (b *Builder) build(ctx context.Context, inputs publish.Inputs) error {
	started, at := b.cfg.Now(), b.cfg.Clock()
	var report Report
	built, err := b.buildBlobs(ctx, inputs, &report)
	if err != nil {
		return err
	}
	inputs.Generation = b.listings.generation // the generation that was read
	m := publish.Manifest{Inputs: inputs, BuiltAt: catalog.MillisOf(at), Catalog: built.catalog, Prices: built.prices}
	for _, r := range built.repricer.Regions() {
		m.Lows = append(m.Lows, built.lows[r])
	}
	writing := b.cfg.Now()
	if err := b.addRatesAndStates(ctx, &m); err != nil {
		return err
	}
	if err := b.publisher.Publish(ctx, m); err != nil {
		return err
	}
	b.last = built
	b.listings.changes.forget()
	report.Listings, report.Cards = len(b.listings.entries), built.cards
	report.CatalogBytes, report.PricesBytes = built.catalogBytes, built.pricesBytes
	report.Write += b.cfg.Now().Sub(writing)
	b.lastEnd = b.cfg.Now()
	b.lastTook = b.lastEnd.Sub(started)
	report.Seq, report.All = b.publisher.Current().Seq, b.lastTook
	b.cfg.Log.Info("published", "seq", report.Seq, "listings", report.Listings, "cards", report.Cards,
		"bytes", report.CatalogBytes+report.PricesBytes+report.LowsBytes, "pricesAlone", report.PricesAlone, "read", report.Read, "merge", report.Merge,
		"index", report.Index, "write", report.Write, "took", report.All)
	b.noteListings()
	b.cfg.OnBuild(report)
	return b.clean(ctx)
}

// noteListings warns of games that are not served, of overrides of products that have no listing, and of cards
// that stand alone. It mentions that all regions are active because the default ones have no listing.
func (b *Builder) noteListings() {
	level := slog.LevelWarn
	if len(b.last.unserved) == 0 {
		level = slog.LevelInfo
	}
	w := &b.warnings
	b.note(&w.regions, level, AboutRegions(b.cfg.Active, b.listings.allRegions(), b.last.unserved))
	b.note(&w.unmatched, slog.LevelWarn, aboutUnmatched(b.overrides.Unmatched(b.listings.entries)))
	b.note(&w.lone, slog.LevelWarn, b.last.lone)
}

// buildBlobs stores the blobs of the current database. If only prices changed, it
// keeps the catalog blob of the last build; if only the day of the lows did, also the
// prices.
func (b *Builder) buildBlobs(ctx context.Context, inputs publish.Inputs, report *Report) (builtBlobs, error) {
	current := b.publisher.Current()
	same := inputs
	same.Generation, same.Day = current.Inputs.Generation, current.Inputs.Day
	// If the published snapshot is the last one of this builder, only listings can
	// have changed since. Packing only the prices takes 1.3 s after 1% of them
	// changed and 2.5 s after a sweep of a region; a build from scratch takes
	// 28.8 s (bench/RESULTS.md).
	if _, follows := b.publisher.Next(); follows && b.last.repricer != nil && b.last.catalog == current.Catalog && b.last.prices == current.Prices &&
		current.Inputs.Equal(same) {
		if err := b.read(ctx, inputs, report, func(Reading) error { return nil }); err != nil {
			return builtBlobs{}, err
		}
		if !b.listings.changes.others {
			if len(b.listings.changes.repriced) == 0 {
				report.PricesAlone = true
				return b.storeLows(ctx, b.last, nil, report)
			}
			blob, repricer, err := b.reprice(ctx, report)
			if err == nil {
				built := b.last
				built.repricer, report.PricesAlone = repricer, true
				changed := b.listings.repricedRegions()
				if current.Inputs.Day != inputs.Day {
					changed = nil // all windows have moved
				}
				return b.storePrices(ctx, built, blob, changed, report)
			}
			if errors.Is(err, bucket.ErrUnreachable) {
				return builtBlobs{}, err // the blobs may be intact
			}
			b.cfg.Log.Info("an ordinary build is needed", "reason", err)
		}
	}
	return b.buildAll(ctx, inputs, report)
}

// read updates the listings and their lows and calls then in the same transaction.
func (b *Builder) read(ctx context.Context, inputs publish.Inputs, report *Report, then func(Reading) error) error {
	started := b.cfg.Now()
	err := b.cfg.Database.Read(ctx, func(r Reading) error {
		if epoch, err := r.Epoch(); err != nil || epoch != b.epoch {
			return cmp.Or(err, errEpoch)
		}
		err := b.listings.update(r)
		if err == nil {
			err = b.listings.updateLows(r, inputs.Day)
		}
		if err != nil {
			// The listings may be partly updated: the next build reads all of them.
			b.listings, b.last, b.prose = newListingTable(), builtBlobs{}, nil
			return err
		}
		report.Read += b.cfg.Now().Sub(started)
		return then(r)
	})
	if err != nil {
		return fmt.Errorf("read listings: %w", err)
	}
	return nil
}

// errEpoch ends a build whose database was replaced meanwhile; the next one begins anew.
var errEpoch = errors.New("the database was restored, or its standby was promoted")

// reprice packs only the prices again. Both published blobs must be intact.
func (b *Builder) reprice(ctx context.Context, report *Report) (blob []byte, repricer *pack.Repricer, err error) {
	started := b.cfg.Now()
	if _, err := b.publisher.Blob(ctx, b.last.catalog); err != nil {
		return nil, nil, err
	}
	prices, err := b.publisher.Blob(ctx, b.last.prices)
	if err != nil {
		return nil, nil, err
	}
	seq, _ := b.publisher.Next()
	blob, repricer, err = b.last.repricer.Reprice(prices, b.listings.entries, b.listings.changes.repriced, seq)
	report.Index = b.cfg.Now().Sub(started)
	return blob, repricer, err
}

// buildAll merges everything and stores both blobs.
func (b *Builder) buildAll(ctx context.Context, inputs publish.Inputs, report *Report) (builtBlobs, error) {
	if err := b.served.load(ctx, b.cfg.ServedIDs); err != nil {
		return builtBlobs{}, err
	}
	last := b.publisher.Current().Inputs
	regrouped := last.DatabaseID == inputs.DatabaseID &&
		(last.OverridesHash != inputs.OverridesHash || last.MergeVersion != inputs.MergeVersion)
	var cards, abroad []catalog.Card
	var refused []string
	var lone string
	notServed := map[catalog.Region]bool{}
	err := b.read(ctx, inputs, report, func(r Reading) (err error) {
		started, t := b.cfg.Now(), b.listings
		groups, kept := merge.MergeServed(t.entries, b.overrides, b.served.before(regrouped))
		refused, lone = kept, aboutLone(groups, t.entries)
		abroad = gamesAbroad(groups, t.entries, b.active)
		served := slices.DeleteFunc(groups, func(g merge.Group) bool {
			if g.Served(t.entries, b.active) {
				return false
			}
			for _, i := range g.Entries {
				notServed[t.entries[i].Region] = true
			}
			return true
		})
		cards = merge.Compose(served, t.entries, b.active, t.fields)
		report.Merge = b.cfg.Now().Sub(started)
		b.prose, err = loadProse(r, b.prose, t.rowIDs, cards)
		return err
	})
	if err != nil {
		return builtBlobs{}, err
	}
	if err := b.served.retire(ctx, b.cfg.ServedIDs, refused); err != nil {
		return builtBlobs{}, err
	}
	moved, err := b.served.update(ctx, b.cfg.ServedIDs, cards, b.listings.entries)
	if err != nil {
		return builtBlobs{}, err
	}
	former, err := b.former(ctx)
	if err != nil {
		return builtBlobs{}, err
	}
	unserved := slices.SortedFunc(maps.Keys(notServed), catalog.Region.Compare)
	packing := b.cfg.Now()
	seq, _ := b.publisher.Next()
	blobs, repricer, err := pack.Build(pack.Input{
		Entries: b.listings.entries, Cards: append(slices.Clip(cards), abroad...), Active: b.active,
		Prose: b.prose, Moved: moved, Regions: b.listings.regions(), Unserved: unserved,
		Seq: seq, Former: former,
	})
	if err != nil {
		return builtBlobs{}, err
	}
	writing := b.cfg.Now()
	report.Index = writing.Sub(packing)
	built := builtBlobs{repricer: repricer, cards: len(cards), unserved: unserved, lone: lone, catalogBytes: len(blobs.Catalog)}
	if built.catalog, err = b.publisher.PutBlob(ctx, blobs.Catalog); err != nil {
		return builtBlobs{}, err
	}
	report.Write = b.cfg.Now().Sub(writing)
	return b.storePrices(ctx, built, blobs.Prices, nil, report)
}

// former returns what is known about the cards of the published snapshot; nil if nothing is.
func (b *Builder) former(ctx context.Context) (pack.Former, error) {
	if _, follows := b.publisher.Next(); !follows {
		return nil, nil
	}
	current := b.publisher.Current()
	cards, errCards := b.publisher.Blob(ctx, current.Catalog)
	prices, err := b.publisher.Blob(ctx, current.Prices)
	if err = cmp.Or(errCards, err); err == nil {
		var former pack.Former
		if former, err = pack.ReadFormer(cards, prices); err == nil {
			return former, nil
		}
	}
	if errors.Is(err, bucket.ErrUnreachable) {
		return nil, err
	}
	b.cfg.Log.Warn("the published snapshot cannot be compared; all games count as changed", "seq", current.Seq, "error", err)
	return nil, nil
}

// gamesAbroad returns the console games that are not served, with the fields that the
// count of editions needs. A PC card has all its offers already.
func gamesAbroad(groups []merge.Group, entries []catalog.Entry, active []catalog.Region) []catalog.Card {
	var cards []catalog.Card
	for i := range groups {
		g := &groups[i]
		if g.Platform == catalog.ConsoleStore && g.Class == catalog.GameClass && !g.Served(entries, active) {
			cards = append(cards, catalog.Card{ID: g.ID, Platform: g.Platform, Class: g.Class, Type: g.Type, Family: g.Family, Rows: g.Entries})
		}
	}
	return cards
}

// storePrices completes a build with its prices and their lows; changed is as in storeLows.
func (b *Builder) storePrices(ctx context.Context, built builtBlobs, prices []byte, changed map[catalog.Region]bool, report *Report) (builtBlobs, error) {
	writing := b.cfg.Now()
	name, err := b.publisher.PutBlob(ctx, prices)
	if err != nil {
		return builtBlobs{}, err
	}
	built.prices, built.pricesBytes = name, len(prices)
	report.Write += b.cfg.Now().Sub(writing)
	return b.storeLows(ctx, built, changed, report)
}

// putAtOnce is how many lows blobs are written at the same time: a folder waits for its
// disk, and an S3 service takes its time for each.
const putAtOnce = 8

// storeLows completes a build with the lows of its prices. Those of regions that are not
// in changed stay; nil means that all are.
func (b *Builder) storeLows(ctx context.Context, built builtBlobs, changed map[catalog.Region]bool, report *Report) (builtBlobs, error) {
	packing := b.cfg.Now()
	regions := built.repricer.Regions()
	names := make([]string, len(regions))
	writing, writingCtx := errgroup.WithContext(ctx)
	writing.SetLimit(putAtOnce)
	for i, r := range regions {
		if former, known := built.lows[r]; known && changed != nil && !changed[r] {
			names[i] = former
			continue
		}
		blob, err := built.repricer.PackLows(b.listings.lows, b.listings.entries, r)
		if err != nil {
			return builtBlobs{}, errors.Join(err, writing.Wait())
		}
		report.LowsBytes += len(blob)
		writing.Go(func() (err error) {
			names[i], err = b.publisher.PutBlob(writingCtx, blob)
			return err
		})
	}
	packed := b.cfg.Now()
	if err := writing.Wait(); err != nil {
		return builtBlobs{}, err
	}
	built.lows = make(map[catalog.Region]string, len(regions))
	for i, r := range regions {
		built.lows[r] = names[i]
	}
	report.Index += packed.Sub(packing)
	report.Write += b.cfg.Now().Sub(packed)
	return built, nil
}

// Explain merges the current listings and describes how the card with this id was
// made, and whether it is served in the chosen regions. For a product id it describes
// the cards that have the product. There is at least one.
func Explain(ctx context.Context, from Listings, ids ServedIDs, overrides override.Set, chosen []catalog.Region, id string) ([]merge.Explained, error) {
	t := newListingTable()
	if err := from.Read(ctx, t.update); err != nil {
		return nil, fmt.Errorf("read listings: %w", err)
	}
	served := newServedIDs()
	if err := served.load(ctx, ids); err != nil {
		return nil, err
	}
	cards := merge.Explain(t.entries, overrides, served.before(false), catalog.ActiveRegions(chosen, t.allRegions()), id)
	if len(cards) == 0 {
		if slices.Contains(overrides.Unmatched(t.entries), id) {
			return nil, fmt.Errorf("no card and no product has the id %q; the override of this product matches no listing", id)
		}
		return nil, fmt.Errorf("no card and no product has the id %q", id)
	}
	return cards, nil
}
