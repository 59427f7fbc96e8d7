package dashboard

import (
	"net/http"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// homeView is what home.html shows.
type homeView struct {
	Cards   int // 0: there is no catalog yet
	Names   [2]string
	BaseURL string
}

// home shows in one screen what this is.
func home(v *web.Visit, site *web.Site, live *index.View) error {
	view := homeView{BaseURL: site.PublicURL + "/api/v1", Names: site.Names}
	if live != nil {
		view.Cards = live.Len()
	}
	return v.Render(http.StatusOK, "home", view)
}
