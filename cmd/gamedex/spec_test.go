package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const pricesPath = "/catalog/prices?ids=star-forge"

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

func TestPlatforms(t *testing.T) {
	t.Parallel()
	s := newShop(t, "--console-name", "Станція", "--pc-name", "Weird & Co", "--active-regions", "US,PL")
	named := s.user(t)
	named.get("/catalog/platforms").want(200).is("data.platforms.0.name", `"Станція"`).is("data.platforms.1.name", `"Weird & Co"`)
	named.get("/catalog/search?q=far+away").want(200).is("data.results.0.regions", `["us"]`)
	named.get("/catalog/search?q=text").want(200).is("data.total", "0")
	named.get("/catalog/prices?ids=star-forge").want(200).is("filters.regions", `["US","PL"]`).is("regions", `["USA"]`)
	named.get("/catalog/games/"+idOf(named, "Star Forge")).want(200).is("data.regions", `["us","pl"]`).is("data.price.value", "6999")
}
