package main

import (
	"encoding/json"
	"fmt"
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

// TestDefaultsAndBoundsOfPages checks the defaults and the upper bounds of page
// sizes.
func TestDefaultsAndBoundsOfPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var feed strings.Builder
	for i := range 120 {
		feed.WriteString(listing("pcstore", "UA", fmt.Sprint("p", i), "2024-05-01T10:00:00Z", fmt.Sprintf(`"slug":"tiny-%d","title":"Tiny %d"`, i, i)))
	}
	feed.WriteString(listing("consolestore", "UA", "big", "2024-05-01T10:00:00Z", `"family":"1","title":"Big Game","invariantName":"Big Game"`))
	for i := range 25 {
		feed.WriteString(listing("consolestore", "UA", fmt.Sprint("addon", i), "2024-05-01T10:00:00Z",
			fmt.Sprintf(`"family":"1","type":"dlc","title":"Big Extra %d","invariantName":"Big Extra %d"`, i, i)))
	}
	must(t, dir, feed.String(), "import", "-")
	u := serveFeed(t, dir)
	for path, want := range map[string]int{"search?": 10, "search?limit=100&": 100, "search?limit=100&offset=50&": 70, "suggest?": 8, "suggest?limit=20&": 20} {
		a := u.get("/catalog/" + path + "q=tiny").want(200)
		list := "data.results"
		if strings.HasPrefix(path, "suggest") {
			list = "data.suggestions"
		} else {
			a.is("data.total", "120")
		}
		if got := len(a.texts(list, "id")); got != want {
			t.Errorf("%s returns %d, want %d", path, got, want)
		}
	}
	game := idOf(u, "Big Game")
	if n := len(u.get("/catalog/search?includeRelated=1&q="+game).texts("data.results.0.related", "id")); n != 20 {
		t.Errorf("a result has %d related items, want 20 at most", n)
	}
	if n := len(u.get("/catalog/games/"+game).texts("data.related", "id")); n != 25 {
		t.Errorf("the card has %d related items, want 25", n)
	}
}
