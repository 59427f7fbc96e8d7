package collect

import (
	"context"
	"errors"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// maxLookups is how many products a sweep looks up. If more are missing, they did not move
// one by one.
const maxLookups = 50

// findMissing looks up the products of which the sweep would withdraw listings, and marks
// those that it finds as seen. A product is still on sale if it moved to another game's page
// during the sweep, after that page was read and before the old one was. If the store does
// not answer, the sweep's own result counts.
func (r *run) findMissing(ctx context.Context) error {
	at, since := r.job.Scope, catalog.Millis(0)
	if at.Kind == sweep.Prices { // it names the games
		at.Kind, since = sweep.Editions, r.state.Began
	}
	games, ofGames := r.source.jobs[at]
	at.Kind = sweep.Details
	details, ofDetails := r.source.jobs[at]
	if !ofGames || !ofDetails || !games.Scope.Kind.FindsListings() {
		return nil
	}
	missing, err := r.cfg.Database.Missing(ctx, r.job.Scope)
	if err != nil || len(missing) == 0 || len(missing) > maxLookups {
		return err
	}
	found := r.newBatch(r.at())
	err = r.lookUp(ctx, found, missing, details, games, since)
	if err != nil {
		up, ofStore := errors.AsType[*upstream.Error](err)
		_, bug := errors.AsType[*panicked](err)
		if ctx.Err() != nil || !bug && !ofStore || ofStore && up.Kind == upstream.Stopped {
			return err
		}
		r.countFailed(err)
		r.cfg.Log.Debug("missing products not looked up", "scope", r.job.Scope.String(), "error", err)
	}
	return r.save(ctx, found)
}

// lookUp adds to found those of the products that are on the page of their game, which the
// product's own page names. Pages of games that were not named as items since the given time
// do not count: the store does not list these games.
func (r *run) lookUp(ctx context.Context, found *sweep.Batch, products []string, details, games sweep.Job, since catalog.Millis) (err error) {
	defer recoverPanic(&err)
	byGame := make(map[string][]string)
	for _, product := range products {
		page, err := r.source.Read(ctx, details, product)
		if err != nil {
			return err
		}
		found.Requests += page.Requests
		for _, part := range page.Parts {
			byGame[part.Facts.Family] = append(byGame[part.Facts.Family], product)
		}
	}
	listed, err := r.cfg.Database.NamedItems(ctx, games.Scope, slices.Sorted(maps.Keys(byGame)), since)
	if err != nil {
		return err
	}
	for _, game := range listed {
		page, err := r.source.Read(ctx, games, game)
		if err != nil {
			return err
		}
		found.Requests += page.Requests
		for _, part := range page.Parts {
			if slices.Contains(byGame[game], part.Product) {
				found.Present = append(found.Present, part.Product)
			}
		}
	}
	return nil
}
