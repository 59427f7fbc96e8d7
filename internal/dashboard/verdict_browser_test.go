package dashboard_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/browsertest"
)

// TestAnswerAtFirstSight goes from the first page to whether a price is good in a country, in two
// actions: the verdict is inside of the window, without scrolling.
func TestAnswerAtFirstSight(t *testing.T) {
	w := newWorld(t, withPublicPages)
	for _, lang := range languages {
		for _, size := range [][2]int{{1280, 800}, {360, 740}} {
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
			v.Shot(fmt.Sprintf("verdict-%s-%d", lang, size[0]))
		}
	}
}

// TestVerdictIsTheSameEverywhere checks that the page of a game, its description for search engines
// and for messengers, and the feed of deals say the same about its price.
func TestVerdictIsTheSameEverywhere(t *testing.T) {
	v := passerby(t)
	said := regexp.MustCompile(`<p class="verdict ([a-z-]*)" id="verdict">([^<]+)</p>`)
	kinds := map[string]bool{}
	for _, lang := range languages {
		for _, title := range []string{"The Witcher 3: Wild Hunt", "Hades", "Cyberpunk 2077", "Hollow Knight"} {
			for _, country := range []string{"UA", "TR", "IN"} {
				page := v.get(v.w.publicGame(lang, catalog.PCStore, title) + "?country=" + country)
				verdict := said.FindStringSubmatch(page.body)
				if verdict == nil {
					t.Fatalf("%s, %s in %s: there is no verdict", lang, title, country)
				}
				kinds[verdict[1]] = true
				text := shownText(verdict[2])
				about, _ := structured(t, page.body)["description"].(string)
				begin := string([]rune(text)[:60]) // a share preview is cut after 200 characters
				if shared := described(page.body, "og:description"); !strings.Contains(shownText(shared), begin) || !strings.HasPrefix(shownText(about), text) {
					t.Errorf("%s, %s in %s: the page says %q, its descriptions %q and %q", lang, title, country, text, shared, about)
				}
			}
		}
	}
	entry := regexp.MustCompile(`<title>([^<]*)</title><updated>[^<]*</updated><link [^>]*href="([^"]+)"></link><summary>([^<]*)</summary>`)
	for _, lang := range languages {
		entries := entry.FindAllStringSubmatch(v.get("/"+lang+"/deals/ua.atom").body, 8)
		if len(entries) < 8 {
			t.Fatalf("%s: the feed has only %d entries", lang, len(entries))
		}
		for _, e := range entries {
			sentence := shownText(e[3][strings.LastIndex(e[3], "· ")+len("· "):])
			verdict := said.FindStringSubmatch(v.get(strings.TrimPrefix(e[2], v.w.server.URL)).body)
			if verdict == nil || !strings.HasPrefix(shownText(verdict[2]), sentence) { // the page can compare with other countries
				t.Errorf("%s, %s: the feed says %q, the page %q", lang, e[1], sentence, verdict)
			}
		}
	}
	if len(kinds) < 2 {
		t.Errorf("all have the verdict %v", kinds)
	}
}
