package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/serve"
)

// SignUp is who may create an account.
type SignUp string

// The ways to sign up.
const (
	SignUpClosed SignUp = "closed" // nobody, not even with an invitation
	SignUpInvite SignUp = "invite" // people with an invitation
	SignUpOpen   SignUp = "open"   // everybody
)

// Repository finds users and keeps sessions, by the hash of what the browser holds.
// Its errors wrap [account.ErrNotFound] where a record does not exist.
type Repository interface {
	FindUser(ctx context.Context, id string) (account.User, error)
	FindSession(ctx context.Context, id string, now int64) (s account.Session, found bool, err error)
	SaveSession(ctx context.Context, s account.Session) error
	// RenewSession updates a session, unless it was ended.
	RenewSession(ctx context.Context, s account.Session) (alive bool, err error)
	DeleteSession(ctx context.Context, id string) error
}

// Config is what all pages share. Nothing in it may change after [New].
type Config struct {
	Repository Repository
	SignUp     SignUp
	PublicURL  string    // where browsers reach the service, without a slash at the end
	ImageHosts []string  // further hosts of covers: "img.example", "https://img.example"
	Names      [2]string // display names of console store and PC store
	Version    string

	Webhooks     bool // keys may have webhooks
	PublicPages  bool // whether there are pages without an account
	PublicLimits PublicLimits
	Source       func() any // what public pages are made from, comparable
	// HasRate reports whether prices can be converted to a currency; nil: to none.
	HasRate func(money.Currency) bool

	// Secure reports whether the browser may be on another machine, so that passwords and
	// cookies must be encrypted.
	Secure func(*http.Request) bool
	// PlainUser is the email address of the user who may sign in without HTTPS all the same:
	// that of the demo. Empty: nobody.
	PlainUser string

	Client func(*http.Request) netip.Addr // the address of the browser
	HTTPS  func(*http.Request) bool       // whether the browser's connection is encrypted
	// Country returns the country of the browser, as a trusted proxy names it; "" if none does.
	// nil: none does.
	Country func(*http.Request) string
	// FormMemory waits for memory for the form of a request of an owner; release returns it, and
	// reports whether the form was cut off for others. It bounds the memory of all forms and of
	// those of an owner; nil: nothing does.
	FormMemory func(w http.ResponseWriter, r *http.Request, owner string, bytes int64) (release func() (cut bool), err error)

	Now  func() time.Time
	Rand io.Reader // safe for concurrent use
	Log  *slog.Logger
}

// Audience is who may open a page.
type Audience uint8

// The audiences.
const (
	Anyone   Audience = iota
	SignedIn          // others are sent to the sign-in
	Admins            // other users are refused
	Public            // everybody, without a session
)

// Route is a row of the route table.
type Route struct {
	Pattern  string // of net/http's ServeMux, with its method
	Audience Audience
	Handle   func(*Visit) error
	MaxForm  int64 // bytes of the body of a form; 0: maxFormBytes
}

// Site serves the pages that were registered with Handle, their style and their
// script. It is safe for concurrent use after that. Create it with [New].
type Site struct {
	Config
	*Resources
	handler  http.Handler
	mux      *http.ServeMux
	routes   []Route
	sessions *scs.SessionManager
	files    http.Handler // the assets
	// compressed returns a handler that compresses the answers of another, for browsers that
	// accept it.
	compressed func(http.Handler) http.HandlerFunc
	images     []string // origins of pictures, besides this server: "https://img.example"
	policy     string   // Content-Security-Policy
	format     money.Formatter
	visitors   visitors  // of public pages
	kept       keptPages // public ones
}

// anyPath is the pattern that matches what no route matches.
const anyPath = "/"

// New returns a site without pages. It fails if an image host is not valid.
func New(cfg Config, resources *Resources) (*Site, error) {
	s := &Site{Config: cfg, Resources: resources, mux: http.NewServeMux()}
	var err error
	if s.images, err = ParseImageHosts(cfg.ImageHosts); err != nil {
		return nil, err
	}
	s.policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src " +
		strings.Join(append([]string{"'self'"}, s.images...), " ") +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if s.compressed, err = newCompressor(); err != nil {
		return nil, err
	}
	s.files = s.compressed(s.assets)
	// A random token in a cookie, its hash in the database. scs.New would start a
	// goroutine that never ends.
	s.sessions = &scs.SessionManager{
		Lifetime: sessionLifetime, IdleTimeout: sessionIdle,
		HashTokenInStore: true, Codec: sessionCodec{}, Store: sessionStore{site: s},
	}
	s.Handle("POST /language", Anyone, s.chooseLanguage)
	s.HandleLocalized("GET /person", Anyone, s.person)
	s.mux.Handle(anyPath, s.serve(Route{Pattern: "none", Handle: s.notFound}))
	s.mux.HandleFunc("GET /favicon.ico", s.favicon)
	if !cfg.PublicPages {
		s.mux.HandleFunc("GET /robots.txt", allowNothing)
	}
	protection := http.NewCrossOriginProtection()
	scheme, rest, _ := strings.Cut(cfg.PublicURL, "://")
	host, _, _ := strings.Cut(rest, "/")
	if err := protection.AddTrustedOrigin(scheme + "://" + host); err != nil {
		return nil, fmt.Errorf("public URL %q: %w", cfg.PublicURL, err)
	}
	protection.SetDenyHandler(s.withSession(Route{Pattern: "cross-origin", Handle: func(*Visit) error {
		return &Problem{Status: http.StatusForbidden, Message: "error.cross-origin"}
	}}))
	s.handler = protection.Handler(s.mux)
	return s, nil
}

