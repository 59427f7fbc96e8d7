package dashboard_test

import (
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
)

// walk reads all pages of a list, and returns the markup of its entries and the number of
// results that the pages name.
func (v *visitor) walk(path, list string) (entries []string, total string) {
	for path != "" {
		page := v.get(path).body
		if len(page) > 60_000 {
			v.w.t.Errorf("%s: %d bytes", path, len(page))
		}
		lead := regexp.MustCompile(`<p class="lead">[^\d<]*([\d,]+)`).FindStringSubmatch(page)
		if lead == nil || total != "" && total != lead[1] {
			v.w.t.Fatalf("%s: the number of results is %v, on the page before it was %q", path, lead, total)
		}
		total = lead[1]
		entries = append(entries, entriesOf(page, list)...)
		path = nextPage(page)
	}
	return entries, strings.ReplaceAll(total, ",", "")
}

// TestOneEntryOfAGameOnAllPages walks over the pages of lists. Each game has one entry, the pages
// count games, and a tile shows the price of the page that it leads to.
func TestOneEntryOfAGameOnAllPages(t *testing.T) {
	t.Parallel()
	v := newWorld(t, withPublicPages, func(_ *world, c *dashboard.Config) {
		c.Web.PublicLimits = web.PublicLimits{Each: 1 << 40, All: 1 << 40}
	}).newVisitor()
	view := v.w.live.View()
	games := view.Games()
	address := regexp.MustCompile(`href="(/(?:en|uk)/games/(consolestore|pcstore)/([^/"]+)/[^"]*)"`)
	price := regexp.MustCompile(`(?s)<p class="short-price">.*?</p>`)
	amount := func(text string) string {
		return shownText(regexp.MustCompile(`<strong>.*?</strong>`).FindString(price.FindString(text)))
	}
	for _, tt := range []struct {
		path, list string
		repeats    bool // the list has several cards of a game
	}{
		{"/en/browse", "tiles", true},
		{"/en/browse?sort=title&types=game", "tiles", true},
		{"/en/browse?platforms=PS5&types=game&sort=released", "tiles", false},
		{"/en/browse?q=the", "tiles", true},
		{"/en/browse?q=the&platform=pcstore", "tiles", false},
		{"/en/deals/ua", "deals", true},
		{"/en/deals/all?sort=popularity&platforms=PS4", "deals", false},
		{"/uk/deals/main?sort=popularity&currency=EUR", "deals", true},
	} {
		entries, total := v.walk(tt.path, tt.list)
		if total != strconv.Itoa(len(entries)) || len(entries) < 3 {
			t.Errorf("%s: the pages name %s results and have %d", tt.path, total, len(entries))
		}
		cards, seen := 0, map[uint32]string{}
		for i, entry := range entries {
			link := address.FindStringSubmatch(entry)
			if link == nil {
				t.Fatalf("%s: no address: %s", tt.path, entry)
			}
			platform, err := catalog.ParsePlatform(link[2])
			if err != nil {
				t.Fatal(err)
			}
			c, ok := view.Lookup(platform, link[3])
			if !ok {
				t.Fatalf("%s: no card %s", tt.path, link[3])
			}
			game := games.First(uint32(c.Number()))
			if other := seen[game]; other != "" {
				t.Errorf("%s: %s and %s are the same game", tt.path, other, link[3])
			}
			seen[game] = link[3]
			cards += len(links(entry, link[1][:len("/en/games/")]))
			if i%7 == 0 {
				shown, there := amount(entry), amount(v.get(html.UnescapeString(link[1])).body)
				if shown != there {
					t.Errorf("%s: the price of %s is %q, on its page %q", tt.path, link[3], shown, there)
				}
			}
		}
		if tt.repeats && cards == len(entries) {
			t.Errorf("%s: no entry has several versions", tt.path)
		}
	}
}

