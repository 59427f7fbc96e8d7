package dashboard

import (
	"net/http"

	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleHome() {
	d.site.Handle("GET /{$}", web.Anyone, d.home)
}

// homeView is what home.html shows.
type homeView struct {
	Cards   int // 0: there is no catalog yet
	Names   [2]string
	BaseURL string
}

// home shows in one screen what this is.
func (d *Dashboard) home(v *web.Visit) error {
	view := homeView{BaseURL: d.site.PublicURL + "/api/v1", Names: d.site.Names}
	if live := d.cfg.Live.View(); live != nil {
		view.Cards = live.Len()
	}
	return v.Render(http.StatusOK, "home", view)
}
