package dashboard_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/dashboard"
	"gamedex/internal/quota"
)

// reference reads the first page of the reference below a path, "" or that of a language, and
// follows every link to another one there. It returns the pages by address.
func (v *visitor) reference(below string) map[string]answered {
	link := regexp.MustCompile(`href="(` + below + `/docs[^"#]*)`)
	pages, queue := map[string]answered{}, []string{below + "/docs"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, seen := pages[path]; seen {
			continue
		}
		pages[path] = v.get(path)
		for _, found := range link.FindAllStringSubmatch(pages[path].body, -1) {
			queue = append(queue, html.UnescapeString(found[1]))
		}
	}
	return pages
}

// TestReferenceHasPages follows every link of the reference, from its first page.
func TestReferenceHasPages(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	pages := v.reference("")
	for path, p := range pages {
		p.wants(t, http.StatusOK, `class="docs"`)
		if marked, explained := strings.Contains(p.body, ">Addition<"), strings.Contains(p.body, "the first version of the API"); marked != explained {
			t.Errorf("%s has additions: %v, and says what they are: %v", path, marked, explained)
		}
	}
	for _, path := range []string{"/docs/endpoints/search", "/docs/schemas/PriceItem", "/docs/guides/limits", "/docs/rules"} {
		if _, found := pages[path]; !found {
			t.Errorf("nothing leads to %s", path)
		}
	}
	for _, path := range []string{"/docs/nothing", "/docs/guides/nothing", "/docs/endpoints/nothing", "/docs/schemas/nothing", "/docs/swagger-ui.css"} {
		v.get(path).wants(t, http.StatusNotFound)
	}
}

// TestGuidesKeepTheLanguage checks that the links in the text of a guide lead to pages in its language,
// and that only strangers read that a key needs an account.
func TestGuidesKeepTheLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	stranger, bob := w.newVisitor(), w.signedIn(bobEmail)
	p := stranger.get("/ru/docs/guides/first-request")
	p.has(t, `<a href="/keys">«Ключи»</a>`, "нужна учётная запись", `"/ru/signin?back=%2Fkeys"`)
	bob.get("/docs/guides/first-request").has(t, `<a href="/keys">Keys</a>`).lacks(t, "need an account")
	stranger.get("/uk/docs/guides/errors").has(t, `<a href="/uk/docs/guides/ids">`).lacks(t, "потрібен обліковий запис")
}

func documentSummaries(t *testing.T) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct{ OperationID, Summary string }
	}
	if err := json.Unmarshal(api.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	summaries := map[string]string{}
	for _, operations := range document.Paths {
		for _, o := range operations {
			summaries[o.OperationID] = strings.ReplaceAll(o.Summary, "`", "")
		}
	}
	return summaries
}

// TestEndpointsAreCalledAsInTheDocument compares the English texts of the pages with the document.
func TestEndpointsAreCalledAsInTheDocument(t *testing.T) {
	t.Parallel()
	texts, summaries := messages(t, "en"), documentSummaries(t)
	if len(summaries) < 15 {
		t.Errorf("the document has %d operations", len(summaries))
	}
	for id, summary := range summaries {
		if text := texts["docs.operation."+id]; text != summary {
			t.Errorf("%s is called %q, in the document %q", id, text, summary)
		}
	}
}

func shownIn(t *testing.T, p answered, id string) string {
	t.Helper()
	return html.UnescapeString(between(t, p.body, `id="`+id+`">`, "</code>"))
}

