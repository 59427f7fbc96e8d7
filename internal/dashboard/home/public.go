package home

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// firstTiles is how many deals, and how many games, the public first page shows.
const firstTiles = 12

// firstView is what first.html shows.
type firstView struct {
	Search         explore.SearchBox
	Market         explore.MarketPicker
	Cards          int
	Deals, Popular []explore.Tile
}

// first shows the first page to somebody without an account: search, deals of games that many
// know, and popular games.
func (p *Pages) first(v *web.Visit) error {
	live, err := p.View()
	if err != nil {
		return err
	}
	view := firstView{Search: explore.NewSearchBox(v), Market: p.MarketPicker(v, live, nil), Cards: live.Len()}
	deals := url.Values{"sort": {"popularity"}, "regions": {cmp.Or(v.Locale.Country, explore.ActiveCodes(live))}, "types": {"game"}}
	if view.Deals, err = p.tilesOf(v, live, "deals", deals, firstTiles); err != nil {
		return err
	}
	popular, err := p.tilesOf(v, live, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}}, 2*firstTiles)
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

// tilesOf returns the tiles of the first games of a list of the API.
func (p *Pages) tilesOf(v *web.Visit, live *index.View, list string, query url.Values, limit int) ([]explore.Tile, error) {
	query.Set("distinct", "games")
	query.Set("limit", strconv.Itoa(limit))
	query.Set("lang", v.Lang())
	var found explore.ListAnswer
	if _, err := p.Call(v, list, query, &found); err != nil {
		return nil, err
	}
	return p.Tiles(v, live, found.Data.Items, explore.VersionFilter{})
}
