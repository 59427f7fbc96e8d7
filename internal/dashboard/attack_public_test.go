package dashboard_test

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mmcdole/gofeed"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
)

var structuredPart = regexp.MustCompile(`<script type="application/ld\+json">([^<]*)</script>`)

func withoutStructured(t *testing.T, p seen) seen {
	t.Helper()
	for _, part := range structuredPart.FindAllStringSubmatch(p.body, -1) {
		if !json.Valid([]byte(part[1])) {
			t.Errorf("%s: structured data %s", p.name, part[1])
		}
	}
	p.body = structuredPart.ReplaceAllString(p.body, "")
	return p
}

// everyPublicAddress returns the addresses of all cards of a catalog in all languages, and of every
// list, feed and file.
func (w *world) everyPublicAddress() (addresses []string) {
	live := w.live.View()
	for _, lang := range languages {
		place := web.Locale{Lang: lang, Market: web.Market{Country: "UA", Currency: "EUR"}}
		for n := range live.Len() {
			c := live.Card(n)
			addresses = append(addresses, place.Game(c.Platform(), c.ID(), c.TitleIn(live.Language(catalog.Language(lang))), nil))
		}
		addresses = append(addresses, "/"+lang, "/"+lang+"/browse", "/"+lang+"/deals/ua", "/"+lang+"/deals/all.atom")
		for _, q := range []string{"window", "script", "img", "plain"} {
			addresses = append(addresses, "/"+lang+"/browse?q="+q, "/"+lang+"/suggest?q="+q)
		}
	}
	return append(addresses, "/sitemap.xml?part=games-1")
}

// TestPublicTextStaysText shows a catalog whose texts try to become markup, scripts and addresses
// of other schemes on every public page, in feeds, the sitemap, structured data and previews.
func TestPublicTextStaysText(t *testing.T) {
	t.Parallel()
	tame := passerby(t)
	var plain []seen
	for _, path := range append(tame.w.publicPages(), "/en/deals/ua", "/ru/browse?q=the", "/en/games/pcstore/no/x", "/en/deals/main?sort=ends&maxUsd=x") {
		plain = append(plain, withoutStructured(t, seen{path, tame.get(path)}))
	}
	view, err := hostileCatalog()
	if err != nil {
		t.Fatal(err)
	}
	v := passerby(t, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	addresses := v.w.everyPublicAddress()
	for _, address := range addresses { // what the stores' texts need beside the sample
		if p := v.get(address); strings.Contains(p.body, "<h1>plain") || strings.Contains(address, "q=plain") {
			plain = append(plain, withoutStructured(t, seen{address, p}))
		}
	}
	known, shown := kinds(t, plain), 0
	for _, address := range addresses {
		p := v.get(address)
		p.wants(t, http.StatusOK)
		switch kind := p.header.Get("Content-Type"); {
		case strings.HasPrefix(kind, "text/html"):
			checkPage(t, withoutStructured(t, seen{address, p}), known)
			checkPreview(t, address, p.body)
		case strings.HasPrefix(kind, "application/json"):
			if !json.Valid([]byte(p.body)) {
				t.Errorf("%s: %s", address, p.body)
			}
		case strings.HasPrefix(kind, "application/atom+xml"):
			checkFeed(t, address, p.body)
		default:
			if err := xml.Unmarshal([]byte(p.body), new(mapped)); err != nil {
				t.Errorf("%s: %v", address, err)
			}
		}
		if strings.Contains(html.UnescapeString(p.body), payloads[0]) {
			shown++
		}
	}
	if shown < 10 {
		t.Errorf("%d pages show the first text", shown)
	}
}

// checkPreview checks what other programs show of a page: addresses of the web, and texts that do
// not turn the direction of what follows them.
func checkPreview(t *testing.T, address, page string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`<meta (?:property|name)="([^"]*)" content="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		content := html.UnescapeString(m[2])
		if m[1] == "og:image" || m[1] == "og:url" {
			if u, err := url.Parse(content); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				t.Errorf("%s: %s is %q", address, m[1], content)
			}
		}
		if strings.ContainsFunc(content, turns) {
			t.Errorf("%s: %s is %q", address, m[1], content)
		}
	}
}

func turns(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

func checkFeed(t *testing.T, address, text string) {
	t.Helper()
	feed, err := gofeed.NewParser().ParseString(text)
	if err != nil || len(feed.Items) == 0 {
		t.Fatalf("%s: %v", address, err)
	}
	for _, item := range feed.Items {
		if u, err := url.Parse(item.Link); err != nil || u.Scheme != "http" || strings.ContainsFunc(item.Title+item.Description, turns) {
			t.Errorf("%s: %q at %q", address, item.Title, item.Link)
		}
	}
}

// TestPublicRedirectsStayHere sends what browsers may take for another site.
func TestPublicRedirectsStayHere(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for _, evil := range []string{"//evil.test", "/\\evil.test", "https://evil.test", "..//evil.test", "%2f%2fevil.test", "javascript:alert(1)", "ua\r\nLocation: //evil.test", "UA/..//evil.test"} {
		query, segment := url.QueryEscape(evil), url.PathEscape(evil)
		for _, path := range []string{
			"/en/deals/ua?regions=" + query, "/en/deals/" + segment, "/en/deals/UA?currency=" + query, "/en/games/pcstore/" + segment, "/en/games/pcstore/the-witcher-3-wild-hunt/" + segment,
			"/en/games/pcstore/the-witcher-3-wild-hunt?region=" + query + "&period=" + query, "/en/games/" + segment, "/?back=" + query,
		} {
			p := v.get(path)
			if to := p.header.Get("Location"); p.status >= 300 && p.status < 400 && !regexp.MustCompile(`^/en(/(deals|games)/[^/\\]|$)`).MatchString(to) {
				t.Errorf("%s leads to %q", path, to)
			}
			if len(p.header.Values("Location")) > 1 || p.status >= 500 {
				t.Errorf("%s: status %d, %q", path, p.status, p.header.Values("Location"))
			}
		}
	}
}

// TestPublicGarbage sends long and broken requests: each gets a page that is not larger than others.
func TestPublicGarbage(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	long := strings.Repeat("Ж", 3000)
	for _, path := range []string{
		"/en/browse?q=" + url.QueryEscape(long), "/en/browse?cursor=" + strings.Repeat("A", 9000), "/en/browse?country=%zz&currency=%00", "/en/browse?q=%ff%fe",
		"/en/deals/ua?publishers=" + url.QueryEscape(long), "/en/deals/ua?cursor=x&minDiscount=abc", "/en/deals/" + url.PathEscape(long), "/en/games/pcstore/" + url.PathEscape(long) + "/x",
		"/en/suggest?q=" + url.QueryEscape(long), "/en/games/pcstore/the-witcher-3-wild-hunt/the-witcher-3-wild-hunt?" + strings.Repeat("region=UA&", 800),
		"/sitemap.xml?part=" + url.QueryEscape(long), "/en?" + strings.Repeat("x=1&", 3000),
	} {
		p := v.get(path)
		if p.status >= 500 || len(p.body) > 60<<10 {
			t.Errorf("%.60s: status %d, %d bytes", path, p.status, len(p.body))
		}
	}
}
