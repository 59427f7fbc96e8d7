package game

import (
	"net/http"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

// goneView is what gone.html shows.
type goneView struct {
	Search explore.SearchBox
	Lead   string
	Tiles  []explore.Tile // where its listings are now
}

// cardGone says that no card has the id, and which cards have its listings now.
func (p *Pages) cardGone(v *web.Visit, platform catalog.Platform, g *explore.CardGoneError) error {
	view := goneView{Search: p.SearchBox(v), Lead: v.T("explore.gone")}
	if len(g.Successors) > 0 {
		view.Lead = v.T("explore.moved")
	}
	live := p.Live.View()
	for _, id := range g.Successors {
		t := explore.Tile{Address: explore.CardAddress(platform.String(), id), Title: id, Versions: []explore.Chip{{Name: p.Where(live, platform.String(), id)}}, Cover: explore.CoverOf("", id)}
		if live != nil {
			if c, ok := live.Lookup(platform, id); ok {
				t.Title, t.Type = c.Title(), explore.TypeKey(c.Type().String())
				t.Cover = explore.CoverOf(p.Site.ImageSource(c.Thumbnail()), t.Title)
			}
		}
		view.Tiles = append(view.Tiles, t)
	}
	return v.Render(http.StatusNotFound, "gone", view)
}
