package dashboard_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/index"
)

// explorer is a visitor who may look at the catalog of a new world.
func explorer(t testing.TB, change ...func(*world, *dashboard.Config)) *visitor {
	t.Helper()
	w := newWorld(t, change...)
	w.addUser(bobEmail, false)
	return w.signedIn(bobEmail)
}

func shownText(page string) string {
	text := regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

func entriesOf(page, list string) (entries []string) {
	_, rest, _ := strings.Cut(page, `<ul class="`+list+`">`)
	rest, _, _ = strings.Cut(rest, "</ul>")
	for entry := range strings.SplitSeq(rest, "</li>") {
		if strings.Contains(entry, "<li") {
			entries = append(entries, entry)
		}
	}
	return entries
}

func nextPage(page string) string {
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(page)
	if next == nil {
		return ""
	}
	return html.UnescapeString(next[1])
}

// links returns the addresses in a page that begin with prefix, in order,
// without repeats.
func links(page, prefix string) []string {
	var found []string
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		address := html.UnescapeString(m[1])
		if strings.HasPrefix(address, prefix) && !seen[address] {
			seen[address] = true
			found = append(found, address)
		}
	}
	return found
}

func TestExplore(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct {
		name, query string
		status      int
		want        []string
		not         []string
	}{
		{"no query", "", 200, []string{"games and add-ons", "ELDEN RING", "−40%", "PS4 · PS5", `rel="next"`}, []string{"Page "}},
		{"popular of one store", "?platform=pcstore", 200, []string{"PC Store"}, []string{"consolestore/"}},
		{"games for a device", "?platforms=ps5&types=game", 200, []string{"<option value=\"PS5\" selected", "<option value=\"game\" selected", "PS5"}, []string{"pcstore/", "Edition</span>"}},
		{"no such device", "?platforms=toaster&types=toaster&sort=toaster", 200, []string{"ELDEN RING"}, []string{"<option value=\"toaster"}},
		{"a torn cursor", "?cursor=AAAA", 200, []string{"no longer exists", `href="/en/browse"`}, []string{`class="tiles"`}},
		{"add-ons of a search", "?q=witcher&types=dlc", 200, []string{"Blood and Wine", "Add-on"}, []string{"Game of the Year"}},
		{"nothing passes", "?types=subscription&platforms=ps4&platform=pcstore", 200, []string{"0 results", "matches all filters"}, nil},
		{"one letter", "?q=w", 200, []string{"at least 2 characters"}, nil},
		{"too long", "?q=" + strings.Repeat("w", 201), 200, []string{"at most 200"}, nil},
		{"a title", "?q=witcher+3", 200, []string{"results for “witcher 3”", "PS4", "PC Store", "−70%", " in "}, nil},
		{"one store", "?q=witcher&platform=pcstore", 200, []string{"The Witcher 3"}, []string{"/en/games/consolestore/"}},
		{"no such store", "?q=witcher&platform=moon", 200, []string{"/en/games/consolestore/", "/en/games/pcstore/"}, nil},
		{"a Russian title", "?q=%D0%B2%D0%B5%D0%B4%D1%8C%D0%BC%D0%B0%D0%BA", 200, []string{"The Witcher 3: Wild Hunt"}, nil},
		{"nothing found", "?q=qqqqxyzzy", 200, []string{"0 results for “qqqqxyzzy”", "Check the spelling"}, nil},
		{"broken UTF-8", "?q=witcher%ff", 200, []string{"The Witcher 3"}, nil},
		{"a page that is no number", "?q=the&page=seven", 200, []string{"Page 1 of"}, nil},
		{"a page before the first", "?q=the&page=-7", 200, []string{"Page 1 of"}, nil},
		{"a page beyond the last", "?q=the&page=999", 200, []string{"no page 999"}, nil},
		{"a page beyond everything", "?q=the&page=99999999999999999999", 200, []string{"Page 1 of"}, nil},
		{"the last page that can be requested", "?q=the&page=2147483647", 200, []string{"no page 53"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := v.get("/en/browse" + tt.query)
			p.wants(t, tt.status)
			for _, want := range tt.want {
				if !strings.Contains(p.body, want) && !strings.Contains(shownText(p.body), want) {
					t.Errorf("the page lacks %q:\n%s", want, shownText(p.body))
				}
			}
			p.lacks(t, tt.not...)
		})
	}
}

