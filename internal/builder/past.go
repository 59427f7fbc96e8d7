package builder

import (
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/history"
)

// Past is all that a listing has shown, and the card that it belongs to.
type Past struct {
	history.Series
	Card  string // its id
	Title string // of the listing
}

// EachPast merges the current listings and calls fn for each one: first, in the order of
// their keys, for those that have shown more than one step, and then for those on sale that
// have not. fn does not keep the steps. EachPast needs the memory of a build without its
// snapshots, whatever the length of the history.
func EachPast(ctx context.Context, from Listings, ids ServedIDs, overrides override.Set, fn func(Past) error) error {
	served := newServedIDs()
	if err := served.load(ctx, ids); err != nil {
		return err
	}
	err := from.Read(ctx, func(r Reading) error {
		t := newListingTable()
		if err := t.update(r); err != nil {
			return err
		}
		cards := merge.CardIDs(t.entries, overrides, served.before(false))
		passed := make([]bool, len(t.entries))
		err := r.AllSeries(func(s history.Series) error {
			i, known := t.at[keyOf(t.products[s.Product], s.Platform, s.Region)]
			if !known || t.entries[i].Product != s.Product {
				return nil
			}
			passed[i] = true
			return fn(Past{s, cards[i], t.entries[i].Facts.Title})
		})
		for i := 0; i < len(passed) && err == nil; i++ {
			if e := &t.entries[i]; !passed[i] && !e.Withdrawn {
				key := catalog.Key{Platform: e.Platform, Region: e.Region, Product: e.Product}
				steps := []history.Step{history.StepOf(e.PricedAt, e.Price)}
				err = fn(Past{history.Series{Key: key, Steps: steps}, cards[i], e.Facts.Title})
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read past prices: %w", err)
	}
	return nil
}
