package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/browsertest"
)

// TestAnswerAtFirstSight goes from the first page to whether a price is good in a country, in two
// actions: the verdict is inside of the window, without scrolling. `make test` tries one window in each
// language.
func TestAnswerAtFirstSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	for i, lang := range languages {
		for j, size := range [][2]int{{1280, 800}, {360, 740}} {
			if i%2 != j && !fullWorld {
				continue
			}
			v := w.browse(browsertest.Options{Language: lang, Width: size[0], Height: size[1]})
			v.Go("/" + lang + "?country=UA")
			v.Click("#q") // the first action: a search
			v.Type("Cyberpunk 2077")
			v.Press("Enter")
			v.Click(".tiles a") // the second: its first result
			var box struct{ Top, Bottom, Height, Scrolled float64 }
			v.Eval(`(() => { const r = document.querySelector("#verdict").getBoundingClientRect(); return { Top: r.top, Bottom: r.bottom, Height: innerHeight, Scrolled: scrollY } })()`, &box)
			if !strings.Contains(v.Path(), "/games/") || box.Scrolled != 0 || box.Top < 0 || box.Bottom > box.Height || box.Bottom == box.Top {
				t.Errorf("%s, %d x %d: the verdict %q is at %+v of %s", lang, size[0], size[1], v.Text("#verdict"), box, v.URL())
			}
			v.Fits()
			if lang == "uk" {
				v.Axe()
			}
			if fullWorld {
				v.Shot(fmt.Sprintf("verdict-%s-%d", lang, size[0]))
			}
		}
	}
}

// TestVerdictIsTheSameEverywhere checks that the page of a game, its description for search engines
// and for messengers, the deals, their feed, and the home page of a user who watches the game say the
// same about its price, also where it is lower. Rows of deals show the end of the discount apart.
func TestVerdictIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	bob := v.w.addUser(bobEmail, false)
	user := v.w.signedIn(bobEmail)
	said := regexp.MustCompile(`<p class="verdict ([a-z-]*)" id="verdict">([^<]+)</p>`)
	entry := regexp.MustCompile(`<link rel="alternate" type="text/html" href="([^"]+/games/[^"]+)"></link><summary>([^<]*)</summary>`)
	row := regexp.MustCompile(`(?s)<h2><a href="([^"]+)">.*?<p class="small wide-only[^"]*">([^<]*)</p>`)
	watched := regexp.MustCompile(`(?s)<li><a href="([^"]+)"><strong>.*?<p class="verdict [^"]*">([^<]*)</p>`)
	ends := map[string]string{"en": " The discount ends on ", "ru": " Скидка до ", "uk": " Знижка до "}
	elsewhere := map[string]string{"en": " less in ", "ru": " дешевле в другой стране: ", "uk": " дешевше в іншій країні: "}
	kinds := map[string]bool{}
	for _, lang := range languages {
		lower := map[string]int{} // how many verdicts say so, by place
		page := func(address string) string {
			t.Helper()
			body := v.get(strings.TrimPrefix(html.UnescapeString(address), v.w.server.URL)).body
			verdict := said.FindStringSubmatch(body)
			if verdict == nil {
				t.Fatalf("%s: there is no verdict", address)
			}
			kinds[verdict[1]] = true
			text := shownText(verdict[2])
			about, _ := structured(t, body)["description"].(string)
			for place, shown := range map[string]string{"description": described(body, "description"), "preview": described(body, "og:description"), "structured data": about} {
				if !strings.Contains(shownText(shown), text) && (about != "" || place != "structured data") {
					t.Errorf("%s: the page says %q, its %s %q", address, text, place, shown)
				}
			}
			if strings.Contains(text, elsewhere[lang]) {
				lower["page"]++
			}
			return text
		}
		for _, title := range []string{"The Witcher 3: Wild Hunt", "Hades", "Cyberpunk 2077", "Hollow Knight"} {
			for _, country := range []string{"UA", "TR", "IN"} {
				page(v.w.publicGame(lang, catalog.PCStore, title) + "?country=" + country)
			}
		}
		user.header = http.Header{"Accept-Language": {lang}}
		for _, place := range []struct {
			name, body string
			verdict    *regexp.Regexp
		}{
			{"deals", v.get("/" + lang + "/deals/ua").body, row},
			{"feed", v.get("/" + lang + "/deals/ua.atom").body, entry},
			{"home", "", watched},
		} {
			if place.name == "home" {
				place.body = user.get("/?country=UA").body
			}
			shown := place.verdict.FindAllStringSubmatch(place.body, 12)
			if len(shown) < 8 {
				t.Fatalf("%s: the %s have only %d verdicts", lang, place.name, len(shown))
			}
			for _, m := range shown {
				address, text := m[1], shownText(m[2])
				whole, rest := page(address), ""
				switch place.name {
				case "deals":
					rest = strings.TrimPrefix(whole, text)
					game := strings.Split(address, "/") // "", language, "games", platform, id
					if err := v.w.db.Accounts.Watch(t.Context(), bob.ID, game[3]+"/"+game[4]); err != nil {
						t.Fatal(err)
					}
				case "feed":
					text = text[strings.LastIndex(text, "· ")+len("· "):]
				}
				if text+rest != whole || rest != "" && (!strings.HasPrefix(rest, ends[lang]) || strings.Contains(rest, elsewhere[lang])) {
					t.Errorf("%s: the %s say %q, the page %q", address, place.name, text, whole)
				}
				if strings.Contains(text, elsewhere[lang]) {
					lower[place.name]++
				}
			}
		}
		if len(lower) != 4 {
			t.Errorf("%s: only these places name a cheaper country: %v", lang, lower)
		}
	}
	if len(kinds) < 2 {
		t.Errorf("all have the verdict %v", kinds)
	}
}
