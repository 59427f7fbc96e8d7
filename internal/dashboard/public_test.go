package dashboard_test

import (
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func withPublicPages(_ *world, c *dashboard.Config) {
	c.Web.PublicPages, c.Web.PublicLimits = true, web.PublicLimits{Each: 1000, All: 5000}
}

var languages = []string{"en", "ru", "uk"}

// passerby is somebody without an account at a service with public pages. It follows no
// redirects.
func passerby(t testing.TB, change ...func(*world, *dashboard.Config)) *visitor {
	t.Helper()
	v := newWorld(t, append([]func(*world, *dashboard.Config){withPublicPages}, change...)...).newVisitor().staying()
	v.header = http.Header{"Accept-Language": {"fr"}}
	return v
}

func (w *world) publicGame(lang string, p catalog.Platform, title string) string {
	w.t.Helper()
	place := web.Locale{Lang: lang, Market: web.Market{Currency: "USD"}}
	for n := range w.live.View().Len() {
		if c := w.live.View().Card(n); c.Platform() == p && c.TitleIn(w.live.View().Language("en")) == title {
			shown := c.TitleIn(w.live.View().Language(catalog.Language(lang)))
			return place.Game(p, c.ID(), shown, nil)
		}
	}
	w.t.Fatalf("there is no card %q", title)
	return ""
}

func (w *world) publicPages() []string {
	return []string{"/en", "/en/browse", "/en/browse?q=witcher", "/en/browse?sort=title&country=PL", "/en/status", "/en/deals/main", "/en/deals/all", "/en/deals/ua?currency=EUR",
		w.publicGame("en", catalog.PCStore, "The Witcher 3: Wild Hunt"), w.publicGame("en", catalog.ConsoleStore, "ELDEN RING") + "?country=IN&currency=INR"}
}

// TestPublicPages opens a page of each kind without an account, and follows every link of the
// service on it: none leads to the sign-in, except the one that says so, and that to watch a game.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	seen := map[string]bool{}
	for _, path := range v.w.publicPages() {
		p := v.get(path)
		p.wants(t, http.StatusOK)
		for _, link := range links(p.body, "/") {
			link, _, _ = strings.Cut(link, "#")
			if seen[link] || strings.HasPrefix(link, "/answers/") || strings.HasPrefix(link, "/watched?") {
				continue
			}
			seen[link] = true
			v.get(link).wants(t, http.StatusOK)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d links", len(seen))
	}
}

// TestEveryPublicRouteIsTested checks that the tests of public pages open every one of them.
func TestEveryPublicRouteIsTested(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	opened := http.NewServeMux()
	seen := map[string]bool{}
	for _, pattern := range dashboard.PublicPatterns() {
		opened.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
		seen[pattern] = !strings.HasPrefix(pattern, "GET /en") && strings.Count(pattern, "/") > 1 // another language
	}
	base, _, _ := strings.Cut(v.w.publicGame("en", catalog.PCStore, "The Witcher 3: Wild Hunt"), "/the-witcher-3-wild-hunt/")
	for _, path := range append(v.w.publicPages(), base+"/the-witcher-3-wild-hunt", "/en/suggest?q=wit", "/en/games", "/en/deals", "/robots.txt", "/sitemap.xml") {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		_, pattern := opened.Handler(r)
		seen[pattern] = true
		p := v.get(path)
		for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cache-Control"} {
			if p.header.Get(h) == "" {
				t.Errorf("%s has no %s", path, h)
			}
		}
	}
	for pattern, tested := range seen {
		if !tested && pattern != "GET /ru" && pattern != "GET /uk" {
			t.Errorf("no test opens %s", pattern)
		}
	}
}