// Handle registers a page under a pattern of net/http's ServeMux with a method.
// It panics if another page has the same pattern.
func (s *Site) Handle(pattern string, audience Audience, handle func(*Visit) error) {
	s.HandleForm(pattern, audience, maxFormBytes, handle)
}

// HandleForm is Handle for a form with a body of at most maxForm bytes.
func (s *Site) HandleForm(pattern string, audience Audience, maxForm int64, handle func(*Visit) error) {
	rt := Route{pattern, audience, handle, maxForm}
	s.routes = append(s.routes, rt)
	s.mux.Handle(pattern, s.serve(rt))
}

// WithFound returns a handler that also gets what find finds for a visit. The errors of find are those of a store.
func WithFound[T any](find func(*Visit) (T, error), handle func(*Visit, T) error) func(*Visit) error {
	return func(v *Visit) error {
		found, err := find(v)
		if err != nil {
			return DatabaseError(err)
		}
		return handle(v, found)
	}
}

// HandleLocalized registers a page as Handle does, and at the same path in each language. Without one
// in the path it is in the language of the visitor.
func (s *Site) HandleLocalized(pattern string, audience Audience, handle func(*Visit) error) {
	s.Handle(pattern, audience, handle)
	method, path, _ := strings.Cut(pattern, " ")
	for _, l := range s.languages.all {
		s.Handle(method+" /"+l.Code+path, audience, handle)
	}
}

// Routes returns the route table: all pages that were registered.
func (s *Site) Routes() []Route { return s.routes }

// ServeHTTP answers all paths except those of the API and its reference.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", s.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// Forms need a referrer for the cross-origin check; other hosts get none.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	if strings.HasPrefix(r.URL.Path, assetPath) {
		s.files.ServeHTTP(w, r)
		return
	}
	h.Set("Cache-Control", "private, no-store")
	if path.Clean(r.URL.Path) != r.URL.Path {
		if s.redirectWithoutSlash(w, r) {
			return
		}
		// The mux would redirect to the cleaned path, which is another page.
		s.serve(Route{Pattern: "none", Handle: func(*Visit) error { return NotFound() }}).ServeHTTP(w, r)
		return
	}
	s.handler.ServeHTTP(w, r)
}

// redirectWithoutSlash redirects from the address of a page with a slash at its end, which people
// type, to the page. It reports false if there is no such page.
func (s *Site) redirectWithoutSlash(w http.ResponseWriter, r *http.Request) bool {
	page := *r.URL
	var slash bool
	page.Path = path.Clean(page.Path)
	page.RawPath, slash = strings.CutSuffix(r.URL.EscapedPath(), "/")
	if !slash || page.Path == "/" || page.Path+"/" != r.URL.Path {
		return false
	}
	_, pattern := s.mux.Handler(&http.Request{Method: r.Method, URL: &page, Host: r.Host})
	i := slices.IndexFunc(s.routes, func(rt Route) bool { return rt.Pattern == pattern })
	if i < 0 || !strings.HasPrefix(pattern, http.MethodGet) {
		return false
	}
	if s.routes[i].Audience == Public {
		w.Header().Set("Cache-Control", cacheControl(maxAge))
	}
	serve.RecordFrom(r.Context()).Route = pattern
	http.Redirect(w, r, page.RequestURI(), http.StatusMovedPermanently)
	return true
}

// maxFormBytes bounds the body of most forms.
const maxFormBytes = 8 << 10

// serve returns the handler of a route: it names the route for the log, bounds
// the body and opens the session.
func (s *Site) serve(rt Route) http.Handler {
	rt.MaxForm = cmp.Or(rt.MaxForm, maxFormBytes)
	next := s.withSession(rt)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).Route = rt.Pattern
		r.Body = http.MaxBytesReader(w, r.Body, rt.MaxForm)
		next.ServeHTTP(w, r)
	})
}

