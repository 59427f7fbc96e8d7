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

// MaxRegions is the number of regions.
const MaxRegions = 60

// Observed returns when the last of the listings was seen.
func Observed() catalog.Millis {
	return catalog.MillisOf(time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC))
}

// region is where a product is sold.
type region struct {
	code     catalog.Region
	currency money.Currency
	locale   string
	level    int64  // hundredths of local units for a dollar
	group    string // the prefix of ids, which several regions share
}

// The console store sells a game under an id for each group of regions: Europe
// with its neighbours, the Americas, Japan, the rest of Asia.
const americas, asia = "AR BO BR CA CL CO CR EC GT HN MX NI PA PE PY", "HK ID KR MY"

func groupOf(code string) string {
	switch {
	case strings.Contains(americas, code):
		return "UP"
	case strings.Contains(asia, code):
		return "HP"
	}
	return europe
}

const more = "AE AR AT AU BE BG BH BO BR CA CH CL CN CO CR CY CZ DK EC EE ES FI FR GB GR GT HK HN HR HU ID IE IL IS IT KR KW LT LU LV MT MX MY NI NL NO NZ OM PA PE PT PY"

// regions returns the first n regions.
func regions(n int) []region {
	all := []region{
		{of("UA"), "UAH", "uk-UA", 2600, europe}, {of("TR"), "TRY", "tr-TR", 2400, europe}, {of("PL"), "PLN", "pl-PL", 410, europe}, {of("IN"), "INR", "en-IN", 6200, europe},
		{of("US"), "USD", "en-US", 100, "UP"}, {of("DE"), "EUR", "de-DE", 95, europe}, {of("JP"), "JPY", "ja-JP", 13000, "JP"}, {of("KZ"), "KZT", "ru-KZ", 38000, europe},
	}
	for i, code := range strings.Fields(more) {
		all = append(all, region{of(code), "EUR", "en-" + code, 50 + int64(i%20)*10, groupOf(code)})
	}
	return all[:min(n, MaxRegions)]
}

// of panics if a code is not a region.
func of(code string) catalog.Region {
	r, err := catalog.ParseRegion(code)
	if err != nil {
		panic(err)
	}
	return r
}

// Codes returns the first n regions.
func Codes(n int) []catalog.Region {
	var codes []catalog.Region
	for _, r := range regions(n) {
		codes = append(codes, r.code)
	}
	return codes
}

// Listings yields the listings of the first n regions, product by product. All
// are in the same variable: copy a listing to keep it.
func (s *Sample) Listings(n int) iter.Seq[*catalog.Listing] {
	return s.Some(n, func(int, int) bool { return true })
}

// Some yields the wanted ones of these listings, without making the others.
func (s *Sample) Some(n int, wanted func(product, region int) bool) iter.Seq[*catalog.Listing] {
	places := regions(n)
	return func(yield func(*catalog.Listing) bool) {
		var l catalog.Listing
		for i := range s.Products {
			for j := range places {
				if !wanted(i, j) {
					continue
				}
				if l = s.listing(&s.Products[i], places, j); !yield(&l) {
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

// seen returns when a sweep of the n-th region saw a product: region after region,
// in pages of a hundred products, one every two or three seconds.
func seen(p *Product, n int) catalog.Millis {
	page := p.Number / 100
	return Observed() - catalog.Millis(n)*433_000 - catalog.Millis(page)*2_000 - catalog.Millis(page*7%11)*1_000
}

// listing uses its own random numbers, so that it does not depend on which other
// listings are made.
func (s *Sample) listing(p *Product, places []region, n int) catalog.Listing {
	r := &places[n]
	id, rng := p.idIn(r), rand.New(rand.NewPCG(s.Seed, uint64(p.Number*MaxRegions+n)))
	l := catalog.Listing{
		Key:    catalog.Key{Platform: p.Platform, Region: r.code, Product: id},
		Locale: r.locale, Popularity: p.Popularity, ObservedAt: seen(p, n),
		StoreURL: fmt.Sprintf("https://%s.example/%s/product/%s", p.Platform, strings.ToLower(r.locale), id),
		Price:    s.price(p, r, n, rng),
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
	if s.Steps > 0 {
		s.vary(p, &l, rng)
	}
	return l
}

// fullPrice returns what a product costs without a discount.
func fullPrice(p *Product, r *region) money.Amount {
	return money.Amount(max(99, p.Dollars*r.level/10_000*100))
}

// price draws the kind of price for each listing.
func (s *Sample) price(p *Product, r *region, n int, rng *rand.Rand) *catalog.Price {
	base := fullPrice(p, r)
	if s.DistinctPrices { // the modulus is a prime
		base = money.Amount(99 + (p.Number*MaxRegions+n)*7919%9_999_991)
	}
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

// Rates are exchange rates for every currency of the listings.
const Rates = `{"base":"USD","rates":{"UAH":41.3,"TRY":34.5,"PLN":4.09,"INR":84.4,"EUR":0.95,"JPY":155.2,"KZT":498.6},
"updatedAt":"2026-11-20T02:00:00Z"}`
