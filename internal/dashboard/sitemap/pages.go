package sitemap

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// partSize is how many addresses a part has. The protocol allows 50,000; parts of this size
// are made within milliseconds.
const partSize = 10_000

// Pages are the files of this package. Create them with [New].
type Pages struct {
	*explore.Explorer

	mu    sync.Mutex // held while the order is made, and while a part is
	known *order
}

// New registers the files with the site.
func New(e *explore.Explorer) *Pages {
	p := &Pages{Explorer: e}
	e.Site.HandleFile("/robots.txt", p.robots)
	e.Site.HandleFile("/sitemap.xml", p.sitemap)
	return p
}

// robots asks crawlers to leave out what is not for them.
func (p *Pages) robots(v *web.Visit) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"/api/", "/answers/", "/person", "/*/person", "/explore", "/deals", "/keys", "/usage", "/profile", "/signin", "/signup", "/forgotten", "/admin", "/*/suggest"} {
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

// sitemap answers with the list of parts, or with one of them.
func (p *Pages) sitemap(v *web.Visit) error {
	live, err := p.View()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || p.known.view != live {
		p.known = newOrder(live)
	}
	languages := v.Languages()
	games := max(partSize/len(languages), 1) // in a part
	part := v.Form("part")
	number, ok := strings.CutPrefix(part, "games-")
	n, err := strconv.Atoi(number)
	switch {
	case part == "":
		return send(v, p.list(games))
	case part == "pages":
		return send(v, p.pages(v, live))
	case ok && err == nil && n >= 1 && n <= (len(p.known.cards)+games-1)/games && number == strconv.Itoa(n):
		return send(v, p.games(v, (n-1)*games, min(n*games, len(p.known.cards))))
	}
	return web.NotFound()
}

// list returns the parts.
func (p *Pages) list(games int) *sitemapIndex {
	part := func(name string, at int64) entry {
		return entry{p.Site.PublicURL + "/sitemap.xml?part=" + name, changed(at)}
	}
	all := &sitemapIndex{Parts: []entry{part("pages", 0)}}
	for i := 0; i < len(p.known.cards); i += games {
		all.Parts = append(all.Parts, part("games-"+strconv.Itoa(i/games+1), p.known.changed(i)))
	}
	return all
}

// pages returns the addresses of all other pages.
func (p *Pages) pages(v *web.Visit, live *index.View) *urlSet {
	set := &urlSet{}
	add := func(address string) { set.URLs = append(set.URLs, entry{Address: p.Site.PublicURL + address}) }
	for _, l := range locales(v) {
		add(l.First())
		add(l.Browse(nil))
		add(l.Status())
		add(l.Deals(web.MainRegions, nil))
		add(l.Deals("all", nil))
		for _, region := range live.ListedRegions() {
			add(l.Deals(region.String(), nil))
		}
	}
	return set
}

// games returns the addresses of the games in a range of the order.
func (p *Pages) games(v *web.Visit, from, to int) *urlSet {
	set := &urlSet{}
	for i := from; i < to; i++ {
		card := p.known.view.Card(int(p.known.cards[i].number))
		for _, l := range locales(v) {
			address := l.Game(card.Platform(), card.ID(), explore.Title(p.known.view, card, l.Lang), nil)
			set.URLs = append(set.URLs, entry{p.Site.PublicURL + address, changed(p.known.changed(i))})
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

// changed formats Unix milliseconds as sitemaps require; "" for 0.
func changed(at int64) string {
	if at == 0 {
		return ""
	}
	return time.UnixMilli(at).UTC().Format(time.RFC3339)
}

// send answers with XML.
func send(v *web.Visit, document any) error {
	body, err := xml.Marshal(document)
	if err != nil {
		return fmt.Errorf("write a sitemap: %w", err)
	}
	return v.Send(http.StatusOK, "application/xml; charset=utf-8", append([]byte(xml.Header), body...))
}

// order has the cards of a view, the last changed first.
type order struct {
	view  *index.View
	cards []changedCard
}

type changedCard struct {
	number uint32
	at     int64 // Unix milliseconds
}

// newOrder sorts the cards by when one of their prices last changed, or when they were added.
func newOrder(view *index.View) *order {
	o := &order{view, make([]changedCard, view.Len())}
	var row index.Row
	for n := range o.cards {
		card := view.Card(n)
		at, rows := card.AddedAt(), card.Rows()
		for i := range rows.Len() {
			rows.Read(i, &row)
			at = max(at, row.PricedAt)
		}
		o.cards[n] = changedCard{uint32(n), at}
	}
	slices.SortFunc(o.cards, func(a, b changedCard) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.number, b.number))
	})
	return o
}

// changed returns when a card of the order last changed.
func (o *order) changed(i int) int64 { return o.cards[i].at }