// TestWithoutPublicPages checks that nothing of the catalog is public without the flag, and that no link of the
// pages for everybody leads to a page of the catalog.
func TestWithoutPublicPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.newVisitor()
	for _, path := range append(w.publicPages(), "/en/deals/ua.atom") {
		if p := v.get(path); p.path != "/en/signin" || p.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: status %d at %s, %s", path, p.status, p.path, p.header.Get("Cache-Control"))
		}
	}
	v.get("/sitemap.xml").wants(t, http.StatusNotFound)
	if p := v.get("/robots.txt"); p.status != http.StatusOK || p.body != "User-agent: *\nDisallow: /\n" {
		t.Errorf("robots.txt: status %d\n%s", p.status, p.body)
	}
	if p := v.get("/favicon.ico"); p.status != http.StatusOK || p.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the icon: status %d, %v", p.status, p.header)
	}
	for _, path := range []string{"/signin", "/docs"} {
		if p := v.get(path); len(links(p.body, "/en/browse"))+len(links(p.body, "/en/deals")) > 0 {
			t.Errorf("%s leads to the catalog", path)
		}
	}
}

// TestFormerAddresses opens addresses that pages of the catalog had behind the sign-in.
func TestFormerAddresses(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for path, want := range map[string]string{
		"/explore": "/en/browse", "/explore?q=witcher": "/en/browse?q=witcher", "/explore/suggest?q=w": "/en/suggest?q=w", "/deals?regions=PL&minDiscount=50": "/en/deals/pl?minDiscount=50",
		"/explore/pcstore/the-witcher-3-wild-hunt?region=UA": "/en/games/pcstore/the-witcher-3-wild-hunt/-?region=UA",
	} {
		v.moves(path, want)
	}
}

// moves checks that an address leads to another one for good, and returns the answer.
func (v *visitor) moves(path, want string) answered {
	v.w.t.Helper()
	p := v.get(path)
	if p.status != http.StatusMovedPermanently || p.header.Get("Location") != want {
		v.w.t.Errorf("%s: status %d to %q, want %q; %v", path, p.status, p.header.Get("Location"), want, p.header)
	}
	return p
}

// TestFirstAddress checks that only the first address depends on the language of the browser.
func TestFirstAddress(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for language, want := range map[string]string{"fr": "/en", "ru,en;q=0.5": "/ru", "": "/en", "en-GB": "/en?currency=GBP"} {
		v.header.Set("Accept-Language", language)
		p := v.get("/")
		if p.status != http.StatusSeeOther || p.header.Get("Location") != want || !slices.Contains(p.header.Values("Vary"), "Accept-Language") {
			t.Errorf("%q: status %d to %q, Vary %q", language, p.status, p.header.Get("Location"), p.header.Values("Vary"))
		}
	}
	v.w.addUser(bobEmail, false)
	v.w.signedIn(bobEmail).get("/").wants(t, http.StatusOK).isAt(t, "/")
}