// visit runs a route inside its session, if the visitor may use it.
func (s *Site) visit(rt Route, v *Visit) (err error) {
	if v.User, err = s.sessionUser(v.Context()); err != nil {
		return err
	}
	switch {
	case rt.Audience != Anyone && v.User == nil:
		return &Problem{Status: http.StatusUnauthorized, Message: "error.sign-in", signIn: true}
	case rt.Audience == Admins && !v.User.Admin:
		return &Problem{Status: http.StatusForbidden, Message: "error.admins-only"}
	case v.R.Method == http.MethodPost:
		return s.visitWithForm(rt, v)
	}
	return rt.Handle(v)
}

// visitWithForm reads the form and runs the route, if there is memory for it.
func (s *Site) visitWithForm(rt Route, v *Visit) error {
	if s.FormMemory != nil {
		owner := account.Network(v.Client())
		if v.User != nil {
			owner = v.User.ID
		}
		release, err := s.FormMemory(v.W, v.R, owner, 2*rt.MaxForm) // as sent, and its fields
		if err != nil {
			return &Problem{Status: http.StatusServiceUnavailable, Message: "error.busy", RetryAfter: 5 * time.Second}
		}
		defer func() { serve.RecordFrom(v.Context()).CutOff = release() }()
	}
	if _, ok := errors.AsType[*http.MaxBytesError](v.R.ParseForm()); ok { // the handler would see an empty form
		return &Problem{Status: http.StatusRequestEntityTooLarge, Message: "error.too-large", Args: []any{rt.MaxForm >> 10}}
	}
	return rt.Handle(v)
}

// person answers the script of a public page with what belongs to the visitor: the header and the choice
// of a language. The answer is empty if nobody is signed in.
func (s *Site) person(v *Visit) error {
	if v.User == nil {
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	r := v.R.Clone(v.Context())
	var err error
	if r.URL, err = url.Parse(LocalPath(v.Form("page"), "/")); err != nil {
		return err
	}
	page := s.NewVisit(v.W, r)
	page.User = v.User
	var body bytes.Buffer
	if err := s.templates.execute(&body, "error", "person", page); err != nil {
		return err
	}
	return v.Send(http.StatusOK, htmlType, body.Bytes())
}

// fail answers a visit that ended with an error. The visitor does not read the
// error's own text, unless it is a problem.
func (s *Site) fail(v *Visit, err error) {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		p = &Problem{Status: http.StatusInternalServerError, Message: "error.internal"}
		if errors.Is(err, errStore) || errors.Is(err, context.DeadlineExceeded) {
			p = &Problem{Status: http.StatusServiceUnavailable, Message: "error.unavailable", RetryAfter: 5 * time.Second}
		}
		if !errors.Is(v.Context().Err(), context.Canceled) { // the browser is still there
			s.Log.Error("page failed", "request_id", serve.RecordFrom(v.Context()).RequestID, "error", err)
		}
	}
	if p.signIn {
		address := "/signin"
		if v.R.Method == http.MethodGet {
			address += "?" + url.Values{"back": {v.R.URL.RequestURI()}}.Encode()
		}
		http.Redirect(v.W, v.R, v.To(address), http.StatusSeeOther)
		return
	}
	if p.RetryAfter > 0 {
		v.SetRetryAfter(p.RetryAfter)
	}
	if err := v.renderProblem(p); err != nil {
		s.Log.Error("error page failed", "error", err)
	}
}

type errorView struct {
	Status    int
	Sentence  string
	Retry     bool // the same address may work later
	RequestID string
}

// renderProblem writes the error page, or only the status if that fails.
func (v *Visit) renderProblem(p *Problem) error {
	view := errorView{Status: p.Status, Sentence: v.T(p.Message, p.Args...), Retry: p.RetryAfter > 0 && v.R.Method == http.MethodGet, RequestID: serve.RecordFrom(v.Context()).RequestID}
	err := v.Render(p.Status, "error", view)
	if err != nil {
		http.Error(v.W, http.StatusText(p.Status), p.Status)
	}
	return err
}

// InternalError answers a request whose handler panicked.
func (s *Site) InternalError(w http.ResponseWriter, r *http.Request) {
	// The panic is in the log already.
	_ = s.NewVisit(w, r).renderProblem(&Problem{Status: http.StatusInternalServerError, Message: "error.internal"})
}

// PlatformName returns the display name of a platform.
func (s *Site) PlatformName(p catalog.Platform) string {
	if p == catalog.PCStore {
		return s.Names[1]
	}
	return s.Names[0]
}

// Curl returns a command that sends a request to this server with a token.
func (s *Site) Curl(token, path string) string {
	return "curl -H 'Authorization: Bearer " + token + "' \\\n  '" + s.PublicURL + path + "'"
}
