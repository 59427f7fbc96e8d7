package sweeps

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// finishing is the end of a sweep.
type finishing struct {
	scope       sweep.Scope
	at          catalog.Millis
	force       bool
	began       catalog.Millis
	interrupted bool
	total       int                                  // listings that the sweep owns
	missing     map[listings.PlatformRegion][]string // products of those that it did not see
	prices      prices
	end         sweep.End
}

// FinishSweep ends a sweep that has read everything it could. It withdraws, as of
// at, the listings that sweeps of this kind own and that were not seen since the
// sweep began, and deletes the items that the sweep did not name; an interrupted sweep
// does neither. It removes the prices that the sweep no longer found. If too many are
// missing (sweep.Missing), it removes nothing unless forced, and the sweep counts as
// failed.
func (repo *Repository) FinishSweep(ctx context.Context, l lease.Lease, s sweep.Scope, at catalog.Millis, force bool) (sweep.End, error) {
	f := &finishing{scope: s, at: at, force: force, missing: map[listings.PlatformRegion][]string{}}
	what := "finish sweep of " + s.String()
	err := repo.db.Read(ctx, what, func(q engine.Querier) error { return f.readMissing(ctx, q) })
	if err != nil {
		return sweep.End{}, err
	}
	err = repo.db.Write(ctx, what, func(t *engine.Tx) error {
		if err := checkLease(ctx, t, l, s); err != nil {
			return err
		}
		if err := listings.LockRegions(ctx, t, f.prices.regions); err != nil {
			return err
		}
		return f.finish(ctx, repo, t)
	})
	return f.end, err
}

// Missing returns the products, in order, of which FinishSweep would withdraw listings now,
// however many they are.
func (repo *Repository) Missing(ctx context.Context, s sweep.Scope) ([]string, error) {
	f := &finishing{scope: s, missing: map[listings.PlatformRegion][]string{}}
	err := repo.db.Read(ctx, "read missing listings of "+s.String(), func(q engine.Querier) error { return f.readMissing(ctx, q) })
	products := slices.Concat(slices.Collect(maps.Values(f.missing))...)
	slices.Sort(products)
	return slices.Compact(products), err
}

// The statements. The column torn says that a sweep was interrupted.
const (
	sweepUnderWay = "SELECT began_at, torn, regions FROM sweep" + whereScope
	ownListings   = `SELECT product, swept_at < $1 AND seen_at < $1 FROM listing
	WHERE platform = $2 AND region = $3 AND swept_by = $4 AND withdrawn = 0`
	stillMissing = `SELECT product FROM listing WHERE platform = $1 AND region = $2 AND product = ANY($3)
	AND swept_by = $4 AND withdrawn = 0 AND swept_at < $5 AND seen_at < $5`
	itemsNamedBy = "FROM sweep_item WHERE platform = $1 AND region = $2 AND named_by = $3"
)

