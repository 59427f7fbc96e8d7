package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func (d *Dashboard) handleExplore() {
	d.site.Handle("GET /explore", web.SignedIn, d.explore)
	d.site.Handle("GET /explore/suggest", web.SignedIn, d.suggest)
	d.site.Handle("GET /explore/consolestore/{id}", web.SignedIn, d.consoleCard)
	d.site.Handle("GET /explore/pcstore/{slug}", web.SignedIn, d.pcCard)
}

const (
	explorePage = 20 // results on a page
	// maxExplorePage is the last page that the API has an offset for.
	maxExplorePage = math.MaxInt32 / explorePage
	popularCards   = 12 // shown before anything is searched
	suggestions    = 8
	catalogWait    = time.Minute // after which a catalog may be there

	minQuery, maxQuery = 2, 200 // characters, as the API wants them
)

// exploreView is what explore.html shows.
type exploreView struct {
	Search  searchBox
	Heading string // key of the title
	Lead    string // what to say above the tiles; ""
	Tips    string // what to say below the lead; ""
	Tiles   []tile
	// Prev and Next lead to the neighbouring pages; "" where there is none.
	Prev, Next  string
	Page, Pages int // 0: there are no pages
}

// searchBox is the form that every page of the explorer has.
type searchBox struct {
	Query     string
	Platforms []selectable
	Max       int // length of the query
}

// selectable is one of the options of a list to choose from.
type selectable struct {
	Value, Name string
	Chosen      bool
}

// tile is a card among others.
type tile struct {
	Address string
	Title   string
	Type    string // key
	Place   string // store, and devices
	Cover   cover
	Price   priceTag
	Priced  bool   // whether the price is to be shown
	Regions string // alpha-2 codes
}

// priceTag is a price in short; zero without one.
type priceTag struct {
	Text   string
	Off    int    // percent; 0: no discount
	Before string // the price without it
}

// explore searches, or shows what is well known.
func (d *Dashboard) explore(v *web.Visit) error {
	live := d.cfg.Live.View()
	if live == nil {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: catalogWait}
	}
	view := exploreView{Search: d.searchBox(v), Heading: "explore.title"}
	switch length := utf8.RuneCountInString(view.Search.Query); {
	case length == 0:
		view.Lead, view.Tips = v.T("explore.hint"), v.T("explore.popular")
		view.Tiles = d.popular(live, platformChosen(v), v.Now())
	case length < minQuery:
		view.Lead = v.T("explore.too-short")
	case length > maxQuery:
		view.Lead = v.T("explore.too-long")
	default:
		if err := d.find(v, live, &view); err != nil {
			return err
		}
	}
	return v.Render(http.StatusOK, "explore", view)
}

// searchBox is the form with what the visitor asked.
func (d *Dashboard) searchBox(v *web.Visit) searchBox {
	chosen := platformChosen(v)
	box := searchBox{Query: searched(v), Max: maxQuery, Platforms: []selectable{{Value: "", Name: v.T("explore.all"), Chosen: chosen == 0}}}
	for _, p := range catalog.Platforms() {
		box.Platforms = append(box.Platforms, selectable{p.String(), d.site.PlatformName(p), p == chosen})
	}
	return box
}

// searched is the text to search for, as the API takes it.
func searched(v *web.Visit) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(v.Form("q"), " ")), " ")
}

// platformChosen is the platform to search in; 0: all.
func platformChosen(v *web.Visit) catalog.Platform {
	for _, p := range catalog.Platforms() {
		if p.String() == v.Form("platform") {
			return p
		}
	}
	return 0
}

// searchQuery is what the visitor asks as parameters of the API and of this
// page alike.
func searchQuery(v *web.Visit) url.Values {
	q := url.Values{"q": {searched(v)}}
	if p := platformChosen(v); p != 0 {
		q.Set("platform", p.String())
	}
	return q
}

// popular are the best known games, straight from the index: in its order.
func (d *Dashboard) popular(live *index.View, p catalog.Platform, now int64) []tile {
	var tiles []tile
	for i := 0; i < live.Len() && len(tiles) < popularCards; i++ {
		c := live.Card(i)
		if p != 0 && c.Platform() != p {
			continue
		}
		t := tile{Address: cardAddress(c.Platform().String(), c.ID()), Title: c.Title(), Type: typeKey(c.Type().String()),
			Place: d.place(c), Cover: coverOf(d.site.ImageSource(c.Thumbnail()), c.Title()), Priced: true}
		if row, ok := c.SimplePrice(now); ok {
			t.Price.Text = row.CurrentText()
			if row.Discounted() {
				t.Price.Off, t.Price.Before = row.Percent, row.BaseText()
			}
		}
		tiles = append(tiles, t)
	}
	return tiles
}

// find searches in the API and puts what it found into the view.
func (d *Dashboard) find(v *web.Visit, live *index.View, view *exploreView) error {
	page := pageAsked(v)
	query := searchQuery(v)
	query.Set("limit", strconv.Itoa(explorePage))
	query.Set("offset", strconv.Itoa((page-1)*explorePage))
	var found searchAnswer
	if _, err := d.ask(v, "search", query, &found); err != nil {
		return err
	}
	total := found.Data.Total
	view.Heading = "explore.results"
	view.Lead = v.N("explore.found", total, view.Search.Query)
	if total == 0 {
		view.Tips = v.T("explore.none")
		return nil
	}
	for _, r := range found.Data.Results {
		view.Tiles = append(view.Tiles, d.resultTile(live, r))
	}
	view.turn(v, page, (total+explorePage-1)/explorePage)
	return nil
}