// TestTryIt sends requests from the reference, and compares them with what the
// visitor should see.
func TestTryIt(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct {
		method, address string
		form            []string
		status, in      string // status of the API, and a part of its answer
		command         string
	}{
		{http.MethodGet, "consoleCard/try?gameId=2FBCCD98", nil, "200 OK", `"id": "2FBCCD98"`, "/api/v1/catalog/games/2FBCCD98'"},
		{http.MethodGet, "consoleCard/try?gameId=" + "a%2Fb%27%3F", nil, "404 Not Found", "GAME_NOT_FOUND", "/api/v1/catalog/games/a%2Fb%27%3F'"},
		{http.MethodGet, "search/try?q=a&unknown=x", nil, "400 Bad Request", `"constraint": "minLength:2"`, "/api/v1/catalog/search?q=a'"},
		{http.MethodGet, "getPrices/try?ids=2FBCCD98,elden-ring&regions=&currency=PLN", nil, "200 OK", `"resolved": 2`, "?currency=PLN&ids=2FBCCD98,elden-ring'"},
		{http.MethodGet, "health/try", nil, "200 OK", `"healthy"`, "curl 'http://"},
		{http.MethodPost, "postPrices/try", []string{"body", `{"ids":["elden-ring"]}`}, "200 OK", `"resolved": 1`, `-d '{"ids":["elden-ring"]}'`},
		{http.MethodPost, "postPrices/try", []string{"body", `it's`}, "400 Bad Request", `"constraint": "json"`, `-d 'it'\''s'`},
	} {
		var p answered
		if address := "/docs/endpoints/" + tt.address; tt.method == http.MethodPost {
			p = v.post(address, tt.form...)
		} else {
			p = v.get(address)
		}
		if p.status != http.StatusOK || !strings.Contains(p.body, ">"+tt.status+"</span></h3>\n<details>") {
			t.Errorf("%s: status %d, and not %s\n%s", tt.address, p.status, tt.status, p.body)
			continue
		}
		if got := shownIn(t, p, "result-json"); !strings.Contains(got, tt.in) {
			t.Errorf("%s answers %s, want %s in it", tt.address, got, tt.in)
		}
		if got := shownIn(t, p, "command"); !strings.Contains(got, tt.command) {
			t.Errorf("%s has the command %s, want %s in it", tt.address, got, tt.command)
		}
	}
}

// TestTryItWithATag sends the tag of an answer, and shows that there is no new one.
func TestTryItWithATag(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	p := v.get("/docs/endpoints/platforms/try")
	tag := html.UnescapeString(between(t, p.body, `<dt><code>Etag</code></dt><dd><code class="wrap-anywhere">`, "</code>"))
	p = v.get("/docs/endpoints/platforms/try?" + url.Values{"If-None-Match": {tag}}.Encode())
	if !strings.Contains(p.body, "304 Not Modified</span></h3>\n<details>") || !strings.Contains(p.body, "The answer has no body.") {
		t.Errorf("with the tag %s:\n%s", tag, p.body)
	}
}

func TestTryItIsForUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	stranger, bob := w.newVisitor().staying(), w.signedIn(bobEmail)
	stranger.get("/docs/endpoints/search").has(t, "Sign in to send this request").lacks(t, `id="try-q"`)
	p := stranger.get("/docs/endpoints/search/try?q=elden")
	if p.status != http.StatusSeeOther || !strings.HasPrefix(p.header.Get("Location"), "/signin?back=%2Fdocs%2Fendpoints%2Fsearch%2Ftry%3Fq%3Delden") {
		t.Errorf("a stranger's request: %d to %q", p.status, p.header.Get("Location"))
	}
	bob.get("/docs/endpoints/me").has(t, "about the key that sends the request").lacks(t, "Send request") // only keys may send it
	for _, path := range []string{"me/try", "postPrices/try", "nothing/try"} {
		bob.get("/docs/endpoints/"+path).wants(t, http.StatusNotFound)
	}
	bob.post("/docs/endpoints/search/try", "q", "elden").wants(t, http.StatusNotFound) // search with POST
	bob.post("/docs/endpoints/postPrices/try", "body", strings.Repeat("a", 9_000)).wants(t, http.StatusRequestEntityTooLarge)
}

// TestTryItCounts checks that requests from the reference count towards the limit of
// the explorer.
func TestTryItCounts(t *testing.T) {
	t.Parallel()
	const limit = 5
	v := explorer(t, func(w *world, c *dashboard.Config) {
		few := api.New(w.wire(quota.NewMemory(), c.Keys.Limits, quota.Limits{Minute: limit, Day: limit}))
		c.API, c.Reference.API = few.Pages, few.Person
	})
	try := func(i int) answered { return v.get(fmt.Sprintf("/docs/endpoints/search/try?q=witcher+%d", i)) }
	shows := func(p answered, status string) bool {
		return strings.Contains(p.body, ">"+status+"</span></h3>\n<details>")
	}
	if p := try(0); !shows(p, "200 OK") {
		t.Errorf("the first request is not answered with 200 OK")
	}
	v.get("/en/browse?q=witcher") // sends at least one request
	passed := 1
	for i := 1; i < limit && shows(try(i), "200 OK"); i++ {
		passed++
	}
	if passed == limit {
		t.Errorf("%d requests pass beside those of the explorer, with a limit of %d", passed, limit)
	}
	if !shows(try(limit), "429 Too Many Requests") {
		t.Error("a request over the limit is not answered with 429")
	}
}
