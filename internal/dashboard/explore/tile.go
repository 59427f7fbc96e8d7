package explore

import (
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	folding "gamedex/internal/fold"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// tile is a game among others.
type tile struct {
	Address  string
	Title    string // in the visitor's language
	Own      string // the store's title, where it is another one
	Type     string // key; "" for a game
	Versions []chip
	Editions int // others than that of the title
	Cover    cover
	Price    *shortPrice // nil: not to be shown
}

// chip is a version of a game: its devices or its store. Address is "" if the tile has
// no other version.
type chip struct{ Name, Address string }

// tilesOf returns the tiles of a list of cards, with a tile for each game.
func (p *Pages) tilesOf(v *web.Visit, live *index.View, cards []listedCard) ([]tile, error) {
	games := groupGames(live, cards)
	prices, err := p.shortPrices(v, games)
	if err != nil {
		return nil, err
	}
	tiles := make([]tile, len(games))
	for i, g := range games {
		tiles[i] = p.tileOf(live, g)
		tiles[i].Price = &prices[i]
	}
	return tiles, nil
}

func (p *Pages) tileOf(live *index.View, g *game) tile {
	t := tile{Address: cardAddress(g.lead.Platform, g.lead.ID), Title: g.lead.Title, Editions: g.editions(live),
		Cover: coverOf(p.site.ImageSource(g.lead.Thumbnail), g.lead.Title)}
	if c, ok := lookup(live, g.lead.Platform, g.lead.ID); ok && folding.Fold(c.Title()) != folding.Fold(t.Title) {
		t.Own = c.Title()
	}
	if g.lead.Type != catalog.Game.String() {
		t.Type = typeKey(g.lead.Type)
	}
	for _, version := range g.versions {
		c := chip{Name: p.versionName(version)}
		if len(g.versions) > 1 {
			c.Address = cardAddress(version.Platform, version.ID)
		}
		t.Versions = append(t.Versions, c)
	}
	return t
}

// versionName returns the consoles of a card of the console store, else the store.
func (p *Pages) versionName(c listedCard) string {
	platform, err := catalog.ParsePlatform(c.Platform)
	switch {
	case err != nil:
		return c.Platform
	case platform == catalog.ConsoleStore && len(c.Platforms) > 0:
		return web.Shorten(strings.Join(c.Platforms, " · "), maxVersion)
	}
	return p.site.PlatformName(platform)
}

// maxVersion bounds the name of a version, in characters.
const maxVersion = 40

// shortPrices returns the lowest price of each game, in the visitor's country or in the
// cheapest of the active ones.
func (p *Pages) shortPrices(v *web.Visit, games []*game) ([]shortPrice, error) {
	market := v.Market()
	query := url.Values{"include": {"lows"}, "currency": {string(market.Currency)}}
	if market.Country != "" {
		query.Set("regions", market.Country)
	}
	lowest := map[string]*regionPrice{} // by platform and id
	for _, platform := range catalog.Platforms() {
		query.Del("ids")
		for _, g := range games {
			for _, c := range g.versions {
				if c.Platform == platform.String() {
					query.Add("ids", c.ID)
				}
			}
		}
		if !query.Has("ids") {
			continue
		}
		query.Set("platform", platform.String())
		var answer pricesAnswer
		if _, err := p.callAPI(v, "prices", query, &answer); err != nil {
			return nil, err
		}
		for i := range answer.Data.Items {
			lowest[platform.String()+answer.Data.Items[i].ID] = answer.lowest(i)
		}
	}
	prices := make([]shortPrice, len(games))
	for i, g := range games {
		if r := g.lowest(lowest); r != nil {
			prices[i] = shortPriceOf(v, r)
		}
	}
	return prices, nil
}

// lowest returns the lowest price of an item: the one in the cheapest region, else the
// first one; nil without a price.
func (a *pricesAnswer) lowest(item int) *regionPrice {
	it := &a.Data.Items[item]
	keys := a.Regions
	if it.Cheapest != nil {
		keys = append([]string{it.Cheapest.Region}, keys...)
	}
	for _, key := range keys {
		if r, ok := it.Regions[key]; ok && (r.Current != nil || r.CurrentText != "") {
			return &r
		}
	}
	return nil
}

// priceTag is the price of an edition or an add-on; zero without a price.
type priceTag struct {
	Text   string
	Off    int    // percent; 0: no discount
	Before string // the price without it
}

func (p *Pages) placeOf(live *index.View, platform, id string) string {
	parsed, err := catalog.ParsePlatform(platform)
	if err != nil {
		return platform
	}
	if live != nil {
		if c, ok := live.Lookup(parsed, id); ok {
			return p.place(c)
		}
	}
	return p.site.PlatformName(parsed)
}

// place returns the store of a card and, for the console store, its consoles,
// which distinguish cards with the same title.
func (p *Pages) place(c index.Card) string {
	name := p.site.PlatformName(c.Platform())
	if known := devices(c); known != "" && c.Platform() == catalog.ConsoleStore {
		name += " · " + known
	}
	return name
}

func devices(c index.Card) string {
	list := c.Platforms()
	names := make([]string, list.Len())
	for i := range names {
		names[i] = list.At(i)
	}
	return strings.Join(names, ", ")
}

// priceTagOf returns the short form of a price: as other amounts of its currency look on
// the page, and in the words of the API where it is no amount above zero.
func priceTagOf(v *web.Visit, p *simplePrice) priceTag {
	if p == nil {
		return priceTag{}
	}
	tag, currency := priceTag{Text: p.Formatted}, money.Currency(p.Currency)
	if p.Value != nil && *p.Value > 0 {
		tag.Text = v.Amount(currency, money.Amount(*p.Value))
	}
	if p.Discount != nil && p.Discount.Percentage > 0 {
		tag.Off, tag.Before = p.Discount.Percentage, v.Amount(currency, money.Amount(p.Discount.OriginalPrice))
	}
	return tag
}

func cardAddress(platform, id string) string {
	return "/explore/" + platform + "/" + url.PathEscape(id)
}

func typeKey(name string) string { return "explore.type." + name }

func (p *Pages) cardGone(v *web.Visit, platform catalog.Platform, g *cardGoneError) error {
	view := exploreView{Search: p.searchBox(v), Heading: "explore.gone.title", Lead: v.T("explore.gone")}
	if len(g.successors) > 0 {
		view.Lead = v.T("explore.moved")
	}
	live := p.live.View()
	for _, id := range g.successors {
		t := tile{Address: cardAddress(platform.String(), id), Title: id, Versions: []chip{{Name: p.placeOf(live, platform.String(), id)}}, Cover: coverOf("", id)}
		if live != nil {
			if c, ok := live.Lookup(platform, id); ok {
				t.Title, t.Type = c.Title(), typeKey(c.Type().String())
				t.Cover = coverOf(p.site.ImageSource(c.Thumbnail()), t.Title)
			}
		}
		view.Tiles = append(view.Tiles, t)
	}
	return v.Render(http.StatusNotFound, "explore", view)
}

// cover is the picture of a card, over a drawn one that shows where the picture
// is missing or may not be loaded.
type cover struct {
	Source string // address; "": only the drawn one
	Title  string // on the drawn one
	Ground int    // class of the drawn one's colour: 1 to grounds
}

const (
	grounds       = 6  // colours that the style has for drawn covers
	maxCoverTitle = 60 // characters
)

// coverOf returns the cover of a card; source is an address that the page may
// load, or "".
func coverOf(source, title string) cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash never fails
	return cover{Source: source, Title: web.Shorten(strings.Join(strings.Fields(title), " "), maxCoverTitle), Ground: 1 + int(h.Sum32()%grounds)}
}
