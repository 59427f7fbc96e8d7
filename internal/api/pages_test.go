package api_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// pagesWorld starts a world and returns how pages call its API.
func pagesWorld(t *testing.T) (w *world, get func(v overview.Visitor, path string) reply) {
	w = newWorld(t, unlimited)
	return w, func(v overview.Visitor, path string) reply {
		t.Helper()
		out := httptest.NewRecorder()
		path, query, _ := strings.Cut(path, "?")
		w.api.Pages(v).ServeHTTP(out, request("GET", path, query, nil))
		return reply{t: t, status: out.Code, header: out.Header(), body: out.Body.Bytes()}
	}
}

// TestOffersForPages checks which version of a game a list offers: the one with the lowest price,
// in the visitor's country if they chose one. Star Forge is in both stores.
func TestOffersForPages(t *testing.T) {
	_, get := pagesWorld(t)
	for country, want := range map[string]struct{ best, currency string }{
		"":   {"1", `"UAH"`}, // 21.77 dollars for PCs in Ukraine, 36.30 for consoles
		"UA": {"1", `"UAH"`},
		"TR": {"0", `"TRY"`}, // a text for PCs
		"PL": {"0", `"PLN"`}, // not for PCs
		"US": {"1", `"USD"`},
		"IN": {"0", "null"}, // in neither
		"DE": {"0", "null"}, // a country without listings
	} {
		v := overview.Visitor{}
		if country != "" {
			v.Country = catalog.MustRegion(country)
		}
		for path, game := range map[string]string{
			"/catalog/search?q=star+forge":                                   "data.results.0.game.",
			"/catalog/browse?platform=all&publishers=Forge+Works&sort=title": "data.items.0.game.",
			"/catalog/games/" + former:                                       "error.details.cards.0.game.",
		} {
			get(v, path).is(game+"best", want.best).is(game+"offer.currency", want.currency).
				is(game+"versions.0.id", `"`+forge+`"`).is(game+"versions.1.id", `"star-forge"`).is(game+"versions.2", "null")
		}
	}
}

// TestCardForPages checks what the page of a game has in addition, and that clients do not get it.
func TestCardForPages(t *testing.T) {
	w, get := pagesWorld(t)
	v := overview.Visitor{Country: catalog.MustRegion("US"), Currency: "UAH", Languages: []catalog.Language{"en", "uk"}}
	card := get(v, "/catalog/games/"+forge)
	card.want(200).is("data.game.storeTitle", `"Star Forge"`).is("data.game.editions", "1").is("data.game.titles", `["Star Forge","Зоряна кузня"]`).
		is("data.game.versions.0.offer.current", "5999").is("data.game.versions.1.offer.current", "3999").
		is("data.game.versions.1.offer.converted.value", "165159").is("data.variants.0.offer", "null")
	for country, want := range map[string]string{"UA": `"Зоряна кузня"`, "DE": `""`, "": `""`} { // not sold in DE
		there := overview.Visitor{}
		if country != "" {
			there.Country = catalog.MustRegion(country)
		}
		get(there, "/catalog/games/"+forge+"?lang=en").is("data.game.storeTitle", want)
	}
	get(v, "/catalog/pcstore/games/star-forge").want(200).is("data.game.editions", "0").is("data.offers.0.offer.current", "3999")
	get(v, "/catalog/prices?regions=UA&include=lows&ids="+forge).want(200).is("data.items.0.regions.UA.since", `"2026-11-20T06:50:15.345Z"`)
	get(v, "/catalog/prices?regions=US&ids="+forge).want(200).is("data.items.0.cheapest.region", `"US"`).is("data.items.0.cheapestPrice.alpha2", `"UA"`)
	for _, path := range []string{"/catalog/games/" + forge, "/catalog/search?q=star+forge", "/catalog/browse", "/catalog/suggest?q=star", "/catalog/games/" + former, "/catalog/deals", "/catalog/prices?ids=" + forge} {
		if r := w.get(path); bytes.Contains(r.body, []byte(`"game":{`)) || bytes.Contains(r.body, []byte("cheapestPrice")) {
			t.Errorf("%s: a client gets what is for pages: %s", path, r.body)
		}
	}
}

// TestBeginOfDealsForPages checks that pages get the begin of a discount only if the price was
// watched before.
func TestBeginOfDealsForPages(t *testing.T) {
	w, get := pagesWorld(t)
	const began, path = `"2026-11-20T06:50:15.345Z"`, "/catalog/deals?platform=consolestore&regions=UA"
	get(overview.Visitor{}, path).want(200).is("data.items.0.startedAt", began).is("data.items.0.since", began)
	s := sampleCatalog()
	s.lows = pack.NewLows(start / day) // without past prices
	w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
	r := get(overview.Visitor{}, path).want(200).is("data.items.0.startedAt", began)
	if !bytes.Contains(r.body, []byte(`"since":null,"regions":`)) {
		t.Errorf("the discount may be older: %s", r.body)
	}
}

// TestCatalogForPages checks the description of the catalog as a whole.
func TestCatalogForPages(t *testing.T) {
	w, get := pagesWorld(t)
	c := w.api.Catalog()
	get(overview.Visitor{}, "/catalog/browse?distinct=games&limit=1").is("data.total", strconv.Itoa(c.Games()))
	if c.Cards != w.live.View().Len() || c.Seq != 7 || c.BuiltAt != start-5*60_000 || !c.Describes(w.live.View()) {
		t.Errorf("%d cards of manifest %d, built at %d", c.Cards, c.Seq, c.BuiltAt)
	}
	got := fmt.Sprint(c.Active, c.Regions, c.Unserved, c.Devices(), c.Genres())
	if want := "[UA TR PL IN] [IN JP PL TR UA US] [] [PS4 PS5 Windows] [Building Strategy]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for p, want := range map[catalog.Platform]string{catalog.ConsoleStore: "operational", catalog.PCStore: "degraded"} {
		if s := c.Store(p); s.Status != want || !slices.Contains(s.Regions, catalog.MustRegion("UA")) {
			t.Errorf("%s: status %s, regions %v", p, s.Status, s.Regions)
		}
	}
	changes := c.Changes()
	if len(changes) != c.Cards || !slices.IsSortedFunc(changes, func(a, b overview.Change) int { return int(b.At - a.At) }) {
		t.Errorf("%d changes of %d cards, or not the last one first", len(changes), c.Cards)
	}
	i := slices.IndexFunc(changes, func(change overview.Change) bool { return change.ID() == forge })
	if i < 0 || changes[i].Platform() != catalog.ConsoleStore || c.Title(changes[i], "uk") != "Зоряна кузня" {
		t.Errorf("Star Forge is change %d of %+v", i, changes)
	}

	m := sampleManifest(t)
	m.Seq, m.BuiltAt = 8, start
	w.live.Swap(index.NewView(w.live.View().Snapshot, m))
	newer := w.api.Catalog()
	if newer == c || newer.Seq != 8 || newer.Content != c.Content || w.api.Catalog() != newer {
		t.Error("the catalog is not that of the newest view, or its content changed with the manifest")
	}
	m.Rates = money.Rates{}
	w.live.Swap(index.NewView(w.live.View().Snapshot, m))
	if w.api.Catalog().Content == c.Content {
		t.Error("the content is the same with other rates")
	}
}
