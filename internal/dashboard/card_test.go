package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/demo"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

const pcWitcher = "/en/games/pcstore/the-witcher-3-wild-hunt"

// consoleAddress returns the address of the page of the console card with this
// title.
func (w *world) consoleAddress(title string) string {
	w.t.Helper()
	hits, _, _ := w.live.View().Find(title, catalog.ConsoleStore, 1, 0, false, nil)
	if len(hits) == 0 || hits[0].Title != title {
		w.t.Fatalf("there is no console card %q: %v", title, hits)
	}
	return "/en/games/consolestore/" + hits[0].Card.ID()
}

func tableRows(t testing.TB, page string) (rows []string) {
	t.Helper()
	for _, row := range strings.Split(between(t, page, `<table class="regions"`, "</table>"), "<tr")[2:] {
		rows = append(rows, shownText("<tr"+row))
	}
	return rows
}

// TestVersionsOfAGame checks that the page of a game leads to its other versions, and names the
// price that their pages have.
func TestVersionsOfAGame(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	chips := regexp.MustCompile(`<a class="badge" href="([^"]+)">([^<]+)</a>`)
	price := regexp.MustCompile(`<p class="short-price"><strong>([^<]+)</strong>`)
	for _, country := range []string{"", "UA"} {
		v.market = "country=" + country + "&currency=EUR"
		found := chips.FindAllStringSubmatch(between(t, v.get(pcWitcher).body, "Other versions:", "</p>"), -1)
		var names []string
		for _, chip := range found {
			name, amount, _ := strings.Cut(chip[2], " ")
			names = append(names, name)
			if there := price.FindStringSubmatch(v.get(chip[1]).body); there == nil || there[1] != amount || !strings.HasPrefix(amount, "€") {
				t.Errorf("%q: %s is %q, on its page %q", country, name, amount, there)
			}
		}
		if slices.Sort(names); !slices.Equal(names, []string{"PS4", "PS5"}) {
			t.Errorf("%q: the other versions are %q", country, names)
		}
	}
	if page := v.get(v.w.consoleAddress("Cyberpunk 2077")).body; !strings.Contains(page, `href="/en/games/pcstore/cyberpunk-2077/cyberpunk-2077?country=UA&amp;currency=EUR">PC Store €`) {
		t.Error("the page of the console store does not lead to the PC store")
	}
}

func TestStoreOfTheCountry(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for country, want := range map[string]string{"UA": "/ua/", "IN": "/in/", "PL": "/pl/"} {
		v.market = "country=" + country
		page := v.get(v.w.consoleAddress("ELDEN RING")).body
		if store := regexp.MustCompile(`<a class="button plain small" href="([^"]+)">Open in the store`).FindStringSubmatch(page); store == nil || !strings.Contains(store[1], want) {
			t.Errorf("%s: the store is %q", country, store)
		}
	}
}

func TestConsoleCard(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	v.market = "country=KZ" // whose store has another title
	p := v.get(v.w.consoleAddress("Cyberpunk 2077"))
	text := shownText(p.body)
	hasAll(t, text, "Киберпанк 2077", "CD PROJEKT RED", "Role-playing, Open world", "PEGI 18", "10 Dec 2020", "PS5",
		"Open in the store", "Prices by country", "cheapest", "Editions", "Ultimate Edition", "this page", "Add-ons", "Phantom Liberty",
		"Price history: ", "Cheapest: ", "Authorization: Bearer <your key>", "lowest")
	p.wants(t, http.StatusOK)
	for _, other := range links(p.body, "/en/games/consolestore/") {
		v.get(other).wants(t, http.StatusOK)
	}
}

func TestCardSortsByDollars(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, path := range []string{pcWitcher, v.w.consoleAddress("Cyberpunk 2077"), v.w.consoleAddress("The Witcher 3: Wild Hunt - Повне видання"), v.w.consoleAddress("ELDEN RING")} {
		rows := tableRows(t, v.get(path).body)
		last, marked := -1.0, 0
		for i, row := range rows {
			cents := 1e9 // without dollars: at the end
			if m := regexp.MustCompile(`\$([0-9]+\.[0-9]+)`).FindStringSubmatch(row); m != nil {
				fmt.Sscan(m[1], &cents)
			}
			if cents < last {
				t.Errorf("%s: %q comes after $%v", path, row, last)
			}
			last = cents
			if strings.Contains(row, "cheapest") {
				marked++
				if i != 0 {
					t.Errorf("%s: row %d is marked as the cheapest: %q", path, i, row)
				}
			}
		}
		if len(rows) != 8 || marked != 1 {
			t.Errorf("%s: %d rows, %d of them the cheapest", path, len(rows), marked)
		}
	}
}