// TestOneSuggestionOfAGame checks that suggestions put versions of a game together as tiles do.
func TestOneSuggestionOfAGame(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct{ query, title, versions string }{
		{"q=the+witcher+3+wild+hunt", "The Witcher 3: Wild Hunt", `^PS[45] · PS[45] · PC Store$`},
		{"q=the+witcher+3+wild+hunt&platform=pcstore", "The Witcher 3: Wild Hunt", `^PC Store$`},
		{"q=elden", "ELDEN RING", `^PS4 · PS5 · PC Store$`},
	} {
		var found []struct{ Title, Versions, Address string }
		if err := json.Unmarshal([]byte(v.get("/en/suggest?"+tt.query).body), &found); err != nil || len(found) == 0 || len(found) > 8 {
			t.Fatalf("%s: %v, %v", tt.query, found, err)
		}
		same := 0
		for _, s := range found {
			if s.Title == tt.title {
				same++
				if !regexp.MustCompile(tt.versions).MatchString(s.Versions) {
					t.Errorf("%s: the versions are %q", tt.query, s.Versions)
				}
			}
		}
		if same != 1 {
			t.Errorf("%s: %d suggestions of %s among %v", tt.query, same, tt.title, found)
		}
		tiles := entriesOf(v.get("/en/browse?"+tt.query).body, "tiles")
		if len(tiles) == 0 || !strings.HasPrefix(shownText(tiles[0]), found[0].Title) || links(tiles[0], "/en/games/")[0] != found[0].Address {
			t.Errorf("%s: the first suggestion is %q, the tiles are %q", tt.query, found[0], tiles)
		}
	}
}

// TestPricesInTheMarket chooses countries and currencies and looks at a price.
func TestPricesInTheMarket(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct {
		country, currency, want, not string
	}{
		{"IN", "INR", `^₹[\d,]+\.00 (−\d+% )?.*in India`, "$"},
		{"IN", "USD", `^\$\d+\.\d\d (−\d+% )?.*₹[\d,]+\.00 in India`, ""},
		{"UA", "EUR", `^€\d+\.\d\d (−\d+% )?.*[\d ]+,00 ₴ in Ukraine`, "$"},
		{"US", "JPY", `^¥[\d,]+ \$\d+\.\d\d in the United States`, "￥"},
		{"FR", "USD", `^not for sale`, "$"},
	} {
		v.market = "country=" + tt.country + "&currency=" + tt.currency
		page := v.get("/en/browse")
		_, price, _ := strings.Cut(strings.ReplaceAll(shownText(entriesOf(page.body, "tiles")[0]), "\u00a0", " "), "PC Store ")
		if !regexp.MustCompile(tt.want).MatchString(price) || tt.not != "" && strings.Contains(price, tt.not) {
			t.Errorf("%s.%s: %q", tt.country, tt.currency, price)
		}
		currency := strings.TrimPrefix(tt.currency, map[string]string{"IN": "INR"}[tt.country]) // "": that of the country
		if !strings.Contains(page.body, `<option value="`+tt.country+`" selected`) || !strings.Contains(page.body, `<option value="`+currency+`" selected`) {
			t.Errorf("%s.%s is not chosen in the picker", tt.country, tt.currency)
		}
	}
}

// TestTitlesInTheLanguageOfThePage checks that every title of a game on a page is in the page's
// language: in lists, links, drawn covers, suggestions, and in all parts of the game's own page.
func TestTitlesInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	v := explorer(t, withPublicPages)
	titles := map[string]string{"en": "The Witcher 3: Wild Hunt", "ru": "Ведьмак 3: Дикая Охота", "uk": "Відьмак 3: Дикий Гін"}
	game := pcWitcher[len("/en"):]
	for language, want := range titles {
		for path, shown := range map[string]string{"/browse": "", "/browse?q=witcher+3": "", "/deals/in?platform=pcstore&sort=popularity": "", "/suggest?q=witcher+3": "",
			game: "", game + "?country=IN": "en", game + "?country=UA": "uk"} { // the language of the country's store
			page := v.get("/" + language + path)
			if location := page.header.Get("Location"); location != "" {
				page = v.get(location)
			}
			if !strings.Contains(page.body, want) {
				t.Errorf("%s in %s lacks %q", path, language, want)
			}
			for other, title := range titles {
				found := regexp.MustCompile(`[>"]`+title+`["<]`).FindAllString(page.body, -1)
				if own := other == shown && other != language; other != language && (len(found) > 1 || (len(found) > 0) != own || own != strings.Contains(page.body, `<p class="original">`+title+"<")) {
					t.Errorf("%s in %s has %q", path, language, found)
				}
			}
		}
	}
}
