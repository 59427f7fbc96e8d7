package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// find returns the titles that a search finds, in order.
func (u *apiUser) find(q string) []string {
	u.t.Helper()
	return u.get("/catalog/search?limit=100&q="+url.QueryEscape(q)).want(200).texts("data.results", "title")
}

func TestSearchFinds(t *testing.T) {
	u := sharedClient(t)
	const forge, ruForge, farm = "Star Forge™", "Звёздная кузница", "Moon Farm"
	for _, c := range []struct {
		q     string
		first string // "" if nothing is found
	}{
		{"зоряна кузня", "Зоряна кузня"},
		{"ЗОРЯНА", "Зоряна кузня"},
		{"звездная кузница", ruForge}, // ё is е
		{"звёзд", ruForge},
		{"star forge", forge},
		{"STAR  forge™", forge},
		{"ｓｔａｒ ｆｏｒｇｅ", forge}, // full-width
		{"star-forge!", forge},
		{"gwiezdna kuznia", "Gwiezdna kuźnia"},
		{"スターフォージ", "スターフォージ"}, // a region that is not active
		{"forge star", forge},
		{"star for", forge},
		{"star forge deluxe", "Star Forge - Deluxe Edition"}, // before the slug that has an offer with this title
		{"star forge deluxe sürümü", "Star Forge - Deluxe Edition"},
		{"season pass", "Star Forge: Season Pass"},
		{"soundtrack", "Star Forge"}, // of an offer that is sold elsewhere
		{"night drive vii", "Night Drive VII"},
		{"night drive 7", "Night Drive VII"},
		{"moon fram", farm}, // neighbours swapped
		{"mon farm", ""},    // a word of three letters takes no typo
		{"moonn farm", farm},
		{"vualt", "Plus Vault"},
		{"night drive 8", "Night Drive VII"}, // all words but one
		{"nothing at all", ""},
		{"стар форж", forge},   // by sound
		{"ыефк ащкпу", forge},  // another keyboard layout
		{"zvezdnaya", ruForge}, // Russian in Latin letters
		{"стар космос", ""},    // all words, in one title
		{"moon star zebra", ""},
		{"%", ""},
	} {
		if len([]rune(c.q)) < 2 {
			continue
		}
		got := u.find(c.q)
		switch {
		case c.first == "" && len(got) > 0:
			t.Errorf("%q finds %q, want nothing", c.q, got)
		case c.first != "" && (len(got) == 0 || got[0] != c.first):
			t.Errorf("%q finds %q, want %q first", c.q, got, c.first)
		}
	}
}

func TestSearchByIDs(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	for q, id := range map[string]string{
		forge: forge, strings.ToLower(forge): forge, "star-forge": "star-forge", "STAR-FORGE": "star-forge", "star-forge-old": "star-forge",
		"EP0001-PPSA00001_00-STARFORGE0000001": forge, "JP0001-PPSA00003_00-STARFORGEJPN0001": forge,
		"PPSA00009": forge, "ppsa00009_00": forge, "PPSA00003_00": forge, "CUSA20001": idOf(u, "Moon Farm"), "CUSA20001_00": idOf(u, "Moon Farm"),
		"https://pc.example/p/star-forge":                                            "star-forge",
		"https://console.example/uk-ua/product/EP0001-PPSA00001_00-STARFORGE0000001": forge,
	} {
		a := u.get("/catalog/search?q=" + url.QueryEscape(q)).want(200)
		if ids := a.texts("data.results", "id"); len(ids) == 0 || ids[0] != id {
			t.Errorf("%q finds %q, want %s first", q, ids, id)
		}
	}
	for _, part := range []string{forge[:6], "PPSA0000", "STARFORGE0000001", "EP0001-PPSA00001_00"} {
		if got := u.find(part); len(got) > 0 {
			t.Errorf("%q, a part of an id, finds %q", part, got)
		}
	}
}

func TestSearchOrderAndPages(t *testing.T) {
	u := sharedClient(t)
	all := u.get("/catalog/search?limit=100&q=star").want(200)
	// With equal matches: games, editions, bundles, season passes, DLC; then
	// popularity.
	same(t, "star", all.texts("data.results", "title"), "Star Forge™", "Star Forge", "Star Forge - Demo",
		"Star Forge - Deluxe Edition", "Star Forge - Collection", "Star Forge: Season Pass", "Star Forge: Ember Pack")
	same(t, "types", all.texts("data.results", "type"), "game", "game", "game", "edition", "bundle", "season-pass", "dlc")
	total := all.at("data.total").(json.Number).String()
	ids := all.texts("data.results", "id")
	var paged []string
	for offset := range 9 {
		page := u.get(fmt.Sprintf("/catalog/search?q=star&limit=2&offset=%d", 2*offset)).want(200).
			is("data.total", total).is("data.limit", "2").is("data.offset", fmt.Sprint(2*offset))
		paged = append(paged, page.texts("data.results", "id")...)
	}
	same(t, "pages", paged, ids...)
	for platform, want := range map[string][]string{"pcstore": {"star-forge"}, "consolestore": slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "star-forge" })} {
		a := u.get("/catalog/search?limit=100&q=star&platform="+platform).want(200).is("data.total", fmt.Sprint(len(want)))
		same(t, platform, a.texts("data.results", "id"), want...)
	}
	same(t, "exact before prefix", u.find("moon farm")[:2], "Moon Farm", "Moon Farm")
}