// TestPublicPagesDependOnTheAddressAlone sends cookies and headers of all kinds: the page and its
// headers are those of somebody who sends none. Only the coding depends on a header.
func TestPublicPagesDependOnTheAddressAlone(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	v.w.addUser(annEmail, true)
	ann := v.w.signedIn(annEmail)
	for _, path := range v.w.publicPages() {
		plain := v.get(path)
		if len(plain.header.Values("Set-Cookie")) > 0 || strings.Join(plain.header.Values("Vary"), ", ") != "Accept-Encoding" {
			t.Errorf("%s: cookies %q, Vary %q", path, plain.header.Values("Set-Cookie"), plain.header.Values("Vary"))
		}
		ann.plant("market", "JP.JPY")
		ann.plant("language", "ru")
		for name, header := range map[string]http.Header{
			"language":  {"Accept-Language": {"ru"}},
			"host":      {"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"ftp"}, "Forwarded": {"host=evil.example"}, "X-Original-Url": {"/admin"}},
			"signed in": {"X-Forwarded-For": {"203.0.113.9"}},
		} {
			ann.header = header
			other := ann.get(path)
			if other.status != plain.status || other.body != plain.body {
				t.Errorf("%s: another page with another %s", path, name)
			}
			for _, h := range []string{"Cache-Control", "ETag", "Vary", "Set-Cookie", "Location"} {
				if other.header.Get(h) != plain.header.Get(h) && h != "Cache-Control" {
					t.Errorf("%s: %s is %q with another %s, not %q", path, h, other.header.Get(h), name, plain.header.Get(h))
				}
			}
		}
	}
}

func TestHostIsNotTrusted(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for _, path := range append(v.w.publicPages(), "/", "/en/games/pcstore/the-witcher-3-wild-hunt", "/en/deals/UA", "/robots.txt", "/sitemap.xml") {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.w.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		resp, err := v.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if text := string(body) + resp.Header.Get("Location"); err != nil || strings.Contains(text, "evil.example") {
			t.Errorf("%s: the page has the Host of the request, %v", path, err)
		}
	}
}

// TestOneAddress checks that each page has one address: others lead to it for good.
func TestOneAddress(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	game := v.w.publicGame("en", catalog.PCStore, "The Witcher 3: Wild Hunt")
	base := strings.TrimSuffix(game, "/the-witcher-3-wild-hunt")
	for path, want := range map[string]string{
		base:                        game,
		base + "/another-title":     game,
		base + "/The-Witcher-3?x=1": game,
		base + "/x?country=ua&region=UA&answer=prices&period=6m":   game + "?country=UA&period=6m&region=UA",
		strings.Replace(base, "the-witcher-3", "THE-WITCHER-3", 1): game,
		"/en/deals/UA":                                  "/en/deals/ua",
		"/en/deals/ukr?currency=EUR":                    "/en/deals/ua?currency=EUR",
		"/en/deals/all?regions=PL&sort=&minDiscount=50": "/en/deals/pl?minDiscount=50",
		"/en/deals/ua?regions=main":                     "/en/deals/main",
	} {
		v.moves(path, want)
		v.get(want).wants(t, http.StatusOK)
	}
	for _, path := range []string{"/en/deals/zz", "/en/deals/zw", "/en/deals/ua,pl", "/en/games/toaster/x", "/en/games/pcstore/no-such-game/x", "/fr", "/fr/", "/en/admin", "/en/admin/", "/en/browse/x"} {
		v.get(path).wants(t, http.StatusNotFound)
	}
}

// TestTypedAddresses opens addresses that people type: they lead to the page, which has one address.
// Nothing leads to another server.
func TestTypedAddresses(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	game := v.w.publicGame("uk", catalog.PCStore, "The Witcher 3: Wild Hunt")
	for path, want := range map[string]string{
		"/en/":                       "/en",
		"/ru/?country=UA":            "/ru?country=UA",
		"/en/browse/":                "/en/browse",
		"/en/browse/?q=a%2Fb&page=2": "/en/browse?q=a%2Fb&page=2",
		"/en/deals/ua/":              "/en/deals/ua",
		"/en/status/":                "/en/status",
		game + "/":                   game,
		"/docs/":                     "/docs",
		"/signin/?back=%2Fusage":     "/signin?back=%2Fusage",
		"/en/games":                  "/en/browse",
		"/ru/games?currency=EUR&x=1": "/ru/browse?currency=EUR",
		"/en/deals":                  "/en/deals/main",
		"/en/deals?x=//evil.example": "/en/deals/main",
		"/uk/deals?country=ua&currency=EUR&minDiscount=50": "/uk/deals/ua?currency=EUR&minDiscount=50",
		"/en/deals?regions=PL":                             "/en/deals/pl",
	} {
		p := v.moves(path, want)
		kept := "public, max-age=300"
		if path[0:2] == "/d" || path[0:2] == "/s" { // no public page
			kept = "private, no-store"
		}
		if p.header.Get("Cache-Control") != kept || p.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", path, p.header)
		}
		v.get(want).wants(t, http.StatusOK)
	}
	for _, path := range []string{"//", "//evil.example/", "//evil.example/en/", "/en//", "/en/../en/", "/en/./", "/en%2F", "/en/browse%2F", "/%5Cevil.example/", "/.evil.example/", "/nothing/", "/assets/", "/fr/deals", "/fr/games", "/suggest/"} {
		p := v.get(path)
		if p.status != http.StatusNotFound || p.header.Get("Location") != "" || strings.HasPrefix(p.header.Get("Cache-Control"), "public") {
			t.Errorf("%s: status %d to %q, Cache-Control %q", path, p.status, p.header.Get("Location"), p.header.Get("Cache-Control"))
		}
	}
	v.post("/signin/", "email", annEmail).wants(t, http.StatusNotFound) // a form for /signin/
}

