package status

import (
	"context"
	"embed"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/sweep"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Store reads the state of collection, listings and rates.
type Store interface {
	ListingCount(ctx context.Context) (int, error)
	// RatesSource returns the provider and the time of the stored exchange rates;
	// "" and 0 before there are any.
	RatesSource(ctx context.Context) (source string, updatedAt int64, err error)
	Collections(ctx context.Context) ([]sweep.Collection, error)
	Sweeps(ctx context.Context, now catalog.Millis) ([]sweep.State, error)
	PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error)
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	store Store
	site  *web.Site
	live  *index.Live
}

// New registers the pages with the site.
func New(site *web.Site, live *index.Live, store Store) *Pages {
	p := &Pages{store, site, live}
	site.Handle("GET /status", web.SignedIn, p.status)
	return p
}
