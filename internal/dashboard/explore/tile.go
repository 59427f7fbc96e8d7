package explore

import (
	"hash/fnv"
	"net/url"
	"strings"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// Tile is a game among others.
type Tile struct {
	Address  string
	Title    string // in the visitor's language
	Type     string // key; "" for a game
	Versions []Chip
	Editions int // others than that of the title
	Cover    Cover
	Price    *ShortPrice // nil: not to be shown
}

// Chip is a version of a game: its devices or its store. Address is "" if the tile has
// no other version.
type Chip struct{ Name, Address string }

// Tiles returns the tiles of a list of cards, with the lowest price of the versions that they show:
// in the visitor's country, or in the cheapest one.
func (e *Explorer) Tiles(v *web.Visit, cards []ListedCard) []Tile {
	tiles := make([]Tile, len(cards))
	for i := range cards {
		tiles[i] = e.Tile(v.Locale, &cards[i])
		price := ShortPriceOf(v, cards[i].Game.Offer)
		tiles[i].Price = &price
	}
	return tiles
}

// Suggestion is a game in the list below the search box.
type Suggestion struct {
	Title    string `json:"title"`
	Versions string `json:"versions"` // devices and stores
	Address  string `json:"address"`
}

// Suggestions returns the suggestions of a list of cards, which lead to the same versions as tiles.
func (e *Explorer) Suggestions(v *web.Visit, cards []ListedCard) []Suggestion {
	list := make([]Suggestion, len(cards))
	for i, c := range cards {
		var names []string
		for j := range c.Game.Versions {
			names = append(names, e.VersionName(&c.Game.Versions[j]))
		}
		list[i] = Suggestion{c.Title, strings.Join(names, " · "), c.Game.Versions[c.Game.Best].Address(v.Locale, nil)}
	}
	return list
}

// Tile returns the tile of a card, without its price, with addresses in a locale.
func (e *Explorer) Tile(l web.Locale, c *ListedCard) Tile {
	g := &c.Game
	t := Tile{Address: g.Versions[g.Best].Address(l, nil), Title: c.Title, Editions: g.Editions, Cover: CoverOf(e.Site.ImageSource(c.Thumbnail), c.Title)}
	if c.Type != catalog.Game.String() {
		t.Type = TypeKey(c.Type)
	}
	for i := range g.Versions {
		chip := Chip{Name: e.VersionName(&g.Versions[i])}
		if len(g.Versions) > 1 {
			chip.Address = g.Versions[i].Address(l, nil)
		}
		t.Versions = append(t.Versions, chip)
	}
	return t
}

// Address returns the address of the page of a version with a query.
func (c *Version) Address(l web.Locale, query url.Values) string {
	platform, _ := catalog.ParsePlatform(c.Platform) // the API names no others
	return l.Game(platform, c.ID, c.Title, query)
}

// VersionName returns the consoles of a card of the console store, else the store.
func (e *Explorer) VersionName(c *Version) string {
	platform, _ := catalog.ParsePlatform(c.Platform)
	if platform == catalog.ConsoleStore && len(c.Platforms) > 0 {
		return web.Shorten(strings.Join(c.Platforms, " · "), maxVersion)
	}
	return e.Site.PlatformName(platform)
}

// maxVersion bounds the name of a version, in characters.
const maxVersion = 40

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
