package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/serve"
)

// TestMarketIsInTheAddress opens pages in a country and a currency, and in what is neither: the links
// to the catalog keep them.
func TestMarketIsInTheAddress(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct{ sent, want string }{
		{"country=PL&currency=PLN", "?country=PL"},
		{"country=PL", "?country=PL"},
		{"country=PL&currency=", "?country=PL"},
		{"country=PL&currency=USD", "?country=PL&amp;currency=USD"},
		{"currency=EUR", "?currency=EUR"},
		{"country=pol&currency=+eur+", "?country=PL&amp;currency=EUR"},
		{"country=EU&currency=XXXX", ""},
		{"country=%3Cscript%3E&currency=DEM", ""},
		{"country=", ""},
	} {
		for _, path := range []string{"/en/browse", "/en/browse?q=witcher", "/en", "/"} {
			separator := "?"
			if strings.Contains(path, "?") {
				separator = "&"
			}
			if p := v.do(http.MethodGet, path+separator+tt.sent, nil); p.status != http.StatusOK || !strings.Contains(p.body, `<a href="/en/browse`+tt.want+`"`) {
				t.Errorf("%s with %q: status %d, the link to the catalog lacks %q", path, tt.sent, p.status, tt.want)
			}
		}
	}
}

// TestMarketOfAVisitor opens the first page as somebody from a country, with a proxy that names countries and
// without one, as a stranger and as a user: the page is that of the country, if there are prices in it.
func TestMarketOfAVisitor(t *testing.T) {
	t.Parallel()
	const proxy, other = "127.0.0.0/8", "10.0.0.0/8"
	w := newWorld(t, withPublicPages, func(w *world, c *dashboard.Config) {
		c.Web.Country = func(r *http.Request) string { return w.proxies.Header(r, "CF-IPCountry") }
	})
	w.addUser(bobEmail, false)
	stranger, user := w.newVisitor().staying(), w.signedIn(bobEmail)
	for _, tt := range []struct{ language, proxies, country, query, want string }{
		{"tr-TR,tr;q=0.9,en-US;q=0.5", "", "", "", "/en?country=TR"},
		{"tr", "", "", "", "/en?country=TR"},
		{"uk,ru;q=0.8,en-US;q=0.5", "", "", "", "/uk?country=UA"},
		{"ru-KZ", "", "", "", "/ru?country=KZ"},
		{"en-IN;q=0.3, pl", "", "", "", "/en?country=PL"},
		{"cs-CZ,uk;q=0.5", "", "", "", "/uk?currency=CZK"}, // no prices there
		{"cs", "", "", "", "/en"},                          // where from is a guess
		{"is-IS", "", "", "", "/en"},                       // no exchange rate either
		{"es-419", "", "", "", "/en"},
		{"*", "", "", "", "/en"},
		{"", "", "", "", "/en"},
		{"\x80tr-TR;;", "", "", "", "/en"},
		{"uk-UA", proxy, "TR", "", "/uk?country=TR"},
		{"uk-UA", proxy, "cz", "", "/uk?currency=CZK"},
		{"uk-UA", proxy, "XX", "", "/uk?country=UA"}, // not known
		{"uk-UA", proxy, "T1", "", "/uk?country=UA"}, // Tor
		{"uk-UA", other, "TR", "", "/uk?country=UA"}, // anybody may have sent it
		{"uk-UA", "", "TR", "", "/uk?country=UA"},
		{"tr-TR", proxy, "TR", "?country=PL", "/en?country=PL"},
		{"tr-TR", "", "", "?country=", "/en"},
		{"tr-TR", "", "", "?currency=EUR", "/en?currency=EUR"},
	} {
		var err error
		if w.proxies, err = serve.ParseProxies(tt.proxies); err != nil {
			t.Fatal(err)
		}
		for _, v := range []*visitor{stranger, user} {
			v.header = http.Header{"Accept-Language": {tt.language}, "Cf-Ipcountry": {"UA", tt.country}}
			if tt.country == "" {
				v.header.Del("CF-IPCountry")
			}
		}
		p := stranger.get("/" + tt.query)
		if at := p.header.Get("Location"); p.status != http.StatusSeeOther || at != tt.want || p.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%+v: status %d to %q, Cache-Control %q", tt, p.status, at, p.header.Get("Cache-Control"))
		}
		query := tt.want[len("/en"):]
		if p := user.get("/" + tt.query); p.status != http.StatusOK || !strings.Contains(p.body, `/browse`+html.EscapeString(query)+`"`) || p.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%+v for a user: status %d, Cache-Control %q, or its links lack the market", tt, p.status, p.header.Get("Cache-Control"))
		}
	}
	w.newVisitor().get("/en?country=TR").has(t, "</span>Turkey</button>", "₺")
}