func linkTags(page string) map[string]string {
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`<link rel="(canonical|alternate)"(?: hreflang="([a-z-]+)")? href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		found[strings.TrimSpace(m[1]+" "+m[2])] = html.UnescapeString(m[3])
	}
	return found
}

// TestCanonicalAddresses checks that pages in all languages name each other, and themselves
// without the currency.
func TestCanonicalAddresses(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for path, want := range map[string]string{
		"/ru?currency=EUR":          "/ru",
		"/en/browse?country=PL":     "/en/browse?country=PL",
		"/en/deals/ua?currency=EUR": "/en/deals/ua",
		v.w.publicGame("en", catalog.ConsoleStore, "ELDEN RING") + "?country=IN&currency=INR": v.w.publicGame("en", catalog.ConsoleStore, "ELDEN RING") + "?country=IN",
	} {
		tags := linkTags(v.get(path).body)
		if tags["canonical"] != v.w.server.URL+want {
			t.Errorf("%s: canonical %q, want %q", path, tags["canonical"], want)
		}
		for _, lang := range languages {
			address, ok := strings.CutPrefix(tags["alternate "+lang], v.w.server.URL)
			if !ok || !strings.HasPrefix(address, "/"+lang) {
				t.Fatalf("%s: alternates %q", path, tags)
			}
			p := v.get(address)
			if other := linkTags(p.body); p.status != http.StatusOK || other["canonical"] != v.w.server.URL+address || other["alternate en"] != tags["alternate en"] {
				t.Errorf("%s: %s has status %d and names %q", path, address, p.status, other)
			}
		}
	}
	for _, path := range []string{"/en?country=FR", "/uk/browse?country=FR", "/en/browse?q=witcher", "/en/browse?types=dlc", "/en/deals/ua?minDiscount=50", v.w.publicGame("en", catalog.PCStore, "The Witcher 3: Wild Hunt") + "?period=6m"} {
		if p := v.get(path); !strings.Contains(p.body, `<meta name="robots" content="noindex">`) || linkTags(p.body)["canonical"] != "" {
			t.Errorf("%s: search engines may list it", path)
		}
	}
}

// TestLocales checks that messengers learn the language and the country of a page's texts, and in
// which others it is.
func TestLocales(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for lang, want := range map[string]string{
		"en": " en_US alternate:ru_RU alternate:uk_UA", "ru": " ru_RU alternate:en_US alternate:uk_UA", "uk": " uk_UA alternate:en_US alternate:ru_RU",
	} {
		for _, path := range []string{"", "/browse?q=witcher", "/deals/ua", "/status"} {
			got := ""
			for _, m := range regexp.MustCompile(`<meta property="og:locale(?::(alternate))?" content="([^"]*)">`).FindAllStringSubmatch(v.get("/"+lang+path).body, -1) {
				got += " " + strings.TrimPrefix(m[1]+":", ":") + m[2]
			}
			if got != want {
				t.Errorf("/%s%s: %s, want %s", lang, path, got, want)
			}
		}
	}
}

func structured(t *testing.T, page string) map[string]any {
	t.Helper()
	_, text, ok := strings.Cut(page, `<script type="application/ld+json">`)
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "</script>")
	var data map[string]any
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return data
}

