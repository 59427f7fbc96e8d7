package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// idOf finds the card with a title by search.
func idOf(u *apiUser, title string) string {
	u.t.Helper()
	a := u.get("/catalog/search?platform=consolestore&limit=100&q=" + strings.ReplaceAll(title, " ", "+")).want(200)
	ids := a.texts("data.results", "id")
	for i, found := range a.texts("data.results", "title") {
		if found == title {
			return ids[i]
		}
	}
	u.t.Fatalf("no card has the title %q: %.1000s", title, a.body)
	return ""
}

// starForge returns the id of the card that most tests read.
func starForge(u *apiUser) string {
	u.t.Helper()
	return idOf(u, "Зоряна кузня")
}

func TestEveryFieldOfEveryTable(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)

	u.get("/health", noKey).want(200).has("", healthFields)
	u.get("/account/me").want(200).has("data", keyFields)
	u.get("/account/usage").want(200).has("data", usageFields).has("data.minute", windowFields).
		has("data.day", windowFields).has("data.history", historyFields).has("meta", metaFields)
	u.get("/catalog/exchange-rates").want(200).has("data", ratesFields)
	u.get("/catalog/platforms").want(200).hasEach("data.platforms", platformFields).has("data.platforms.0.features", featureFields)

	search := u.get("/catalog/search?q=star&includeRelated=1&includeMembers=1").want(200)
	search.has("data", fields{"results": "array", "total": "integer", "limit": "integer", "offset": "integer"}).
		hasEach("data.results", searchFields).has("data.results.0.price", priceFields).
		has("data.results.0.price.discount", discountFields).hasEach("data.results.0.related", entryFields)
	u.get("/catalog/suggest?q=star").want(200).has("data", fields{"suggestions": "array"}).hasEach("data.suggestions", suggestFields)

	u.get("/catalog/games/"+forge).want(200).has("data", consoleCardFields).has("data.images", fields{"cover": "url", "screenshots": "strings"}).
		has("data.price", priceFields).has("data.rating", ratingFields).has("data.details", detailsFields).
		hasEach("data.related", entryFields).hasEach("data.variants", entryFields)
	u.get("/catalog/pcstore/games/star-forge").want(200).has("data", pcCardFields).
		has("data.images", fields{"cover": "url", "logo": "url", "screenshots": "strings"}).has("data.price", priceFields).
		has("data.rating", ratingFields).has("data.details", detailsFields).hasEach("data.offers", entryFields)
}

func TestEveryFieldOfBulkPrices(t *testing.T) {
	u := sharedClient(t)
	ids := strings.Join([]string{starForge(u), "star-forge", idOf(u, "Coming Soon"), idOf(u, "Text Tale")}, ",")
	plain := u.get("/catalog/prices?regions=all&ids="+ids).want(200).has("", bulkFields).has("filters", filterFields).
		has("counts", countFields).has("data", dataFields).has("meta", bulkMeta).has("meta.rateLimit", limitFields).
		has("meta.exchangeRates", fields{"base": "string", "updatedAt": "time"}).
		hasEach("data.items", itemFields).has("data.items.0.cheapest", cheapestFields)
	if plain.at("data.exchangeRates") != nil || plain.at("data.moved") != nil {
		t.Errorf("fields that were not requested: %.300s", plain.body)
	}
	full := u.get("/catalog/prices?regions=all&include=image,url,editions,meta,fx&ids="+ids).want(200).
		hasEach("data.items", fullItemFields).has("data.exchangeRates", ratesFields)
	for i := range 4 {
		plain.hasEach(fmt.Sprintf("data.items.%d.regions", i), regionFields)
		item := fmt.Sprintf("data.items.%d", i)
		full.hasEach(item+".regions", fullRegionField).has(item+".links", linkFields).has(item+".meta", itemMetaFields)
		for region := range full.at(item + ".regions").(map[string]any) {
			full.hasEach(item+".regions."+region+".editions", editionFields)
		}
	}
}

func TestSparseCardsHaveEveryField(t *testing.T) {
	u := sharedClient(t)
	id := idOf(u, "Coming Soon")
	u.get("/catalog/games/"+id).want(200).has("data", consoleCardFields).is("data", `{"description":"","details":{"editionName":null,"invariantName":"","platforms":[],"titleIds":[]},
		"developer":"","genres":[],"id":"`+id+`","images":{"cover":"","screenshots":[]},"platform":"consolestore","price":null,"publisher":"",
		"rating":{"age":"","system":""},"regions":["tr"],"related":[],"releaseDate":"","storeUrl":"","thumbnail":"","title":"Coming Soon","type":"game","variants":[]}`)
	u.get("/catalog/pcstore/games/moonfarm").want(200).has("data", pcCardFields).is("data.images", `{"cover":"","logo":"","screenshots":[]}`)
	u.get("/catalog/prices?ids="+id).want(200).is("data.items.0.regions.TR.isFree", "false").is("data.items.0.regions.TR.current", "null").
		is("data.items.0.regions.TR.currentText", `""`).is("data.items.0.cheapest", "null").is("data.items.0.regionsCount", "1")
}

