package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/browsertest"
)

// TestEveryPageFitsAPhone opens every page of the route table at 360 px, with as much on it as it
// may have, and everything unfolded.
func TestEveryPageFitsAPhone(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	s.crowd()
	files := []string{"/en/suggest", "/explore/suggest", "/answers/{path}", "/person", "/docs/endpoints/{operation}/try"} // no page, or one that was seen before
	phone := browsertest.Options{Width: 360, Height: 740, Language: "ru"}
	stranger, user := s.browse(phone), s.browseAs(annEmail, phone)
	for _, rt := range routesOf(http.MethodGet) {
		v := user
		if !rt.SignedIn && rt.Path != "/{$}" && !strings.HasPrefix(rt.Path, "/docs") {
			v = stranger
		}
		if slices.Contains(files, rt.Path) {
			continue
		}
		v.Go(settings{Options: phone}.in(s.pathOf(rt)))
		v.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; }); document.querySelector("#menu").showPopover()`, nil)
		v.Fits()
	}
}

// TestMenuOfAPhone opens the menu and the choice of a country on a phone without a script, with the
// keyboard: until then the header is one line.
func TestMenuOfAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	v := w.browseAs(annEmail, browsertest.Options{Width: 360, Height: 740, Language: "ru", NoScript: true})
	v.Go("/ru/browse?country=KZ&currency=EUR")
	var height int
	if v.Eval(`document.querySelector(".top").offsetHeight`, &height); height > 60 {
		t.Errorf("the header is %d px high", height)
	}
	tabTo(t, v, "Казахстан")
	v.Press("Enter")
	v.Choose("Ваша страна", "Турция")
	v.Choose("Валюта", "Местная валюта")
	v.Submit("Показать цены")
	v.See("₺")
	tabTo(t, v, "Меню")
	v.Press("Enter")
	tabTo(t, v, "Управление")
	v.Press("Enter")
	v.See("Журнал")
	v.Fits()
	var tabs int
	if v.Eval(`document.querySelector(".tabs").offsetHeight`, &tabs); tabs > 50 {
		t.Errorf("the tabs are %d px high", tabs)
	}
}

// TestRoomOnAPhone checks that there is space between headings and the search box, and that a price of six
// digits does not overlap its bar.
func TestRoomOnAPhone(t *testing.T) {
	w := newWorld(t, withPublicPages)
	v := w.browse(browsertest.Options{Width: 360, Height: 740, Language: "uk"})
	v.Go("/uk?country=UA")
	var gap float64
	v.Eval(`document.querySelector("section h2").getBoundingClientRect().top - document.querySelector("[role=search]").getBoundingClientRect().bottom`, &gap)
	if gap < 24 {
		t.Errorf("the heading is %.0f px below the search box", gap)
	}
	v.Go(w.publicGame("uk", catalog.PCStore, "The Witcher 3: Wild Hunt") + "?country=UA")
	var prices []struct {
		Text   string
		Height float64
	}
	v.Eval(`[...document.querySelectorAll(".regions td:nth-child(2)")].map((e) => ({ Text: e.innerText, Height: e.offsetHeight }))`, &prices)
	long := 0
	for _, p := range prices {
		if len([]rune(p.Text)) >= len("1 726,86 ₴")-2 {
			long++
		}
		if p.Height > 30 {
			t.Errorf("%q stands below its bar: %.0f px", p.Text, p.Height)
		}
	}
	if long == 0 {
		t.Errorf("no price has six digits: %v", prices)
	}
}