// pageAsked is the page of the results to show, the first if none is named.
func pageAsked(v *web.Visit) int {
	n, err := strconv.Atoi(v.Form("page"))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxExplorePage)
}

// turn sets the links between pages. From a page beyond the last one the way
// back is to the last one.
func (view *exploreView) turn(v *web.Visit, page, pages int) {
	if pages > 1 || page > pages {
		view.Page, view.Pages = page, pages
	}
	address := func(n int) string {
		q := searchQuery(v)
		q.Set("page", strconv.Itoa(n))
		return "/explore?" + q.Encode()
	}
	if page > 1 {
		view.Prev = address(min(page-1, pages))
	}
	if page < min(pages, maxExplorePage) {
		view.Next = address(page + 1)
	}
	if page > pages {
		view.Tips = v.T("explore.beyond", v.Number(page))
	}
}

func (d *Dashboard) resultTile(live *index.View, r searchResult) tile {
	return tile{
		Address: cardAddress(r.Platform, r.ID), Title: r.Title, Type: typeKey(r.Type), Place: d.placeOf(live, r.Platform, r.ID),
		Cover: coverOf(d.site.ImageSource(r.Thumbnail), r.Title), Price: tagOf(live, r.Price), Priced: true, Regions: strings.ToUpper(strings.Join(r.Regions, " · ")),
	}
}

// placeOf is the place of a card that the API names.
func (d *Dashboard) placeOf(live *index.View, platform, id string) string {
	p, err := catalog.ParsePlatform(platform)
	if err != nil {
		return platform
	}
	if live != nil {
		if c, ok := live.Lookup(p, id); ok {
			return d.place(c)
		}
	}
	return d.site.PlatformName(p)
}

// place is where a card is at home: its store, and the consoles, by which two
// cards with one title are told apart.
func (d *Dashboard) place(c index.Card) string {
	name := d.site.PlatformName(c.Platform())
	if known := devices(c); known != "" && c.Platform() == catalog.ConsoleStore {
		name += " · " + known
	}
	return name
}

// devices are what a card runs on.
func devices(c index.Card) string {
	list := c.Platforms()
	names := make([]string, list.Len())
	for i := range names {
		names[i] = list.At(i)
	}
	return strings.Join(names, ", ")
}

// tagOf makes the short form of a price. The API gives the price without
// discount as a number alone; it is written as the first active region with
// that currency writes it.
func tagOf(live *index.View, p *simplePrice) priceTag {
	if p == nil {
		return priceTag{}
	}
	tag := priceTag{Text: p.Formatted}
	if p.Discount != nil && p.Discount.Percentage > 0 {
		tag.Off = p.Discount.Percentage
		tag.Before = new(money.Formatter).Format(homeOf(live, p.Currency), money.Currency(p.Currency), money.Amount(p.Discount.OriginalPrice))
	}
	return tag
}

// homeOf is the alpha-2 code of the first active region with a currency; ""
// if there is none.
func homeOf(live *index.View, currency string) string {
	for _, r := range live.Active() {
		if c, ok := money.RegionCurrency(r.Alpha2); ok && string(c) == currency {
			return r.Alpha2
		}
	}
	return ""
}

// cardAddress is the page of a card.
func cardAddress(platform, id string) string {
	return "/explore/" + platform + "/" + url.PathEscape(id)
}

// typeKey is the key of the word for a type.
func typeKey(name string) string { return "explore.type." + name }

// suggestion is one of the answers to what was typed so far.
type suggestion struct {
	Title    string `json:"title"`
	Platform string `json:"platform"`
	Address  string `json:"address"`
}

// suggest answers the script of the search box, with JSON. What cannot be
// suggested is an empty list: the search itself will say why.
func (d *Dashboard) suggest(v *web.Visit) error {
	list := []suggestion{}
	status := http.StatusOK
	if n := utf8.RuneCountInString(searched(v)); n >= minQuery && n <= maxQuery {
		query := searchQuery(v)
		query.Set("limit", strconv.Itoa(suggestions))
		var found suggestAnswer
		_, err := d.ask(v, "suggest", query, &found)
		if p := (*web.Problem)(nil); errors.As(err, &p) {
			status = p.Status
		} else if err != nil {
			return err
		}
		live := d.cfg.Live.View()
		for _, s := range found.Data.Suggestions {
			list = append(list, suggestion{s.Title, d.placeOf(live, s.Platform, s.ID), cardAddress(s.Platform, s.ID)})
		}
	}
	body, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("write suggestions: %w", err)
	}
	h := v.W.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body) // who types on does not wait
	return nil
}

// cardGone answers for an id that no card has: with what became of it, and a
// way to search again.
func (d *Dashboard) cardGone(v *web.Visit, platform catalog.Platform, g *gone) error {
	view := exploreView{Search: d.searchBox(v), Heading: "explore.gone.title", Lead: v.T("explore.gone")}
	if len(g.successors) > 0 {
		view.Lead = v.T("explore.moved")
	}
	for _, id := range g.successors {
		view.Tiles = append(view.Tiles, d.successor(platform, id))
	}
	return v.Render(http.StatusNotFound, "explore", view)
}

// successor leads to a card in which listings of a former one live.
func (d *Dashboard) successor(platform catalog.Platform, id string) tile {
	live := d.cfg.Live.View()
	t := tile{Address: cardAddress(platform.String(), id), Title: id, Place: d.placeOf(live, platform.String(), id)}
	if live != nil {
		if c, ok := live.Lookup(platform, id); ok {
			t.Title, t.Type = c.Title(), typeKey(c.Type().String())
			t.Cover = coverOf(d.site.ImageSource(c.Thumbnail()), t.Title)
			return t
		}
	}
	t.Cover = coverOf("", id)
	return t
}
