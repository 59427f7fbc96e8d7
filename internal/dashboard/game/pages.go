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
	e.Site.HandleCatalog("/games/{platform}/{id}", p.game)
	e.Site.HandleCatalog("/games/{platform}/{id}/{title}", p.game)
	e.Site.Handle("GET /answers/{path}", web.SignedIn, p.answer)
	e.Site.Handle("GET /explore/{platform}/{id}", web.Anyone, func(v *web.Visit) error { // the former address
		platform, err := catalog.ParsePlatform(v.R.PathValue("platform"))
		if err != nil {
			return web.NotFound()
		}
		return v.MovedPermanently(v.Locale.Game(platform, v.R.PathValue("id"), "", v.R.URL.Query()))
	})
	return p
}