func TestPageBeyondTheLast(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	const first, pageSize = "/en/browse?q=the&platform=consolestore", 40
	entries, _ := v.walk(first, "tiles")
	last := fmt.Sprintf("page=%d&", (len(entries)+pageSize-1)/pageSize)
	if back := regexp.MustCompile(`rel="prev" href="([^"]*)"`).FindStringSubmatch(v.get(first + "&page=999").body); back == nil || !strings.Contains(html.UnescapeString(back[1]), last) {
		t.Errorf("beyond the end the way back is %v, want %s", back, last)
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	type suggestion struct{ Title, Versions, Address string }
	suggest := func(query string) (list []suggestion) {
		t.Helper()
		p := v.get("/en/suggest?" + query)
		if p.status != http.StatusOK || !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
			t.Fatalf("%s: status %d, %s", query, p.status, p.header.Get("Content-Type"))
		}
		if err := json.Unmarshal([]byte(p.body), &list); err != nil || list == nil {
			t.Fatalf("%s: %v\n%s", query, err, p.body)
		}
		return list
	}
	found := suggest("q=witch")
	if len(found) == 0 || len(found) > 8 || !strings.Contains(found[0].Title, "Witcher") {
		t.Fatalf("q=witch: %+v", found)
	}
	for _, s := range found {
		v.get(s.Address).wants(t, http.StatusOK)
	}
	for _, s := range suggest("q=witch&platform=pcstore") {
		if s.Versions != "PC Store" {
			t.Errorf("on the PC store: %+v", s)
		}
	}
	for _, query := range []string{"", "q=", "q=w", "q=qqqqxyzzy", "q=%ff", "q=" + strings.Repeat("w", 201)} {
		if list := suggest(query); len(list) != 0 {
			t.Errorf("%s: %+v", query, list)
		}
	}
}

func TestExploreWithoutCatalog(t *testing.T) {
	t.Parallel()
	v := explorer(t, func(w *world, _ *dashboard.Config) { w.live.Swap((*index.View)(nil)) })
	for _, path := range []string{"/en/browse", "/en/browse?q=witcher", "/en/games/consolestore/ABCD1234", "/en/games/pcstore/x"} {
		p := v.get(path)
		if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "catalog is not ready yet") {
			t.Errorf("%s: status %d, Retry-After %q\n%s", path, p.status, p.header.Get("Retry-After"), p.body)
		}
	}
	if p := v.get("/en/suggest?q=witcher"); p.status != http.StatusServiceUnavailable || p.body != "[]" {
		t.Errorf("suggestions: status %d %s", p.status, p.body)
	}
}

func TestExploreLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	_, token := w.addKey(bob, "bob's own")
	w.addUser(annEmail, true)
	v := w.signedIn(bobEmail)
	var p answered
	for n := 0; ; n++ {
		if p = v.get("/en/suggest?q=witcher"); p.status != http.StatusOK {
			break
		}
		if n > 250 {
			t.Fatal("the explorer has no limit")
		}
	}
	if p.status != http.StatusTooManyRequests || p.body != "[]" {
		t.Fatalf("suggestions beyond the limit: status %d %s", p.status, p.body)
	}
	if p = v.get("/en/browse?q=witcher"); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "Too many searches") {
		t.Errorf("a search beyond the limit: status %d, Retry-After %q\n%s", p.status, p.header.Get("Retry-After"), p.body)
	}
	w.requestAPI(token, "/catalog/search?q=witcher").wants(t, http.StatusOK) // browsing does not count against the limit of a key
	w.signedIn(annEmail).get("/en/browse?q=witcher").wants(t, http.StatusOK)
	if strings.Contains(w.log.String(), "page failed") {
		t.Errorf("the limit is logged as a failure:\n%s", w.log)
	}
}

