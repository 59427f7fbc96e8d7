package main

import "testing"

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
