package main

import (
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
