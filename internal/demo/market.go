package demo

import (
	"cmp"
	"slices"

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
		{region: at("UA"), currency: "UAH", languages: []string{"uk", "ru"}, perDollar: 3700, step: 10000, less: 100, pcLevel: 75, front: "EP", whole: true, rating: "PEGI", ages: pegi},
		{region: at("TR"), currency: "TRY", languages: []string{"tr"}, editions: "tr", perDollar: 3000, step: 5000, less: 100, pcLevel: 70, front: "EP", rating: "PEGI", ages: pegi},
		{region: at("PL"), currency: "PLN", languages: []string{"pl"}, editions: "pl", perDollar: 460, step: 1000, less: 100, front: "EP", rating: "PEGI", ages: pegi},
		{region: at("IN"), currency: "INR", perDollar: 6200, step: 10000, less: 100, pcLevel: 80, front: "EP", whole: true, rating: "PEGI", ages: pegi},
		{region: at("US"), currency: "USD", perDollar: 100, exact: true, front: "UP", rating: "ESRB", ages: [5]string{"E", "E10+", "T", "M", "M"}},
		{region: at("DE"), currency: "EUR", perDollar: 114, step: 500, less: 1, front: "EP", rating: "USK", ages: [5]string{"0", "6", "12", "16", "18"}},
		{region: at("JP"), currency: "JPY", languages: []string{"ja"}, perDollar: 12500, step: 50000, less: 2000, front: "JP", whole: true, rating: "CERO", ages: [5]string{"A", "A", "B", "D", "Z"}},
		{region: at("KZ"), currency: "KZT", languages: []string{"ru"}, perDollar: 33000, step: 100000, less: 1000, pcLevel: 70, front: "EP", whole: true, rating: "PEGI", ages: pegi},
	}
}

// list returns the price without discount for a list price in US cents.
func (m market) list(cents int64, p catalog.Platform) money.Amount {
	if cents == 0 || m.exact {
		return money.Amount(cents)
	}
	local := cents * m.perDollar / 100
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
		if t := g.titles[l]; t != "" {
			return t, l
		}
	}
	return g.name, "en"
}

func (m market) sells(g *game) bool { return !slices.Contains(g.notes.not, m.region) }

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
