package explore

import (
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

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

// priceTag is a price in short; zero without a price.
type priceTag struct {
	Text   string
	Off    int    // percent; 0: no discount
	Before string // the price without it
}

// popularTiles returns the most popular games of a platform, or of all: the first
// cards of the index.
func (p *Pages) popularTiles(live *index.View, platform catalog.Platform, now int64) []tile {
	var tiles []tile
	for i := 0; i < live.Len() && len(tiles) < popularCards; i++ {
		c := live.Card(i)
		if platform != 0 && c.Platform() != platform {
			continue
		}
		t := tile{Address: cardAddress(c.Platform().String(), c.ID()), Title: c.Title(), Type: typeKey(c.Type().String()),
			Place: p.place(c), Cover: coverOf(p.site.ImageSource(c.Thumbnail()), c.Title()), Priced: true}
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

// priceTagOf returns the short form of a price. The API returns the price without
// discount as a number only; it is formatted for the first active region with that
// currency.
func priceTagOf(live *index.View, p *simplePrice) priceTag {
	if p == nil {
		return priceTag{}
	}
	tag := priceTag{Text: p.Formatted}
	if p.Discount != nil && p.Discount.Percentage > 0 {
		tag.Off = p.Discount.Percentage
		alpha2 := ""
		for _, r := range live.Active() {
			if c, ok := money.RegionCurrency(r.Alpha2); ok && string(c) == p.Currency {
				alpha2 = r.Alpha2
				break
			}
		}
		tag.Before = new(money.Formatter).Format(alpha2, money.Currency(p.Currency), money.Amount(p.Discount.OriginalPrice))
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
		t := tile{Address: cardAddress(platform.String(), id), Title: id, Place: p.placeOf(live, platform.String(), id), Cover: coverOf("", id)}
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
	Source   string // address; "": only the drawn one
	Initials string // of the first two words of the title
	Ground   int    // class of the drawn one's colour: 1 to grounds
}

// grounds is how many colours the style has for drawn covers.
const grounds = 6

// coverOf returns the cover of a card; source is an address that the page may
// load, or "".
func coverOf(source, title string) cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash never fails
	var initials []rune
	inside := false
	for _, r := range title {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter && !inside && len(initials) < 2 {
			initials = append(initials, unicode.ToUpper(r))
		}
		inside = letter || inside && (r == '\'' || r == '’' || unicode.IsMark(r))
	}
	return cover{Source: source, Initials: string(initials), Ground: 1 + int(h.Sum32()%grounds)}
}
