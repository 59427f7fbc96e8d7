package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/testing/catalogtest"
)

// TestStatusOfFormerGames checks, in each language, where addresses of games lead that the catalog
// no longer has: for good to the card that has the listings now, else to a page that names the cards
// among which they were divided, or says that there is none. Each keeps the visitor's choices.
func TestStatusOfFormerGames(t *testing.T) {
	t.Parallel()
	const renamed, left, right, withdrawn = "EP9999-PPSA00001_00-RENAMED000000000", "EP9999-PPSA00002_00-LEFT000000000000", "EP9999-PPSA00003_00-RIGHT00000000000", "EP9999-PPSA00004_00-WITHDRAWN0000000"
	former := map[string]string{} // ids by title
	v := passerby(t, func(w *world, _ *dashboard.Config) {
		one := func(region, product, family, title string, day int) catalog.Listing {
			return catalogtest.Console(region, product, catalogtest.Family(family), catalogtest.FamilyName(title), catalogtest.Name(title), catalogtest.Title(title), catalogtest.Price("UAH", 99_900), catalogtest.On(day))
		}
		w.save([]catalog.Listing{
			one("UA", renamed, "8000001", "Renamed", 1), one("UA", left, "8000002", "Divided", 1), one("TR", right, "8000002", "Divided", 1),
			one("UA", withdrawn, "8000003", "Withdrawn", 1), catalogtest.PC("UA", "o1", "withdrawn-too", catalogtest.Title("Withdrawn Too"), catalogtest.Type(catalog.Base), catalogtest.Price("UAH", 100)),
		})
		w.fillUp(0)
		for _, title := range []string{"Renamed", "Divided", "Withdrawn", "Withdrawn Too"} {
			hits, total, _ := w.live.View().Find(title, 0, 1, 0, false, nil)
			if total == 0 || hits[0].Title != title {
				t.Fatalf("there is no card %q: %v", title, hits)
			}
			former[title] = hits[0].Card.ID()
		}
		w.save([]catalog.Listing{
			one("UA", renamed, "8000011", "Newly Named", 2), one("UA", left, "8000012", "Left Part", 2), one("TR", right, "8000013", "Right Part", 2),
			catalogtest.Console("UA", withdrawn, catalogtest.Withdrawn(), catalogtest.On(2)), catalogtest.PC("UA", "o1", "withdrawn-too", catalogtest.Withdrawn(), catalogtest.On(2)),
		})
		w.fillUp(0)
	})
	gone := map[string]string{"en": "There is no card with this ID", "ru": "Карточки с таким идентификатором нет", "uk": "Картки з таким ідентифікатором немає"}
	divided := map[string]string{"en": "It is now here:", "ru": "Теперь она здесь:", "uk": "Тепер вона тут:"}
	const query = "?country=UA&currency=EUR&period=6m&region=UA&region=TR&units=usd"
	kept := func(address string) string { return "/" + address + "?country=UA&currency=EUR" }
	for _, lang := range languages {
		newName := v.w.publicGame(lang, catalog.ConsoleStore, "Newly Named")
		for path, want := range map[string]struct {
			status   int
			location string
			text     string
		}{
			"consolestore/" + former["Renamed"]:                             {http.StatusMovedPermanently, newName, ""},
			"consolestore/" + former["Renamed"] + "/renamed":                {http.StatusMovedPermanently, newName, ""},
			"consolestore/" + strings.ToLower(former["Renamed"]) + "/x":     {http.StatusMovedPermanently, newName, ""},
			"consolestore/" + former["Renamed"] + "/renamed" + query + "&x": {http.StatusMovedPermanently, newName + query, ""},
			"consolestore/" + former["Divided"] + "/divided" + query:        {http.StatusMultipleChoices, "", divided[lang]},
			"consolestore/" + former["Withdrawn"] + "/withdrawn" + query:    {http.StatusGone, "", gone[lang]},
			"pcstore/" + former["Withdrawn Too"] + "/withdrawn-too":         {http.StatusGone, "", gone[lang]},
			"consolestore/ABCD1234/never":                                   {http.StatusNotFound, "", gone[lang]},
			"consolestore/ABCD1234":                                         {http.StatusNotFound, "", gone[lang]},
			"pcstore/never/never" + query:                                   {http.StatusNotFound, "", gone[lang]},
		} {
			p := v.get("/" + lang + "/games/" + path)
			if p.status != want.status || p.header.Get("Location") != want.location || !strings.Contains(shownText(p.body), want.text) {
				t.Errorf("%s in %s: status %d to %q, want %d to %q:\n%s", path, lang, p.status, p.header.Get("Location"), want.status, want.location, shownText(p.body))
			}
			if strings.Contains(path, query) && want.location == "" && !slices.Contains(links(p.body, "/"), kept(lang+"/browse")) {
				t.Errorf("%s in %s: the links have lost the country: %q", path, lang, links(p.body, "/"))
			}
		}
		var parts []string
		for _, title := range []string{"Left Part", "Right Part"} {
			parts = append(parts, v.w.publicGame(lang, catalog.ConsoleStore, title)+"?country=UA&currency=EUR")
		}
		found := links(v.get("/"+lang+"/games/consolestore/"+former["Divided"]+query).body, "/"+lang+"/games/")
		slices.Sort(parts)
		slices.Sort(found)
		if !slices.Equal(found, parts) {
			t.Errorf("the parts in %s: %q, want %q", lang, found, parts)
		}
		for _, part := range found {
			v.get(part).wants(t, http.StatusOK)
		}
	}
}
