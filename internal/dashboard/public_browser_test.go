package dashboard_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/demo"
	"gamedex/internal/testing/browsertest"
)

func TestLooksOfPublicPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages, func(_ *world, c *dashboard.Config) { c.Web.PublicURL = sampleURL })
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w.t = t
			lang := cmp.Or(look.Language, "en")
			v := w.browse(look.Options)
			for _, page := range []struct{ name, path string }{
				{"first", "/" + lang + "?country=PL"}, {"browse", "/" + lang + "/browse"}, {"search", "/" + lang + "/browse?q=witcher&currency=EUR"},
				{"deals", "/" + lang + "/deals/ua"}, {"status", "/" + lang + "/status"}, {"gone", "/" + lang + "/games/consolestore/ABCD1234"}, {"none", "/" + lang + "/games"},
				{"game", w.publicGame(lang, catalog.ConsoleStore, "Cyberpunk 2077") + "?country=UA&currency=EUR"},
				{"pc", w.publicGame(lang, catalog.PCStore, "The Witcher 3: Wild Hunt")},
			} {
				visit(v, page.path, "public-"+page.name+"-"+look.name)
			}
		})
	}
}

// TestPublicPagesOfAUser opens a public page as a user, who has the same page as everybody: the script
// shows what belongs to them.
func TestPublicPagesOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{})
	v.Go("/ru/games/pcstore/the-witcher-3-wild-hunt?country=PL")
	v.See(bobEmail)
	v.See("Ключи")
	v.Axe()
	v.ClickTextIn("#code ~ .actions", "Открыть ответ")
	if v.Path() != "/answers/prices" {
		t.Errorf("the answer is at %s", v.Path())
	}
	v.Back()
	v.See(bobEmail)
	v.ClickTextIn(".languages", "Українська")
	v.See("Ціни за країнами")
	if at := v.URL(); !strings.Contains(at, "/uk/games/") || !strings.HasSuffix(at, "?country=PL") {
		t.Errorf("another language is at %s", at)
	}
	v.See(bobEmail)
	v.ClickText("Каталог")
	v.See(bobEmail)
	v.ClickText("Ключі")
	v.See("Ключі")
	if v.Path() != "/keys" {
		t.Errorf("the keys are at %s", v.Path())
	}
}

// TestLongAmountsHaveRoom looks at prices by country in a currency with long amounts: neither bars
// nor other prices are over them.
func TestLongAmountsHaveRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	path := w.publicGame("en", catalog.PCStore, "ELDEN RING") + "?currency=IDR"
	for _, width := range []int{360, 700, 1280} {
		v := w.browse(browsertest.Options{Width: width})
		v.Go(path)
		v.See("Rp 268")
		var over []string
		v.Eval(`[...document.querySelectorAll(".regions tbody tr")].filter((row) => {
			const [, amount, price] = row.cells, bar = amount.querySelector("svg").getBoundingClientRect(), text = document.createRange();
			text.selectNodeContents(amount.lastChild);
			const own = text.getBoundingClientRect();
			text.selectNodeContents(price);
			return own.right > text.getBoundingClientRect().left || bar.right > own.left && bar.left < own.right && bar.bottom > own.top && bar.top < own.bottom;
		}).map((row) => row.innerText)`, &over)
		if len(over) > 0 {
			t.Errorf("at %d px: %q", width, over)
		}
	}
}

// TestPublicPagesByKeyboard searches, chooses a country and changes the language without a pointer.
func TestPublicPagesByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	v := w.browse(browsertest.Options{})
	v.Go("/en")
	tabTo(t, v, "Title, ID or store link")
	v.Type("elden ring")
	v.Press("Enter")
	v.See("results for “elden ring”")
	tabTo(t, v, "Prices: Cheapest")
	v.Press("Enter")
	tabTo(t, v, "Your country")
	v.Type("Poland")
	v.See("in Poland")
	tabTo(t, v, "Українська")
	v.Press("Enter")
	if got := v.URL(); !strings.HasSuffix(got, "/uk/browse?country=PL&q=elden+ring") {
		t.Errorf("the page is %s", got)
	}
}

// TestStrangersWalk goes on a phone, in each language, from the first page to the cheapest
// country of a game and its history with one tap, and to the histories of two countries with
// three more, all without a script. Nothing may be wider than the phone.
func TestStrangersWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	for _, tt := range []struct{ lang, game, best, history, show, first, second string }{
		{"en", "Hogwarts Legacy", "cheapest", "Price history: ", "Show", "Poland", "Ukraine"},
		{"ru", "Хогвартс. Наследие", "дешевле всего", "История цен: ", "Показать", "Польша", "Украина"},
		{"uk", "Спадщина Гоґвортсу", "найдешевше", "Історія цін: ", "Показати", "Польща", "Україна"},
	} {
		t.Run(tt.lang, func(t *testing.T) {
			w.t = t
			v := w.browse(browsertest.Options{Width: 360, Height: 740, NoScript: true})
			v.Go("/" + tt.lang)
			v.Fits()
			v.ClickText(tt.game)
			v.See(tt.best)
			v.Fits()
			best := v.Text("tr.best th a")
			if heading := v.Text("#history h2"); heading != tt.history+best {
				t.Errorf("the heading of the history is %q, and the cheapest country %q", heading, best)
			}
			v.Click("#history details summary")
			for _, country := range []string{tt.first, tt.second} {
				v.Check(country)
			}
			v.Submit(tt.show)
			for _, country := range []string{tt.first, tt.second} {
				if heading := v.Text("#history h2"); !strings.Contains(heading, country) {
					t.Errorf("the heading of the history is %q, without %s", heading, country)
				}
			}
			v.Fits()
		})
	}
}

// TestCoversHaveMargins measures the titles on the covers of the sample: a tenth of the width is
// free beside them, less what a font is wider than expected.
func TestCoversHaveMargins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	var covers []string
	view := w.live.View()
	for n := range view.Len() {
		if _, path, ok := strings.Cut(view.Card(n).Thumbnail(), demo.CoverPath); ok {
			covers = append(covers, demo.CoverPath+path)
		}
	}
	slices.Sort(covers)
	covers = slices.Compact(covers)
	list, err := json.Marshal(covers)
	if err != nil || len(covers) < 100 {
		t.Fatalf("%d covers, %v", len(covers), err)
	}
	v := w.browse(browsertest.Options{})
	v.Go("/en")
	var wide []string
	v.Eval(`Promise.all(`+string(list)+`.map(async (address) => {
		const drawn = new DOMParser().parseFromString(await (await fetch(address)).text(), "image/svg+xml").documentElement;
		drawn.setAttribute("width", 600);
		document.body.append(drawn);
		const side = Math.min(...[...drawn.querySelectorAll("text")].map((line) => line.getBBox().x));
		drawn.remove();
		return side < 36 ? address + " " + side : "";
	})).then((all) => all.filter(Boolean))`, &wide)
	if len(wide) > 0 {
		t.Errorf("titles touch the edges of %d of %d covers: %s", len(wide), len(covers), strings.Join(wide, ", "))
	}
}
