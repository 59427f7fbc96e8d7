package browse

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// The first page shows so many deals, and games, and asks for so many cards of them: some are
// versions of a game.
const firstTiles, firstCards = 12, 30

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
	view := firstView{Search: p.SearchBox(v), Market: p.MarketPicker(v, live, nil), Cards: live.Len()}
	deals := url.Values{"sort": {"popularity"}, "regions": {cmp.Or(v.Place.Country, explore.ActiveCodes(live))}, "types": {"game"}}
	if view.Deals, err = p.tilesOf(v, live, "deals", deals); err != nil {
		return err
	}
	if view.Popular, err = p.tilesOf(v, live, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}}); err != nil {
		return err
	}
	v.Describe(web.About{Title: v.T("public.first.heading"), Description: v.T("public.first.lead")}, web.Place.Home)
	return v.Render(http.StatusOK, "first", view)
}

// tilesOf returns tiles of the first cards of a list of the API.
func (p *Pages) tilesOf(v *web.Visit, live *index.View, list string, query url.Values) ([]explore.Tile, error) {
	query.Set("limit", strconv.Itoa(firstCards))
	query.Set("lang", v.Lang())
	var found browseAnswer
	if _, err := p.Call(v, list, query, &found); err != nil {
		return nil, err
	}
	tiles, err := p.Tiles(v, live, found.Data.Items)
	return tiles[:min(len(tiles), firstTiles)], err
}
