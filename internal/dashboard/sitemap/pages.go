package sitemap

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

// partSize is how many addresses a part has. The protocol allows 50,000; parts of this size
// are made within milliseconds.
const partSize = 10_000

type pages struct {
	*explore.Explorer

	mu sync.Mutex // held while a part is made
}

// New registers the files with the site.
func New(e *explore.Explorer) {
	p := &pages{Explorer: e}
	e.Site.HandleFile("/robots.txt", p.robots)
	e.Site.HandleFile("/sitemap.xml", p.sitemap)
}

// robots asks crawlers to leave out what is not for them.
func (p *pages) robots(v *web.Visit) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"/api/", "/answers/", "/person", "/*/person", "/explore", "/deals", "/keys", "/usage", "/webhooks", "/watched", "/profile", "/signin", "/signup", "/forgotten", "/admin", "/*/suggest"} {
		fmt.Fprintf(&b, "Disallow: %s\n", path)
	}
	fmt.Fprintf(&b, "\nSitemap: %s/sitemap.xml\n", p.Site.PublicURL)
	return v.Send(http.StatusOK, "text/plain; charset=utf-8", []byte(b.String()))
}

// The elements of the protocol of sitemaps.org.
type (
	sitemapIndex struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Parts   []entry  `xml:"sitemap"`
	}

	urlSet struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []entry  `xml:"url"`
	}

	entry struct {
		Address string `xml:"loc"`
		Changed string `xml:"lastmod,omitempty"`
	}
)

func (p *pages) sitemap(v *web.Visit) error {
	live, err := p.Overview()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	changes := live.Changes()
	languages := v.Languages()
	games := max(partSize/len(languages), 1) // in a part
	part := v.Form("part")
	number, ok := strings.CutPrefix(part, "games-")
	n, err := strconv.Atoi(number)
	switch {
	case part == "":
		return explore.SendXML(v, "application/xml", p.list(changes, games))
	case part == "pages":
		return explore.SendXML(v, "application/xml", p.pages(v, live))
	case ok && err == nil && n >= 1 && n <= (len(changes)+games-1)/games && number == strconv.Itoa(n):
		return explore.SendXML(v, "application/xml", p.games(v, live, changes[(n-1)*games:min(n*games, len(changes))]))
	}
	return web.NotFound()
}

func (p *pages) list(changes []overview.Change, games int) *sitemapIndex {
	part := func(name string, at int64) entry {
		return entry{p.Site.PublicURL + "/sitemap.xml?part=" + name, explore.RFC3339(at)}
	}
	all := &sitemapIndex{Parts: []entry{part("pages", 0)}}
	for i := 0; i < len(changes); i += games {
		all.Parts = append(all.Parts, part("games-"+strconv.Itoa(i/games+1), changes[i].At))
	}
	return all
}

// pages returns the addresses of all other pages.
func (p *pages) pages(v *web.Visit, live *overview.Catalog) *urlSet {
	set := &urlSet{}
	add := func(address string) { set.URLs = append(set.URLs, entry{Address: p.Site.PublicURL + address}) }
	for _, l := range locales(v) {
		add(l.First())
		add(l.Browse(nil))
		add(l.Status())
		add(l.Deals(web.MainRegions, nil))
		add(l.Deals("all", nil))
		for _, region := range live.Regions {
			add(l.Deals(region.String(), nil))
		}
	}
	return set
}

func (p *pages) games(v *web.Visit, live *overview.Catalog, cards []overview.Change) *urlSet {
	set := &urlSet{}
	for _, card := range cards {
		for _, l := range locales(v) {
			address := l.Game(card.Platform(), card.ID(), live.Title(card, catalog.Language(l.Lang)), nil)
			set.URLs = append(set.URLs, entry{p.Site.PublicURL + address, explore.RFC3339(card.At)})
		}
	}
	return set
}

// locales returns the locale of every language, without a country.
func locales(v *web.Visit) (list []web.Locale) {
	for _, language := range v.Languages() {
		l := v.Locale
		l.Lang, l.Country = language.Code, ""
		list = append(list, l.Canonical())
	}
	return list
}
