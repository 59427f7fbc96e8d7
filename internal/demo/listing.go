package demo

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// consoleListing returns one product in the console store; console is "4", "5" or "45".
func (c *Catalog) consoleListing(o offer, console string) catalog.Listing {
	l := c.listing(o, o.game.consoleProduct(o.product, console, o.market))
	for _, number := range strings.Split(console, "") {
		l.Facts.Platforms = append(l.Facts.Platforms, "PS"+number)
		l.Facts.TitleIDs = append(l.Facts.TitleIDs, o.game.titleID(number, o.market.front))
	}
	if o.Kind == kindEdition {
		title, language := o.market.title(o.game)
		l.Facts.Edition = o.market.edition(language, o.Name)
		l.Facts.Title = title + " – " + l.Facts.Edition
	}
	l.StoreURL = fmt.Sprintf("https://console.example/%s/product/%s", o.market.region.Lower(), l.Product)
	return l
}

func (c *Catalog) pcListing(o offer) catalog.Listing {
	l := c.listing(o, o.game.pcProduct(o.product))
	l.Facts.Platforms = []string{"Windows"}
	l.Facts.Slug = o.game.Slug
	if o.Alias != "" {
		l.Facts.Aliases = []string{o.Alias}
	}
	if o.Kind == kindGame {
		l.Facts.Type = catalog.Base
	}
	l.StoreURL = fmt.Sprintf("https://pc.example/%s/p/%s", o.market.region.Lower(), o.game.Slug)
	return l
}

var typeOfKind = map[kind]catalog.Type{
	kindGame: catalog.Game, kindDemo: catalog.Game, kindEdition: catalog.EditionType, kindPass: catalog.SeasonPass,
	kindDLC: catalog.DLC, kindPack: catalog.Bundle, kindBundle: catalog.Bundle, kindSubscription: catalog.Subscription,
}

// listing returns the fields that both stores have in common.
func (c *Catalog) listing(o offer, product string) catalog.Listing {
	title, language := o.market.title(o.game)
	var titles []catalog.LocalTitle // in the region's other languages
	for _, other := range o.market.languages {
		if t := o.game.Titles[other]; t != "" && t != title {
			titles = append(titles, catalog.LocalTitle{Locale: other + "-" + o.market.region.String(), Title: o.under(t)})
		}
	}
	slices.SortFunc(titles, func(a, b catalog.LocalTitle) int { return strings.Compare(a.Locale, b.Locale) })
	family := "sample-" + o.game.Slug
	if o.platform == catalog.ConsoleStore {
		family = "9" + strconv.FormatUint(1e8+hash("family", o.game.Name)%9e8, 10)
	}
	l := catalog.Listing{
		Key: catalog.Key{Platform: o.platform, Region: o.market.region, Product: product},
		Facts: catalog.Facts{
			Family: family, FamilyName: o.game.Name,
			Title:         o.under(title),
			InvariantName: o.under(o.game.Name), Titles: titles,
			Type: typeOfKind[o.Kind], Demo: o.Kind == kindDemo, Members: c.members(o),
		},
		Locale:     language + "-" + o.market.region.String(),
		Popularity: o.popularity(), Price: o.price(),
		ObservedAt: o.now - minute*catalog.Millis(1+o.chance("seen", 50)),
	}
	if o.Kind == kindEdition {
		l.Facts.Edition = o.Name
	}
	if o.Was > 0 {
		l.ObservedAt = o.now - 2*day // during that sale
	}
	return l
}

// under returns the product's name after the game's title in some language.
func (o offer) under(title string) string {
	switch o.Kind {
	case kindEdition, kindDemo:
		return title + " " + o.Name
	case kindPass, kindDLC:
		return title + " – " + o.Name
	case kindPack:
		return strings.Replace(o.Name, o.game.Name, title, 1)
	}
	return title
}

// popularity returns the popularity in the table, or else a low one; a game's other products
// are less popular than the game.
func (o offer) popularity() float64 {
	known := o.game.Popularity
	if known == 0 {
		known = 10 + int(hash("popularity", o.game.Name)%50)
	}
	switch o.Kind {
	case kindGame, kindBundle, kindSubscription:
		return float64(known)
	case kindEdition:
		return float64(known) * 0.75
	}
	return float64(known) * 0.5
}

func (g *game) prose(m market, baseURL string) catalog.Prose {
	picture := func(suffix string) string { return baseURL + CoverPath + g.Slug + suffix + ".svg" }
	return catalog.Prose{
		Description: fmt.Sprintf("Sample data: invented price. %s is by %s, published by %s. Genres: %s.",
			g.Name, g.Developer, g.Publisher, strings.ToLower(strings.Join(g.Genres, ", "))),
		Publisher: g.Publisher, Developer: g.Developer, ReleaseDate: g.Released, Genres: g.Genres,
		RatingAge: m.age(g.Age), RatingSystem: m.rating,
		Thumbnail: picture(""), Cover: picture(""), Logo: picture(logoSuffix),
		Screenshots: []string{picture(screenSuffix + "1"), picture(screenSuffix + "2")},
	}
}

// hash returns a number for some words that looks random but is always the same.
func hash(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	n := h.Sum64() // its low bits are weak: mix them
	n ^= n >> 32
	n *= 0x9e3779b97f4a7c15
	return n ^ n>>29
}

func code(n uint64, length int) string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	b := make([]byte, length)
	for i := range b {
		b[i] = alphabet[n%32]
		n /= 32
	}
	return string(b)
}

// titleID returns the id of the game's software on one console and storefront.
func (g *game) titleID(console string, front string) string {
	prefix := "PPSA"
	if console == "4" {
		prefix = "CUSA"
	}
	number := g.number * 3
	switch front {
	case "UP":
		number++
	case "JP":
		number += 2
	}
	return prefix + strconv.Itoa(90000+number)
}

// consoleProduct returns the console store's id of a product: a sample publisher, the title
// id and a label. console is "4", "5" or "45". As in real stores, the Americas and Japan
// have different ids; so have a few games in Turkey.
func (g *game) consoleProduct(p *product, console string, m market) string {
	words := []string{"product", g.Name, string(p.Kind), p.Name, console}
	if m.currency == "TRY" && hash("own ids", g.Name)%9 == 0 {
		words = append(words, "TR")
	}
	label := "SAMPLE" + code(hash(words...), 10)
	return m.front + "0000-" + g.titleID(console, m.front) + "_00-" + label
}

func (g *game) pcProduct(p *product) string {
	return "sample-" + code(hash("offer", g.Name, string(p.Kind), p.Name), 12)
}
