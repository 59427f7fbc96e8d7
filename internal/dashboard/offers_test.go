package dashboard_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/money"
	"gamedex/internal/testing/catalogtest"
)

// soldWithDifferences saves games that are sold in some countries, to some, or not at all.
func soldWithDifferences(w *world, _ *dashboard.Config) {
	number := 0
	game := func(title string, prices map[string]*catalog.Price) (lines []catalog.Listing) {
		number++
		for region, price := range prices {
			lines = append(lines, catalogtest.Console(region, fmt.Sprintf("EP9999-PPSA%05d_00-DIFFERENCES00000", number), catalogtest.Family(fmt.Sprint(8_000_000+number)),
				catalogtest.Title(title), catalogtest.Prose(catalog.Prose{Description: "About it.", Cover: "https://img.example/cover.png"}), func(l *catalog.Listing) { l.Price = price }))
		}
		return lines
	}
	price := func(currency money.Currency, current money.Amount, change ...func(*catalog.Price)) *catalog.Price {
		p := &catalog.Price{Currency: currency, Base: current, Current: current, DiscountPercent: catalog.NoPercent}
		for _, f := range change {
			f(p)
		}
		return p
	}
	trial := func(p *catalog.Price) { p.Trial, p.CurrentText = true, "Пробна версія" }
	members := func(p *catalog.Price) { p.Subscription = true }
	included := func(p *catalog.Price) {
		p.Subscription, p.Base, p.CurrentText = true, 50_000, "Входить у передплату"
	}
	doubtful := func(p *catalog.Price) { p.Source = catalog.SourceDoubtful }
	for _, lines := range [][]catalog.Listing{
		game("Indian Summer", map[string]*catalog.Price{"IN": price("INR", 74_900), "PL": price("PLN", 29_900), "UA": nil}),
		game("Nowhere Yet", map[string]*catalog.Price{"UA": nil}),
		game("Gift Horse", map[string]*catalog.Price{"UA": price("UAH", 0), "IN": price("INR", 10_000)}),
		game("Test Drive", map[string]*catalog.Price{"UA": price("UAH", 0, trial), "IN": price("INR", 10_000)}),
		game("Members Only", map[string]*catalog.Price{"UA": price("UAH", 0, included), "PL": price("PLN", 5000, members)}),
		game("Odd Number", map[string]*catalog.Price{"UA": price("UAH", 100, doubtful)}),
		game("Samples", map[string]*catalog.Price{"UA": price("UAH", 0, trial)}),
	} {
		w.save(lines)
	}
	w.fillUp(0)
}

func cardHead(t testing.TB, page string) string {
	t.Helper()
	return strings.ReplaceAll(shownText("<"+between(t, page, `<div class="card-head`, "<h2")), "\u00a0", " ")
}

