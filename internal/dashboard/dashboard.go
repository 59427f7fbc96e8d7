package dashboard

import (
	"context"
	"embed"
	"net/http"
	"sync"

	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard/admin"
	"gamedex/internal/dashboard/browse"
	"gamedex/internal/dashboard/deals"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/game"
	"gamedex/internal/dashboard/home"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/reference"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/sitemap"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/dashboard/webhooks"
	"gamedex/internal/money"
)

// Config is what the dashboard needs from the program around it. Nothing in it may
// change after [New].
type Config struct {
	// Catalog returns what the API knows about the catalog as a whole; nil before there is one.
	Catalog func() *overview.Catalog
	Web     web.Config
	SignIn  signin.Config
	Keys    keys.Config
	// API returns the handler that answers the requests of pages on behalf of a visitor.
	API       func(overview.Visitor) http.Handler
	Reference reference.Config
	Status    status.Repositories
	Watched   home.Repository
	Admin     admin.Config
	Webhooks  webhooks.Config
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	*web.Site
	// SetupLink returns a new link for the first administrator, if there are no users
	// yet. The address is empty if another process has made a link that is still open.
	SetupLink func(context.Context) (address string, needed bool, err error)
}

// templates are those of the pages and of their frame.
//
//go:embed */templates/*.html
var templates embed.FS

// resources are those of all dashboards of the process: parsing the templates takes longer than
// the rest of [New].
var resources = sync.OnceValues(func() (*web.Resources, error) { return web.Load(templates) })

// New returns the dashboard with all pages. It fails if an image host is not valid.
func New(cfg Config) (*Dashboard, error) {
	loaded, err := resources()
	if err != nil {
		return nil, err
	}
	cfg.Web.Source = func() any {
		if c := cfg.Catalog(); c != nil {
			return c.Content
		}
		return nil
	}
	cfg.Web.HasRate = func(currency money.Currency) bool {
		c := cfg.Catalog()
		return c != nil && c.Rates.PerBase(currency) != nil
	}
	cfg.Web.Webhooks = cfg.Webhooks.Repository != nil
	site, err := web.New(cfg.Web, loaded)
	if err != nil {
		return nil, err
	}
	explorer := &explore.Explorer{Site: site, Catalog: cfg.Catalog, API: cfg.API, Person: cfg.Reference.API}
	cfg.Keys.Example = explorer.Example
	keyPages := keys.New(site, cfg.Keys)
	browse.New(explorer)
	deals.New(explorer)
	game.New(explorer)
	sitemap.New(explorer)
	reference.New(site, cfg.Reference)
	statusPages := status.New(site, cfg.Catalog, cfg.Status)
	home.New(explorer, keyPages, statusPages, cfg.Watched)
	admin.New(site, keyPages, statusPages, webhooks.New(explorer, cfg.Webhooks), cfg.Admin)
	return &Dashboard{site, signin.New(site, cfg.SignIn)}, nil
}
