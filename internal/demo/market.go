package demo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

type market struct {
	region    catalog.Region
	currency  money.Currency
	languages []string // titles in these, the first that the game has
	editions  string   // edition names in this language; "": in that of the title
	// perDollar is the price level: hundredths of the currency for a dollar
	// of the list price. The stores' prices end as is usual there: a multiple
	// of step, less a little.
	perDollar, step, less int64
	pcLevel               int64  // percent of that on the PC store; 0 = all of it
	front                 string // prefix of product ids of this storefront
	exact                 bool   // list prices without rounding
	whole                 bool   // discounted prices have no decimals
	rating                string
	ages                  [5]string // for 3, 7, 12, 16, 18 years
}

func markets() []market {
	pegi := [5]string{"3", "7", "12", "16", "18"}
	at := catalog.MustRegion
	return []market{
		{region: at("UA"), currency: "UAH", languages: []string{"uk", "ru"}, perDollar: 3200, step: 10000, less: 100, pcLevel: 75, front: "EP", whole: true, rating: "PEGI", ages: pegi},
		{region: at("TR"), currency: "TRY", languages: []string{"tr"}, editions: "tr", perDollar: 3000, step: 5000, less: 100, pcLevel: 70, front: "EP", rating: "PEGI", ages: pegi},
		{region: at("PL"), currency: "PLN", languages: []string{"pl"}, editions: "pl", perDollar: 460, step: 1000, less: 100, front: "EP", rating: "PEGI", ages: pegi},
		{region: at("IN"), currency: "INR", perDollar: 6200, step: 10000, less: 100, pcLevel: 80, front: "EP", whole: true, rating: "PEGI", ages: pegi},
		{region: at("US"), currency: "USD", perDollar: 100, exact: true, front: "UP", rating: "ESRB", ages: [5]string{"E", "E10+", "T", "M", "M"}},
		{region: at("DE"), currency: "EUR", perDollar: 114, step: 500, less: 1, front: "EP", rating: "USK", ages: [5]string{"0", "6", "12", "16", "18"}},
		{region: at("JP"), currency: "JPY", languages: []string{"ja"}, perDollar: 12500, step: 50000, less: 2000, front: "JP", whole: true, rating: "CERO", ages: [5]string{"A", "A", "B", "D", "Z"}},
		{region: at("KZ"), currency: "KZT", languages: []string{"ru"}, perDollar: 33000, step: 100000, less: 1000, pcLevel: 70, front: "EP", whole: true, rating: "PEGI", ages: pegi},
	}
}

// list returns the price of the game's product without discount, for a list price in US cents.
// Each game has its own price level in each region, so that no region is always the cheapest.
func (m market) list(g *game, cents int64, p catalog.Platform) money.Amount {
	if cents == 0 || m.exact {
		return money.Amount(cents)
	}
	local := cents * m.perDollar / 100 * int64(68+hash("level", g.Name, m.region.String())%50) / 100
	if p == catalog.PCStore && m.pcLevel > 0 {
		local = local * m.pcLevel / 100
	}
	step := m.step
	if local < 10*step {
		step /= 10
	}
	return money.Amount(max(1, (local+step/2)/step)*step - m.less)
}

func (m market) title(g *game) (title, language string) {
	for _, l := range m.languages {
		if t := g.Titles[l]; t != "" {
			return t, l
		}
	}
	return g.Name, "en"
}

func (m market) sells(g *game) bool { return !slices.Contains(g.Not, m.region.String()) }

func (m market) age(years int) string {
	i, _ := slices.BinarySearch([]int{3, 7, 12, 16, 18}, years)
	return m.ages[min(i, len(m.ages)-1)]
}

// edition returns the name of an edition that the console store shows with a title in some
// language: a few are translated.
func (m market) edition(titleLanguage, name string) string {
	translations := map[string]map[string]string{
		"Complete Edition":         {"ru": "Полное издание", "uk": "Повне видання", "pl": "Edycja Kompletna"},
		"Game of the Year Edition": {"ru": "Издание «Игра года»", "uk": "Видання «Гра року»", "pl": "Edycja Gry Roku", "tr": "Yılın Oyunu Sürümü"},
		"Digital Deluxe Edition":   {"ru": "Цифровое издание Deluxe", "uk": "Цифрове видання Deluxe", "pl": "Cyfrowa edycja Deluxe", "tr": "Dijital Deluxe Sürümü"},
		"Deluxe Edition":           {"ru": "Издание Deluxe", "uk": "Видання Deluxe", "pl": "Edycja Deluxe", "tr": "Deluxe Sürümü"},
	}
	if t := translations[name][cmp.Or(m.editions, titleLanguage)]; t != "" {
		return t
	}
	return name
}

