package status

import (
	"context"
	"embed"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/registry"
	"gamedex/internal/sweep"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Stores are what the pages read of the database.
type Stores struct {
	Listings Listings
	Sweeps   Sweeps
	Nodes    Nodes
	Registry Registry // nil: no other nodes are shown
	// CountsAlone reports whether this process has to count requests without the
	// others; nil: never.
	CountsAlone func() bool
}

// Registry knows the processes that serve from the database.
type Registry interface{ List() registry.List }

// Listings counts the stored listings.
type Listings interface {
	ListingCount(ctx context.Context) (int, error)
}

// Sweeps reads the state of collection.
type Sweeps interface {
	Collections(ctx context.Context) ([]sweep.Collection, error)
	Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error)
}

// Nodes reads the source of rates and what an operator set.
type Nodes interface {
	// RatesSource returns the provider and the time of the stored exchange rates;
	// "" and 0 before there are any.
	RatesSource(ctx context.Context) (source string, updatedAt int64, err error)
	PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error)
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	stores Stores
	site   *web.Site
	live   *index.Live
}

// New registers the pages with the site.
func New(site *web.Site, live *index.Live, stores Stores) *Pages {
	p := &Pages{stores, site, live}
	site.Handle("GET /status", web.Anyone, p.status)
	site.HandleCatalog("/status", p.status)
	return p
}