// readMissing scans the scope's regions before the write lock is taken, because
// the scan takes a second for a million listings. Meanwhile another sweep may see a
// listing that is missing here, but no other listing can become missing.
func (f *finishing) readMissing(ctx context.Context, q engine.Querier) error {
	var regions string
	_, err := engine.FindIn(ctx, q, sweepUnderWay, scopeArgs(f.scope), &f.began, (*engine.Bool)(&f.interrupted), &regions)
	f.prices = prices{scope: f.scope, regions: platformRegions(f.scope.Platform, splitRegions(regions))}
	if err != nil || f.interrupted || f.scope.Kind == sweep.Titles {
		return err
	}
	for _, at := range f.prices.regions {
		args := []any{int64(f.began), int64(at.Platform), at.Region.String(), int64(f.scope.Kind)}
		var product string
		var missing engine.Bool
		dest := []any{&product, &missing}
		err := q.Query(ctx, ownListings, args, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			f.total++
			if missing {
				f.missing[at] = append(f.missing[at], product)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish removes what is missing, unless that is too much, and ends the sweep.
func (f *finishing) finish(ctx context.Context, repo *Repository, t *engine.Tx) error {
	if err := f.confirm(ctx, t); err != nil {
		return err
	}
	missing := sweep.Missing{KnownListings: f.total}
	for _, products := range f.missing {
		missing.Listings += len(products)
	}
	if !f.interrupted {
		_, err := t.FindRow(ctx, "SELECT COUNT(*), COALESCE(SUM(CASE WHEN named_at < $4 THEN 1 ELSE 0 END), 0) "+itemsNamedBy,
			append(scopeArgs(f.scope), int64(f.began)), []any{&missing.KnownItems, &missing.Items})
		if err != nil {
			return err
		}
	}
	if err := f.prices.count(ctx, t, &missing); err != nil {
		return err
	}
	if f.end.HeldBack = missing.HeldBack(f.force); f.end.HeldBack == 0 {
		if err := f.remove(ctx, repo, t); err != nil {
			return err
		}
	}
	return setSweep(ctx, t, f.scope, `UPDATE sweep SET began_at = 0, cursor = '', failed = $4, held_back = $5, withdrawn = $6,
		completed_at = CASE WHEN $4 = 1 THEN completed_at ELSE $7 END`+whereScope,
		engine.BoolInt(f.end.HeldBack > 0), f.end.HeldBack, f.end.Withdrawn, int64(f.at))
}

// confirm checks the result of readMissing again, now under the write lock.
func (f *finishing) confirm(ctx context.Context, t *engine.Tx) error {
	var began catalog.Millis
	var interrupted bool
	var regions string
	found, err := t.FindRow(ctx, sweepUnderWay, scopeArgs(f.scope), []any{&began, (*engine.Bool)(&interrupted), &regions})
	switch {
	case err != nil:
		return err
	case !found || began != f.began || interrupted != f.interrupted:
		return fmt.Errorf("the sweep of %s was restarted or deleted: %w", f.scope, lease.ErrLost)
	case began == 0:
		return fmt.Errorf("no sweep of %s is under way", f.scope)
	}
	for at, products := range f.missing {
		args := append(at.Args(), products, int64(f.scope.Kind), int64(began))
		still, err := engine.ListIn(ctx, t, stillMissing, args, func(rows engine.Rows, product *string) error { return rows.Scan(product) })
		if err != nil {
			return err
		}
		f.missing[at] = still
	}
	return nil
}

// remove removes the lost prices, and what a complete sweep did not see.
func (f *finishing) remove(ctx context.Context, repo *Repository, t *engine.Tx) error {
	s := repo.listings.NewSaving(t, listings.KeepOwner)
	if err := f.prices.remove(ctx, t, s); err != nil {
		return fmt.Errorf("remove lost prices: %w", err)
	}
	if !f.interrupted {
		if err := f.withdraw(ctx, t, s); err != nil {
			return err
		}
	}
	return s.AddTotals(ctx)
}

// withdraw withdraws the missing listings, and deletes the items that the sweep did not
// name.
func (f *finishing) withdraw(ctx context.Context, t *engine.Tx, s *listings.Saving) error {
	before := s.Counts.Changed
	for at, products := range f.missing {
		for batch := range slices.Chunk(products, listings.MaxBatch) {
			gone := make([]catalog.Listing, len(batch))
			for i, product := range batch {
				gone[i].Key = catalog.Key{Platform: at.Platform, Region: at.Region, Product: product}
				gone[i].Facts.Type = catalog.Game
				gone[i].ObservedAt, gone[i].Withdrawn = f.at, true
			}
			if err := s.Save(ctx, gone); err != nil {
				return fmt.Errorf("withdraw: %w", err)
			}
		}
	}
	f.end.Withdrawn = s.Counts.Changed - before
	_, err := t.Exec(ctx, "DELETE "+itemsNamedBy+" AND named_at < $4", append(scopeArgs(f.scope), int64(f.began))...)
	return err
}
