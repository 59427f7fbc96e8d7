package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// valueIs returns a condition: the value at a path, written with %v, is want.
func valueIs(path, want string) func(answer) bool {
	return func(a answer) bool { return fmt.Sprint(a.at(path)) == want }
}

// TestChangesBecomeVisible does not measure time: the tests of package build
// check the schedule.
func TestChangesBecomeVisible(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	forge, farm := starForge(u), idOf(u, "Moon Farm")
	forgeTag := u.get("/catalog/games/" + forge).header.Get("ETag")
	pricesTag := u.get("/catalog/prices?ids=" + farm).header.Get("ETag")

	// A price.
	must(t, s.dir, listing("consolestore", "UA", "EP0002-CUSA20001_00-MOONFARM00000001", "2024-06-01T10:00:00Z",
		`"family":"10000002","title":"Moon Farm","invariantName":"Moon Farm","platforms":["PS4","PS5"],"price":{"currency":"UAH","current":4200}`), "import", "-")
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

func TestIDsThatMoveNameTheirSuccessors(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	old := idOf(u, "Plus Vault")
	var moved strings.Builder
	for _, region := range []string{"UA", "TR", "PL", "IN"} {
		moved.WriteString(listing("consolestore", region, "EP0004-PPSA40001_00-PLUSVAULT0000001", "2024-06-01T10:00:00Z",
			`"family":"20000004","title":"Plus Vault","invariantName":"Plus Vault","platforms":["PS5"]`))
	}
	must(t, s.dir, moved.String(), "import", "-")
	u.eventually("/catalog/games/"+old, func(a answer) bool { return a.status == 404 })
	id := idOf(u, "Plus Vault")
	u.get("/catalog/games/"+old).code(404, "GAME_NOT_FOUND").is("error.details", `{"gameId":"`+old+`","successors":["`+id+`"]}`)
	u.get("/catalog/prices?ids="+strings.ToLower(old)+",nope").want(200).is("data.notFound", `["`+strings.ToLower(old)+`","nope"]`).
		is("data.moved", `{"`+strings.ToLower(old)+`":["`+id+`"]}`)
	u.get("/catalog/games/" + id).want(200)
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

// TestDiscountsEndOnTime checks that a discount is over as soon as its end has
// passed, without a build.
func TestDiscountsEndOnTime(t *testing.T) {
	t.Parallel()
	var now clock
	s := newShopInside(t, &now)
	u := s.user(t)
	end := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	must(t, s.dir, listing("pcstore", "PL", "s1", "2024-06-01T10:00:00Z",
		`"slug":"short-sale","price":{"currency":"PLN","base":1000,"current":400,"discountEndsAt":"`+end.Format(time.RFC3339Nano)+`"}`), "import", "-")
	const path = "/catalog/prices?ids=short-sale"
	before := u.eventually(path, valueIs("counts.resolved", "1"))
	card := u.get("/catalog/pcstore/games/short-sale").want(200)
	before.is("data.items.0.regions.POL.current", "400").is("data.items.0.cheapest.usd", "1")
	card.is("data.price.discount.percentage", "60")
	now.set(end.Add(-time.Millisecond))
	u.get(path, header("If-None-Match", before.header.Get("ETag"))).want(304)
	now.set(end)
	after := u.get(path, header("If-None-Match", before.header.Get("ETag"))).want(200)
	after.is("data.items.0.regions.POL.current", "1000").is("data.items.0.regions.POL.currentText", `"10,00 zł"`).
		is("data.items.0.regions.POL.discountPercent", "null").is("data.items.0.regions.POL.discountEndAt", "null").is("data.items.0.cheapest.usd", "2.5").
		is("meta.indexBuiltAt", `"`+before.text("meta.indexBuiltAt")+`"`)
	u.get("/catalog/pcstore/games/short-sale", header("If-None-Match", card.header.Get("ETag"))).want(200).is("data.price", `{"currency":"PLN","formatted":"10,00 zł","value":1000}`)
}

// TestServeWithoutListings checks that a service without listings answers 503
// instead of an empty catalog.
func TestServeWithoutListings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := start(t, dir)
	_, token := newKey(t, dir)
	u := newUser(t, server.api, token)
	const hint = `"no prices yet; ask the operator"`
	u.get("/health", noKey).want(503).is("ok", "false").is("status", `"starting"`)
	for _, path := range endpoints {
		switch {
		case path == "/health":
		case strings.HasPrefix(path, "/account/"):
			u.get(path).want(200)
		default:
			a := u.get(path).code(503, "SERVICE_UNAVAILABLE").is("error.message", hint).hasLimits().in("Cache-Control", "no-store")
			if a.header.Get("Retry-After") == "" {
				t.Errorf("%s: 503 without Retry-After", path)
			}
		}
	}
	u.get("/catalog/search?q=a").invalid("q", `"a"`, "minLength:2")
	res, err := http.Get(server.ops + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if reason, err := io.ReadAll(res.Body); res.StatusCode != 503 || !strings.Contains(withoutData(string(reason)), "no listings yet: gamedex import FILE, or restart serve with --demo") {
		t.Errorf("/readyz: %d %q (%v) does not say what to do", res.StatusCode, reason, err)
	}

	must(t, dir, "", "import", testFeed)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	// Before there are rates, prices are served without dollars.
	u.get("/catalog/exchange-rates").code(503, "SERVICE_UNAVAILABLE")
	u.get("/catalog/prices?include=fx&ids=star-forge").want(200).is("data.exchangeRates", "null").is("meta.exchangeRates", "null").
		is("data.items.0.regions.UKR.usd", "null").is("data.items.0.cheapest", "null")
}
