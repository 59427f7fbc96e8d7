package game

import (
	"embed"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Pages are the pages of this package. Create them with [New].
type Pages struct{ *explore.Explorer }

// New registers the pages with the site.
func New(e *explore.Explorer) *Pages {
	p := &Pages{e}
	e.Site.Handle("GET /explore/consolestore/{id}", web.SignedIn, func(v *web.Visit) error {
		return p.card(v, catalog.ConsoleStore, v.R.PathValue("id"))
	})
	e.Site.Handle("GET /explore/pcstore/{slug}", web.SignedIn, func(v *web.Visit) error {
		return p.card(v, catalog.PCStore, v.R.PathValue("slug"))
	})
	e.Site.HandlePublic("/games/{platform}/{id}", p.public)
	e.Site.HandlePublic("/games/{platform}/{id}/{title}", p.public)
	return p
}
