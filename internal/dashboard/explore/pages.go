package explore

import (
	"embed"
	"net/http"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Config is what the pages need beside the site.
type Config struct {
	// Catalog returns what answers API requests on behalf of a user.
	Catalog func(userID string) http.Handler
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	Config
	site *web.Site
	live *index.Live
}

// New registers the pages with the site.
func New(site *web.Site, live *index.Live, cfg Config) *Pages {
	p := &Pages{Config: cfg, site: site, live: live}
	site.Handle("GET /explore", web.SignedIn, p.search)
	site.Handle("GET /explore/suggest", web.SignedIn, p.suggest)
	site.Handle("GET /deals", web.SignedIn, p.deals)
	site.Handle("GET /explore/consolestore/{id}", web.SignedIn, func(v *web.Visit) error {
		return p.card(v, catalog.ConsoleStore, v.R.PathValue("id"), "games/")
	})
	site.Handle("GET /explore/pcstore/{slug}", web.SignedIn, func(v *web.Visit) error {
		return p.card(v, catalog.PCStore, v.R.PathValue("slug"), "pcstore/games/")
	})
	return p
}
