package demo

import (
	"cmp"
	_ "embed"
	"fmt"
	"iter"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Catalog is the sample catalog, read from its table. It never changes and is
// safe for concurrent use.
type Catalog struct {
	games  []*game
	byName map[string]*game
	bySlug map[string]*game
}

// New reads the table. It fails only if the table itself is broken.
func New() (*Catalog, error) { return newCatalog(table) }

func newCatalog(text []byte) (*Catalog, error) {
	var games []*game
	if err := jsonv2.Unmarshal(text, &games, jsonv2.MatchCaseInsensitiveNames(true), jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("read sample table: %w", err)
	}
	c := &Catalog{games: games, byName: make(map[string]*game), bySlug: make(map[string]*game)}
	for i, g := range games {
		if c.byName[g.Name] != nil || c.bySlug[g.Slug] != nil {
			return nil, fmt.Errorf("read sample table: %s is listed twice", g.Name)
		}
		c.byName[g.Name], c.bySlug[g.Slug] = g, g
		g.number, g.Kind = i, cmp.Or(g.Kind, kindGame)
		g.Products = append([]*product{&g.product}, g.Products...)
	}
	for _, g := range games {
		for _, p := range g.Products {
			for _, name := range p.Holds {
				if _, held := c.findProduct(g, name); held == nil {
					return nil, fmt.Errorf("read sample table: %s contains %q, which does not exist", p.Name, name)
				}
			}
		}
	}
	return c, nil
}

func (c *Catalog) findProduct(g *game, name string) (*game, *product) {
	if name == "game" {
		return g, g.Products[0]
	}
	for _, p := range g.Products[1:] {
		if p.Name == name {
			return g, p
		}
	}
	if other := c.byName[name]; other != nil && other != g {
		return other, other.Products[0]
	}
	return nil, nil
}

// Listings yields every listing as it was seen shortly before now, in the order
// of the table. The pictures have addresses below baseURL (without a slash at the end),
// where the results of Cover must be served.
func (c *Catalog) Listings(baseURL string, now catalog.Millis) iter.Seq[catalog.Listing] {
	return func(yield func(catalog.Listing) bool) {
		for l, o := range c.offers(now) {
			l.Prose = o.game.prose(o.market, baseURL)
			if !yield(l) {
				return
			}
		}
	}
}

// offers yields every listing, without its prose, and the offer that it is of.
func (c *Catalog) offers(now catalog.Millis) iter.Seq2[catalog.Listing, offer] {
	all, texts := markets(), new(money.Formatter)
	return func(yield func(catalog.Listing, offer) bool) {
		for _, g := range c.games {
			for _, m := range all {
				if !m.sells(g) {
					continue
				}
				o := offer{game: g, market: m, now: now, texts: texts}
				for _, p := range g.Products {
					o.product, o.platform = p, catalog.ConsoleStore
					for _, console := range g.consoles(p) {
						if !yield(c.consoleListing(o, console), o) {
							return
						}
					}
					o.platform = catalog.PCStore
					if g.PC && p.Kind != kindDemo && !yield(c.pcListing(o), o) {
						return
					}
				}
			}
		}
	}
}

// consoles returns the console products of a product: a game that is sold separately for
// two consoles has two; its add-ons are for both.
func (g *game) consoles(p *product) []string {
	switch {
	case g.Console == "":
		return nil
	case g.Console != "4/5":
		return []string{g.Console}
	case p.Kind == kindGame || p.Kind == kindEdition || p.Kind == kindBundle:
		return []string{"4", "5"}
	}
	return []string{"45"}
}

// members returns the ids of the products in a bundle that are sold in the region.
func (c *Catalog) members(o offer) []string {
	var ids []string
	for _, name := range o.Holds {
		g, p := c.findProduct(o.game, name)
		if !o.market.sells(g) {
			continue
		}
		if o.platform == catalog.PCStore && g.PC {
			ids = append(ids, g.pcProduct(p))
		}
		if consoles := g.consoles(p); o.platform == catalog.ConsoleStore && len(consoles) > 0 {
			ids = append(ids, g.consoleProduct(p, slices.Max(consoles), o.market))
		}
	}
	return ids
}

var sampleRates = map[money.Currency]string{
	"USD": "1", "UAH": "42.05", "TRY": "42.38", "PLN": "3.66", "INR": "88.71", "EUR": "0.8642", "JPY": "156.4", "KZT": "521.3",
	"GBP": "0.7598", "CHF": "0.8061", "SEK": "9.49", "NOK": "10.12", "DKK": "6.455", "CZK": "20.91", "HUF": "331.2", "RON": "4.398",
	"AUD": "1.542", "NZD": "1.771", "CAD": "1.403", "BRL": "5.331", "MXN": "18.39", "ARS": "1398.5", "CLP": "931.7", "COP": "3746",
	"KRW": "1468.9", "CNY": "7.114", "HKD": "7.784", "TWD": "31.22", "SGD": "1.303", "THB": "32.44", "IDR": "16705", "MYR": "4.151",
	"RUB": "79.64", "ZAR": "17.19", "ILS": "3.262", "SAR": "3.75", "AED": "3.6725", "QAR": "3.64", "KWD": "0.3069", "BHD": "0.376", "EGP": "47.3",
}

// Rates returns the sample table of exchange rates, as of the last full hour. The rates are
// close to those of late 2025, but not reliable.
func Rates(now catalog.Millis) (money.Rates, error) {
	const hour = 60 * minute
	return money.NewRates(money.USD, sampleRates, int64(now-now%hour))
}

// table is a JSON array of games. Names, makers and dates are the games' own; every price is
// invented.
//
//go:embed games.json
var table []byte

type game struct {
	product                  // the game itself
	number               int // index in the table
	Slug, Released       string
	Publisher, Developer string
	Genres               []string
	Age                  int    // age rating, by PEGI
	Console              string // "4" or "5" (one console), "45" (one product for both), "4/5" (sold apart) or "" for not sold there
	PC                   bool
	Titles               map[string]string // by language
	Products             []*product        // the game itself first; the table leaves it out
}

// product is anything with a separate price.
type product struct {
	Kind       kind     // of the game itself, the table has only those that are not games
	Name       string   // of the game itself: the game's name
	Cents      int64    // US cents
	Holds      []string // names of the products in a pack; "game" is the game itself
	Off, Was   int      // percent of a running and of a past sale
	Plus       int      // percent off for subscribers, where only they can buy; 0 = no such price
	Text       bool     // shown without a number
	Trial      bool     // a trial of the game itself
	Soon       bool     // announced, not for sale
	Doubt      bool     // a price of doubtful source
	Not        []string // regions where it is not sold
	Popularity int      // how well known, to 100; 0: not given
	Alias      string   // a further slug
}

// kind is the kind of a product of a game.
type kind string

const (
	kindGame         kind = "game"
	kindEdition      kind = "edition"
	kindPass         kind = "pass"
	kindDLC          kind = "dlc"
	kindDemo         kind = "demo"
	kindPack         kind = "pack"
	kindBundle       kind = "bundle"
	kindSubscription kind = "subscription"
)
