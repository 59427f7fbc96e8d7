package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// valueIs returns a condition: the value at a path, written with %v, is want.
func valueIs(path, want string) func(answer) bool {
	return func(a answer) bool { return fmt.Sprint(a.at(path)) == want }
}

// TestChangesBecomeVisible does not measure time: the tests of package builder
// check the schedule.
func TestChangesBecomeVisible(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	forge, farm := starForge(u), idOf(u, "Moon Farm")
	forgeTag := u.get("/catalog/games/" + forge).header.Get("ETag")
	pricesTag := u.get("/catalog/prices?ids=" + farm).header.Get("ETag")

	// A price.
	must(t, s.dir, moonFarm("2024-06-01T10:00:00Z", "4200"), "import", "-")
	a := u.eventually("/catalog/prices?ids="+farm, valueIs("data.items.0.regions.UA.current", "4200"))
	a.is("data.items.0.regions.UA.pricedAt", `"2024-06-01T10:00:00.000Z"`).is("data.items.0.updatedAt", `"2024-06-01T10:00:00.000Z"`)
	if a.header.Get("ETag") == pricesTag {
		t.Error("a changed price has the old tag")
	}
	// A card that the change does not touch keeps its entity tag.
	u.get("/catalog/games/"+forge, header("If-None-Match", forgeTag)).want(304)

	// A card.
	must(t, s.dir, listing("pcstore", "PL", "n1", "2024-06-01T10:00:00Z", `"slug":"brand-new","price":{"currency":"PLN","current":100}`), "import", "-")
	u.eventually("/catalog/pcstore/games/brand-new", func(a answer) bool { return a.status == 200 })
	u.get("/catalog/suggest?q=title+of+n1").want(200).is("data.suggestions.0.id", `"brand-new"`)

	// A withdrawal.
	must(t, s.dir, `{"platform":"pcstore","region":"PL","product":"n1","withdrawn":true,"observedAt":"2024-06-02T10:00:00Z"}`, "import", "-")
	u.eventually("/catalog/pcstore/games/brand-new", func(a answer) bool { return a.status == 404 })

	// Rates. They are part of the tag of a card only in another currency.
	converted := u.get("/catalog/games/" + farm + "?currency=UAH").want(200).header.Get("ETag")
	plainTag := u.get("/catalog/games/" + farm).want(200).header.Get("ETag")
	writeFile(t, filepath.Join(s.dir, "rates.json"), `{"base":"EUR","rates":{"USD":1.25,"UAH":50},"updatedAt":"2024-06-01T00:00:00Z"}`)
	must(t, s.dir, "", "rates", "import", "--partial", filepath.Join(s.dir, "rates.json"))
	u.eventually("/catalog/exchange-rates", valueIs("data.base", "EUR"))
	u.get("/catalog/prices?regions=UA,TR&ids="+farm).want(200).is("data.items.0.regions.UA.usd", "1.05").is("data.items.0.regions.TR.usd", "null").
		is("data.items.0.comparedRegions", "1").is("data.items.0.regionsCount", "2").
		is("meta.exchangeRates", `{"base":"EUR","updatedAt":"2024-06-01T00:00:00.000Z"}`)
	u.get("/catalog/games/"+farm, header("If-None-Match", plainTag)).want(304)
	u.get("/catalog/games/"+farm+"?currency=UAH", header("If-None-Match", converted)).want(200)
	u.get("/catalog/prices?regions=UA&currency=EUR&ids="+farm).want(200).
		is("data.items.0.regions.UA.converted", `{"currency":"EUR","formatted":"€0.84","value":84}`)
}

func TestChangedOverridesAreReloaded(t *testing.T) {
	fileOnly(t, "the corrections are in the database, without a file to edit")
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	farm := idOf(u, "Moon Farm")
	file := filepath.Join(s.dir, "overrides.ndjson")
	writeFile(t, file, "# ours\n"+`{"platform":"consolestore","product":"EP0002-CUSA20001_00-MOONFARM00000001","edition":"Harvest Edition"}`+"\n")
	a := u.eventually("/catalog/search?q=moon+farm&platform=consolestore", valueIs("data.results.0.title", "Moon Farm - Harvest Edition"))
	edition := a.text("data.results.0.id")
	if edition == farm {
		t.Error("an edition has the id of the standard one")
	}
	u.get("/catalog/games/"+farm).code(404, "GAME_NOT_FOUND").is("error.details.successors", `["`+edition+`"]`)
	if out := must(t, s.dir, "", "explain", edition); !strings.Contains(out, "override") || !strings.Contains(out, "EP0002-CUSA20001_00-MOONFARM00000001") {
		t.Errorf("explain prints %q", out)
	}

	// A broken file is reported by name, and the last good state stays in use.
	writeFile(t, file, `{"platform":"consolestore"}`)
	s.logs("overrides.ndjson: line 1: product")
	u.get("/catalog/games/" + edition).want(200)
	if r := run(t, s.dir, "", "explain", edition); r.status != 1 || !strings.Contains(r.stderr, "overrides.ndjson: line 1: product") {
		t.Errorf("explain with broken overrides: %+v", r)
	}
	writeFile(t, file, "")
	u.eventually("/catalog/games/"+farm, func(a answer) bool { return a.status == 200 })
}

// TestServeWithoutListings checks that a service without listings answers 503
// instead of an empty catalog.
func TestServeWithoutListings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	_, token := newKey(t, dir)
	u := newUser(t, s.api, token)
	u.get("/health", noKey).want(503).is("ok", "false").is("status", `"starting"`)
	u.get("/catalog/platforms").code(503, "SERVICE_UNAVAILABLE").is("error.message", `"no prices yet; ask the operator"`).hasLimits()
	must(t, dir, "", "import", testFeed)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	// Before there are rates, prices are served without dollars.
	u.get("/catalog/exchange-rates").code(503, "SERVICE_UNAVAILABLE")
	u.get("/catalog/prices?include=fx&ids=star-forge").want(200).is("data.exchangeRates", "null").is("meta.exchangeRates", "null").
		is("data.items.0.regions.UKR.usd", "null").is("data.items.0.cheapest", "null")
}
