package main

import (
	"strings"
	"testing"
)

func TestOnlyCardsOfActiveRegionsAreServed(t *testing.T) {
	t.Parallel()
	u := sharedClient(t)
	for _, q := range []string{"far-game", "far+game"} { // finds other games, without a word
		if text := string(u.get("/catalog/search?q=" + q).want(200).body); strings.Contains(text, `"Far Game"`) || strings.Contains(text, `"far-game"`) {
			t.Errorf("%s is served: %s", q, text)
		}
	}
	for _, q := range []string{"far+away", "vanished+kingdom", "UP0007-PPSA70001_00-FARAWAY000000001", "EP0008-PPSA80001_00-VANISHEDKINGDOM1"} {
		u.get("/catalog/search?q="+q).want(200).is("data.total", "0")
		u.get("/catalog/suggest?q="+q).want(200).is("data.suggestions", "[]")
	}
	u.get("/catalog/prices?regions=all&ids=far-game").want(200).is("data.notFound", `["far-game"]`)
	// The same listings in a service where their region is active.
	s := newShop(t, "--active-regions", "us")
	id := idOf(s.user(t), "Far Away")
	u.get("/catalog/games/"+id).code(404, "GAME_NOT_FOUND")
	s.user(t).get("/catalog/games/"+id).want(200).is("data.regions", `["us"]`)
	if forge := idOf(s.user(t), "Star Forge"); forge != starForge(u) {
		t.Errorf("active regions change the id: %s and %s", forge, starForge(u))
	}
}