const (
	minute = catalog.Millis(time.Minute / time.Millisecond)
	day    = catalog.Millis(24 * time.Hour / time.Millisecond)
)

type offer struct {
	*product
	game     *game
	platform catalog.Platform
	market   market
	now      catalog.Millis
	texts    *money.Formatter
}

// chance returns a number from 0 to n-1 that is always the same for the product, the region
// and the subject about.
func (o offer) chance(about string, n uint64) uint64 {
	return hash(about, o.game.Name, o.Name, o.market.region.String()) % n
}

// price returns the price of the offer; nil if it is only announced.
func (o offer) price() *catalog.Price {
	if o.game.Soon {
		return nil
	}
	base := o.market.list(o.game, o.Cents, o.platform)
	p := catalog.Price{
		Currency: o.market.currency, Base: base, Current: base, DiscountPercent: catalog.NoPercent,
		Trial: o.Kind == kindDemo,
	}
	// The price is only a text if the table says so, and for a part of the PC
	// store's games in Kazakhstan.
	isText := o.platform == catalog.PCStore && o.market.currency == "KZT" && o.Cents > 0 && hash("text", o.game.Name)%5 == 0
	if o.Text {
		isText = o.platform == catalog.PCStore || !o.game.PC
	}
	if isText {
		region := o.market.region.String()
		text := o.texts.Format(region, o.market.currency, base)
		if base == 0 {
			text = money.RegionWords(region).Free
		}
		return &catalog.Price{
			Base: money.None, Current: money.None, BaseText: text, CurrentText: text, DiscountPercent: catalog.NoPercent,
		}
	}
	if o.platform == catalog.ConsoleStore {
		p.Source = "graphql"
	}
	if o.Doubt && o.market.currency == "TRY" {
		p.Source = catalog.SourceDoubtful
	}
	switch {
	case o.Trial && (o.market.currency == "PLN" || o.market.currency == "INR"): // a trial instead of a sale
		p.Base, p.Current, p.Trial = 0, 0, true
	case o.Plus > 0 && o.platform == catalog.ConsoleStore:
		p.Subscription = true
		o.discount(&p, o.Plus, 0)
	case o.Was > 0:
		o.discount(&p, o.Was, o.now-day)
	case o.onSale():
		o.discount(&p, o.Off, o.saleEnd())
	}
	p.BaseText, p.CurrentText = o.storeText(p.Base), o.storeText(p.Current)
	return &p
}

// onSale reports whether the product is reduced now: three of ten games that have sales, and
// others in Japan than elsewhere.
func (o offer) onSale() bool {
	sale := "sale"
	if o.market.front == "JP" {
		sale = "sale in Japan"
	}
	return o.Off > 0 && (o.game.alwaysReduced() || hash(sale, o.game.Name)%10 < 3) && o.hasSales()
}

// hasSales reports whether the product is reduced in the region, when it is elsewhere.
func (o offer) hasSales() bool { return o.chance("sale", 6) != 0 }

// alwaysReduced reports whether the game is one of the best-known, which are always on sale.
func (g *game) alwaysReduced() bool { return g.Popularity >= 97 }

// saleEnd returns the end of a sale of the game: a late evening within two weeks; 0 for the
// games whose sales show none.
func (o offer) saleEnd() catalog.Millis {
	days := hash("ends", o.game.Name) % 14
	if days == 13 {
		return 0
	}
	return o.now - o.now%day + catalog.Millis(days+1)*day + 22*60*minute + 59*minute
}

// reduced returns a base price less some percent.
func (o offer) reduced(base money.Amount, percent int) money.Amount {
	reduced := base * money.Amount(100-percent) / 100
	if o.market.whole {
		reduced -= reduced % 100
	}
	return reduced
}

func (o offer) discount(p *catalog.Price, percent int, endsAt catalog.Millis) {
	p.Current = o.reduced(p.Base, percent)
	p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	p.DiscountLabel = "-" + strconv.Itoa(p.DiscountPercent) + "%"
	p.DiscountEndsAt = endsAt
}

// storeText returns the console store's text of a price if it differs from CLDR; "" if not,
// and for zero.
func (o offer) storeText(a money.Amount) string {
	if o.platform != catalog.ConsoleStore || a == 0 {
		return ""
	}
	switch o.market.currency {
	case "TRY":
		return strings.TrimPrefix(o.texts.Format("TR", "TRY", a), "₺") + " TL"
	case "INR":
		return "Rs " + strings.TrimSuffix(strings.TrimPrefix(o.texts.Format("IN", "INR", a), "₹"), ".00")
	}
	return ""
}
