package collect

import (
	"context"
	"slices"

	"gamedex/internal/sweep"
)

// maxLookups is how many products a sweep looks up. If more are missing, they did not move
// one by one, and a sweep that is held back again and again would look them up each time.
const maxLookups = 50

// findMissing looks up the products of which the sweep would withdraw listings. A product
// that moved to another game's page, after the sweep had read that page and before it read
// the old one, is still on sale. What it finds counts as seen by the sweep. Where the store
// gives no answer, the sweep's own result counts.
func (r *run) findMissing(ctx context.Context) error {
	at := r.job.Scope
	if at.Kind == sweep.Prices {
		at.Kind = sweep.Editions
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
	for _, product := range missing {
		page, err := r.readGameOf(ctx, product, details, games)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found.Requests += page.Requests
		if err != nil {
			r.countFailed(err)
			r.cfg.Log.Debug("missing product not looked up", "scope", r.job.Scope.String(), "product", product, "error", err)
			if !ownFault(err) {
				break
			}
		}
		isProduct := func(p sweep.Part) bool { return p.Product == product }
		if i := slices.IndexFunc(page.Parts, isProduct); i >= 0 {
			found.Parts = append(found.Parts, page.Parts[i])
		}
		if page.Interrupted || slices.Contains(page.Present, product) {
			found.Present = append(found.Present, product)
		}
	}
	return r.save(ctx, found)
}

// readGameOf reads the page of the game to which a product belongs now, according to the
// product's own page. Without such a game, the result is empty.
func (r *run) readGameOf(ctx context.Context, product string, details, games sweep.Job) (sweep.Page, error) {
	own, err := r.source.Read(ctx, details, product)
	if err != nil || len(own.Parts) == 0 || own.Parts[0].Facts.Family == "" {
		return sweep.Page{Requests: own.Requests, Interrupted: own.Interrupted}, err
	}
	page, err := r.source.Read(ctx, games, own.Parts[0].Facts.Family)
	page.Requests += own.Requests
	return page, err
}