// TestPublicPagesAreCompressed checks what a browser that accepts gzip gets: the same page in a
// fifth of the bytes, with an entity tag of its own. Pages behind the sign-in are not compressed.
func TestPublicPagesAreCompressed(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	game := v.w.publicGame("en", catalog.ConsoleStore, "ELDEN RING")
	style := regexp.MustCompile(`/assets/style\.css\?v=[\w-]+`).FindString(v.get(game).body)
	for _, path := range []string{game, "/en/browse", "/en/status", style} {
		v.header.Set("Accept-Encoding", "identity")
		plain := v.get(path)
		v.header.Set("Accept-Encoding", "br, gzip")
		packed := v.get(path)
		if plain.header.Get("Content-Encoding") != "" || packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" || plain.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v, compressed %v", path, plain.header, packed.header)
		}
		unpacked, err := gzip.NewReader(strings.NewReader(packed.body))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if body, err := io.ReadAll(unpacked); err != nil || string(body) != plain.body || len(packed.body)*2 > len(plain.body) {
			t.Errorf("%s: %v, %d bytes compressed, %d not", path, err, len(packed.body), len(plain.body))
		}
		if path == style {
			continue
		}
		plainTag, packedTag := plain.header.Get("ETag"), packed.header.Get("ETag")
		if plainTag == "" || plainTag == packedTag {
			t.Errorf("%s: the tags are %s and %s", path, plainTag, packedTag)
		}
		for _, tag := range []string{plainTag, packedTag} {
			v.header.Set("If-None-Match", tag)
			if got := v.get(path); got.status != http.StatusNotModified || got.header.Get("ETag") != tag || got.header.Get("Content-Encoding") != "" {
				t.Errorf("%s: If-None-Match %s: status %d, %v", path, tag, got.status, got.header)
			}
		}
		v.header.Del("If-None-Match")
	}
	v.w.addUser(bobEmail, false)
	bob := v.w.signIn(bobEmail)
	bob.header.Set("Accept-Encoding", "gzip")
	if p := bob.get("/keys"); p.status != http.StatusOK || p.header.Get("Content-Encoding") != "" {
		t.Errorf("a page behind the sign-in: status %d, %v", p.status, p.header)
	}
}

// TestPublicCaching checks the headers for caches: a page is kept until the next discount on it
// ends, at most 5 minutes.
func TestPublicCaching(t *testing.T) {
	t.Parallel()
	now := time.Now()
	v := passerby(t, func(_ *world, c *dashboard.Config) { c.Web.Now = func() time.Time { return now } })
	v.header.Set("Accept-Encoding", "identity")
	game := v.w.publicGame("en", catalog.ConsoleStore, "ELDEN RING")
	p := v.get(game)
	if got := p.header.Get("Cache-Control"); got != "public, max-age=300" {
		t.Errorf("Cache-Control: %q", got)
	}
	tag := p.header.Get("ETag")
	for _, sent := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		v.header.Set("If-None-Match", sent)
		if q := v.get(game); q.status != http.StatusNotModified || q.body != "" || q.header.Get("ETag") != tag || q.header.Get("Cache-Control") == "" {
			t.Errorf("If-None-Match %s: status %d, %v", sent, q.status, q.header)
		}
	}
	v.header.Set("If-None-Match", `"x"`)
	v.get(game).wants(t, http.StatusOK) // another tag
	end := int64(0)
	for n := range v.w.live.View().Len() {
		c := v.w.live.View().Card(n)
		rows := c.Rows()
		for i := range rows.Len() {
			if at := rows.At(i).EndsAt; strings.HasPrefix(c.Title(), "ELDEN RING") && at > 0 && (end == 0 || at < end) {
				end = at
			}
		}
	}
	now = time.UnixMilli(end).Add(-42 * time.Second)
	if got := v.get(game).header.Get("Cache-Control"); got != "public, max-age=42" {
		t.Errorf("42 seconds before the end: %q", got)
	}
	for _, path := range []string{"/en/games/pcstore/no-such-game/x", "/en/deals/zz"} {
		if got := v.get(path).header.Get("Cache-Control"); got != "public, max-age=300" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestPublicPagesFollowTheCatalog checks that a page is made again when the catalog or the exchange rates
// change, and not when it is only known to be fresher.
func TestPublicPagesFollowTheCatalog(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	first := v.get("/en/browse").body
	old := v.w.live.View()
	swap := func(s *index.Snapshot, rates money.Rates) string {
		v.w.live.Swap(index.NewView(s, index.Published{Seq: old.Seq + 1, Rates: rates, BuiltAt: catalog.Millis(old.IndexBuiltAt) + 1}))
		return v.get("/en/browse").body
	}
	if swap(old.Snapshot, old.Rates) != first {
		t.Error("the page changed with the manifest")
	}
	if swap(old.Snapshot, money.Rates{}) == first {
		t.Error("the page has dollars without rates")
	}
	other, err := hostileCatalog()
	if err != nil {
		t.Fatal(err)
	}
	if page := swap(other.Snapshot, old.Rates); page == first || strings.Contains(page, "ELDEN RING") {
		t.Error("the page has games of the catalog before")
	}
}

// TestPublicLimits checks the limit of an address and the one of all, and that neither touches
// people who are signed in.
func TestPublicLimits(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Minute).Add(20 * time.Second)
	v := passerby(t, func(w *world, c *dashboard.Config) {
		c.Web.PublicLimits = web.PublicLimits{Each: 3, All: 5}
		c.Web.Now = func() time.Time { return now }
		behindProxy(w, c)
	})
	get := func(from string) int {
		v.header.Set("X-Forwarded-For", from)
		p := v.get("/en")
		if p.status == http.StatusTooManyRequests && (p.header.Get("Retry-After") != "40" || p.header.Get("Cache-Control") != "private, no-store") {
			t.Errorf("headers %v", p.header)
		}
		return p.status
	}
	var got []int
	for _, from := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.3"} {
		got = append(got, get(from))
	}
	want := []int{200, 200, 200, 429, 200, 200, 429}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	now = now.Add(time.Minute)
	if status := get("192.0.2.1"); status != http.StatusOK {
		t.Errorf("a minute later: %d", status)
	}
	v.w.addUser(bobEmail, false)
	bob := v.w.signedIn(bobEmail)
	for range 10 {
		bob.get("/keys").wants(t, http.StatusOK)
	}
}

