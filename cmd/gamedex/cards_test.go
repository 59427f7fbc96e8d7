package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cardOf finds the console card with a title.
func cardOf(u *apiUser, title string) answer {
	u.t.Helper()
	return u.get("/catalog/games/" + idOf(u, title)).want(200)
}

func TestConsoleCard(t *testing.T) {
	u := sharedClient(t)
	a := cardOf(u, "Зоряна кузня").is("data.platform", `"consolestore"`).is("data.type", `"game"`).
		is("data.description", `"Куйте зорі & \"сузір'я\" <щодня>."`).is("data.thumbnail", `"https://img.example/sf-thumb.png"`).
		is("data.images", `{"cover":"https://img.example/sf-cover.png","screenshots":["https://img.example/sf-1.png","https://img.example/sf-2.png"]}`).
		is("data.regions", `["ua","tr","pl","in"]`).is("data.releaseDate", `"2023-09-01"`).is("data.publisher", `"Anvil Interactive"`).
		is("data.developer", `"Studio Ember"`).is("data.genres", `["Action","Crafting"]`).is("data.rating", `{"age":"16","system":"PEGI"}`).
		is("data.storeUrl", `"https://console.example/uk-ua/product/EP0001-PPSA00001_00-STARFORGE0000001"`)
	a.is("data.price", `{"currency":"UAH","discount":{"endsAt":"2099-12-01T22:59:00.000Z","originalPrice":199900,"percentage":50},"formatted":"999,50 ₴","value":99950}`)
	a.is("data.details", `{"editionName":null,"invariantName":"Star Forge","platforms":["PS5"],"titleIds":["PPSA00001","PPSA00002","PPSA00003","PPSA00009"]}`)
	same(t, "variants", a.texts("data.variants", "title"), "Star Forge - Deluxe Edition", "Star Forge - Collection")
	same(t, "related", a.texts("data.related", "title"), "Star Forge: Season Pass", "Star Forge: Ember Pack")
	if id := a.text("data.id"); !regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{8}$`).MatchString(id) {
		t.Errorf("card id %q is not Crockford base32", id)
	}
	u.get("/catalog/games/"+strings.ToLower(a.text("data.id"))).want(200).is("data.id", `"`+a.text("data.id")+`"`)
}

func TestPCCard(t *testing.T) {
	u := sharedClient(t)
	a := u.get("/catalog/pcstore/games/star-forge").want(200).is("data.slug", `"star-forge"`).is("data.platform", `"pcstore"`).
		is("data.title", `"Star Forge"`).is("data.type", `"game"`).is("data.releaseDate", `"2023-09-02"`).
		is("data.images", `{"cover":"https://img.example/pc-cover.png","logo":"https://img.example/pc-logo.png","screenshots":["https://img.example/pc-1.png"]}`).
		is("data.details.titleIds", "[]").is("data.price.value", "74950")
	same(t, "offers", a.texts("data.offers", "id"), "a1", "a2", "a3") // a4 is sold only in another region
	same(t, "types", a.texts("data.offers", "type"), "base", "edition", "dlc")
	same(t, "titles", a.texts("data.offers", "title"), "Star Forge", "Star Forge Deluxe Edition", "Star Forge: Ember Pack")
	for _, slug := range []string{"STAR-FORGE", "star-forge-game", "Star-Forge-OLD"} {
		u.get("/catalog/pcstore/games/"+slug).want(200).is("data.slug", `"star-forge"`).in("ETag", a.header.Get("ETag"))
	}
	u.get("/catalog/pcstore/games/lone-edition").want(200).is("data.type", `"edition"`).is("data.title", `"Lone Wolf - Gold Edition"`).
		is("data.details.editionName", `"Gold Edition"`)
}

func TestEditionsAreSeparateCards(t *testing.T) {
	u := sharedClient(t)
	deluxe := cardOf(u, "Star Forge - Deluxe Edition").is("data.type", `"edition"`).is("data.details.editionName", `"Deluxe Edition"`).
		is("data.regions", `["ua","tr"]`).is("data.price.value", "269900")
	same(t, "variants", deluxe.texts("data.variants", "title"), "Зоряна кузня", "Star Forge - Collection")
	bundle := cardOf(u, "Star Forge - Collection").is("data.type", `"bundle"`).is("data.details.platforms", `["PS4","PS5"]`)
	same(t, "variants", bundle.texts("data.variants", "title"), "Зоряна кузня", "Star Forge - Deluxe Edition")
}

func TestAddOnsAndDemos(t *testing.T) {
	u := sharedClient(t)
	games := []string{"Зоряна кузня", "Star Forge - Deluxe Edition", "Star Forge - Collection"}
	pass, pack := "Star Forge: Season Pass", "Star Forge: Ember Pack"
	for title, want := range map[string]struct {
		kind    string
		related []string
	}{
		pack:                {"dlc", append(slices.Clone(games), pass)},
		pass:                {"season-pass", append(slices.Clone(games), pack)},
		"Star Forge - Demo": {"game", append(slices.Clone(games), pass, pack)},
	} {
		a := cardOf(u, title).is("data.type", `"`+want.kind+`"`).is("data.variants", "[]")
		same(t, title, a.texts("data.related", "title"), want.related...)
	}
	cardOf(u, "Star Forge - Demo").is("data.details.editionName", `"Demo"`).is("data.price.formatted", `"Пробна версія"`)
	cardOf(u, "Vault Pass 12 Months").is("data.type", `"subscription"`).is("data.variants", "[]").is("data.related", "[]")
}

func TestPS4AndPS5SoldSeparately(t *testing.T) {
	u := sharedClient(t)
	a := u.get("/catalog/search?q=night+drive+vii").want(200).is("data.total", "2")
	same(t, "titles", a.texts("data.results", "title"), "Night Drive VII", "Night Drive VII")
	ids := a.texts("data.results", "id")
	platforms := []string{}
	for i, id := range ids {
		card := u.get("/catalog/games/"+id).want(200).is("data.details.editionName", "null").is("data.type", `"game"`)
		platforms = append(platforms, card.text("data.details.platforms.0"))
		same(t, "variants of "+id, card.texts("data.variants", "id"), ids[1-i])
	}
	slices.Sort(platforms)
	same(t, "platforms", platforms, "PS4", "PS5")
}

func TestSimplePrice(t *testing.T) {
	u := sharedClient(t)
	for title, price := range map[string]string{
		"Moon Farm":       `{"currency":"UAH","formatted":"Безкоштовно","value":0}`,
		"Plus Vault":      `{"currency":"TRY","formatted":"₺799,00","value":79900}`,     // UA is for subscribers only
		"Text Tale":       `{"currency":"UAH","formatted":"₴ 500","value":null}`,        // the discount has ended
		"Coming Soon":     `null`,                                                       // announced
		"Night Drive VII": `{"currency":"UAH","formatted":"1 199,00 ₴","value":119900}`, // the first of the two
	} {
		cardOf(u, title).is("data.price", price)
		id := idOf(u, title)
		found := u.get("/catalog/search?limit=100&q=" + id).want(200)
		found.is("data.results.0.id", `"`+id+`"`).is("data.results.0.price", price)
	}
	u.get("/catalog/pcstore/games/moonfarm").is("data.price.formatted", `"Безкоштовно"`)
	cardOf(u, "Moon Farm").is("data.thumbnail", `"https://img.example/mf-cover.png"`)
}

func TestOnlyCardsOfActiveRegionsAreServed(t *testing.T) {
	t.Parallel()
	u := sharedClient(t)
	for _, q := range []string{"far+away", "far-game", "far+game", "vanished+kingdom", "UP0007-PPSA70001_00-FARAWAY000000001", "EP0008-PPSA80001_00-VANISHEDKINGDOM1"} {
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