// TestComparedRegions checks that a page says among how many countries the
// cheapest is.
func TestComparedRegions(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	withTrial := v.w.consoleAddress("Assassin's Creed Mirage")
	for _, c := range []struct{ language, path, want string }{
		{"en", withTrial, "Compared: 6 of 8 countries."},
		{"ru", withTrial, "Стран в сравнении: 6 из 8."},
		{"en", v.w.consoleAddress("ELDEN RING"), "Compared: 8 countries."},
	} {
		v.lang = c.language
		hasAll(t, shownText(v.get(c.path).body), c.want)
	}
}

// TestPricesInTheChosenCurrency checks that the table has the currency of the head of the page, in
// each country's row, and keeps the order.
func TestPricesInTheChosenCurrency(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	path := v.w.publicGame("en", catalog.PCStore, "ELDEN RING")
	countries := func(page string) (names []string) {
		for _, row := range tableRows(t, page) {
			name, _, _ := strings.Cut(row, " ")
			names = append(names, name)
		}
		return names
	}
	dollars := v.get(path).body
	if !strings.Contains(dollars, ">US dollars</th>") || !regexp.MustCompile(`Cheapest: [A-Z][a-z]+, \$`).MatchString(dollars) {
		t.Errorf("without a choice: %s", shownText(dollars))
	}
	for currency, amount := range map[string]string{"EUR": `€[0-9]+\.[0-9]{2}`, "JPY": `¥[0-9]{1,3}(,[0-9]{3})*`, "UAH": "[0-9\u00a0\u202f]+,[0-9]{2}\u00a0₴"} {
		page := v.get(path + "?currency=" + currency).body
		if strings.Contains(page, ">US dollars</th>") || !strings.Contains(page, ">"+currency+"</th>") {
			t.Errorf("%s: the heading is another one", currency)
		}
		lead := fmt.Sprintf(`Cheapest: [A-Z][a-z]+, (%[1]s)\. That is %[1]s \([0-9]+%%\) less than the highest price: [A-Z][A-Za-z ]+, %[1]s\.`, amount)
		m := regexp.MustCompile(lead).FindStringSubmatch(page)
		if m == nil || !strings.Contains(page, `<p class="short-price"><strong>`+m[1]+"<") {
			t.Errorf("%s: want the lead %s, with the price of the head", currency, lead)
		}
		if cells := regexp.MustCompile(`% /></svg>`+amount+"\n").FindAllString(page, -1); len(cells) != 8 {
			t.Errorf("%s: %d cells have the currency: %q", currency, len(cells), tableRows(t, page))
		}
		if got, want := countries(page), countries(dollars); !slices.Equal(got, want) {
			t.Errorf("%s: the order is %v, want %v", currency, got, want)
		}
	}
}

func TestGameWithoutPrices(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	page := v.get(v.w.consoleAddress("Grand Theft Auto VI")).body
	if strings.Contains(page, `<table class="regions"`) || !strings.Contains(page, "There is no price in any country.") {
		t.Errorf("want a sentence instead of a table:\n%s", shownText(page))
	}
}

func TestPCCard(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	p := v.get(pcWitcher)
	text := shownText(p.body)
	hasAll(t, text, "The Witcher 3", "PC Store", "Editions and add-ons", "Base game", "Blood and Wine", "Kazakhstan", "Japan",
		"platform=pcstore", "regions=all", "The Witcher")
	v.get("/en/games/pcstore/the-witcher-3").wants(t, http.StatusOK, "ids=the-witcher-3-wild-hunt") // the alias
}

// TestCardKeepsEditionsApart checks that the table of a card has no prices of
// another edition.
func TestCardKeepsEditionsApart(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	standard := tableRows(t, v.get(v.w.consoleAddress("Cyberpunk 2077")).body)
	ultimate := tableRows(t, v.get(v.w.consoleAddress("Cyberpunk 2077 - Ultimate Edition")).body)
	for _, row := range standard {
		if slices.Contains(ultimate, row) {
			t.Errorf("both editions have the row %q", row)
		}
	}
	for _, row := range ultimate {
		if strings.Contains(row, "trial") {
			t.Errorf("the trial of the game is in the table of another edition: %q", row)
		}
	}
}