// TestCurrenciesWithARate checks that visitors choose from the currencies that prices can be converted
// to, and see the one that is in their address.
func TestCurrenciesWithARate(t *testing.T) {
	t.Parallel()
	rates, err := money.NewRates("PLN", map[money.Currency]string{"USD": "0.25", "CZK": "6", "UAH": "11"}, millis())
	if err != nil {
		t.Fatal(err)
	}
	v := passerby(t)
	picker := regexp.MustCompile(`(?s)<select id="currency".*?</select>`)
	option := regexp.MustCompile(`<option value="([A-Z]{3})"`)
	for _, tt := range []struct {
		rates         money.Rates
		address, want string
	}{
		{rates, "", "USD UAH PLN CZK"},
		{rates, "?currency=TRY", "USD UAH TRY PLN CZK"},
		{money.Rates{}, "", "USD"},
	} {
		old := v.w.live.View()
		v.w.live.Swap(index.NewView(old.Snapshot, index.Published{Seq: old.Seq + 1, Rates: tt.rates, BuiltAt: catalog.Millis(old.IndexBuiltAt)}))
		for _, path := range []string{"/en", "/en/browse", v.w.publicGame("en", catalog.PCStore, "ELDEN RING")} {
			var offered []string
			for _, found := range option.FindAllStringSubmatch(picker.FindString(v.get(path+tt.address).body), -1) {
				offered = append(offered, found[1])
			}
			if got := strings.Join(offered, " "); got != tt.want {
				t.Errorf("%s%s offers %s, want %s", path, tt.address, got, tt.want)
			}
		}
	}
}

// alphabets are the letters of the languages in their order. A space, a hyphen and a period come
// before all letters; an apostrophe does not count.
var alphabets = map[string]string{
	"en": " -.abcdefghijklmnopqrstuvwxyz",
	"ru": " -.абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
	"uk": " -.абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}

func alphabetical(lang, a, b string) int {
	plain := strings.NewReplacer("å", "a", "ã", "a", "ç", "c", "é", "e", "ô", "o", "ё", "е", "–", "-", "—", "-")
	places := func(name string) (all []int) {
		for _, letter := range plain.Replace(strings.ToLower(name)) {
			if at := strings.IndexRune(alphabets[lang], letter); at >= 0 {
				all = append(all, at)
			}
		}
		return all
	}
	return slices.Compare(places(a), places(b))
}

// TestCountriesAreInAlphabeticalOrder reads every list of countries of the pages, for a game that is
// sold in all countries of the world.
func TestCountriesAreInAlphabeticalOrder(t *testing.T) {
	t.Parallel()
	view := manyRegions(t, 300, 1)
	v := passerby(t, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	lists := map[string]*regexp.Regexp{
		"browse":             regexp.MustCompile(`<option value="[A-Z]{2}">([^<]+)`),
		"deals/all":          regexp.MustCompile(`<option value="[A-Z]{2}">([^<]+)`),
		"status":             regexp.MustCompile(`<tr><th scope="row">([^<]+)`),
		"games/pcstore/evil": regexp.MustCompile(`<input type=checkbox name="region" value="[A-Z]{2}"(?: checked)?>([^<]+)`),
	}
	for _, lang := range languages {
		for path, pattern := range lists {
			p := v.get("/" + lang + "/" + path)
			if p.status == http.StatusMovedPermanently {
				p = v.get(p.header.Get("Location"))
			}
			header, main, _ := strings.Cut(p.body, "<main")
			longest := 0
			for _, part := range []string{header, main} {
				var names []string
				for _, found := range pattern.FindAllStringSubmatch(part, -1) {
					names = append(names, html.UnescapeString(found[1]))
				}
				longest = max(longest, len(names))
				wantsSorted(t, lang, path, names)
			}
			if longest < 200 {
				t.Fatalf("%s/%s: %d countries, status %d", lang, path, longest, p.status)
			}
		}
		p := v.get("/" + lang + "/games/pcstore/evil")
		byDollars := map[string][]string{}
		for _, row := range regexp.MustCompile(`(?s)<th scope=row><a href="[^"]*">([^<]+)</a>.*?</svg>([^<\n]+)`).FindAllStringSubmatch(v.get(p.header.Get("Location")).body, -1) {
			byDollars[row[2]] = append(byDollars[row[2]], html.UnescapeString(row[1]))
		}
		if len(byDollars) < 20 {
			t.Errorf("%s: %d prices", lang, len(byDollars))
		}
		for dollars, names := range byDollars {
			wantsSorted(t, lang, dollars, names)
		}
	}
}

func wantsSorted(t *testing.T, lang, where string, names []string) {
	t.Helper()
	want := slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return alphabetical(lang, a, b) })
	for i := range names {
		if alphabetical(lang, names[i], want[i]) != 0 {
			t.Errorf("%s, %s: %s is where %s should be", lang, where, names[i], want[i])
			return
		}
	}
}
