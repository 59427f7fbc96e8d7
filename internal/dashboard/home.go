package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"gamedex/internal/catalog"
)

func homeRoutes() []route {
	return []route{
		{"GET /{$}", anyone, (*Dashboard).home},
		{"POST /language", anyone, (*Dashboard).chooseLanguage},
	}
}

// homeView is what home.html shows.
type homeView struct {
	Cards   int // 0: there is no catalog yet
	Regions []string
	Names   []string
	BaseURL string
}

// home says in one screen what this is, and leads on.
func (d *Dashboard) home(v *visit) error {
	view := homeView{BaseURL: d.cfg.PublicURL + "/api/v1", Names: d.cfg.Names[:]}
	if live := d.cfg.Live.View(); live != nil {
		view.Cards = live.Len()
		for _, r := range live.Active() {
			view.Regions = append(view.Regions, r.Alpha2)
		}
	}
	return v.render(http.StatusOK, "home", view)
}

// platformName is the display name of a platform.
func (d *Dashboard) platformName(p catalog.Platform) string {
	if p == catalog.PCStore {
		return d.cfg.Names[1]
	}
	return d.cfg.Names[0]
}

// chooseLanguage remembers a language and goes back to where it was chosen.
func (d *Dashboard) chooseLanguage(v *visit) error {
	if l := d.languages.named(v.form("to")); l != nil {
		http.SetCookie(v.w, &http.Cookie{Name: languageCookie, Value: l.code, Path: "/",
			MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, Secure: d.cfg.Secure, SameSite: http.SameSiteLaxMode})
	}
	return v.redirect(ownPath(v.form("back"), "/"))
}

// ownPath is a path of this server to go to, as a form or an address asks for
// it: fallback instead of anything that a browser might take elsewhere.
func ownPath(wanted, fallback string) string {
	u, err := url.Parse(wanted)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return fallback
	}
	if !strings.HasPrefix(wanted, "/") || strings.HasPrefix(wanted, "//") || strings.ContainsAny(wanted, "\\\t\r\n") ||
		strings.HasPrefix(u.Path, "//") {
		return fallback
	}
	return wanted
}