func TestCardGone(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, path := range []string{
		"/en/games/consolestore/ABCD1234", "/en/games/consolestore/x", "/en/games/consolestore/the-witcher-3-wild-hunt", "/en/games/pcstore/no-such-game",
		"/en/games/pcstore/%00", "/en/games/pcstore/%ff", "/en/games/pcstore/a%2Fb", "/en/games/pcstore/%F0%9F%8E%AE", "/en/games/pcstore/" + strings.Repeat("x", 3000),
	} {
		p := v.get(path)
		if p.status != http.StatusNotFound || !strings.Contains(p.body, "No such card") || !strings.Contains(p.body, `role="search"`) {
			t.Errorf("%.100s: status %d\n%s", path, p.status, shownText(p.body))
		}
	}
	if s := v.w.log.String(); strings.Contains(s, "page failed") {
		t.Errorf("logged as a failure: %s", s)
	}
}

// TestCovers checks that pictures come from this server and from the hosts that
// the operator named, and from nowhere else.
func TestCovers(t *testing.T) {
	t.Parallel()
	image := regexp.MustCompile(`<img src="([^"]*)"[^>]*>`)
	for _, tt := range []struct {
		name   string
		change func(*world, *dashboard.Config)
		want   string // how addresses begin; "": none is loaded
		policy string
	}{
		{"others", func(*world, *dashboard.Config) {}, "", "img-src 'self';"},
		{"own", func(_ *world, c *dashboard.Config) { c.Web.PublicURL = sampleURL }, demo.CoverPath, "img-src 'self';"},
		{"named", func(_ *world, c *dashboard.Config) { c.Web.ImageHosts = []string{"covers.example"} }, sampleURL + demo.CoverPath, "img-src 'self' https://covers.example;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := explorer(t, tt.change)
			for _, path := range []string{"/en/browse", "/en/browse?q=witcher", pcWitcher, v.w.consoleAddress("ELDEN RING")} {
				p := v.get(path)
				if policy := p.header.Get("Content-Security-Policy"); !strings.Contains(policy, tt.policy) {
					t.Errorf("%s: policy %q", path, policy)
				}
				images := image.FindAllStringSubmatch(p.body, -1)
				if (len(images) == 0) != (tt.want == "") {
					t.Errorf("%s: %d pictures", path, len(images))
				}
				for _, m := range images {
					if !strings.HasPrefix(m[1], tt.want) || !strings.Contains(m[0], `referrerpolicy="no-referrer"`) || !strings.Contains(m[0], `alt=""`) {
						t.Errorf("%s: %s", path, m[0])
					}
				}
				p.has(t, `class="cover ground-`)
			}
		})
	}
}

// reprice saves the listings of a PC game in a region with another price, at
// times one after the other.
func (w *world) reprice(slug, region string, prices ...*catalog.Price) {
	w.t.Helper()
	now := catalog.MillisOf(time.Now())
	for l := range sampleCatalog().demo.Listings(sampleURL, now) {
		if l.Platform != catalog.PCStore || l.Facts.Slug != slug || l.Region.String() != region || l.Facts.Type != catalog.Base {
			continue
		}
		for i, p := range prices {
			l.Price, l.ObservedAt = p, now+catalog.Millis(i-len(prices))*60_000
			if _, err := w.db.Listings.Save(w.t.Context(), []catalog.Listing{l}); err != nil {
				w.t.Fatal(err)
			}
		}
		return
	}
	w.t.Fatalf("no listing of %s in %s", slug, region)
}

func hryvnias(base, current money.Amount) *catalog.Price {
	return &catalog.Price{Currency: "UAH", Base: base, Current: current, DiscountPercent: money.DiscountPercent(base, current)}
}

func historySection(t testing.TB, page string) string {
	t.Helper()
	return between(t, page, `id="history"`, "</section>")
}

func TestPriceHistory(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	v.w.reprice("the-witcher-3-wild-hunt", "UA", hryvnias(90000, 90000), nil, hryvnias(90000, 45000))
	section := historySection(t, v.get(pcWitcher+"?region=ua&period=1m").body)
	text := shownText(section)
	order := []int{strings.Index(text, "450,00 ₴"), strings.LastIndex(text, "not for sale"), strings.LastIndex(text, "900,00 ₴")}
	if slices.Contains(order, -1) || !slices.IsSorted(order[1:]) {
		t.Errorf("the table is not newest first (%v):\n%s", order, text)
	}
	hasAll(t, text, "450,00 ₴ −50% from 900,00 ₴")
	line := regexp.MustCompile(`class="line" d="([^"]*)"`).FindStringSubmatch(section)
	if line == nil || strings.Count(line[1], "M") < 2 {
		t.Errorf("the line is %v; want parts with a gap between them", line)
	}
	hasAll(t, section, `value="UA" checked>Ukraine`)
	for _, query := range []string{"region=tr", "region=garbage", "region=", "region=ZZ", "period=2y", "units=EUR", "region=UA&region=UA", "region=UA&region=TR&region=xx&units=usd"} {
		if p := v.get(pcWitcher + "?" + query); p.status != http.StatusOK || !strings.Contains(p.body, "Price history: ") {
			t.Errorf("%s: status %d", query, p.status)
		}
	}
}

