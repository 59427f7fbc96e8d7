package api_test

import (
	"slices"
	"sync"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

const (
	hour = 3_600_000
	day  = 24 * hour
)

// sample builds an index card by card.
type sample struct {
	in    pack.Input
	prose map[catalog.ProseID]*catalog.Prose
	lows  *pack.Lows
}

func newSample() *sample {
	s := &sample{prose: map[catalog.ProseID]*catalog.Prose{}, lows: pack.NewLows(start / day)}
	s.in.Active = regionsOf("UA", "TR", "PL", "IN")
	s.in.Regions = map[catalog.Platform][]catalog.Region{
		catalog.ConsoleStore: regionsOf("IN", "JP", "PL", "TR", "UA", "US"),
		catalog.PCStore:      regionsOf("TR", "UA", "US"),
	}
	s.in.Prose = s.prose
	return s
}

func regionsOf(codes ...string) (list []catalog.Region) {
	for _, code := range codes {
		list = append(list, catalog.MustRegion(code))
	}
	return list
}

// offer is the price of one product in one region.
type offer struct {
	region string
	price  *catalog.Price
}

// rows adds the entries of a product and returns their numbers.
func (s *sample) rows(p catalog.Platform, product string, facts catalog.Facts, offers ...offer) []uint32 {
	slices.SortFunc(offers, func(a, b offer) int {
		return catalog.MustRegion(a.region).Compare(catalog.MustRegion(b.region))
	})
	var list []uint32
	for i, o := range offers {
		s.in.Entries = append(s.in.Entries, catalog.Entry{
			Platform: p, Product: product, Region: catalog.MustRegion(o.region), Facts: &facts, Price: o.price,
			PricedAt: catalog.Millis(start - 10*60_000 + 1000*int64(i)), ObservedAt: start - 60_000,
			URL: catalog.URLPattern("https://store.example/" + o.region + "/\x01"),
		})
		list = append(list, uint32(len(s.in.Entries)-1))
	}
	return list
}

// card adds a card; its title finds it unless it has other names.
func (s *sample) card(c catalog.Card) {
	if c.Class == 0 {
		c.Class = catalog.ClassOf(c.Type, false)
	}
	if c.FirstSeen == 0 {
		c.FirstSeen = start - 30*day
	}
	if c.Titles == nil {
		c.Titles = []string{c.Title}
	}
	if c.Names == nil {
		for i, t := range c.Titles {
			c.Names = append(c.Names, catalog.Name{Text: t, Shown: uint16(i)})
		}
	}
	s.in.Cards = append(s.in.Cards, c)
}

func (s *sample) console(c catalog.Card, product, edition string, offers ...offer) {
	c.Platform = catalog.ConsoleStore
	c.Rows = s.rows(catalog.ConsoleStore, product, catalog.Facts{Edition: edition}, offers...)
	s.card(c)
}

// past adds what an entry showed before its present price.
func (s *sample) past(t testing.TB, entry uint32, steps []history.Step) {
	e := &s.in.Entries[entry]
	must(t, s.lows.Set(entry, e, append(steps, history.StepOf(max(1, e.PricedAt), e.Price))))
}

func number(currency money.Currency, a money.Amount, change ...func(*catalog.Price)) *catalog.Price {
	p := &catalog.Price{Currency: currency, Base: a, Current: a, DiscountPercent: catalog.NoPercent, Source: "graphql"}
	for _, f := range change {
		f(p)
	}
	return p
}

func off(current money.Amount, until catalog.Millis) func(*catalog.Price) {
	return func(p *catalog.Price) {
		p.Current, p.DiscountPercent = current, money.DiscountPercent(p.Base, current)
		p.DiscountLabel, p.DiscountEndsAt = "Autumn Sale", until
	}
}

func subscribers(p *catalog.Price) { p.Subscription = true }
func trial(p *catalog.Price)       { p.Trial = true }
func doubtful(p *catalog.Price)    { p.Source = catalog.SourceDoubtful }

func onlyText(currency money.Currency, text string) *catalog.Price {
	return &catalog.Price{Currency: currency, Base: money.None, Current: money.None, BaseText: text, CurrentText: text,
		DiscountPercent: catalog.NoPercent}
}

// The ids of the sample catalog.
const (
	forge, deluxe, pass, trilogy = "7Q2M9XKD", "7Q2M9XKE", "3FH8W0ZR", "0J5TB6NE"
	free, texts, abroad, plus    = "FREE0001", "TEXT0001", "ABRD0001", "SBSC0001"
	demo, odd                    = "DEM00001", "0DD00001"
	former                       = "DEAD0000"
)

// sampleCatalog returns a catalog with every kind of card and price.
func sampleCatalog() *sample {
	s := newSample()
	s.prose[1] = &catalog.Prose{
		Description: `Build stars & "burn" <them>.` + "\n\u2028", Publisher: "Forge Works", Developer: "Forge Kyiv",
		ReleaseDate: "2025-03-14", Genres: []string{"Strategy", "Building"}, RatingAge: "12", RatingSystem: "PEGI",
		Thumbnail: "https://images.example/forge-small.jpg", Cover: "https://images.example/forge.jpg",
		Logo: "https://images.example/forge.png", Screenshots: []string{"https://images.example/1.jpg", "https://images.example/2.jpg"},
	}
	known := catalog.ProseChoice{Description: 1, Publisher: 1, Developer: 1, ReleaseDate: 1, Genres: 1, Rating: 1,
		Thumbnail: 1, Cover: 1, Logo: 1, Screenshots: 1}
	s.games(known)
	s.extras()
	s.pcGames(known)
	s.in.Moved = map[string][]string{former: {forge, deluxe}}
	s.addTexts()
	s.pastPrices()
	return s
}

// addTexts adds texts by language.
func (s *sample) addTexts() {
	s.prose[2] = &catalog.Prose{Description: "Будуйте зірки."}
	texts := map[string][]catalog.Texts{
		forge: {{Language: "en", Title: "Star Forge", Description: 1}, {Language: "ru", Title: "Звёздная кузня"},
			{Language: "uk", Title: "Зоряна кузня", Description: 2}},
		deluxe: {{Language: "uk", Title: "Зоряна кузня - Видання Делюкс", EditionName: "Видання Делюкс"}},
		pass:   {{Language: "uk", Title: "Зоряна кузня: сезонний абонемент"}},
	}
	for i := range s.in.Cards {
		c := &s.in.Cards[i]
		c.Texts = texts[c.ID]
		if c.ID == "star-forge" {
			c.Texts = slices.Clone(texts[forge])
			c.Offers[0].Texts = []catalog.Texts{{Language: "uk", Title: "Зоряна кузня"}}
			c.Offers[1].Texts = []catalog.Texts{{Language: "uk", Title: "Зоряна кузня Золота", EditionName: "Золоте видання"}}
		}
	}
}

// pastPrices adds what Star Forge and Odd Prices cost before: sales that were deeper, a
// giveaway, a base that was raised before the discount, another currency.
func (s *sample) pastPrices() {
	step := func(daysAgo, base, current int64, currency money.Currency) history.Step {
		return history.Step{At: catalog.Millis(start - daysAgo*day), State: history.Priced, Currency: currency, Base: money.Amount(base), Current: money.Amount(current)}
	}
	for n := range s.in.Entries {
		e, steps := &s.in.Entries[n], []history.Step(nil)
		switch e.Product + " " + e.Region.String() {
		case "EP0001-PPSA00001_00-STARFORGE0000000 UA":
			steps = []history.Step{step(700, 199900, 199900, "UAH"), step(420, 199900, 119940, "UAH"), step(413, 199900, 199900, "UAH"),
				step(200, 199900, 139930, "UAH"), step(190, 199900, 199900, "UAH")}
		case "EP0001-PPSA00001_00-STARFORGE0000000 TR":
			steps = []history.Step{step(90, 64950, 64950, "TRY"), step(60, 64950, 0, "TRY"), step(59, 64950, 64950, "TRY")}
		case "EP0001-PPSA00001_00-STARFORGE0000000 PL":
			steps = []history.Step{step(50, 5999, 5999, "USD")}
		default:
			continue
		}
		if err := s.lows.Set(uint32(n), e, append(steps, history.StepOf(e.PricedAt, e.Price))); err != nil {
			panic(err)
		}
	}
}

func (s *sample) games(known catalog.ProseChoice) {
	s.console(catalog.Card{ID: forge, Family: "1", Type: catalog.Game, Title: "Star Forge", InvariantName: "Star Forge",
		Titles: []string{"Star Forge", "Звёздная кузня"}, Platforms: []string{"PS4", "PS5"}, TitleIDs: []string{"CUSA00001", "PPSA00001"},
		Popularity: 90, Prose: known, StoreURL: "https://store.example/UA/forge"}, "EP0001-PPSA00001_00-STARFORGE0000000", "",
		offer{"UA", number("UAH", 199900, off(149900, start+2*day))},
		offer{"TR", number("TRY", 129900, off(64950, start-hour))},
		offer{"PL", number("PLN", 24900)},
		offer{"JP", number("JPY", 798000)},
		offer{"US", number("USD", 5999)})
	s.console(catalog.Card{ID: deluxe, Family: "1", Type: catalog.EditionType, Title: "Star Forge - Deluxe Edition",
		EditionName: "Deluxe Edition", InvariantName: "Star Forge Deluxe Edition", Platforms: []string{"PS5"}, Popularity: 50},
		"EP0001-PPSA00001_00-STARFORGEDELUXE0", "Deluxe Edition",
		offer{"UA", number("UAH", 279900)}, offer{"IN", number("INR", 399900, subscribers)})
	s.console(catalog.Card{ID: pass, Family: "1", Type: catalog.SeasonPass, Title: "Star Forge - Season Pass"},
		"EP0001-PPSA00001_00-SEASONPASS000000", "", offer{"UA", number("UAH", 59900)})
	s.console(catalog.Card{ID: trilogy, Family: "2", Type: catalog.Bundle, Title: "Forge Trilogy",
		Members: []string{"EP0001-PPSA00001_00-STARFORGE0000000", "EP0009-FREE"}},
		"EP0002-TRILOGY", "", offer{"UA", number("UAH", 399900)})
}

func (s *sample) extras() {
	s.console(catalog.Card{ID: free, Family: "3", Type: catalog.Game, Title: "Free Skies", Popularity: 10}, "EP0009-FREE", "",
		offer{"UA", number("UAH", 0)}, offer{"TR", number("TRY", 0, trial)}, offer{"IN", number("INR", 0, subscribers)})
	s.console(catalog.Card{ID: texts, Family: "4", Type: catalog.Game, Title: "Words Only"}, "EP0010-TEXT", "",
		offer{"UA", onlyText("UAH", "Скоро")}, offer{"TR", nil})
	s.console(catalog.Card{ID: abroad, Family: "5", Type: catalog.Game, Title: "Far Abroad"}, "UP0011-ABROAD", "",
		offer{"US", number("USD", 999)})
	s.console(catalog.Card{ID: plus, Family: "6", Type: catalog.Subscription, Title: "Store Plus 12 Months"}, "EP0012-PLUS", "",
		offer{"UA", number("UAH", 249900)})
	s.console(catalog.Card{ID: demo, Family: "1", Type: catalog.Game, Class: catalog.DemoClass, Title: "Star Forge - Demo",
		EditionName: "Demo"}, "EP0001-DEMO", "", offer{"UA", number("UAH", 0, trial)})
	s.console(catalog.Card{ID: odd, Family: "7", Type: catalog.Game, Title: "Odd Prices"}, "EP0013-ODD", "",
		offer{"UA", number("UAH", 100, doubtful)}, offer{"TR", number("TRY", 500, subscribers, off(100, start-1))},
		offer{"PL", number("PLN", 9_007_199_254_740_993)})
}

func (s *sample) pcGames(known catalog.ProseChoice) {
	base := catalog.Offer{ID: "sf-base", Title: "Star Forge", Type: catalog.Base, Rows: s.rows(catalog.PCStore, "sf-base", catalog.Facts{},
		offer{"UA", number("UAH", 89900)}, offer{"TR", onlyText("TRY", "899 TL")}, offer{"US", number("USD", 3999)})}
	gold := catalog.Offer{ID: "sf-gold", Title: "Star Forge Gold", Type: catalog.EditionType, Edition: "Gold Edition",
		Rows: s.rows(catalog.PCStore, "sf-gold", catalog.Facts{Edition: "Gold Edition"}, offer{"UA", number("UAH", 129900)})}
	addon := catalog.Offer{ID: "sf-hats", Title: "Hats", Type: catalog.DLC,
		Rows: s.rows(catalog.PCStore, "sf-hats", catalog.Facts{}, offer{"UA", number("UAH", 9900)})}
	abroad := catalog.Offer{ID: "sf-abroad", Title: "Not sold here", Type: catalog.DLC,
		Rows: s.rows(catalog.PCStore, "sf-abroad", catalog.Facts{}, offer{"US", number("USD", 99)})}
	s.card(catalog.Card{ID: "star-forge", Aliases: []string{"star-forge-old"}, Platform: catalog.PCStore, Type: catalog.Game,
		Title: "Star Forge", InvariantName: "Star Forge", Platforms: []string{"Windows"}, Popularity: 80, Prose: known,
		StoreURL: "https://store.example/UA/sf-base", Rows: base.Rows, Offers: []catalog.Offer{base, gold, addon, abroad}})
	only := catalog.Offer{ID: "fs-base", Title: "Fortress", Type: catalog.Base,
		Rows: s.rows(catalog.PCStore, "fs-base", catalog.Facts{}, offer{"TR", number("USD", 1999)})}
	s.card(catalog.Card{ID: "fortress", Platform: catalog.PCStore, Type: catalog.Game, Title: "Fortress", Rows: only.Rows,
		Offers: []catalog.Offer{only}})
}

func (s *sample) open(t testing.TB) *index.Snapshot {
	t.Helper()
	snap, err := s.snapshot()
	must(t, err)
	return snap
}

func (s *sample) snapshot() (*index.Snapshot, error) {
	blobs, repricer, err := pack.Build(s.in)
	if err != nil {
		return nil, err
	}
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	if err != nil {
		return nil, err
	}
	var lows []*index.Lows
	for _, region := range repricer.Regions() {
		blob, err := repricer.PackLows(s.lows, s.in.Entries, region)
		if err != nil {
			return nil, err
		}
		l, err := index.OpenLows(blob)
		if err != nil {
			return nil, err
		}
		lows = append(lows, l)
	}
	return snap.WithLows(lows...)
}

// sampleSnapshot returns the sample's snapshot, built once: a snapshot never
// changes.
var sampleSnapshot = sync.OnceValues(sampleCatalog().snapshot)

// parseRates returns a table of units per dollar.
func parseRates(t testing.TB, units string) money.Rates {
	t.Helper()
	rates, err := money.ParseRates([]byte(`{"base":"USD","rates":` + units + `,"updatedAt":"2026-11-20T06:00:00Z"}`))
	must(t, err)
	return rates
}

// sampleManifest returns the manifest of the sample's snapshot.
func sampleManifest(t testing.TB) index.Published {
	t.Helper()
	rates := parseRates(t, `{"UAH":41.3,"TRY":34.5,"PLN":4.09,"INR":84.4,"JPY":155.2}`)
	return index.Published{Seq: 7, Rates: rates, BuiltAt: start - 5*60_000, Platforms: []index.PlatformState{
		{Platform: catalog.PCStore, Status: "degraded", FirstSweepDone: true, Freshness: []catalog.Freshness{
			{Platform: catalog.PCStore, Region: catalog.MustRegion("DE"), Listings: 1, OldestSeen: start}, // the snapshot has nothing of it
			{Platform: catalog.PCStore, Region: catalog.MustRegion("TR"), Listings: 4, MedianSeen: start - hour},
			{Platform: catalog.PCStore, Region: catalog.MustRegion("UA"), Listings: 9, Doubtful: 2, OldestSeen: start - day,
				MedianSeen: start - 60_000, LastSweep: start - 30_000},
		}},
	}}
}

func sampleView(t testing.TB) *index.View {
	t.Helper()
	snap, err := sampleSnapshot()
	must(t, err)
	return index.NewView(snap, sampleManifest(t))
}
