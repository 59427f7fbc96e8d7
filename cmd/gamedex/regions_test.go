package main

import (
	"fmt"
	"strings"
	"testing"
)

// soldIn returns a feed with one game in each region.
func soldIn(regions ...string) string {
	var b strings.Builder
	for _, r := range regions {
		fmt.Fprintf(&b, `{"platform":"pcstore","region":%q,"product":"star","slug":"star-forge","title":"Star Forge","type":"base",`+
			`"price":{"currency":"USD","base":2000,"current":1000},"observedAt":"2026-01-01T00:00:00Z"}`+"\n", r)
	}
	return b.String()
}

// TestFeedOfOtherRegions checks that listings that are in none of the default regions
// are served until a default region has listings, and that import, /readyz and
// explain report both.
func TestFeedOfOtherRegions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := must(t, dir, soldIn("US", "DE", "JP"), "import", "-")
	const all = "none of the default regions UA, TR, PL, IN has a listing, so all regions with listings are active: DE, JP, US"
	if !strings.Contains(out, all) {
		t.Errorf("import printed %q", out)
	}
	_, token := newKey(t, dir, highLimits...)
	s := start(t, dir)
	u := newUser(t, s.api, token)
	u.eventually("/catalog/pcstore/games/star-forge", func(a answer) bool { return a.status == 200 })
	if hits := u.get("/catalog/search?q=star"); !strings.Contains(string(hits.body), `"regions":["de","jp","us"]`) {
		t.Errorf("search: %s", hits.body)
	}
	s.readyzSays("ready", all)
	if out := must(t, dir, "", "explain", "star-forge"); !strings.Contains(out, "served     yes") {
		t.Errorf("explain printed %s", out)
	}

	other := strings.ReplaceAll(soldIn("PL"), "star", "moon")
	const some = "games that are sold only in DE, JP, US are not served, because the active regions are UA, TR, PL, IN; to serve them, start serve with --active-regions UA,TR,PL,IN,DE,JP,US"
	const maybe = "a game is served with all its prices if it is sold in an active region (UA, TR, PL, IN); for games that are sold only in DE, JP, US, start serve with --active-regions UA,TR,PL,IN,DE,JP,US\n"
	if out := must(t, dir, other, "import", "-"); !strings.HasSuffix(out, maybe) || strings.Contains(out, "not served") {
		t.Errorf("import printed %q", out)
	}
	u.eventually("/catalog/pcstore/games/moon-forge", func(a answer) bool { return a.status == 200 })
	if a := u.get("/catalog/pcstore/games/star-forge"); a.status != 404 {
		t.Errorf("star-forge: %d", a.status)
	}
	s.readyzSays("ready", some)
	if out := must(t, dir, "", "explain", "star-forge"); !strings.Contains(out, "served     no: none of its regions is active; to serve it, start serve with --active-regions and one of DE,JP,US") {
		t.Errorf("explain printed %s", out)
	}
}

// TestInactiveRegionsOfServedGames checks that a server that serves all games does not
// warn of the other regions in which they are sold.
func TestInactiveRegionsOfServedGames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, soldIn("PL", "DE"), "import", "-")
	s := start(t, dir, "--log-level", "info")
	s.healthy()
	const about = "are not served"
	if res, body := fetch(t, "GET", s.ops+"/readyz"); res.StatusCode != 200 || strings.Contains(body, about) {
		t.Errorf("/readyz: %d %s", res.StatusCode, body)
	}
	s.logs("published")
	if log := s.stderr.String(); strings.Contains(log, about) {
		t.Errorf("the log is\n%s", log)
	}
}

// TestChosenRegionsHaveNoListing checks that regions that an operator chose are kept,
// and that a server that serves nothing says so.
func TestChosenRegionsHaveNoListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, soldIn("US"), "import", "-")
	s := start(t, dir, "--active-regions", "France")
	const none = "nothing is served: the listings are in US, the active regions are FR; to serve them, start serve with --active-regions US"
	s.readyzSays("not ready", none)
	if out := must(t, dir, soldIn("US"), "import", "-"); !strings.Contains(out, none) {
		t.Errorf("import printed %q", out)
	}
}

func TestOnlyCardsOfActiveRegionsAreServed(t *testing.T) {
	t.Parallel()
	u := sharedClient(t)
	for _, q := range []string{"far+away", "lagoon-lights", "lagoon+lights", "vanished+kingdom", "UP0007-PPSA70001_00-FARAWAY000000001", "EP0008-PPSA80001_00-VANISHEDKINGDOM1"} {
		u.get("/catalog/search?q="+q).want(200).is("data.total", "0")
		u.get("/catalog/suggest?q="+q).want(200).is("data.suggestions", "[]")
	}
	u.get("/catalog/prices?regions=all&ids=lagoon-lights").want(200).is("data.notFound", `["lagoon-lights"]`)
	// The same listings in a service where their region is active.
	s := newShop(t, "--active-regions", "us")
	id := idOf(s.user(t), "Far Away")
	u.get("/catalog/games/"+id).code(404, "GAME_NOT_FOUND")
	s.user(t).get("/catalog/games/"+id).want(200).is("data.regions", `["us"]`)
	if forge := idOf(s.user(t), "Star Forge"); forge != starForge(u) {
		t.Errorf("active regions change the id: %s and %s", forge, starForge(u))
	}
}