// manyRegions is a view of a single PC game that is sold in that many regions,
// with texts that try to become markup, and with as much of everything as a
// game can have.
func manyRegions(t testing.TB, regions, offers int) *index.View {
	t.Helper()
	now := catalog.MillisOf(time.Now())
	var lines []catalog.Listing
	for _, region := range someRegions(regions) {
		for i := range offers {
			l := evilListing(region, now)
			if i > 0 {
				l.Product, l.Facts.Type, l.Facts.Title = fmt.Sprintf("evil-%d", i), catalog.DLC, fmt.Sprintf("Add-on <u>%d</u>", i)
			}
			lines = append(lines, l)
		}
	}
	return viewOf(t, slices.Collect(slices.Chunk(lines, listings.MaxBatch)))
}

func viewOf(t testing.TB, batches [][]catalog.Listing) *index.View {
	t.Helper()
	view, err := catalogOf(t.Context(), func(db *sqldb.DB) error {
		for _, batch := range batches {
			if _, err := db.Listings.Save(t.Context(), batch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// catalogOf returns the view of a new database that fill fills, at the sample's exchange rates.
func catalogOf(ctx context.Context, fill func(*sqldb.DB) error) (*index.View, error) {
	dir, err := os.MkdirTemp("", "gamedex-catalog")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	now := catalog.MillisOf(time.Now())
	rates, err := demo.Rates(now)
	if err == nil {
		err = errors.Join(fill(db), saveRates(ctx, db, rates, now))
	}
	if err != nil {
		return nil, err
	}
	return buildOnce(ctx, db, filepath.Join(dir, "snapshots"))
}

func someRegions(n int) []catalog.Region {
	regions := []catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR"), catalog.MustRegion("PL"), catalog.MustRegion("IN")}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			r, err := catalog.ParseRegion(string([]rune{a, b}))
			if err == nil && len(regions) < n && !slices.Contains(regions, r) {
				regions = append(regions, r)
			}
		}
	}
	return regions
}

func evilListing(region catalog.Region, now catalog.Millis) catalog.Listing {
	const evil = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.PCStore, Region: region, Product: "evil"},
		Facts: catalog.Facts{Family: "evil", FamilyName: evil, Slug: "evil", Title: evil + " Game", InvariantName: evil, Type: catalog.Base,
			Platforms: []string{evil}},
		Prose: catalog.Prose{Description: "Good<br>2 < 3 &amp; <u>bold</u>" + evil + strings.Repeat(" <p>many words</p>", 2000), Publisher: evil, Developer: evil,
			Genres: []string{evil}, RatingAge: evil, RatingSystem: evil, Cover: "javascript:alert(3)"},
		Locale: "en-" + region.String(), StoreURL: "javascript:alert(4)", ObservedAt: now,
		Price: &catalog.Price{Currency: "USD", Base: 199900 + money.Amount(region[0]), Current: 99900 + money.Amount(region[1]), DiscountPercent: 50,
			CurrentText: evil, BaseText: evil, DiscountEndsAt: now + 90_000_000, Source: catalog.SourceDoubtful},
	}
}

// TestCardOfEverything checks that a card with everything that the stores may
// send is escaped, and no larger than a page may be.
func TestCardOfEverything(t *testing.T) {
	t.Parallel()
	view := manyRegions(t, 70, 60)
	v := explorer(t, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	for _, path := range []string{"/en/browse", "/en/browse?q=game", "/en/games/pcstore/evil"} {
		p := v.get(path)
		p.wants(t, http.StatusOK)
		p.lacks(t, "<script>alert", "<img src=x", "javascript:alert(3)\"", `href="javascript`, "<u>")
		if size := len(p.body); size > 100<<10 {
			t.Errorf("%s has %d bytes", path, size)
		}
	}
	text := shownText(v.get("/en/games/pcstore/evil").body)
	hasAll(t, text, "Good", "2 < 3 & bold", "20 more are not shown", "doubtful", "until")
	whole := v.get("/answers/prices?platform=pcstore&ids=evil&regions=all")
	var answer struct {
		Data struct {
			Items []struct{ Regions map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(whole.body), &answer); err != nil || len(answer.Data.Items) != 1 || len(answer.Data.Items[0].Regions) != 70 {
		t.Errorf("the whole answer: status %d, %v\n%.300s", whole.status, err, whole.body)
	}
	if kind := whole.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("the whole answer is %q", kind)
	}
}
