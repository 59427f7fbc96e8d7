package main

import (
	"fmt"
	"strings"
	"testing"
)

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
