package dashboard

import (
	"context"
	"embed"
	"net/http"

	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

//go:embed templates
var pageTemplates embed.FS

// Config is everything the dashboard needs of the program around it. Nothing
// in it may change after [New].
type Config struct {
	Web    web.Config
	SignIn signin.Config
	Keys   keys.Config
	Store  Store
	Live   *index.Live
	// Catalog answers API requests for the explorer. The bearer token of such
	// a request is the id of the user who looks; it charges what the explorer
	// allows a user, and no key.
	Catalog http.Handler
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	*web.Site
	site   *web.Site
	cfg    Config
	signIn *signin.Pages
	keys   *keys.Pages
}

// New makes the dashboard. It fails if a part of it that is built into the
// program is broken, or if an image host is none.
func New(cfg Config) (*Dashboard, error) {
	site, err := web.New(cfg.Web, pageTemplates, signin.Templates, keys.Templates)
	if err != nil {
		return nil, err
	}
	d := &Dashboard{Site: site, site: site, cfg: cfg, signIn: signin.New(site, cfg.SignIn), keys: keys.New(site, cfg.Keys)}
	for _, handle := range []func(){d.handleHome, d.handleExplore, d.handleStatus, d.handleAdmin} {
		handle()
	}
	return d, nil
}

// SetupLink returns a new link for the first administrator, while there are no
// users.
func (d *Dashboard) SetupLink(ctx context.Context) (address string, needed bool, err error) {
	return d.signIn.SetupLink(ctx)
}
