package dashboard_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// tilesOf returns the texts of the tiles of a page, and their markup.
func tilesOf(page string) (texts, markup []string) {
	_, list, _ := strings.Cut(page, `<ul class="tiles">`)
	list, _, _ = strings.Cut(list, "</ul>")
	for _, part := range strings.Split(list, "</li>") {
		if strings.Contains(part, "<li") {
			texts, markup = append(texts, shownText(part)), append(markup, part)
		}
	}
	return texts, markup
}

// TestOneTileOfAGame checks that the versions of a game for several devices and stores
// share a tile, and that each of them can be opened.
func TestOneTileOfAGame(t *testing.T) {
	v := explorer(t)
	for _, path := range []string{"/explore?q=the+witcher+3+wild+hunt", "/explore"} {
		texts, markup := tilesOf(v.get(path).body)
		witchers := 0
		for i, text := range texts {
			if !regexp.MustCompile(`(?i)(witcher 3: wild hunt|відьмак 3: дикий гін) PS`).MatchString(text) {
				continue
			}
			witchers++
			addresses := links(markup[i], "/explore/")
			if len(addresses) != 3 {
				t.Errorf("%s: the versions are %v, want PS4, PS5 and the PC store", path, addresses)
			}
			for _, want := range []string{"PS4", "PS5", "PC Store", "−70%", "$", " in India", "more editions"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: the tile lacks %q: %s", path, want, text)
				}
			}
			for _, address := range addresses {
				if p := v.get(address); p.status != 200 {
					t.Errorf("%s: status %d", address, p.status)
				}
			}
		}
		if witchers != 1 {
			t.Errorf("%s: %d tiles:\n%s", path, witchers, strings.Join(texts, "\n"))
		}
	}
}

// TestPagesCountTitles checks that a list says how many titles it shows, where the number of
// results is another one.
func TestPagesCountTitles(t *testing.T) {
	v := explorer(t)
	for _, tt := range []struct{ path, list string }{
		{"/explore", "tiles"},
		{"/explore?q=the+witcher", "tiles"},
		{"/explore?q=celeste&platform=pcstore", "tiles"},
		{"/deals?regions=UA", "deals"},
	} {
		page := v.get(tt.path).body
		if len(page) > 60_000 {
			t.Errorf("%s: %d bytes", tt.path, len(page))
		}
		_, list, _ := strings.Cut(page, `<ul class="`+tt.list+`">`)
		list, _, _ = strings.Cut(list, "</ul>")
		lead := regexp.MustCompile(`<p class="lead">([\d,]+) [^<]*(?:<span class="muted">· (\d+) titles? on this page</span>)?</p>`).FindStringSubmatch(page)
		if lead == nil {
			t.Errorf("%s: no number of results", tt.path)
			continue
		}
		total, shown := strings.ReplaceAll(lead[1], ",", ""), fmt.Sprint(strings.Count(list, "<li"))
		if total == shown && lead[2] != "" || total != shown && lead[2] != shown {
			t.Errorf("%s: %s results, %s titles; there are %s", tt.path, total, lead[2], shown)
		}
	}
}

// TestOneSuggestionOfAGame checks that suggestions put versions of a game together as tiles do.
func TestOneSuggestionOfAGame(t *testing.T) {
	v := explorer(t)
	for _, tt := range []struct{ query, title, versions string }{
		{"q=the+witcher+3+wild+hunt", "The Witcher 3: Wild Hunt", `^PS[45] · PS[45] · PC Store$`},
		{"q=the+witcher+3+wild+hunt&platform=pcstore", "The Witcher 3: Wild Hunt", `^PC Store$`},
		{"q=elden", "ELDEN RING", `^PS4 · PS5 · PC Store$`},
	} {
		var found []struct{ Title, Versions, Address string }
		if err := json.Unmarshal([]byte(v.get("/explore/suggest?"+tt.query).body), &found); err != nil || len(found) == 0 || len(found) > 8 {
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
		if texts, _ := tilesOf(v.get("/explore?" + tt.query).body); len(texts) == 0 || !strings.HasPrefix(texts[0], found[0].Title) {
			t.Errorf("%s: the first suggestion is %q, the tiles are %q", tt.query, found[0].Title, texts)
		}
	}
}

// TestPricesInTheMarket chooses countries and currencies and looks at a price.
func TestPricesInTheMarket(t *testing.T) {
	v := explorer(t)
	for _, tt := range []struct {
		country, currency, want, not string
	}{
		{"IN", "INR", `^₹[\d,]+\.00 −50% .*in India`, "$"},
		{"IN", "USD", `^\$\d+\.\d\d −50% .*₹749\.00 in India`, ""},
		{"UA", "EUR", `^€\d+\.\d\d −50% .*[\d ]+,00 ₴ in Ukraine`, "$"},
		{"US", "JPY", `^¥[\d,]+ \$\d+\.\d\d in the United States`, "￥"},
		{"FR", "USD", `^not for sale`, "$"},
	} {
		v.post("/market", "country", tt.country, "currency", tt.currency, "back", "/explore")
		page := v.get("/explore")
		texts, _ := tilesOf(page.body)
		_, price, _ := strings.Cut(strings.ReplaceAll(texts[0], "\u00a0", " "), "PC Store ")
		if !regexp.MustCompile(tt.want).MatchString(price) || tt.not != "" && strings.Contains(price, tt.not) {
			t.Errorf("%s.%s: %q", tt.country, tt.currency, price)
		}
		if !strings.Contains(page.body, `<option value="`+tt.country+`" selected`) || !strings.Contains(page.body, `<option value="`+tt.currency+`" selected`) {
			t.Errorf("%s.%s is not chosen in the picker", tt.country, tt.currency)
		}
	}
}

// TestPricesLookAlike checks that no price of a tile has the store's own form.
func TestPricesLookAlike(t *testing.T) {
	v := explorer(t)
	page := shownText(v.get("/explore").body)
	if strings.Contains(page, "Rs ") || !strings.Contains(page, "₹") {
		t.Errorf("rupees have several forms:\n%s", page)
	}
}

// TestTitlesInTheLanguageOfThePage checks that tiles and deals have the title in the visitor's
// language, and beneath it that of the store where it is another one.
func TestTitlesInTheLanguageOfThePage(t *testing.T) {
	v := explorer(t)
	for language, want := range map[string]string{"en": "The Witcher 3: Wild Hunt Відьмак 3: Дикий Гін", "ru": "Ведьмак 3: Дикая Охота Відьмак 3: Дикий Гін", "uk": "Відьмак 3: Дикий Гін"} {
		v.header.Set("Accept-Language", language)
		for _, path := range []string{"/explore", "/explore?q=witcher+3", "/deals?regions=IN&platform=pcstore&sort=popularity"} {
			if text := shownText(v.get(path).body); !strings.Contains(text, want) {
				t.Errorf("%s in %s lacks %q:\n%s", path, language, want, text)
			}
		}
		suggested := v.get("/explore/suggest?q=witcher+3").body
		if title, _, _ := strings.Cut(want, " Відьмак"); !strings.Contains(suggested, title) {
			t.Errorf("suggestions in %s: %s", language, suggested)
		}
	}
}
