package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// SignUp says who may make an account.
type SignUp string

// The ways to sign up.
const (
	SignUpClosed SignUp = "closed" // nobody by himself, not even with a link
	SignUpInvite SignUp = "invite" // who has an invitation
	SignUpOpen   SignUp = "open"   // everybody
)

// Config is everything the dashboard needs of the program around it. Nothing
// in it may change after [New].
type Config struct {
	Store     Store
	Live      *index.Live
	Passwords *account.Passwords
	// Counter and Limits are those of the API: what keys have spent now, and
	// the limits of keys without own ones.
	Counter quota.Counter
	Limits  quota.Limits
	// Catalog answers API requests for the explorer. The bearer token of such
	// a request is the id of the user who looks; it charges what the explorer
	// allows a user, and no key.
	Catalog http.Handler

	SignUp     SignUp
	OIDC       *openid.Settings // nil: no sign-in with a provider
	PublicURL  string           // where browsers reach the service, without a slash at its end: links begin with it
	Secure     bool             // cookies go over HTTPS alone
	ImageHosts []string         // further hosts of covers: "img.example", "https://img.example"
	Names      [2]string        // display names of console store and PC store
	Version    string

	Client func(*http.Request) netip.Addr // who asks
	HTTPS  func(*http.Request) bool       // whether the browser's connection is encrypted
	Now    func() time.Time
	Rand   io.Reader // used from all goroutines at once
	Log    *slog.Logger
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	cfg       Config
	handler   http.Handler
	routes    *http.ServeMux
	sessions  *scs.SessionManager
	throttle  *account.Throttle
	templates templates
	languages *languages
	assets    assets
	policy    string // Content-Security-Policy
	images    imageHosts
	provider  *openid.Provider // nil without one
}

// New makes the dashboard. It fails if a part of it that is built into the
// program is broken, or if an image host is none.
func New(cfg Config) (*Dashboard, error) {
	d := &Dashboard{cfg: cfg, throttle: account.NewThrottle()}
	var err error
	if d.images, err = parseImageHosts(cfg.ImageHosts); err != nil {
		return nil, err
	}
	if d.languages, err = loadLanguages(); err != nil {
		return nil, err
	}
	if d.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if d.templates, err = loadTemplates(d.assets); err != nil {
		return nil, err
	}
	if cfg.OIDC != nil {
		d.provider = openid.New(*cfg.OIDC, cfg.PublicURL+providerReturn, cfg.Now)
	}
	d.policy = contentPolicy(d.images)
	d.sessions = d.newSessions()
	d.routes = http.NewServeMux()
	for _, rt := range routes() {
		d.routes.Handle(rt.pattern, d.serve(rt))
	}
	d.routes.Handle(anyPath, d.serve(route{pattern: "none", handle: (*Dashboard).notFound}))
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(origin(cfg.PublicURL)); err != nil {
		return nil, fmt.Errorf("public URL %q: %w", cfg.PublicURL, err)
	}
	protection.SetDenyHandler(d.withSession(route{pattern: "cross-origin", handle: (*Dashboard).crossOrigin}))
	d.handler = protection.Handler(d.routes)
	return d, nil
}

// origin is scheme and host of a URL.
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// ServeHTTP answers every path that is not the API's or its reference's.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", d.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// To this server alone: forms need an origin, other hosts nothing.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	if strings.HasPrefix(r.URL.Path, assetPath) {
		d.assets.ServeHTTP(w, r)
		return
	}
	h.Set("Cache-Control", "no-store")
	if path.Clean(r.URL.Path) != r.URL.Path {
		// A mux would redirect to the shorter path, which is another one.
		d.serve(route{pattern: "none", handle: func(*Dashboard, *visit) error { return notFoundProblem() }}).ServeHTTP(w, r)
		return
	}
	d.handler.ServeHTTP(w, r)
}

// anyPath is the pattern of what no route names.
const anyPath = "/"

// maxForm bounds the body of a form.
const maxForm = 64 << 10

// serve makes the handler of a route: with its name for the log, a bounded
// body, the session and the visit.
func (d *Dashboard) serve(rt route) http.Handler {
	inner := d.withSession(rt)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).Route = rt.pattern
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		inner.ServeHTTP(w, r)
	})
}

// visited runs the handler of a route for one visit, if the visitor may.
func (d *Dashboard) visited(rt route, w http.ResponseWriter, r *http.Request) {
	v, err := d.newVisit(w, r)
	if err == nil {
		err = d.admit(rt, v)
	}
	if err == nil {
		err = readForm(r)
	}
	if err == nil {
		err = rt.handle(d, v)
	}
	if err != nil {
		d.fail(v, err)
	}
}

// readForm refuses a form that is too large to be read as a whole: handlers
// would take it for an empty one. What is no form they refuse themselves.
func readForm(r *http.Request) error {
	var large *http.MaxBytesError
	if r.Method == http.MethodPost && errors.As(r.ParseForm(), &large) {
		return &problem{status: http.StatusRequestEntityTooLarge, message: "error.too-large", args: []any{maxForm >> 10}}
	}
	return nil
}

// fail answers a visit that ended with an error. The error's own text stays
// here.
func (d *Dashboard) fail(v *visit, err error) {
	var p *problem
	if !errors.As(err, &p) {
		p = &problem{status: http.StatusInternalServerError, message: "error.internal"}
		if unavailable(err) {
			p = &problem{status: http.StatusServiceUnavailable, message: "error.unavailable", retryAfter: 5 * time.Second}
		}
		if v.r.Context().Err() == nil { // else the browser left
			d.cfg.Log.Error("page failed", "request_id", serve.RecordFrom(v.r.Context()).RequestID, "error", err)
		}
	}
	if p.signIn {
		http.Redirect(v.w, v.r, signInPath(v.r), http.StatusSeeOther)
		return
	}
	if p.retryAfter > 0 {
		v.comeBack(p.retryAfter)
	}
	if err := v.showProblem(p); err != nil {
		d.cfg.Log.Error("error page failed", "error", err)
	}
}

// showProblem answers with the error page, or with a bare status if even that
// cannot be made.
func (v *visit) showProblem(p *problem) error {
	view := errorView{Status: p.status, Sentence: v.T(p.message, p.args...), RequestID: serve.RecordFrom(v.r.Context()).RequestID}
	err := v.render(p.status, "error", view)
	if err != nil {
		http.Error(v.w, http.StatusText(p.status), p.status)
	}
	return err
}

// InternalError writes the answer to a request whose handler panicked.
func (d *Dashboard) InternalError(w http.ResponseWriter, r *http.Request) {
	v := &visit{d: d, w: w, r: r, language: d.languages.of(r)}
	_ = v.showProblem(&problem{status: http.StatusInternalServerError, message: "error.internal"}) // the panic is logged
}

// errorView is what error.html shows.
type errorView struct {
	Status    int
	Sentence  string
	RequestID string
}

// write sends a page that is complete.
func write(w http.ResponseWriter, status int, page *bytes.Buffer) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", fmt.Sprint(page.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // a browser that left needs no page
}
