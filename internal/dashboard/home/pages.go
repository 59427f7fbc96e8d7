package home

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
)

type pages struct {
	*explore.Explorer
	keys       *keys.Pages
	status     *status.Pages
	repository Repository
}

// New registers the pages with the site.
func New(e *explore.Explorer, k *keys.Pages, s *status.Pages, repository Repository) {
	p := &pages{e, k, s, repository}
	e.Site.Handle("GET /{$}", web.Anyone, p.root)
	e.Site.HandleCatalog("", p.first)
	e.Site.Handle("GET /watched", web.SignedIn, p.watchPage)
	e.Site.Handle("POST /watched", web.SignedIn, p.watch)
}

// root shows the first page for the visitor. It is the only address that looks at where a visitor is from:
// the pages to which it leads have the market in their addresses.
func (p *pages) root(v *web.Visit) error {
	if live := p.Catalog(); live != nil {
		v.UseOwnMarket(func(country string) bool { return country != "" && explore.HasListings(live, country) })
	}
	switch {
	case v.User != nil:
		return p.home(v)
	case p.Site.PublicPages:
		return v.Redirect(v.Locale.First())
	}
	return p.welcome(v)
}

type welcomeView struct {
	Cards   int // 0: there is no catalog yet
	Names   [2]string
	BaseURL string
}

// welcome shows strangers what this service is, in one screen.
func (p *pages) welcome(v *web.Visit) error {
	view := welcomeView{BaseURL: p.Site.PublicURL + "/api/v1", Names: p.Site.Names}
	if live := p.Catalog(); live != nil {
		view.Cards = live.Cards
	}
	return v.Render(http.StatusOK, "welcome", view)
}

const (
	shownKeys = 5
	newTiles  = 6 // of deals and of games
	newDeal   = "3d"
)

type homeView struct {
	Status    status.Summary
	Fresh     status.Freshness
	Keys      []keys.View // those used last
	MoreKeys  int
	First     []keys.Command // the first requests, for somebody who has sent none yet
	Deals     []explore.Tile // that began in the last days
	DealsLink string
	Games     []explore.Tile // the newest
	GamesLink string

	Watched, MoreWatched []watchedGame
	NoPrices             bool // the API refused those of the watched games
}

// home shows people who are signed in how their keys and the catalog are, and what is new.
func (p *pages) home(v *web.Visit) error {
	view := homeView{Status: p.status.Summary(v), Fresh: p.status.Freshness()}
	var err error
	if view.Keys, view.MoreKeys, err = p.keys.Recent(v, shownKeys); err != nil {
		return err
	}
	if len(view.Keys) == 0 || view.Keys[0].LastUsedAt == 0 {
		view.First = p.keys.FirstRequestsOf(v, view.Keys)
	}
	if live := p.Catalog(); live != nil {
		p.ShowMarket(v, live, nil)
		if err = p.addWatched(v, live, &view); err == nil {
			err = p.addNews(v, live, &view)
		}
	}
	if _, refused := errors.AsType[*web.Problem](err); err != nil && !refused { // the rest of the page does not need the news
		return err
	}
	return v.Render(http.StatusOK, "home", view)
}

func (p *pages) addNews(v *web.Visit, live *overview.Catalog, view *homeView) (err error) {
	country := cmp.Or(v.Locale.Country, explore.ActiveCodes(live))
	deals := url.Values{"sort": {"popularity"}, "regions": {country}, "types": {"game"}, "startedWithin": {newDeal}}
	if view.Deals, err = p.tilesOf(v, "deals", deals, newTiles); err != nil {
		return err
	}
	view.DealsLink = v.Locale.Deals("", url.Values{"startedWithin": {newDeal}, "sort": {"popularity"}})
	games := url.Values{"sort": {"added"}, "types": {"game"}}
	view.GamesLink = v.Locale.Browse(games)
	view.Games, err = p.tilesOf(v, "browse", games, newTiles)
	return err
}

// firstTiles is how many deals, and how many games, the public first page shows.
const firstTiles = 12

type firstView struct {
	Search         explore.SearchBox
	Games          int // in the catalog, each once
	Deals, Popular []explore.Tile
}

// first shows the first page to somebody without an account: search, deals of games that many
// know, and popular games.
func (p *pages) first(v *web.Visit) error {
	live, err := p.Overview()
	if err != nil {
		return err
	}
	p.ShowMarket(v, live, nil)
	view := firstView{Search: explore.NewSearchBox(v), Games: live.Games()}
	deals := url.Values{"sort": {"popularity"}, "regions": {cmp.Or(v.Locale.Country, explore.ActiveCodes(live))}, "types": {"game"}}
	if view.Deals, err = p.tilesOf(v, "deals", deals, firstTiles); err != nil {
		return err
	}
	popular, err := p.tilesOf(v, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}}, 2*firstTiles)
	if err != nil {
		return err
	}
	for _, tile := range popular { // those that are not among the deals
		if !slices.ContainsFunc(view.Deals, func(deal explore.Tile) bool { return deal.Address == tile.Address }) && len(view.Popular) < firstTiles {
			view.Popular = append(view.Popular, tile)
		}
	}
	v.Describe(web.About{Title: v.T("public.first.heading"), Description: v.T("public.first.lead"), Hidden: !explore.HasListings(live, v.Locale.Country)}, web.Locale.First)
	return v.Render(http.StatusOK, "first", view)
}

func (p *pages) tilesOf(v *web.Visit, list string, query url.Values, limit int) ([]explore.Tile, error) {
	found, err := p.List(v, list, query, limit)
	return p.Tiles(v, found.Items), err
}
