package dashboard

import (
	"context"
	"embed"
	"net/http"

	"gamedex/internal/dashboard/admin"
	"gamedex/internal/dashboard/browse"
	"gamedex/internal/dashboard/deals"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/game"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/reference"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/sitemap"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

//go:embed templates
var templates embed.FS

// Config is what the dashboard needs of the program around it. Nothing in it may
// change after [New].
type Config struct {
	Live   *index.Live
	Web    web.Config
	SignIn signin.Config
	Keys   keys.Config
	// Catalog returns what answers API requests on behalf of a user.
	Catalog   func(userID string) http.Handler
	Reference reference.Config
	Status    status.Stores
	Admin     admin.Config
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	*web.Site
	signIn *signin.Pages
}

// New returns the dashboard with all pages. It fails if an image host is not
// valid, or if the OpenAPI document cannot be read.
func New(cfg Config) (*Dashboard, error) {
	cfg.Web.Source = func() any { return sourceOf(cfg.Live.View()) }
	site, err := web.New(cfg.Web, templates, signin.Templates, keys.Templates, browse.Templates, deals.Templates, explore.Templates, game.Templates, reference.Templates, status.Templates, admin.Templates)
	if err != nil {
		return nil, err
	}
	d := &Dashboard{Site: site, signIn: signin.New(site, cfg.SignIn)}
	site.Handle("GET /{$}", web.Anyone, func(v *web.Visit) error { return home(v, site, cfg.Live.View()) })
	keyPages := keys.New(site, cfg.Keys)
	explorer := &explore.Explorer{Site: site, Live: cfg.Live, API: cfg.Catalog}
	browse.New(explorer)
	deals.New(explorer)
	game.New(explorer)
	sitemap.New(explorer)
	if err := reference.New(site, cfg.Reference); err != nil {
		return nil, err
	}
	statusPages := status.New(site, cfg.Live, cfg.Status)
	admin.New(site, keyPages, statusPages, cfg.Admin)
	return d, nil
}

// source is what public pages of games and lists are made from. How fresh it is changes every minute,
// and is not on them.
type source struct {
	snapshot *index.Snapshot
	rates    uint64 // hash
}

func sourceOf(live *index.View) source {
	if live == nil {
		return source{}
	}
	return source{live.Snapshot, live.Rates.Hash()}
}

// SetupLink returns a new link for the first administrator, while there are no
// users. It is empty if another process has made one.
func (d *Dashboard) SetupLink(ctx context.Context) (address string, needed bool, err error) {
	return d.signIn.SetupLink(ctx)
}

// homeView is what home.html shows.
type homeView struct {
	Cards   int // 0: there is no catalog yet
	Names   [2]string
	BaseURL string
}

// home shows what this service is, in one screen.
func home(v *web.Visit, site *web.Site, live *index.View) error {
	if v.User == nil && site.PublicPages {
		v.W.Header().Add("Vary", "Accept-Language")
		return v.Redirect(v.Links().Home())
	}
	view := homeView{BaseURL: site.PublicURL + "/api/v1", Names: site.Names}
	if live != nil {
		view.Cards = live.Len()
	}
	return v.Render(http.StatusOK, "home", view)
}