// TestExploreFailures checks that an answer that the API should never give
// becomes an error page, which shows nothing of the answer.
func TestExploreFailures(t *testing.T) {
	t.Parallel()
	answers := func(status, times int, body string) func(*world, *dashboard.Config) {
		return func(_ *world, c *dashboard.Config) {
			c.API = answerAlways(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				for range times {
					_, _ = io.WriteString(w, body)
				}
			})
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*world, *dashboard.Config)
	}{
		{"an error", answers(500, 1, `{"secret":1}`)},
		{"no JSON", answers(200, 1, `secret`)},
		{"a refusal without reason", answers(404, 1, `secret`)},
		{"no end", answers(200, 9<<10, strings.Repeat(" ", 1<<10))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := explorer(t, tt.change)
			for _, path := range []string{"/en/browse?q=witcher", "/en/suggest?q=witcher", pcWitcher, v.w.consoleAddress("ELDEN RING")} {
				p := v.get(path)
				p.wants(t, http.StatusInternalServerError).lacks(t, "secret")
			}
		})
	}
}

// TestExploreIsLoggedAsItself checks that a page's call of the API is logged as
// part of the page, not as a request of a key.
func TestExploreIsLoggedAsItself(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	before := len(v.w.log.String())
	v.get("/en/browse?q=witcher")
	v.w.server.Close() // waits for the line
	line := v.w.log.String()[before:]
	if !strings.Contains(line, `"GET /en/browse"`) || strings.Contains(line, "/api/v1") || strings.Contains(line, "usr_") {
		t.Errorf("logged: %s", line)
	}
}

// TestNoDeadEnd searches for what nothing has: the page shows what is nearest, and leads out of filters.
func TestNoDeadEnd(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct{ query, near, title, clear string }{
		{"q=the+witcher+3&types=subscription", "without the filters", "The Witcher 3: Wild Hunt", "/en/browse?q=the+witcher+3"},
		{"q=cyberpunkzzzzzzzz", "Similar titles", "Cyberpunk 2077", ""},
		{"q=cyberpunkzzzzzzzz&types=subscription", "Similar titles", "Cyberpunk 2077", "/en/browse?q=cyberpunkzzzzzzzz"},
		{"q=qqqqxyzzy", "Popular games", "Grand Theft Auto V", ""},
		{"q=\u4e0d\u4e0d", "Popular games", "Grand Theft Auto V", ""},
		{"types=subscription&platforms=ps4&platform=pcstore", "", "", "/en/browse"},
	} {
		page := html.UnescapeString(v.get("/en/browse?" + tt.query).body)
		clear := `<a href="` + tt.clear + `">Clear all filters</a>`
		if !strings.Contains(page, tt.near) || !strings.Contains(page, tt.title) || strings.Contains(page, "Clear all filters") != (tt.clear != "") || tt.clear != "" && !strings.Contains(page, clear) {
			t.Errorf("%s: lacks %q with %q, or its link is not to %q\n%s", tt.query, tt.near, tt.title, tt.clear, shownText(page))
		}
	}
}

// TestOneCountOfGames compares what the first page says of the catalog with what the catalog says.
func TestOneCountOfGames(t *testing.T) {
	t.Parallel()
	v := passerby(t)
	number := regexp.MustCompile(`[\d\s,\x{a0}]*\d`)
	for lang, sentence := range map[string]string{"en": "All %s games and add-ons", "ru": "Все игры и дополнения: %s<", "uk": "Усі ігри й доповнення: %s<"} {
		lead := regexp.MustCompile(`<p class="lead">([^<]+)</p>`).FindStringSubmatch(v.get("/" + lang + "/browse").body)
		if lead == nil || !strings.Contains(v.get("/"+lang).body, fmt.Sprintf(sentence, strings.TrimSpace(number.FindString(lead[1])))) {
			t.Errorf("%s: the first page does not have the number of %q", lang, lead)
		}
	}
}