func TestEnvelope(t *testing.T) {
	u := sharedClient(t)
	for _, path := range []string{
		"/account/me", "/account/usage", "/catalog/exchange-rates", "/catalog/platforms", "/catalog/search?q=star",
		"/catalog/suggest?q=star", "/catalog/games/" + starForge(u), "/catalog/pcstore/games/star-forge",
	} {
		a := u.get(path).want(200).is("ok", "true").has("meta", metaFields).has("meta.rateLimit", limitFields).
			has("", fields{"ok": "boolean", "data": "object", "meta": "object"})
		a.is("meta.rateLimit.remaining", a.header.Get("X-RateLimit-Remaining-Minute")).
			is("meta.rateLimit.limit", a.header.Get("X-RateLimit-Limit-Minute")).
			in("X-RateLimit-Reset-Minute", a.text("meta.rateLimit.resetAt"))
		if at, err := time.Parse(time.RFC3339, a.text("meta.timestamp")); err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("%s: meta.timestamp %s", path, a.text("meta.timestamp"))
		}
	}
}

func TestHealthIsPublic(t *testing.T) {
	u := sharedClient(t)
	for _, key := range []with{noKey, bearer("nonsense"), bearer(u.token)} {
		a := u.get("/health?any=%zz", key).want(200).is("ok", "true").is("status", `"healthy"`).is("version", `"`+version+`"`)
		if a.header.Get("X-RateLimit-Limit-Minute") != "" {
			t.Errorf("/health has rate-limit headers")
		}
		if seconds, err := a.at("uptime").(json.Number).Int64(); err != nil || seconds < 0 || seconds > 3600 {
			t.Errorf("uptime %v, want whole seconds", a.at("uptime"))
		}
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, token := newKey(t, s.dir, "--expires", "2099-01-31T00:00:00+02:00", "--limit-minute", "7")
	u := newUser(t, s.api, token)
	me := u.get("/account/me").want(200).is("data.keyId", `"`+id+`"`).is("data.name", `"test"`).is("data.status", `"active"`).
		is("data.expiresAt", `"2099-01-30T22:00:00.000Z"`).is("data.permissions", `["read:catalog","read:account"]`)
	me.is("data.lastUsedAt", `"`+me.text("meta.timestamp")+`"`).is("meta.rateLimit.limit", "7")
	s.user(t).get("/account/me").want(200).is("data.expiresAt", "null")

	u.get("/catalog/search?q=").want(400)
	u.get("/nowhere").want(404)
	u.do("PUT", "/account/me", "").want(405)
	usage := u.get("/account/usage").want(200).is("data.day.limit", "43200")
	if usage.text("data.minute.resetAt") == me.text("meta.rateLimit.resetAt") { // otherwise a new minute began between them
		usage.is("data.minute.used", "3").is("data.minute.remaining", "4").is("data.day.used", "3").is("data.day.remaining", "43197")
	}
	usage.is("data.history", `{"last24h":3,"last30d":3,"last7d":3}`).is("data.minute.limit", "7")
	reset, _ := time.Parse(time.RFC3339, usage.text("data.day.resetAt"))
	if h, m, s := reset.Clock(); h+m+s != 0 || time.Until(reset) > 24*time.Hour {
		t.Errorf("the day ends at %s", reset)
	}
	reset, _ = time.Parse(time.RFC3339, usage.text("data.minute.resetAt"))
	if reset.Second() != 0 || time.Until(reset) > time.Minute {
		t.Errorf("the minute ends at %s", reset)
	}
}

func TestExchangeRates(t *testing.T) {
	u := sharedClient(t)
	const rates = `{"base":"USD","rates":{"INR":83.5,"JPY":150,"PLN":4,"TRY":32,"UAH":40,"USD":1},"updatedAt":"2024-05-01T09:00:00.000Z"}`
	u.get("/catalog/exchange-rates").want(200).is("data", rates)
	a := u.get("/catalog/prices?ids=moonfarm&include=fx").want(200).is("data.exchangeRates", rates)
	a.is("meta.exchangeRates", `{"base":"USD","updatedAt":"2024-05-01T09:00:00.000Z"}`)
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	sharedClient(t).get("/catalog/platforms").want(200).is("data.platforms", `[
		{"features":{"details":true,"prices":true,"related":true,"search":true},"freshness":{"de":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"in":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"jp":{"doubtfulPrices":1,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:05.000Z","oldestSeenAt":"2024-05-01T10:00:05.000Z"},"pl":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"tr":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"ua":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"us":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"}},"id":"consolestore","name":"Console Store","regions":["de","in","jp","pl","tr","ua","us"],"status":"operational"},
		{"features":{"details":true,"prices":true,"related":false,"search":true},"freshness":{"pl":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"tr":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-03T10:00:00.000Z","oldestSeenAt":"2024-05-03T10:00:00.000Z"},"ua":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"},"us":{"doubtfulPrices":0,"lastSweepAt":null,"medianSeenAt":"2024-05-01T10:00:00.000Z","oldestSeenAt":"2024-05-01T10:00:00.000Z"}},"id":"pcstore","name":"PC Store","regions":["pl","tr","ua","us"],"status":"operational"}]`)
	s := newShop(t, "--console-name", "Станція", "--pc-name", "Weird & Co", "--active-regions", "US,PL")
	named := s.user(t)
	named.get("/catalog/platforms").want(200).is("data.platforms.0.name", `"Станція"`).is("data.platforms.1.name", `"Weird & Co"`)
	named.get("/catalog/search?q=far+away").want(200).is("data.results.0.regions", `["us"]`)
	named.get("/catalog/search?q=text").want(200).is("data.total", "0")
	named.get("/catalog/prices?ids=star-forge").want(200).is("filters.regions", `["US","PL"]`).is("regions", `["USA"]`)
	named.get("/catalog/games/"+idOf(named, "Star Forge")).want(200).is("data.regions", `["us","pl"]`).is("data.price.value", "6999")
}
