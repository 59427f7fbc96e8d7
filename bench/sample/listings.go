package sample

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
)

// MaxRegions is how many regions there are.
const MaxRegions = 60

// Observed is when the listings were seen, if nobody says otherwise.
func Observed() catalog.Millis {
	return catalog.MillisOf(time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC))
}

// region is where a product is sold.
type region struct {
	code     catalog.Region
	currency money.Currency
	locale   string
	level    int64 // hundredths of local units for a dollar
}

const more = "AE AR AT AU BE BG BH BO BR CA CH CL CN CO CR CY CZ DK EC EE ES FI FR GB GR GT HK HN HR HU ID IE IL IS IT KR KW LT LU LV MT MX MY NI NL NO NZ OM PA PE PT PY"

// regions gives the first n: those people name first, then the others.
func regions(n int) []region {
	all := []region{
		{of("UA"), "UAH", "uk-UA", 2600}, {of("TR"), "TRY", "tr-TR", 2400}, {of("PL"), "PLN", "pl-PL", 410}, {of("IN"), "INR", "en-IN", 6200},
		{of("US"), "USD", "en-US", 100}, {of("DE"), "EUR", "de-DE", 95}, {of("JP"), "JPY", "ja-JP", 13000}, {of("KZ"), "KZT", "ru-KZ", 38000},
	}
	for i, code := range strings.Fields(more) {
		all = append(all, region{of(code), "EUR", "en-" + code, 50 + int64(i%20)*10})
	}
	return all[:min(n, MaxRegions)]
}

// of panics on what is no region; the codes above are constants.
func of(code string) catalog.Region {
	r, err := catalog.ParseRegion(code)
	if err != nil {
		panic(err)
	}
	return r
}

// Codes are the first n regions.
func Codes(n int) []catalog.Region {
	var codes []catalog.Region
	for _, r := range regions(n) {
		codes = append(codes, r.code)
	}
	return codes
}

// Listings yields what the first n regions list, product by product. The
// listing is used again for the next one: who keeps it copies it.
func (s *Sample) Listings(n int) iter.Seq[*catalog.Listing] {
	places := regions(n)
	return func(yield func(*catalog.Listing) bool) {
		var l catalog.Listing
		for i := range s.Products {
			p := &s.Products[i]
			rng := rand.New(rand.NewPCG(s.Seed, uint64(p.Number)))
			for j := range places {
				l = listing(p, &places[j], rng)
				if !yield(&l) {
					return
				}
			}
		}
	}
}

// WriteFeed writes the listings of the first n regions as a feed.
func (s *Sample) WriteFeed(w io.Writer, n int) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	lines := feed.NewWriter(buffered)
	for l := range s.Listings(n) {
		if err := lines.Write(l); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

func listing(p *Product, r *region, rng *rand.Rand) catalog.Listing {
	l := catalog.Listing{
		Key:    catalog.Key{Platform: p.Platform, Region: r.code, Product: p.ID},
		Locale: r.locale, Popularity: p.Popularity, ObservedAt: Observed(),
		StoreURL: fmt.Sprintf("https://%s.example/%s/product/%s", p.Platform, strings.ToLower(r.locale), p.ID),
		Price:    price(p, r, rng),
	}
	l.Facts = catalog.Facts{
		Family: p.Family, FamilyName: p.FamilyName, Slug: p.Slug, Title: p.Title, Edition: p.Edition, Type: p.Type,
		InvariantName: strings.TrimSpace(p.Title + " " + p.Edition), Platforms: []string{"PS5"},
	}
	if p.Platform == catalog.PCStore {
		l.Facts.Platforms, l.Facts.InvariantName = []string{"Windows"}, ""
	} else {
		l.Facts.TitleIDs = []string{p.ID[7:16]}
	}
	if code := r.code.String(); p.Russian != "" && (code == "UA" || code == "KZ") {
		l.Facts.Title = p.Russian
	}
	l.Prose = catalog.Prose{
		Publisher: "Invented Works", Developer: "Invented Works", ReleaseDate: "2024-05-17", Genres: []string{"Action"},
		Cover: "https://images.example/" + p.ID + ".png",
	}
	return l
}

// price draws the kind of price for each listing anew.
func price(p *Product, r *region, rng *rand.Rand) *catalog.Price {
	base := money.Amount(max(99, p.Dollars*r.level/10_000*100))
	price := catalog.Price{Currency: r.currency, Base: base, Current: base, DiscountPercent: catalog.NoPercent, Source: catalog.SourceExact}
	switch draw := rng.IntN(100); {
	case draw < 10:
		price.Current, price.DiscountPercent = base*3/4, 25
		price.DiscountEndsAt = catalog.MillisOf(time.Date(2026, 12, 1+rng.IntN(10), 22, 59, 0, 0, time.UTC))
		price.DiscountLabel = "Autumn Sale"
	case draw < 12:
		price.Base, price.Current, price.CurrentText = money.None, money.None, fmt.Sprintf("ab %d", base/100)
		price.Source = ""
	case draw < 13:
		price.Base, price.Current = 0, 0
	case draw < 14:
		return nil
	case draw < 15:
		price.Current, price.Subscription = 0, true
	case draw < 16:
		price.BaseText = fmt.Sprintf("%s %d.%02d", r.currency, base/100, base%100)
		price.CurrentText = price.BaseText
	}
	return &price
}

// Rates is a table of exchange rates that has every currency of the listings.
const Rates = `{"base":"USD","rates":{"UAH":41.3,"TRY":34.5,"PLN":4.09,"INR":84.4,"EUR":0.95,"JPY":155.2,"KZT":498.6},
"updatedAt":"2026-11-20T02:00:00Z"}`
