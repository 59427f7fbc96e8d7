package dashboard_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/api/overview"
	"gamedex/internal/bucket"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/admin"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/reference"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/dashboard/webhooks"
	"gamedex/internal/demo"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/quota"
	"gamedex/internal/registry"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/testing/await"
)

// world is the dashboard and the API as the program puts them together: over a
// separate database, the sample catalog, real keys and real counters.
type world struct {
	t       testing.TB
	db      *sqldb.DB
	live    *index.Live
	keys    *account.Cache
	usage   *quota.Usage
	flusher *quota.Flusher
	proxies serve.Proxies
	server  *httptest.Server
	log     *await.Text
}

// The people of every world.
const (
	annEmail = "ann@example.org" // an administrator
	bobEmail = "bob@example.org" // a user
	password = "correct horse battery"
)

// newWorld starts a world. Changes of the config come before it starts; the
// server has its address by then, in Config.PublicURL.
func newWorld(t testing.TB, change ...func(*world, *dashboard.Config)) *world {
	t.Helper()
	sample := sampleCatalog()
	if sample.err != nil {
		t.Fatal(sample.err)
	}
	w := &world{t: t, live: new(index.Live), log: &await.Text{}}
	w.live.Swap(sample.view)
	path := filepath.Join(t.TempDir(), "gamedex.db")
	if err := os.WriteFile(path, sample.database, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.db, err = sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.keys = account.NewCache(w.db.Accounts, millis, log)
	counter := quota.NewMemory()
	w.usage = quota.NewUsage(rand.Text(), w.db.Accounts)
	w.flusher = quota.NewFlusher(counter, w.usage, w.db.Accounts, millis, log)
	w.background(w.keys.Run, w.flusher.Run)

	w.server = httptest.NewUnstartedServer(nil)
	w.server.Start()
	t.Cleanup(w.server.Close)
	limits := quota.Limits{Minute: 30, Day: 43200}
	wire := api.New(w.wire(counter, limits, quota.Limits{Minute: 120, Day: 20_000}))
	cfg := dashboard.Config{
		Catalog: wire.Catalog, Status: status.Repositories{ListingCount: w.db.Listings.ListingCount, Sweeps: w.db.Sweeps, Nodes: w.db.Nodes, Registry: storedNodes{w}},
		API:       wire.Pages,
		Watched:   w.db.Accounts,
		Reference: reference.Config{Document: api.OpenAPI(), API: wire.Person},
		Admin:     admin.Config{Users: w.db.Accounts, Links: w.db.Accounts, Keys: w.db.Accounts, Platforms: w.db.Nodes, SearchAudit: w.db.Accounts.SearchAudit, Webhooks: w.db.Webhooks},
		Webhooks:  webhooks.Config{Repository: w.db.Webhooks, KeysOf: w.db.Accounts.KeysOf, API: wire.KeyOwner},
		Keys:      keys.Config{Repository: w.db.Accounts, Counter: counter, Limits: limits, OwnerLimits: w.keys.OwnerLimits, Flush: w.flusher.Flush, LastUsed: w.keys.LastUsed},
		SignIn:    signin.Config{Users: w.db.Accounts, Links: w.db.Accounts, KeysOf: w.db.Accounts.KeysOf, Passwords: account.NewPasswords(2)},
		Web: web.Config{
			Repository: w.db.Accounts, SignUp: web.SignUpInvite, PublicURL: w.server.URL, Names: [2]string{"Console Store", "PC Store"}, Version: "1.2.3",
			Client:     func(r *http.Request) netip.Addr { return w.proxies.Client(r) },
			HTTPS:      func(r *http.Request) bool { return w.proxies.HTTPS(r) },
			Secure:     func(*http.Request) bool { return false },
			FormMemory: wire.FormMemory,
			Now:        time.Now, Rand: rand.Reader, Log: log,
		},
	}
	for _, f := range change {
		f(w, &cfg)
	}
	pages, err := dashboard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.server.Config.Handler = &serve.Front{
		Next: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/api/v1/"):
				wire.ServeHTTP(rw, r)
			case strings.HasPrefix(r.URL.Path, demo.CoverPath):
				svg, _ := sample.demo.Cover(strings.TrimPrefix(r.URL.Path, demo.CoverPath))
				rw.Header().Set("Content-Type", "image/svg+xml")
				_, _ = rw.Write(svg)
			default:
				pages.ServeHTTP(rw, r)
			}
		}),
		Log: log, Rand: rand.Reader, Now: time.Now, OnPanic: pages.InternalError,
	}
	return w
}