func described(page, name string) string {
	m := regexp.MustCompile(` (?:name|property)="` + name + `" content="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(html.UnescapeString(m[1]), "\u00a0", " ")
}

// TestPriceOfThePage checks that head, description and structured data of a game's page are about
// one country: the chosen one, also where the game is not sold, else the cheapest. Only what
// everybody can buy there is an offer, and search engines list no page of a country without a price.
func TestPriceOfThePage(t *testing.T) {
	t.Parallel()
	v := passerby(t, soldWithDifferences)
	for _, tt := range []struct {
		lang, title, query string
		price              string // in the head
		offer              string // country, currency and price
		hidden             bool
	}{
		{"en", "Indian Summer", "", "$8.44 ₹749.00 in India", "IN INR 749.00", false},
		{"en", "Indian Summer", "?country=IN&currency=INR", "₹749.00 in India", "IN INR 749.00", false},
		{"en", "Indian Summer", "?country=PL&currency=PLN", "299,00 zł in Poland", "PL PLN 299.00", false},
		{"en", "Indian Summer", "?country=UA&currency=USD", "Not for sale in Ukraine. The cheapest price elsewhere: $8.44 · ₹749.00 in India.", "", true},
		{"en", "Indian Summer", "?country=US&currency=INR", "Not for sale in the United States. The cheapest price elsewhere: ₹749.00 in India.", "", true},
		{"en", "Indian Summer", "?country=ZW", "Not for sale in Zimbabwe. The cheapest price elsewhere: $8.44 · ₹749.00 in India.", "", true},
		{"ru", "Indian Summer", "?country=UA&currency=USD", "Не продаётся в выбранной стране (Украина). Самая низкая цена в других странах: $8.44 · ₹749.00, Индия.", "", true},
		{"uk", "Indian Summer", "?country=UA&currency=USD", "Не продається у вибраній країні (Україна). Найнижча ціна в інших країнах: $8.44 · ₹749.00, Індія.", "", true},
		{"en", "Nowhere Yet", "", "Not for sale in any country right now.", "", false},
		{"en", "Nowhere Yet", "?country=UA", "Not for sale in any country right now.", "", true},
		{"ru", "Nowhere Yet", "", "Сейчас не продаётся ни в одной стране.", "", false},
		{"uk", "Nowhere Yet", "", "Зараз не продається в жодній країні.", "", false},
		{"en", "Gift Horse", "?country=UA", "Free in Ukraine", "UA UAH 0.00", false},
		{"ru", "Gift Horse", "", "Бесплатно Украина", "UA UAH 0.00", false},
		{"en", "Test Drive", "?country=UA", "trial in Ukraine", "", false},
		{"en", "Test Drive", "", "₹100.00 in India", "IN INR 100.00", false},
		{"en", "Members Only", "?country=UA", "with a subscription in Ukraine", "", false},
		{"en", "Members Only", "?country=PL&currency=PLN", "50,00 zł with a subscription in Poland", "", false},
		{"uk", "Members Only", "?country=UA", "за передплатою Україна", "", false},
		{"en", "Odd Number", "", "doubtful 1,00 ₴ in Ukraine", "", false},
		{"en", "Odd Number", "?country=IN&currency=USD", "Not for sale in India. The cheapest price elsewhere: $0.02 · doubtful · 1,00 ₴ in Ukraine.", "", true},
		{"en", "Samples", "", "trial in Ukraine", "", false},
		{"en", "Samples", "?country=IN", "Not for sale in India.", "", true},
	} {
		address := v.w.publicGame(tt.lang, catalog.ConsoleStore, tt.title) + tt.query
		p := v.get(address)
		if head := cardHead(t, p.body); p.status != http.StatusOK || !strings.Contains(head, tt.price) || strings.Contains(head, " 0.00") || strings.Contains(head, " 0,00") {
			t.Errorf("%s: status %d, the head lacks %q: %s", address, p.status, tt.price, head)
		}
		about := described(p.body, "description")
		words := strings.NewReplacer(" ·", "", ",", "").Replace
		if !strings.Contains(words(about), words(tt.price)) || !strings.HasSuffix(about, ". About it.") || described(p.body, "og:description") != about {
			t.Errorf("%s is described as %q and %q", address, about, described(p.body, "og:description"))
		}
		found := ""
		product := structured(t, p.body)
		if offer, ok := product["offers"].(map[string]any); ok && product["@type"] == "Product" && offer["@type"] == "Offer" {
			region, _ := offer["eligibleRegion"].(map[string]any)
			found = fmt.Sprint(region["name"], " ", offer["priceCurrency"], " ", offer["price"])
		}
		if found != tt.offer {
			t.Errorf("%s: the offer is %q, want %q", address, found, tt.offer)
		}
		canonical := linkTags(p.body)
		if hidden := strings.Contains(p.body, `<meta name="robots" content="noindex">`); hidden != tt.hidden || hidden != (len(canonical) == 0) {
			t.Errorf("%s: hidden is %v, links %q", address, hidden, canonical)
		}
	}
}

// entryPrices returns the prices in the tables of editions, add-ons and offers of a page, by
// the titles of their rows, and the addresses to which the rows lead.
func entryPrices(page string) (prices, addresses map[string]string) {
	prices, addresses = map[string]string{}, map[string]string{}
	for _, table := range strings.Split(page, `<table class="entries"`)[1:] {
		table, _, _ = strings.Cut(table, "</table>")
		for _, row := range strings.Split(table, `<th scope="row">`)[1:] {
			title, price, _ := strings.Cut(row, `<td class="number-cell">`)
			name, _, _ := strings.Cut(title, ` <span class="`)
			prices[shownText(name)] = strings.ReplaceAll(shownText(price), "\u00a0", " ")
			if to := links(title, "/"); len(to) > 0 {
				addresses[shownText(name)] = to[0]
			}
		}
	}
	return prices, addresses
}

