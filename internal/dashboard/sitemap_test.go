package dashboard_test

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
)

type mapped struct {
	XMLName xml.Name
	Entries []struct {
		Address string `xml:"loc"`
		Changed string `xml:"lastmod"`
	} `xml:",any"`
}

// sitemapAt reads a sitemap, and checks the rules of the protocol.
func (v *visitor) sitemapAt(path, element string) mapped {
	v.w.t.Helper()
	p := v.get(path)
	var m mapped
	if err := xml.Unmarshal([]byte(p.body), &m); err != nil || p.status != http.StatusOK || p.header.Get("Content-Type") != "application/xml; charset=utf-8" {
		v.w.t.Fatalf("%s: status %d, %v, %v", path, p.status, p.header, err)
	}
	if m.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" || m.XMLName.Local != element || len(m.Entries) > 50_000 || len(p.body) > 50<<20 {
		v.w.t.Errorf("%s: %v with %d addresses and %d bytes", path, m.XMLName, len(m.Entries), len(p.body))
	}
	for _, e := range m.Entries {
		if !strings.HasPrefix(e.Address, v.w.server.URL+"/") || len(e.Address) >= 2048 {
			v.w.t.Errorf("%s: the address %s", path, e.Address)
		}
		if _, err := time.Parse(time.RFC3339, e.Changed); err != nil && e.Changed != "" {
			v.w.t.Errorf("%s: %s changed at %q", path, e.Address, e.Changed)
		}
	}
	return m
}

// TestSitemap follows robots.txt to the sitemap and to every part of it: each address is there
// once, the last changed games first, and opens the page that it is the canonical address of.
func TestSitemap(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	robots := v.get("/robots.txt")
	_, address, _ := strings.Cut(robots.body, "\nSitemap: ")
	if robots.status != http.StatusOK || strings.TrimSpace(address) != v.w.server.URL+"/sitemap.xml" || !strings.HasPrefix(robots.header.Get("Content-Type"), "text/plain") {
		t.Fatalf("robots.txt: %d\n%s", robots.status, robots.body)
	}
	var addresses, changes []string
	for _, part := range v.sitemapAt("/sitemap.xml", "sitemapindex").Entries {
		for _, e := range v.sitemapAt(strings.TrimPrefix(part.Address, v.w.server.URL), "urlset").Entries {
			addresses = append(addresses, e.Address)
			if e.Changed != "" {
				changes = append(changes, e.Changed)
			}
		}
	}
	games := v.w.live.View().Len() * len(languages)
	if len(changes) != games || len(addresses) <= games {
		t.Errorf("%d addresses, %d of games, want %d", len(addresses), len(changes), games)
	}
	if !slices.IsSortedFunc(changes, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Error("the last changed are not first")
	}
	for i, address := range addresses {
		if strings.Contains(address, "?") { // pages of a country may have no price
			t.Errorf("%s is a view of another page", address)
		}
		if i%97 != 0 && i > 60 {
			continue
		}
		p := v.get(strings.TrimPrefix(address, v.w.server.URL))
		if canonical := linkTags(p.body)["canonical"]; p.status != http.StatusOK || canonical != address {
			t.Errorf("%s: status %d, canonical %s", address, p.status, canonical)
		}
	}
	slices.Sort(addresses)
	if n := len(addresses); len(slices.Compact(addresses)) != n {
		t.Error("an address is there twice")
	}
	for _, part := range []string{"games-0", "games-01", "games--1", "games-999999", "games-", "x", "pages%00"} {
		if p := v.get("/sitemap.xml?part=" + part); p.status != http.StatusNotFound {
			t.Errorf("part %s: status %d", part, p.status)
		}
	}
}

// TestRobotsLeaveOutWhatIsNotForThem checks that no public page is left out.
func TestRobotsLeaveOutWhatIsNotForThem(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for line := range strings.Lines(v.get("/robots.txt").body) {
		prefix, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: ")
		if !ok {
			continue
		}
		for _, path := range v.w.publicPages() {
			if strings.HasPrefix(path, prefix) {
				t.Errorf("%s is left out by %s", path, prefix)
			}
		}
	}
}

// TestFeedsOfDeals reads the feed of each kind of region with gofeed.
func TestFeedsOfDeals(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	for _, path := range []string{"/en/deals/main", "/en/deals/ua", "/ru/deals/all", "/uk/deals/pl?currency=EUR", "/en/deals/ua?minDiscount=50", "/en/deals/kz?maxDiscount=1"} {
		page := v.get(path)
		_, link, ok := strings.Cut(page.body, `<link rel="alternate" type="application/atom+xml" href="`)
		link, _, _ = strings.Cut(link, `"`)
		link = strings.ReplaceAll(link, "&amp;", "&")
		if !ok || !strings.HasPrefix(link, v.w.server.URL) {
			t.Fatalf("%s: the feed is %q", path, link)
		}
		p := v.get(strings.TrimPrefix(link, v.w.server.URL))
		feed, err := gofeed.NewParser().ParseString(p.body)
		if err != nil || p.status != http.StatusOK || p.header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
			t.Fatalf("%s: status %d, %v, %v", link, p.status, p.header, err)
		}
		lang := path[1:3]
		if feed.FeedType != "atom" || feed.FeedLink != link || feed.Link != v.w.server.URL+path || feed.Language != lang || feed.Title == "" || feed.UpdatedParsed == nil {
			t.Errorf("%s: %+v", link, feed)
		}
		if len(feed.Items) == 0 && !strings.Contains(path, "maxDiscount=1") {
			t.Errorf("%s: no entries", link)
		}
		ids := map[string]bool{}
		for i, item := range feed.Items {
			if ids[item.GUID] || item.Title == "" || item.UpdatedParsed == nil || item.Description == "" {
				t.Errorf("%s: entry %+v", link, item)
			}
			ids[item.GUID] = true
			if i > 0 && item.UpdatedParsed.After(*feed.Items[i-1].UpdatedParsed) {
				t.Errorf("%s: entry %d is newer than the one before", link, i)
			}
			if i < 3 {
				v.get(strings.TrimPrefix(item.Link, v.w.server.URL)).wants(t, http.StatusOK)
			}
		}
	}
	for path, want := range map[string]int{
		"/en/deals/UA.atom": http.StatusMovedPermanently, "/en/deals/zz.atom": http.StatusNotFound, "/en/deals/.atom": http.StatusNotFound,
		"/en/deals/ua.atom?minDiscount=-1": http.StatusUnprocessableEntity, "/en/deals/all.atom?types=x": http.StatusUnprocessableEntity,
	} {
		if p := v.get(path); p.status != want || want == http.StatusMovedPermanently && p.header.Get("Location") != "/en/deals/ua.atom" {
			t.Errorf("%s: status %d to %s", path, p.status, p.header.Get("Location"))
		}
	}
}