func TestSearchResult(t *testing.T) {
	u := sharedClient(t)
	u.get("/catalog/search?q=star-forge&platform=pcstore").want(200).is("data.results.0", `{"editionName":null,"id":"star-forge","platform":"pcstore","platforms":["Windows"],
		"price":{"currency":"UAH","discount":{"endsAt":"2099-01-01T00:00:00.000Z","originalPrice":149900,"percentage":50},"formatted":"749,50 ₴","value":74950},
		"regions":["ua","tr"],"storeUrl":"https://pc.example/p/star-forge","thumbnail":"https://img.example/pc-thumb.png","title":"Star Forge","type":"game"}`)
	u.get("/catalog/search?q=vault+pass").want(200).is("data.results.0.type", `"subscription"`).is("data.results.0.regions", `["ua"]`)
}

func TestSearchRelaxed(t *testing.T) {
	u := sharedClient(t)
	first := u.get("/catalog/search?limit=1&q=star+forge+zebra").want(200).is("meta.relaxed", "true")
	if titles := first.texts("data.results", "title"); len(titles) != 1 || titles[0] != "Star Forge™" {
		t.Errorf("star forge zebra finds %q", titles)
	}
	if titles := u.get("/catalog/search?q=star+forge").want(200).texts("data.results", "title"); len(titles) == 0 {
		t.Error("star forge finds nothing")
	}
	for _, path := range []string{"/catalog/search?q=star+forge", "/catalog/search?q=forge+zebra", "/catalog/search?q=qqq+www+zebra"} {
		if strings.Contains(string(u.get(path).want(200).body), "relaxed") {
			t.Errorf("%s is relaxed", path)
		}
	}
	u.get("/catalog/suggest?q=star+forge+zebra").want(200).is("data.suggestions", "[]")
}

func TestSearchIncludes(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	a := u.get("/catalog/search?includeRelated=1&q=" + forge).want(200)
	same(t, "related, then variants", a.texts("data.results.0.related", "title"),
		"Star Forge: Season Pass", "Star Forge: Ember Pack", "Star Forge - Deluxe Edition", "Star Forge - Collection")
	a = u.get("/catalog/search?includeRelated=1&q=star-forge&platform=pcstore").want(200)
	same(t, "other offers", a.texts("data.results.0.related", "id"), "a2", "a3")
	a.is("data.results.0.members", "null")
	bundle := idOf(u, "Star Forge - Collection")
	a = u.get("/catalog/search?includeMembers=true&q=" + bundle).want(200)
	same(t, "members, in feed order", a.texts("data.results.0.members", "title"), "Moon Farm", "Зоряна кузня")
	a.hasEach("data.results.0.members", entryFields).is("data.results.0.related", "null")
	u.get("/catalog/search?includeMembers=1&q="+forge).want(200).is("data.results.0.members", "null")
	u.get("/catalog/search?includeRelated=1&q=coming+soon").want(200).is("data.results.0.related", "[]")
}

func TestSuggest(t *testing.T) {
	u := sharedClient(t)
	a := u.get("/catalog/suggest?q=star").want(200)
	same(t, "order of search", a.texts("data.suggestions", "id"), u.get("/catalog/search?q=star&limit=8").texts("data.results", "id")...)
	u.get("/catalog/suggest?q=star+forge&platform=pcstore").want(200).is("data.suggestions",
		`[{"editionName":null,"id":"star-forge","platform":"pcstore","platforms":["Windows"],"thumbnail":"https://img.example/pc-thumb.png","title":"Star Forge"}]`)
	u.get("/catalog/suggest?q=звез").want(200).is("data.suggestions.0.title", `"Звёздная кузница"`)
	u.get("/catalog/suggest?q=moon+fram").want(200).is("data.suggestions", "[]") // no typos
	ids := u.get("/catalog/suggest?limit=20&q=forge").want(200).texts("data.suggestions", "id")
	if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("an id comes twice: %q", ids)
	}
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