// TestPublicForms checks that forms of public pages send what the next page depends on, and are
// never posted.
func TestPublicForms(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for _, path := range v.w.publicPages() {
		p := v.get(path)
		if strings.Contains(p.body, `method="post"`) {
			t.Errorf("%s has a form that is posted", path)
		}
	}
	p := v.get("/en/browse?q=witcher&country=PL&currency=EUR&platform=pcstore")
	p.has(t, `<input type="hidden" name="country" value="PL">`, `<input type="hidden" name="currency" value="EUR">`, `<input type="hidden" name="q" value="witcher">`,
		`data-suggest="/en/suggest?country=PL&amp;currency=EUR"`, `action="/en/browse"`)
	for _, link := range links(p.body, "/en/games/") {
		if u, _ := url.Parse(link); u.Query().Get("country") != "PL" || u.Query().Get("currency") != "EUR" {
			t.Errorf("the link %s is of another country", link)
		}
	}
	var found []struct{ Title, Address string }
	if err := json.Unmarshal([]byte(v.get("/en/suggest?q=wit&country=PL").body), &found); err != nil || len(found) == 0 || !strings.HasSuffix(found[0].Address, "?country=PL") {
		t.Errorf("suggestions %v, %v", found, err)
	}
}

// heaviestFamily has the heaviest pages of the sample, if it is sold in 60 countries.
const heaviestFamily = "The Witcher 3: Wild Hunt"

// TestGamePageSize reads the pages of a family of games that is sold in 60 countries. Without pictures, a page has at most 60 KB, not compressed,
// in every language, also for a chosen country and currency.
func TestGamePageSize(t *testing.T) {
	t.Parallel()
	v := passerby(t, func(w *world, _ *dashboard.Config) {
		w.sellEverywhere(heaviestFamily)
		w.fillUp(0)
	})
	view := v.w.live.View()
	heaviest := 0
	for _, lang := range languages {
		for n := range view.Len() {
			if c := view.Card(n); c.Rows().Len() >= 60 {
				for _, market := range []web.Market{{Currency: money.USD}, {Country: "UA", Currency: "EUR"}} {
					place := web.Locale{Lang: lang, Market: market}
					path := place.Game(c.Platform(), c.ID(), c.TitleIn(view.Language(catalog.Language(lang))), nil)
					p := v.get(path)
					if p.status != http.StatusOK || len(p.body) > 60<<10 {
						t.Errorf("%s: status %d, %d bytes", path, p.status, len(p.body))
					}
					heaviest = max(heaviest, len(p.body))
				}
			}
		}
	}
	t.Logf("the heaviest page has %d bytes", heaviest)
	if heaviest == 0 {
		t.Fatal("no game is sold in 60 countries")
	}
}
