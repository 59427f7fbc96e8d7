package build

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/index/pack"
	"gamedex/internal/publish"
)

// made is what was published last, as far as prices can be packed again.
type made struct {
	packing         *pack.Repricer // nil: nothing
	catalog, prices string         // names of the blobs
	cards           int
	catalogBytes    int
}

// build makes a snapshot of the database as it is now and publishes it.
func (b *Builder) build(ctx context.Context, inputs publish.Inputs) error {
	started := b.cfg.Now()
	var report Report
	now, err := b.makeBlobs(ctx, inputs, &report)
	if err != nil {
		return err
	}
	inputs.Generation = b.table.generation // what was read, not what was noticed
	m := publish.Manifest{Inputs: inputs, BuiltAt: catalog.MillisOf(started), Catalog: now.catalog, Prices: now.prices}
	mark := b.cfg.Now()
	if err := b.fill(ctx, &m); err != nil {
		return err
	}
	if err := b.publish(ctx, m); err != nil {
		return err
	}
	b.made = now
	b.table.forget()
	report.Listings, report.Cards, report.CatalogBytes = len(b.table.entries), now.cards, now.catalogBytes
	report.Write += b.cfg.Now().Sub(mark)
	b.finish(started, report)
	return b.clean(ctx)
}

// makeBlobs stores the blobs of what the database holds: with the cards of the
// last ones, where only prices changed.
func (b *Builder) makeBlobs(ctx context.Context, inputs publish.Inputs, report *Report) (made, error) {
	if b.continues(inputs) {
		if err := b.read(ctx, report, func(Reading) error { return nil }); err != nil {
			return made{}, err
		}
		if !b.table.others {
			blob, packing, err := b.reprice(ctx, report)
			if err == nil {
				now := b.made
				now.packing, report.PricesAlone = packing, true
				return b.store(ctx, now, blob, report)
			}
			b.cfg.Log.Info("prices are built with the cards", "reason", err)
		}
	}
	return b.remake(ctx, report)
}

// continues tells whether what is published is what this builder made, and only
// listings can have changed since.
func (b *Builder) continues(inputs publish.Inputs) bool {
	inputs.Generation = b.published.Inputs.Generation
	return b.made.packing != nil && b.made.catalog == b.published.Catalog && b.made.prices == b.published.Prices &&
		b.published.Inputs.Equal(inputs)
}

// read brings the table up to date and calls then with the same look.
func (b *Builder) read(ctx context.Context, report *Report, then func(Reading) error) error {
	started := b.cfg.Now()
	err := b.cfg.Database.Read(ctx, func(r Reading) error {
		if err := b.table.follow(r); err != nil {
			b.table, b.made = newTable(), made{} // half a look must not stay
			b.prose = newProseCache()
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

// reprice packs the prices again. Both blobs must still be what was written.
func (b *Builder) reprice(ctx context.Context, report *Report) (blob []byte, packing *pack.Repricer, err error) {
	started := b.cfg.Now()
	if err := b.holds(ctx, b.made.catalog); err != nil {
		return nil, nil, err
	}
	prices, err := b.get(ctx, b.made.prices)
	if err != nil {
		return nil, nil, err
	}
	blob, packing, err = b.made.packing.Reprice(prices, b.table.entries, b.table.repriced)
	report.Index = b.cfg.Now().Sub(started)
	return blob, packing, err
}

// remake merges everything and stores both blobs.
func (b *Builder) remake(ctx context.Context, report *Report) (made, error) {
	cards, err := b.merge(ctx, report)
	if err != nil {
		return made{}, err
	}
	moved, err := b.served.update(ctx, b.cfg.ServedIDs, cards, b.table.entries)
	if err != nil {
		return made{}, err
	}
	blobs, packing, err := b.index(cards, moved, report)
	if err != nil {
		return made{}, err
	}
	mark := b.cfg.Now()
	now := made{packing: packing, cards: len(cards), catalogBytes: len(blobs.Catalog)}
	if now.catalog, err = b.put(ctx, blobs.Catalog); err != nil {
		return made{}, err
	}
	report.Write = b.cfg.Now().Sub(mark)
	return b.store(ctx, now, blobs.Prices, report)
}

// store puts the prices of what was made.
func (b *Builder) store(ctx context.Context, now made, prices []byte, report *Report) (made, error) {
	mark := b.cfg.Now()
	name, err := b.put(ctx, prices)
	now.prices, report.PricesBytes = name, len(prices)
	report.Write += b.cfg.Now().Sub(mark)
	return now, err
}

// merge reads what changed, merges everything and returns the served cards.
func (b *Builder) merge(ctx context.Context, report *Report) ([]catalog.Card, error) {
	var cards []catalog.Card
	err := b.read(ctx, report, func(r Reading) error {
		started := b.cfg.Now()
		cards = composeAll(b.table, b.overrides.value, b.cfg.Active)
		report.Merge = b.cfg.Now().Sub(started)
		return b.prose.load(r, b.table, cards)
	})
	return cards, err
}

// composeAll leaves out what has no listing in an active region.
func composeAll(t *table, overrides merge.Overrides, active []catalog.Region) []catalog.Card {
	served := slices.DeleteFunc(merge.Merge(t.entries, overrides), func(g merge.Group) bool {
		return !g.Served(t.entries, active)
	})
	return merge.ComposeAll(served, t.entries, active, t.fields)
}

func (b *Builder) index(cards []catalog.Card, moved map[string][]string, report *Report) (pack.Blobs, *pack.Repricer, error) {
	started := b.cfg.Now()
	blobs, packing, err := pack.Build(pack.Input{
		Entries: b.table.entries, Cards: cards, Active: b.cfg.Active,
		Prose: b.prose.held, Moved: moved, Regions: b.table.regions(),
	})
	if err != nil {
		return pack.Blobs{}, nil, err
	}
	report.Index = b.cfg.Now().Sub(started)
	return blobs, packing, nil
}
