package explore

import (
	"net/url"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	folding "gamedex/internal/fold"
	"gamedex/internal/index"
)

// Tile is a game among others.
type Tile struct {
	Address  string
	Title    string // in the visitor's language
	Original string // the title in the store; "" if it is the same
	Type     string // key; "" for a game
	Versions []Chip
	Editions int // others than that of the title
	Cover    Cover
	Price    *ShortPrice // nil: not to be shown
}

// Chip is a version of a game: its devices or its store. Address is "" if the tile has
// no other version.
type Chip struct{ Name, Address string }

// Tiles returns the tiles of a list of cards, with a tile for each game.
func (e *Explorer) Tiles(v *web.Visit, live *index.View, cards []ListedCard) ([]Tile, error) {
	games := groupGames(live, cards)
	prices, err := e.shortPrices(v, games)
	if err != nil {
		return nil, err
	}
	tiles := make([]Tile, len(games))
	for i, g := range games {
		tiles[i] = e.Tile(v, live, g)
		tiles[i].Price = &prices[i]
	}
	return tiles, nil
}

// Shown says how many titles of a list a page shows; "" if it shows all of them.
func Shown(v *web.Visit, titles, total int) string {
	if titles == 0 || titles == total {
		return ""
	}
	return v.N("explore.titles", titles)
}

// Suggestion is a game in the list below the search box.
type Suggestion struct {
	Title    string `json:"title"`
	Versions string `json:"versions"` // devices and stores
	Address  string `json:"address"`
}

// Suggestions returns at most limit suggestions of a list of cards: one for each game, as
// [Explorer.Tiles] returns one tile. The cards need only platform, id and title.
func (e *Explorer) Suggestions(v *web.Visit, live *index.View, cards []ListedCard, limit int) []Suggestion {
	for i := range cards {
		if c, ok := Lookup(live, cards[i].Platform, cards[i].ID); ok {
			title := cards[i].Title
			cards[i] = listed(c)
			cards[i].Title = title
		}
	}
	list := []Suggestion{}
	for _, g := range groupGames(live, cards) {
		if len(list) == limit {
			break
		}
		names := make([]string, len(g.versions))
		for i, version := range g.versions {
			names[i] = e.versionName(version)
		}
		list = append(list, Suggestion{g.lead.Title, strings.Join(names, " · "), Address(v.Place, live, g.lead.Platform, g.lead.ID, nil)})
	}
	return list
}

// Tile returns the tile of a game, without its price.
func (e *Explorer) Tile(v *web.Visit, live *index.View, g *Game) Tile {
	t := Tile{Address: Address(v.Place, live, g.lead.Platform, g.lead.ID, nil), Title: g.lead.Title, Editions: g.editions(live),
		Cover: CoverOf(e.Site.ImageSource(g.lead.Thumbnail), g.lead.Title)}
	if c, ok := Lookup(live, g.lead.Platform, g.lead.ID); ok && folding.Fold(c.Title()) != folding.Fold(t.Title) {
		t.Original = c.Title()
	}
	if g.lead.Type != catalog.Game.String() {
		t.Type = TypeKey(g.lead.Type)
	}
	for _, version := range g.versions {
		c := Chip{Name: e.versionName(version)}
		if len(g.versions) > 1 {
			c.Address = Address(v.Place, live, version.Platform, version.ID, nil)
		}
		t.Versions = append(t.Versions, c)
	}
	return t
}

// versionName returns the consoles of a card of the console store, else the store.
func (e *Explorer) versionName(c ListedCard) string {
	platform, err := catalog.ParsePlatform(c.Platform)
	switch {
	case err != nil:
		return c.Platform
	case platform == catalog.ConsoleStore && len(c.Platforms) > 0:
		return web.Shorten(strings.Join(c.Platforms, " · "), maxVersion)
	}
	return e.Site.PlatformName(platform)
}

// maxVersion bounds the name of a version, in characters.
const maxVersion = 40

// shortPrices returns the lowest price of each game, in the visitor's country or in the
// cheapest of the active ones.
func (e *Explorer) shortPrices(v *web.Visit, games []*Game) ([]ShortPrice, error) {
	query := url.Values{"include": {"lows"}, "currency": {string(v.Place.Currency)}}
	if v.Place.Country != "" {
		query.Set("regions", v.Place.Country)
	}
	lowest := map[string]*RegionPrice{} // by platform and id
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
		var answer PricesAnswer
		if _, err := e.Call(v, "prices", query, &answer); err != nil {
			return nil, err
		}
		for i := range answer.Data.Items {
			lowest[platform.String()+answer.Data.Items[i].ID] = answer.lowest(i)
		}
	}
	prices := make([]ShortPrice, len(games))
	for i, g := range games {
		if r := g.lowest(lowest); r != nil {
			prices[i] = ShortPriceOf(v, r)
		}
	}
	return prices, nil
}

// lowest returns the lowest price of an item: the one in the cheapest region, else the
// first one; nil without a price.
func (a *PricesAnswer) lowest(item int) *RegionPrice {
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

// Where returns the store of a card and, for the console store, its consoles,
// which distinguish cards with the same title.
func (e *Explorer) Where(live *index.View, platform, id string) string {
	parsed, err := catalog.ParsePlatform(platform)
	if err != nil {
		return platform
	}
	if live != nil {
		if c, ok := live.Lookup(parsed, id); ok {
			return e.where(c)
		}
	}
	return e.Site.PlatformName(parsed)
}

func (e *Explorer) where(c index.Card) string {
	name := e.Site.PlatformName(c.Platform())
	if known := Devices(c); known != "" && c.Platform() == catalog.ConsoleStore {
		name += " · " + known
	}
	return name
}

// Devices returns the devices of a card.
func Devices(c index.Card) string {
	list := c.Platforms()
	names := make([]string, list.Len())
	for i := range names {
		names[i] = list.At(i)
	}
	return strings.Join(names, ", ")
}

// Address returns the address of the page of a card with a query.
func Address(place web.Place, live *index.View, platform, id string, query url.Values) string {
	parsed, err := catalog.ParsePlatform(platform)
	if err != nil {
		return place.Home()
	}
	title := ""
	if c, ok := Lookup(live, platform, id); ok {
		title = Title(live, c, place.Lang)
	}
	return place.Game(parsed, id, title, query)
}

// Title returns the title of a card in a language.
func Title(live *index.View, c index.Card, lang string) string {
	return c.TitleIn(live.Language(catalog.Language(lang)))
}

// TypeKey returns the message key of a type of cards.
func TypeKey(name string) string { return "explore.type." + name }
