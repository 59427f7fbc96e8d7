package explore

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

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

// Tiles returns the tiles of a list of cards, one for each game, with the lowest price of the
// versions that it shows: in the visitor's country, or in the cheapest one.
func (e *Explorer) Tiles(v *web.Visit, live *index.View, cards []ListedCard, only VersionFilter) ([]Tile, error) {
	games := gamesOf(live, cards, only)
	offers, err := e.offersOf(v, live, games)
	if err != nil {
		return nil, err
	}
	tiles := make([]Tile, len(games))
	for i, g := range games {
		tiles[i] = e.Tile(v.Locale, live, g)
		switch o := offers[i]; {
		case o != nil:
			tiles[i].Address = addressOf(v.Locale, live, o.card)
			if o.price != nil {
				price := ShortPriceOf(v, o.price)
				tiles[i].Price = &price
			}
		case len(g.versions) > 0:
			tiles[i].Price = &ShortPrice{}
		}
	}
	return tiles, nil
}

// Suggestion is a game in the list below the search box.
type Suggestion struct {
	Title    string `json:"title"`
	Versions string `json:"versions"` // devices and stores
	Address  string `json:"address"`
}

// Suggestions returns at most limit suggestions of a list of cards: one for each game, which
// leads to the same version as its tile. The cards need only platform, id and title.
func (e *Explorer) Suggestions(v *web.Visit, live *index.View, cards []ListedCard, only VersionFilter, limit int) []Suggestion {
	list := []Suggestion{}
	for _, g := range gamesOf(live, cards, only) {
		if len(list) == limit {
			break
		}
		address := Address(v.Locale, live, g.lead.Platform, g.lead.ID, nil)
		if c, _, ok := g.cheapest(v, live); ok {
			address = addressOf(v.Locale, live, c)
		}
		list = append(list, Suggestion{g.lead.Title, strings.Join(e.versionNames(g), " · "), address})
	}
	return list
}

// Tile returns the tile of a game, without its price, with addresses in a locale.
func (e *Explorer) Tile(l web.Locale, live *index.View, g *Game) Tile {
	t := Tile{Address: Address(l, live, g.lead.Platform, g.lead.ID, nil), Title: g.lead.Title, Editions: g.editions(live),
		Cover: CoverOf(e.Site.ImageSource(g.lead.Thumbnail), g.lead.Title)}
	if len(g.versions) > 0 && folding.Fold(g.versions[0].Title()) != folding.Fold(t.Title) {
		t.Original = g.versions[0].Title()
	}
	if g.lead.Type != catalog.Game.String() {
		t.Type = TypeKey(g.lead.Type)
	}
	for i, name := range e.versionNames(g) {
		c := Chip{Name: name}
		if len(g.versions) > 1 {
			c.Address = addressOf(l, live, g.versions[i])
		}
		t.Versions = append(t.Versions, c)
	}
	return t
}

func addressOf(l web.Locale, live *index.View, c index.Card) string {
	return l.Game(c.Platform(), c.ID(), Title(live, c, l.Lang), nil)
}

// versionNames returns the name of each version.
func (e *Explorer) versionNames(g *Game) []string {
	if len(g.versions) == 0 {
		return []string{e.Where(nil, g.lead.Platform, "")}
	}
	names := make([]string, len(g.versions))
	for i, c := range g.versions {
		names[i] = e.VersionName(c)
	}
	return names
}

// VersionName returns the consoles of a card of the console store, else the store.
func (e *Explorer) VersionName(c index.Card) string {
	if consoles := c.Platforms(); c.Platform() == catalog.ConsoleStore && consoles.Len() > 0 {
		names := make([]string, consoles.Len())
		for i := range names {
			names[i] = consoles.At(i)
		}
		return web.Shorten(strings.Join(names, " · "), maxVersion)
	}
	return e.Site.PlatformName(c.Platform())
}

// maxVersion bounds the name of a version, in characters.
const maxVersion = 40

// gameOffer is the offer of a tile. price is nil if the catalog has changed since.
type gameOffer struct {
	card   index.Card
	region string // key
	price  *RegionPrice
}

// offersOf returns the cheapest offer of each game, in the visitor's country or in all; nil
// for a game that is not for sale there. It asks the API only for the prices of these offers.
func (e *Explorer) offersOf(v *web.Visit, live *index.View, games []*Game) ([]*gameOffer, error) {
	offers := make([]*gameOffer, len(games))
	asked := map[catalog.Platform]url.Values{}
	for i, g := range games {
		card, row, ok := g.cheapest(v, live)
		if !ok {
			continue
		}
		region := live.Region(row.Region)
		offers[i] = &gameOffer{card: card, region: region.Key(card.Platform())}
		query := asked[card.Platform()]
		if query == nil {
			query = url.Values{"platform": {card.Platform().String()}, "include": {"lows"}, "currency": {string(v.Locale.Currency)}}
			asked[card.Platform()] = query
		}
		query.Add("ids", card.ID())
		if !slices.Contains(query["regions"], region.Alpha2) {
			query.Add("regions", region.Alpha2)
		}
	}
	for platform, query := range asked {
		var answer PricesAnswer
		if _, err := e.Call(v, "prices", query, &answer); err != nil {
			return nil, err
		}
		prices := map[string]map[string]RegionPrice{} // by id and region
		for _, item := range answer.Data.Items {
			prices[item.ID] = item.Regions
		}
		for _, o := range offers {
			if o != nil && o.card.Platform() == platform {
				if p, ok := prices[o.card.ID()][o.region]; ok {
					o.price = &p
				}
			}
		}
	}
	return offers, nil
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
func Address(l web.Locale, live *index.View, platform, id string, query url.Values) string {
	parsed, err := catalog.ParsePlatform(platform)
	if err != nil {
		return l.First()
	}
	title := ""
	if c, ok := Lookup(live, platform, id); ok {
		title = Title(live, c, l.Lang)
	}
	return l.Game(parsed, id, title, query)
}

// Title returns the title of a card in a language.
func Title(live *index.View, c index.Card, lang string) string {
	return c.TitleIn(live.Language(catalog.Language(lang)))
}

// TypeKey returns the message key of a type of cards.
func TypeKey(name string) string { return "explore.type." + name }

// Cover is the picture of a card, over a drawn one that shows where the picture
// is missing or may not be loaded.
type Cover struct {
	Source string // address; "": only the drawn one
	Title  string // on the drawn one
	Size   string // class of the drawn title: "", "long" or "longer"
	Ground int    // class of the drawn one's colour: 1 to grounds
}

const (
	grounds       = 6  // colours that the style has for drawn covers
	maxCoverTitle = 60 // characters
)

// CoverOf returns the cover of a card; source is an address that the page may
// load, or "".
func CoverOf(source, title string) Cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash never fails
	words := strings.Fields(title)
	shown := web.Shorten(strings.Join(words, " "), maxCoverTitle)
	return Cover{Source: source, Title: shown, Size: sizeOf(words, shown), Ground: 1 + int(h.Sum32()%grounds)}
}

// sizeOf returns the class with which the words of a title fit the width of a cover, and
// all of it the height.
func sizeOf(words []string, shown string) string {
	longest := 0
	for _, word := range words {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	switch all := utf8.RuneCountInString(shown); {
	case longest > 11 || all > 44:
		return "longer"
	case longest > 8 || all > 28:
		return "long"
	}
	return ""
}
