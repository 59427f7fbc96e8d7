package deals

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

// feedSize is how many deals a feed has, the newest first.
const feedSize = 50

const feedSuffix = ".atom"

// The elements of Atom, RFC 4287.
type (
	atomFeed struct {
		XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		Lang     string      `xml:"xml:lang,attr"`
		ID       string      `xml:"id"`
		Title    string      `xml:"title"`
		Subtitle string      `xml:"subtitle"`
		Updated  string      `xml:"updated"`
		Author   string      `xml:"author>name"`
		Links    []atomLink  `xml:"link"`
		Entries  []atomEntry `xml:"entry"`
	}

	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr,omitempty"`
		Href string `xml:"href,attr"`
	}

	atomEntry struct {
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Link    atomLink `xml:"link"`
		Summary string   `xml:"summary"`
	}
)

// feed answers with the newest deals of a region. If the filters are wrong, it answers with the
// page, which says so.
func (p *pages) feed(v *web.Visit, live *overview.Catalog, region string, form dealsForm) error {
	query := form.apiQuery(v, live, feedSize)
	query.Set("sort", "started")
	var found answer
	err := p.Call(v, "deals", query, &found)
	if _, ok := errors.AsType[*explore.RefusedError](err); ok {
		return p.deals(v, live, region, form)
	} else if err != nil {
		return err
	}
	page, address := p.Site.PublicURL+v.Locale.Deals(region, form.query()), p.feedAddress(v, region, form.query())
	name := regionName(v, live, region)
	feed := atomFeed{
		Lang: v.Lang(), ID: address, Title: v.T("public.deals.title", name), Subtitle: v.T("public.deals.about", name), Author: "gamedex",
		Links: []atomLink{{"self", "application/atom+xml", address}, {"alternate", "text/html", page}},
	}
	newest := int64(0)
	for _, row := range p.dealRows(v, found.Data.Items) {
		newest = max(newest, row.Began)
		feed.Entries = append(feed.Entries, p.atomEntry(v, &row, live.BuiltAt))
	}
	feed.Updated = explore.RFC3339(cmp.Or(newest, live.BuiltAt))
	return explore.SendXML(v, "application/atom+xml", feed)
}

// atomEntry returns a deal as an entry. A later discount of the same game is another entry.
func (p *pages) atomEntry(v *web.Visit, row *dealRow, builtAt int64) atomEntry {
	price := row.Tile.Price
	address := p.Site.PublicURL + row.Tile.Address
	began := cmp.Or(row.Began, builtAt)
	words := []string{price.Country}
	for _, badge := range price.Badges {
		words = append(words, badge.Text)
	}
	words = append(words, row.Verdict.Sentence(v))
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return atomEntry{
		ID:    address + "#" + strconv.FormatInt(row.Began, 10),
		Title: fmt.Sprintf("%s: %s, −%s", web.OneLine(row.Tile.Title), web.OneLine(price.Main), v.T("percent", v.Number(price.Off))), Updated: explore.RFC3339(began),
		Link: atomLink{Rel: "alternate", Type: "text/html", Href: address}, Summary: web.OneLine(strings.Join(words, " · ")),
	}
}

func (p *pages) feedAddress(v *web.Visit, region string, query url.Values) string {
	path, rest, _ := strings.Cut(v.Locale.Deals(region, query), "?")
	if rest != "" {
		rest = "?" + rest
	}
	return p.Site.PublicURL + path + feedSuffix + rest
}
