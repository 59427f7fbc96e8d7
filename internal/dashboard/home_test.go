package dashboard_test

import (
	"bufio"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/index"
)

func TestHome(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	p := v.get("/")
	p.wants(t, http.StatusOK, "Game prices in every country")
	p.has(t, `href="/docs"`, `href="/signin"`, `href="/status"`)
	p.lacks(t, `href="/en/browse`, `href="/deals`, `href="/keys`)
	v.get("/nowhere").wants(t, http.StatusNotFound, "does not exist")
}

// TestHomeOfUsers checks what the first page shows before the first key, before its first
// request, and after that.
func TestHomeOfUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	v := w.signIn(bobEmail)
	v.get("/").wants(t, http.StatusOK, "Your first prices in three steps", `href="/keys/new"`, "Bearer gdx_…", "/catalog/prices?ids=", "Everything works", "New deals", "New in the catalog")
	key, token := w.addKey(bob, "price bot")
	v.get("/").wants(t, http.StatusOK, `href="/keys/`+key.ID+`">price bot</a>`, "Your first requests", "Bearer "+key.Prefix+"…")
	w.requestAPI(token, "/account/me").wants(t, http.StatusOK)
	v.get("/").has(t, "1 of ").lacks(t, "Your first requests") // after a request
	for i := range 6 {
		w.addKey(bob, fmt.Sprintf("key %d", i))
	}
	v.get("/").wants(t, http.StatusOK, "2 more keys", ">price bot</a>") // the one that was used comes first
}

// TestHomeSaysHowFreshPricesAre checks that the first line has the age of each store in the active
// region where it is the oldest, and that of the rates, and that it leads to the status.
func TestHomeSaysHowFreshPricesAre(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w := v.w
	v.get("/").wants(t, http.StatusOK, `Last updated: exchange rates – <span title="`) // the age of prices is not known

	view := *w.live.View()
	age := func(region string, minutes int64) catalog.Freshness {
		return catalog.Freshness{Region: catalog.MustRegion(region), Listings: 1, MedianSeen: catalog.Millis(millis() - minutes*60_000 - 1000)}
	}
	view.Platforms = []index.PlatformState{
		{Platform: catalog.ConsoleStore, Status: "operational", Freshness: []catalog.Freshness{age("DE", 300), age("PL", 17), age("UA", 4)}}, // Germany is not active
		{Platform: catalog.PCStore, Status: "degraded", Freshness: []catalog.Freshness{age("UA", 130)}},
	}
	w.live.Swap(&view)
	p := v.get("/")
	line := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(between(t, p.body, `<p class="notice summary warn">`, "</p>"), "")
	line = regexp.MustCompile(`rates – .*\. Status`).ReplaceAllString(strings.Join(strings.Fields(line), " "), "rates – X. Status")
	const want = "The service works, but something needs attention. Last updated: Console Store – 17 minutes ago, PC Store – 2 hours ago, exchange rates – X. Status"
	if line != want {
		t.Errorf("%q, want %q", line, want)
	}
	p.wants(t, http.StatusOK, `<a href="/status">Status</a></p>`)
}

func TestHomeWithoutACatalog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, c *dashboard.Config) {
		c.Catalog = func() *overview.Catalog { return nil }
	})
	w.addKey(w.addUser(bobEmail, false), "price watcher")
	p := w.signedIn(bobEmail).get("/")
	p.wants(t, http.StatusOK, "The service is not ready yet.", "price watcher")
	p.lacks(t, "Last updated", "New deals", "New in the catalog")
}

func TestFirstRequestsWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	p, token := w.signIn(bobEmail).createKey("first")
	paths := regexp.MustCompile(`/api/v1(/\S+?)&#39;</code>`).FindAllStringSubmatch(p.body, -1)
	if len(paths) != 2 || strings.Count(p.body, "Bearer "+token) != 2 {
		t.Fatalf("%d requests in\n%s", len(paths), p.body)
	}
	for _, path := range paths {
		w.requestAPI(token, html.UnescapeString(path[1])).wants(t, http.StatusOK)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	for path, allow := range map[string]string{"/": "GET, HEAD", "/signin": "GET, HEAD, POST", "/signout": "POST"} {
		p := v.do(http.MethodDelete, path, nil)
		if p.status != http.StatusMethodNotAllowed || p.header.Get("Allow") != allow {
			t.Errorf("DELETE %s: %d, Allow %q, want 405 and %q", path, p.status, p.header.Get("Allow"), allow)
		}
	}
	if p := v.do(http.MethodDelete, "/nowhere", nil); p.status != http.StatusNotFound || p.header.Get("Allow") != "" {
		t.Errorf("DELETE /nowhere: %d, Allow %q", p.status, p.header.Get("Allow"))
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const english, russian, ukrainian = "Game prices in every country", "Цены на игры во всех странах", "Ціни на ігри в усіх країнах"
	for _, tt := range []struct{ accept, want string }{
		{"", english}, {"de", english}, {"ru", russian}, {"ru-RU,ru;q=0.9,en;q=0.8", russian},
		{"en-GB,ru;q=0.5", english}, {"garbage;;;q=9", english}, {"uk,ru;q=0.5", ukrainian}, {"uk-UA", ukrainian}, {"fr,uk;q=0.5,ru;q=0.3", ukrainian},
	} {
		v := w.newVisitor()
		v.header.Set("Accept-Language", tt.accept)
		if p := v.get("/"); !strings.Contains(p.body, tt.want) {
			t.Errorf("Accept-Language %q: no %q in the page", tt.accept, tt.want)
		}
	}
	v := w.newVisitor()
	v.post("/language", "to", "ru", "back", "/?x=1").isAt(t, "/", russian)
	v.get("/").has(t, russian)                                                         // it is kept
	v.post("/language", "to", "uk", "back", "/").has(t, ukrainian, `<html lang="uk">`) // after the choice of Ukrainian
}

// TestPathsAreTakenAsTheyAre checks that a path that is not clean is not found,
// instead of redirected. Only a single slash at the end of a page's path is
// redirected (TestTypedAddresses).
func TestPathsAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor().staying()
	for _, path := range []string{"//", "//evil.example", "/signin//", "/signin/.", "/./signin", "/./signin/", "/x/../signin", "//signin", "/signin//oidc", "/assets/../signin"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.URL.Path = path
		answer := httptest.NewRecorder()
		v.w.server.Config.Handler.ServeHTTP(answer, r)
		if answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d to %q", path, answer.Code, answer.Header().Get("Location"))
		}
	}
}

func TestAFormIsTooLarge(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	v.post("/signin", "email", strings.Repeat("a", 9_000)).wants(t, http.StatusRequestEntityTooLarge, "8 KiB")
}

// TestAtOnceSlowFormsOfOneNetwork sends more forms at once than one network may hold
// memory for, and does not complete them: that network is turned away, and others
// can sign in.
func TestAtOnceSlowFormsOfOneNetwork(t *testing.T) {
	var held atomic.Int32
	w := newWorld(t, behindProxy, func(_ *world, c *dashboard.Config) {
		memory := c.Web.FormMemory
		c.Web.FormMemory = func(rw http.ResponseWriter, r *http.Request, owner string, bytes int64) (func() bool, error) {
			release, err := memory(rw, r, owner, bytes)
			if err == nil {
				held.Add(1)
			}
			return release, err
		}
	})
	addr := strings.TrimPrefix(w.server.URL, "http://")
	send := func(from, form string) net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST /signin HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\nOrigin: %s\r\nX-Forwarded-Proto: https\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 14\r\n\r\n%s", addr, from, w.server.URL, form)
		return conn
	}
	status := func(from, form string) int {
		res, err := http.ReadResponse(bufio.NewReader(send(from, form)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode
	}
	for range 2048 { // half of 64 MiB, 16 KiB each
		send("2001:db8::1", "email=a")
	}
	w.eventually("the forms hold memory", func() bool { return held.Load() == 2048 })
	if got := status("2001:db8::2", "email=ann@a.b&"); got != http.StatusServiceUnavailable {
		t.Errorf("the same network is not turned away: status %d", got)
	}
	if got := status("2001:db8:1::1", "email=ann@a.b&"); got == http.StatusServiceUnavailable {
		t.Error("another network is turned away too")
	}
}

// TestLongAddressesFitTheForms checks that the forms of a page with a long address
// are not too large to be sent.
func TestLongAddressesFitTheForms(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	v.get("/?q="+strings.Repeat("a", 9_000)).has(t, `name="back" value="/"`)
}
