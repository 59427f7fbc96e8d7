package game

import (
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

// gone says that no card has the id, and which cards have its listings now.
func (p *Pages) gone(v *web.Visit, status int, platform catalog.Platform, successors []string) error {
	view := goneView{Search: explore.NewSearchBox(v), Lead: v.T("explore.gone")}
	if len(successors) > 0 {
		view.Lead = v.T("explore.moved")
	}
	live := p.Live.View()
	for _, id := range successors {
		t := explore.Tile{Address: explore.Address(v.Locale, live, platform.String(), id, nil), Title: id, Versions: []explore.Chip{{Name: p.Where(live, platform.String(), id)}}, Cover: explore.CoverOf("", id)}
		if c, ok := explore.Lookup(live, platform.String(), id); ok {
			t.Title, t.Type = explore.Title(live, c, v.Lang()), explore.TypeKey(c.Type().String())
			t.Cover = explore.CoverOf(p.Site.ImageSource(c.Thumbnail()), t.Title)
		}
		view.Tiles = append(view.Tiles, t)
	}
	return v.Render(status, "gone", view)
}
