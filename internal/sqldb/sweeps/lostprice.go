package sweeps

import (
	"context"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

var addLostPrice = engine.Insert{Table: "lost_price", Columns: "platform, kind, region, product, at",
	Then: "ON CONFLICT (platform, kind, region, product) DO UPDATE SET at = excluded.at"}

// lostPrices finds the listings that have a price (the lowest flag) and were not seen with
// one since a sweep no longer found it.
const lostPrices = `SELECT p.product, p.at FROM lost_price p
	JOIN listing l ON l.platform = p.platform AND l.region = p.region AND l.product = p.product
	WHERE p.platform = $1 AND p.region = $2 AND p.kind = $3 AND l.seen_at < p.at AND l.withdrawn = 0 AND l.flags % 2 = 1`

// saveLost records the prices that the batch no longer found.
func (w *batchWriter) saveLost(ctx context.Context) error {
	keys := slices.SortedFunc(maps.Keys(w.lost), catalog.Key.Compare)
	_, err := w.tx.InsertRows(ctx, &addLostPrice, len(keys), func(args []any, i int) []any {
		k := keys[i]
		return append(args, int64(k.Platform), int64(w.batch.Scope.Kind), k.Region.String(), k.Product, int64(w.lost[k]))
	})
	return err
}

// countPriced returns how many parts of a batch show a price.
func countPriced(batch *sweep.Batch) (n int) {
	for i := range batch.Parts {
		if p := &batch.Parts[i]; p.Price != nil && (p.Shows|p.Guesses)&sweep.ShowsPrice != 0 {
			n++
		}
	}
	return n
}

// SettlePrices removes the prices that reads of items between two sweeps no longer found.
// If these are too many (sweep.Missing), together with those removed since the last sweep
// began, it removes none, returns how many they are, and the scope counts as failed.
func (repo *Repository) SettlePrices(ctx context.Context, l lease.Lease, s sweep.Scope) (heldBack int, err error) {
	what := "remove lost prices of " + s.String()
	var n int
	some, err := repo.db.FindRow(ctx, what, "SELECT 1 FROM lost_price WHERE platform = $1 AND kind = $2 LIMIT 1",
		[]any{int64(s.Platform), int64(s.Kind)}, []any{&n})
	if err != nil || !some {
		return 0, err
	}
	err = repo.db.Write(ctx, what, func(t *engine.Tx) error {
		if err := checkLease(ctx, t, l, s); err != nil {
			return err
		}
		var regions string
		if _, err := t.FindRow(ctx, "SELECT regions FROM sweep"+whereScope, scopeArgs(s), []any{&regions}); err != nil {
			return err
		}
		p := prices{scope: s, regions: platformRegions(s.Platform, splitRegions(regions))}
		if err := listings.LockRegions(ctx, t, p.regions); err != nil {
			return err
		}
		var missing sweep.Missing
		if err := p.count(ctx, t, &missing); err != nil {
			return err
		}
		if heldBack = missing.HeldBack(false); heldBack > 0 {
			return setSweep(ctx, t, s, "UPDATE sweep SET failed = 1, held_back = $4"+whereScope, heldBack)
		}
		saving := repo.listings.NewSaving(t, listings.KeepOwner)
		if err := p.remove(ctx, t, saving); err != nil {
			return err
		}
		return saving.AddTotals(ctx)
	})
	return heldBack, err
}

// prices are those that a scope no longer finds. The transaction has locked its regions.
type prices struct {
	scope   sweep.Scope
	regions []listings.PlatformRegion
	lost    []lostPrice
}

type lostPrice struct {
	catalog.Key
	at catalog.Millis // of the read that did not find it
}

// count reads the lost prices and counts them.
func (p *prices) count(ctx context.Context, t *engine.Tx, missing *sweep.Missing) error {
	p.lost = nil
	for _, at := range p.regions {
		one := lostPrice{Key: catalog.Key{Platform: at.Platform, Region: at.Region}}
		err := t.Query(ctx, lostPrices, append(at.Args(), int64(p.scope.Kind)), func(rows engine.Rows) error {
			err := rows.Scan(&one.Product, &one.at)
			p.lost = append(p.lost, one)
			return err
		})
		if err != nil {
			return err
		}
	}
	var priced, unpriced int
	_, err := t.FindRow(ctx, "SELECT priced, unpriced FROM sweep"+whereScope, scopeArgs(p.scope), []any{&priced, &unpriced})
	missing.Prices = len(p.lost) + unpriced
	missing.KnownPrices = missing.Prices + priced
	return err
}

// remove removes the lost prices from their listings, as of when they were not found.
func (p *prices) remove(ctx context.Context, t *engine.Tx, saving *listings.Saving) error {
	for batch := range slices.Chunk(p.lost, listings.MaxBatch) {
		stored, err := saving.ReadWhole(ctx, len(batch), func(i int) catalog.Key { return batch[i].Key })
		if err != nil {
			return err
		}
		lines := make([]catalog.Listing, len(batch))
		for i, one := range batch {
			lines[i] = *stored[one.Key]
			lines[i].Price, lines[i].ObservedAt, lines[i].FirstSeenAt, lines[i].PricedAt = nil, one.at, 0, 0
		}
		if err := saving.Save(ctx, lines); err != nil {
			return err
		}
	}
	for _, at := range p.regions {
		_, err := t.Exec(ctx, "DELETE FROM lost_price WHERE platform = $1 AND region = $2 AND kind = $3", append(at.Args(), int64(p.scope.Kind))...)
		if err != nil {
			return err
		}
	}
	return setSweep(ctx, t, p.scope, "UPDATE sweep SET unpriced = unpriced + $4"+whereScope, len(p.lost))
}

func platformRegions(platform catalog.Platform, regions []catalog.Region) []listings.PlatformRegion {
	list := make([]listings.PlatformRegion, len(regions))
	for i, r := range regions {
		list[i] = listings.PlatformRegion{Platform: platform, Region: r}
	}
	return list
}