// TestPricesOfEntriesAreThoseOfTheirPages opens the pages of a family, in countries and currencies:
// a page names the same price for an edition or add-on as the page of that.
func TestPricesOfEntriesAreThoseOfTheirPages(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	head := func(page string) string {
		page, _, _ = strings.Cut(page, "<h2")
		_, price, _ := strings.Cut(page, `<p class="short-price">`)
		price, _, _ = strings.Cut(price, "</p>")
		price = regexp.MustCompile(` <span class="badge good">[^−<]*</span>`).ReplaceAllString(price, "") // of past prices
		return strings.ReplaceAll(shownText(price), "\u00a0", " ")
	}
	compared, unsold := 0, 0
	for _, query := range []string{"", "?country=IN&currency=INR", "?country=UA&currency=EUR", "?country=US", "?country=ZW", "?currency=JPY"} {
		for _, title := range []string{"Cyberpunk 2077", "The Witcher 3: Wild Hunt", "ELDEN RING", "Horizon Forbidden West"} {
			p := v.get(v.w.publicGame("en", catalog.ConsoleStore, title) + query)
			prices, addresses := entryPrices(p.body)
			for entry, price := range prices {
				other, where := p, "its own page"
				if to, ok := addresses[entry]; ok {
					other, where = v.get(to), to
				}
				want := head(other.body)
				if want == "" {
					want = "not for sale"
					unsold++
				}
				if compared++; price != want {
					t.Errorf("%s%s: %s costs %q, on %s %q", title, query, entry, price, where, want)
				}
			}
		}
	}
	if compared < 60 || unsold == 0 {
		t.Errorf("%d prices compared, %d not for sale", compared, unsold)
	}
}

// TestPricesOfOffers checks that offers of the PC store have the price in the country and currency
// of the page, and else that in the cheapest country, which the row names.
func TestPricesOfOffers(t *testing.T) {
	t.Parallel()
	v := passerby(t, func(w *world, _ *dashboard.Config) {
		offer := func(region, product, title string, kind catalog.Type, currency string, a money.Amount) catalog.Listing {
			return catalogtest.PC(region, product, "offered", catalogtest.Title(title), catalogtest.Type(kind), catalogtest.Price(currency, a))
		}
		trial := offer("UA", "o4", "Offered Trial", catalog.EditionType, "UAH", 0)
		trial.Price.Trial = true
		w.save([]catalog.Listing{
			offer("UA", "o1", "Offered", catalog.Base, "UAH", 100_000), offer("IN", "o1", "Offered", catalog.Base, "INR", 74_900), offer("PL", "o1", "Offered", catalog.Base, "PLN", 19_900),
			offer("UA", "o2", "Offered: More", catalog.DLC, "UAH", 20_000), offer("PL", "o2", "Offered: More", catalog.DLC, "PLN", 9_900),
			offer("IN", "o3", "Offered: Free Stuff", catalog.DLC, "INR", 0), trial,
		})
		w.fillUp(0)
	})
	page := v.w.publicGame("en", catalog.PCStore, "Offered")
	for query, want := range map[string]map[string]string{
		"":                         {"Offered": "$8.44 ₹749.00 in India", "Offered: More": "$4.76 200,00 ₴ in Ukraine", "Offered: Free Stuff": "Free in India", "Offered Trial": "trial in Ukraine"},
		"?country=PL&currency=PLN": {"Offered": "199,00 zł in Poland", "Offered: More": "99,00 zł in Poland", "Offered: Free Stuff": "not for sale", "Offered Trial": "not for sale"},
		"?country=UA&currency=UAH": {"Offered": "1 000,00 ₴ in Ukraine", "Offered: More": "200,00 ₴ in Ukraine", "Offered: Free Stuff": "not for sale", "Offered Trial": "trial in Ukraine"},
		"?country=ZW":              {"Offered": "not for sale", "Offered: More": "not for sale", "Offered: Free Stuff": "not for sale", "Offered Trial": "not for sale"},
	} {
		p := v.get(page + query)
		got, _ := entryPrices(p.body)
		if p.status != http.StatusOK || !maps.Equal(got, want) {
			t.Errorf("%q: status %d, %q, want %q", query, p.status, got, want)
		}
	}
}
