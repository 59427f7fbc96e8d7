package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"gamedex/internal/testing/porttest"
)

// TestOpenAPIExamplesAreInTheDemo sends the requests that the examples of the
// parameters describe. The sample catalog must answer them, with the games that
// the example of the answer shows.
func TestOpenAPIExamplesAreInTheDemo(t *testing.T) {
	t.Parallel()
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	u := sharedDemo.open(t).user(t)
	for path, item := range ref.Doc.Paths.Map() {
		if strings.HasPrefix(path, "/account/webhooks") { // the demo has none; TestWebhooksPage sends these requests
			continue
		}
		for method, op := range item.Operations() {
			target, body := exampleRequest(t, path, op)
			a := u.do(method, target, body, header("Content-Type", "application/json"))
			shown := titles(op.Responses.Value("200").Value.Content.Get("application/json").Example)
			got := titles(a.want(200).at(""))
			for id, title := range shown {
				if got[id] != title {
					t.Errorf("%s: the example shows %s %q, the demo has %q", a.request, id, title, got[id])
				}
			}
		}
	}
}

// exampleRequest returns the path and the body of the request that the examples
// of an operation describe.
func exampleRequest(t *testing.T, path string, op *openapi3.Operation) (target, body string) {
	t.Helper()
	query := url.Values{}
	for _, p := range op.Parameters {
		if p.Value.Example == nil {
			continue
		}
		text, ok := p.Value.Example.(string)
		if !ok {
			text = compactJSON(t, p.Value.Example)
		}
		if p.Value.In == openapi3.ParameterInPath {
			path = strings.Replace(path, "{"+p.Value.Name+"}", url.PathEscape(text), 1)
		} else {
			query.Set(p.Value.Name, text)
		}
	}
	if op.RequestBody != nil {
		body = compactJSON(t, op.RequestBody.Value.Content.Get("application/json").Example)
	}
	return path + "?" + query.Encode(), body
}

func compactJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// titles returns the title of each game in an answer, by its id or slug.
func titles(node any) map[string]string {
	found := map[string]string{}
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			maps.Copy(found, titles(child))
		}
	case map[string]any:
		if title, ok := node["title"].(string); ok {
			for _, name := range []string{"id", "slug"} {
				if id, ok := node[name].(string); ok {
					found[id] = title
				}
			}
		}
		for _, child := range node {
			maps.Copy(found, titles(child))
		}
	}
	return found
}

// TestOpenAPINamesThePublicURL checks that the service and the command give the
// same document.
func TestOpenAPINamesThePublicURL(t *testing.T) {
	t.Parallel()
	const at = "https://games.example"
	dir, addr := t.TempDir(), porttest.Addr(t)
	start(t, dir, "--addr", addr, "--public-url", at+"/")
	_, served := fetch(t, "GET", "http://"+addr+"/openapi.json")
	if printed := must(t, dir, "", "openapi", "--public-url", at); served != printed || !strings.Contains(served, `"url": "`+at+`/api/v1"`) {
		t.Errorf("with --public-url the service answers %.200s, the command prints %.200s", served, printed)
	}
	if r := run(t, dir, "", "openapi", "--public-url", "games.example"); r.status != 1 || !strings.Contains(r.stderr, "--public-url games.example") {
		t.Errorf("openapi of a wrong URL: status %d: %s", r.status, r.stderr)
	}
}

// TestLLMs checks that /llms.txt is short, names every operation of the catalog and no other than those of the
// OpenAPI document, and that its links answer without a key.
func TestLLMs(t *testing.T) {
	t.Parallel()
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	s := sharedDemo.open(t)
	status, text := s.get("", "/llms.txt")
	if status != http.StatusOK || len(text) > 3500 {
		t.Fatalf("status %d, %d bytes, at most 3500 are allowed", status, len(text))
	}
	named := map[string]bool{}
	for _, call := range regexp.MustCompile("`(GET|POST|PATCH|DELETE) (/[^?` ]*)").FindAllStringSubmatch(text, -1) {
		named[call[1]+" "+call[2]] = true
		if item := ref.Doc.Paths.Value(call[2]); item == nil || item.GetOperation(call[1]) == nil {
			t.Errorf("the OpenAPI document has no %s %s", call[1], call[2])
		}
	}
	for path, item := range ref.Doc.Paths.Map() {
		for method := range item.Operations() {
			if strings.HasPrefix(path, "/catalog/") && !named[method+" "+path] {
				t.Errorf("it does not name %s %s", method, path)
			}
		}
	}
	links := regexp.MustCompile(`https?://[^\s)]*[^\s).]`).FindAllString(text, -1)
	for _, link := range links {
		path, ours := strings.CutPrefix(link, s.api)
		if path == "/api/v1" {
			path += "/health"
		}
		if status, _ := s.get("", path); !ours || status != http.StatusOK && path != "/keys" {
			t.Errorf("%s has status %d", link, status)
		}
	}
	if len(links) < 6 {
		t.Errorf("it has the links %q", links)
	}
}