// past reads the past prices of a world's database.
type past struct{ *sqldb.DB }

func (p past) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	return p.DB.Listings.Histories(ctx, keys, since, until, fn)
}

func (p past) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	return p.DB.Nodes.EachDayRates(ctx, first, last, fn)
}

// storedNodes are the nodes of a world's database.
type storedNodes struct{ *world }

func (s storedNodes) List() registry.List {
	list, err := s.db.Nodes.ListNodes(context.Background())
	if err != nil {
		s.t.Error(err)
	}
	return list
}

// addNode makes a node that was just seen, whose clock is ahead.
func (w *world) addNode(name string, ahead time.Duration, limitDay string, roles ...string) {
	w.t.Helper()
	n := registry.Node{ID: rand.Text(), Name: name, Version: "1.2.3", Roles: roles, Seq: 41, Settings: registry.Settings{}}
	n.Settings.Set("limit-day", limitDay)
	if _, _, err := w.db.Nodes.Beat(w.t.Context(), n, func() time.Time { return time.Now().Add(ahead) }); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wire(counter quota.Counter, limits, person quota.Limits) api.Config {
	return api.Config{
		Version: "1.2.3", ConsoleName: "Console Store", PCName: "PC Store", Limits: limits, PersonLimits: person, Clock: time.Now,
		Live: w.live, Past: past{w.db}, Keys: w.keys, Counter: counter, Usage: w.usage,
		Webhooks: w.db.Webhooks, WebhookHosts: receiverHosts,
		Failed: func(id string, err error) { w.t.Errorf("the API failed: request %s: %v", id, err) },
	}
}

// background runs loops until the test ends.
func (w *world) background(loops ...func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, loop := range loops {
		wg.Go(func() {
			if err := loop(ctx); err != nil {
				w.t.Error(err)
			}
		})
	}
	w.t.Cleanup(func() { cancel(); wg.Wait() })
}

func millis() int64 { return time.Now().UnixMilli() }

// passwordHash is the hash of everybody's password, made once.
var passwordHash = sync.OnceValues(func() (string, error) {
	return account.NewPasswords(1).Hash(context.Background(), password)
})

// addUser makes a user with the world's password.
func (w *world) addUser(email string, admin bool) account.User {
	w.t.Helper()
	phc, err := passwordHash()
	if err != nil {
		w.t.Fatal(err)
	}
	id, err := account.NewUserID(millis(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	u := account.User{ID: id, Email: email, Admin: admin, PasswordHash: phc, CreatedAt: millis()}
	if err := w.db.Accounts.CreateUser(w.t.Context(), u, account.By{At: millis(), Actor: "cli:test"}); err != nil {
		w.t.Fatal(err)
	}
	return u
}

// addKey makes a key for a user; its token works at once.
func (w *world) addKey(u account.User, name string) (account.Key, string) {
	w.t.Helper()
	return w.issue(millis(), u.ID, account.Draft{Name: name, UserID: u.ID})
}

// issue makes a key at a time, in the name of an actor.
func (w *world) issue(at int64, actor string, d account.Draft) (account.Key, string) {
	w.t.Helper()
	key, token, err := d.Issue(at, rand.Reader)
	if err == nil {
		err = w.db.Accounts.CreateKey(w.t.Context(), key, account.By{At: at, Actor: actor})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return key, token
}

// requestAPI requests a path of the API with a token and returns the response.
func (w *world) requestAPI(token, path string) answered {
	w.t.Helper()
	client := w.newVisitor()
	client.header.Set("Authorization", "Bearer "+token)
	return client.get("/api/v1" + path)
}

// visitor is a browser without script: it keeps cookies and follows redirects.
type visitor struct {
	w      *world
	client *http.Client
	header http.Header // sent with every request
	lang   string      // in which addresses "/en/…" are opened; "" is English
	market string      // a query that is added to them: "country=PL&currency=PLN"
}

// newVisitor returns a visitor who has never been here.
func (w *world) newVisitor() *visitor {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	return &visitor{w: w, client: client, header: http.Header{"Accept-Language": {"en"}}}
}

// signIn returns a visitor who signed in as the user with this email.
func (w *world) signIn(email string) *visitor {
	w.t.Helper()
	v := w.newVisitor()
	if p := v.post("/signin", "email", email, "password", password); p.status != http.StatusOK || p.path == "/signin" {
		w.t.Fatalf("sign-in of %s: status %d at %s\n%s", email, p.status, p.path, p.body)
	}
	return v
}

// signedIn returns a visitor with a session of the user with this address. It is
// cheaper than [world.signIn], which hashes a password.
func (w *world) signedIn(email string) *visitor {
	w.t.Helper()
	v := w.newVisitor()
	v.plant(sessionCookie, w.addSession(bodyOf(w.user(email))))
	return v
}

// answered is a page as the visitor got it, redirects followed.
type answered struct {
	status int
	path   string // where the redirects ended
	header http.Header
	body   string
}

func (v *visitor) get(path string) answered {
	v.w.t.Helper()
	if rest, ok := strings.CutPrefix(path, "/en/"); ok {
		path = "/" + cmp.Or(v.lang, "en") + "/" + rest
		if v.market != "" {
			path += map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")] + v.market
		}
	}
	return v.do(http.MethodGet, path, nil)
}

// post sends a form of names and values.
func (v *visitor) post(path string, pairs ...string) answered {
	v.w.t.Helper()
	return v.do(http.MethodPost, path, valuesOf(pairs))
}

// valuesOf returns a form of names and values.
func valuesOf(pairs []string) url.Values {
	form := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		form.Add(pair[0], pair[1])
	}
	return form
}

func (v *visitor) do(method, path string, form url.Values) answered {
	v.w.t.Helper()
	header := http.Header{}
	if form != nil {
		header.Set("Content-Type", formKind)
	}
	p := v.request(v.client, method, v.w.server.URL+path, strings.NewReader(form.Encode()), header)
	if bad := badText(p.body); bad != "" && strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		v.w.t.Errorf("%s %s: the page has the text %s", method, path, bad)
	}
	return p
}

// request sends a request with the visitor's headers and others.
func (v *visitor) request(client *http.Client, method, address string, body io.Reader, header http.Header) answered {
	v.w.t.Helper()
	req, err := http.NewRequestWithContext(v.w.t.Context(), method, address, body)
	if err != nil {
		v.w.t.Fatal(err)
	}
	maps.Copy(req.Header, v.header)
	maps.Copy(req.Header, header)
	resp, err := client.Do(req)
	if err != nil {
		v.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.w.t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Request.URL.Path, resp.Header, string(text)}
}

// badText returns what a page shows where a text is missing, or its arguments are not those
// that it takes; "" if it shows nothing like that.
func badText(page string) string {
	return cmp.Or(missingText.FindString(page), wrongArguments.FindString(page))
}

// Two expressions, because a search for one that begins with a fixed text is fast.
var (
	missingText    = regexp.MustCompile(`\[[a-z]+\.[a-z0-9.-]+\]`)
	wrongArguments = regexp.MustCompile(`%!(?:\(|s)`)
)

// cookie returns the value of a cookie that the visitor has; "" without it.
func (v *visitor) cookie(name string) string {
	u, _ := url.Parse(v.w.server.URL)
	for _, c := range v.client.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// answerAlways answers requests on behalf of any visitor.
func answerAlways(f http.HandlerFunc) func(overview.Visitor) http.Handler {
	return func(overview.Visitor) http.Handler { return f }
}

// sample is the sample catalog: a database that holds it, and the view that a
// builder made of it.
type sample struct {
	demo     *demo.Catalog
	database []byte
	view     *index.View
	err      error
}

// sampleCatalog builds it once for all tests.
var sampleCatalog = sync.OnceValue(func() (s sample) {
	s.err = s.fill()
	return s
})

// sampleURL is where the covers of the sample are said to be.
const sampleURL = "https://covers.example"

func (s *sample) fill() (err error) {
	dir, err := os.MkdirTemp("", "gamedex-dashboard")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gamedex.db")
	ctx := context.Background()
	db, err := sqldb.Open(ctx, "sqlite:"+path, engine.Options{Create: true})
	if err != nil {
		return err
	}
	if s.demo, err = demo.New(); err != nil {
		return err
	}
	now := catalog.MillisOf(time.Now())
	for batch := range slices.Chunk(slices.Collect(s.demo.Listings(sampleURL, now)), listings.MaxBatch) {
		if _, err := db.Listings.Save(ctx, batch); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(slices.Collect(s.demo.Past(now)), listings.MaxBatch) {
		if _, err := db.Listings.SaveHistory(ctx, batch); err != nil {
			return err
		}
	}
	tables, err := demo.PastRates(now)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := saveRates(ctx, db, table, catalog.Millis(table.UpdatedAt())); err != nil {
			return err
		}
	}
	rates, err := demo.Rates(now)
	if err != nil {
		return err
	}
	if err := saveRates(ctx, db, rates, now); err != nil {
		return err
	}
	if s.view, err = buildOnce(ctx, db, filepath.Join(dir, "snapshots")); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	s.database, err = os.ReadFile(path)
	return err
}

func saveRates(ctx context.Context, db *sqldb.DB, table money.Rates, at catalog.Millis) error {
	_, err := db.Nodes.SaveRates(ctx, nodes.Rates{Body: table.AppendJSON(nil), UpdatedAt: table.UpdatedAt(), Source: "demo"}, true, at)
	return err
}

// buildOnce runs a builder until it has published, and opens what it made.
func buildOnce(ctx context.Context, db *sqldb.DB, dir string) (*index.View, error) {
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var active []catalog.Region
	for _, code := range []string{"UA", "TR", "PL", "IN"} {
		active = append(active, catalog.MustRegion(code))
	}
	ctx, cancel := context.WithTimeout(ctx, await.Patience)
	defer cancel()
	builder := builder.New(builder.Config{
		Database: source{db}, Publication: db.Nodes, ServedIDs: db.Listings, Bucket: folder,
		Leases: lease.Holder{Repository: db.Nodes, ID: "test", TTL: 20 * time.Second},
		Active: active, Overrides: func(context.Context) (override.Set, error) { return override.Set{}, nil },
		States: func(context.Context, string) ([]index.PlatformState, error) {
			var states []index.PlatformState
			for _, p := range catalog.Platforms() {
				states = append(states, index.PlatformState{Platform: p, Status: "operational"})
			}
			return states, nil
		},
		Now: time.Now, Clock: time.Now, Log: slog.New(slog.DiscardHandler), OnBuild: func(builder.Report) { cancel() },
	})
	if err := builder.Run(ctx); err != nil {
		return nil, err
	}
	var live index.Live
	follower := publish.NewFollower(folder, &live, func(error) {})
	if _, err := follower.Poll(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	if live.View() == nil {
		return nil, fmt.Errorf("nothing was built")
	}
	return live.View(), nil
}

// source adapts the database to the builder.
type source struct{ *sqldb.DB }

func (s source) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	return s.DB.Listings.Newest(ctx)
}

func (s source) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return s.DB.Listings.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

func (s source) Regions(ctx context.Context) ([]catalog.Region, error) {
	return s.DB.Listings.Regions(ctx)
}

func (s source) Loading(context.Context) (bool, error) { return false, nil }

func (s source) Rates(ctx context.Context) (money.Rates, error) {
	stored, _, err := s.DB.Nodes.LoadRates(ctx)
	if err != nil {
		return money.Rates{}, err
	}
	return money.ParseRates(stored.Body)
}
