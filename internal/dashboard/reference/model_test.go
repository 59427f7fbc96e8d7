package reference

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/api"
	"gamedex/internal/api/bulk"
	"gamedex/internal/dashboard/web"
)

func parsed(t *testing.T) *model {
	t.Helper()
	m, err := parse(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns the node at a path of names: "data.items".
func (n *node) find(t *testing.T, path string) *node {
	t.Helper()
	for name := range strings.SplitSeq(path, ".") {
		var next *node
		for _, child := range n.Children {
			if child.Name == name {
				next = child
			}
		}
		if next == nil {
			t.Fatalf("there is no %s of %s", name, path)
		}
		n = next
	}
	return n
}

// TestSchemasAreShownWhole checks that the pages know every keyword of the
// schemas in the document.
func TestSchemasAreShownWhole(t *testing.T) {
	var doc any
	if err := json.Unmarshal(api.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	found := 0
	var walk func(value any)
	check := func(value any) {
		found++
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(new(schema)); err != nil {
			t.Errorf("%v in %.300s", err, text)
		}
	}
	walk = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, inner := range value {
				walk(inner)
			}
		case map[string]any:
			if s, ok := value["schema"]; ok {
				check(s)
			}
			for _, inner := range value {
				walk(inner)
			}
		}
	}
	walk(doc)
	for _, s := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		check(s)
	}
	if found < 100 {
		t.Errorf("checked %d schemas only", found)
	}
}

func TestParameters(t *testing.T) {
	search := parsed(t).operations["search"]
	if search == nil || search.Method != "GET" || search.FullPath() != "/api/v1/catalog/search" || search.Group != "catalog" {
		t.Fatalf("search is %+v", search)
	}
	byName := map[string]parameter{}
	for _, p := range search.Parameters {
		byName[p.Name] = p
	}
	q, limit, platform := byName["q"], byName["limit"], byName["platform"]
	if !q.Required || q.In != "query" || q.Example != "elden ring" {
		t.Errorf("q, which is a reference, is %+v", q)
	}
	if diff := cmp.Diff([]string{"format int32", "minimum 1", "maximum 100"}, limit.Schema.Bounds); diff != "" || limit.Schema.Default != "10" {
		t.Errorf("limit has the default %q and bounds (-want +got)\n%s", limit.Schema.Default, diff)
	}
	if diff := cmp.Diff([]string{"all", "consolestore", "pcstore"}, platform.Schema.Values); diff != "" {
		t.Errorf("values of platform: (-want +got)\n%s", diff)
	}
	if byName["If-None-Match"].In != "header" {
		t.Errorf("If-None-Match is %+v", byName["If-None-Match"])
	}
}

func TestAnswers(t *testing.T) {
	m := parsed(t)
	prices := m.operations["getPrices"].Answers
	statuses := map[string]answer{}
	for _, a := range prices {
		statuses[a.Status] = a
	}
	good := statuses["200"]
	if !good.Good() || good.Phrase != "OK" || len(good.Examples) != 1 || !json.Valid([]byte(good.Examples[0].JSON)) {
		t.Fatalf("200 is %+v", good)
	}
	for path, want := range map[string]string{
		"ok": "boolean", "counts.requested": "integer", "data.items": "array of PriceItem", "data.moved": "object of array of string",
		"data.items.regions": "object of RegionPrice", "data.exchangeRates": "Rates or null", "filters.include": "array of string",
	} {
		if n := good.Schema.find(t, path); n.Type != want {
			t.Errorf("%s is %q, want %q", path, n.Type, want)
		}
	}
	if n := good.Schema.find(t, "data.items.regions"); n.Link != "RegionPrice" || len(n.Children) > 0 {
		t.Errorf("regions are no link to their schema: %+v", n)
	}
	regionPrice := m.Schemas[slices.IndexFunc(m.Schemas, func(n *node) bool { return n.Name == "RegionPrice" })]
	for path, want := range map[string]string{"current": "integer or null", "lows.allTime": "object or null"} {
		if n := regionPrice.find(t, path); n.Type != want {
			t.Errorf("%s is %q, want %q", path, n.Type, want)
		}
	}
	if n := regionPrice.find(t, "lows"); n.Required || !strings.Contains(string(n.Text), `badge accent">Addition`) {
		t.Errorf("lows are not marked: %+v", n)
	}
	if n := good.Schema.find(t, "filters.include"); len(n.Values) != len(bulk.BlockNames) {
		t.Errorf("the values of include are %q, want those of the enum in openapi.yaml: %q", n.Values, bulk.BlockNames)
	}
	if diff := cmp.Diff([]string{"ParamError", "PlainError", "TooManyError"}, statuses["400"].Schemas()); diff != "" {
		t.Errorf("schemas of 400: (-want +got)\n%s", diff)
	}
	if a := statuses["304"]; !a.Good() || a.Schema != nil || len(a.Headers) < 7 || a.Headers[0].Name != "ETag" {
		t.Errorf("304 is %+v", a)
	}
	if !m.operations["health"].Public || m.operations["me"].Public {
		t.Error("not just health is public")
	}
}

// TestBrokenDocuments checks that a document that cannot be shown is refused.
func TestBrokenDocuments(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":               `{`,
		"a parameter elsewhere": `{"tags":[{"name":"a"}],"paths":{"/x":{"get":{"tags":["a"],"parameters":[{"$ref":"#/components/parameters/Q"}]}}}}`,
		"a schema elsewhere":    `{"components":{"schemas":{"A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}}}}}`,
		"an unknown tag":        `{"paths":{"/x":{"get":{"tags":["a"]}}}}`,
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSchemasMayReferToThemselves checks that a schema inside of itself ends with a link.
func TestSchemasMayReferToThemselves(t *testing.T) {
	m, err := parse([]byte(`{"components":{"schemas":{"A":{"type":"object","properties":{"inner":{"$ref":"#/components/schemas/A"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	n, depth := m.Schemas[0], 0
	for ; len(n.Children) > 0; n = n.Children[0] {
		depth++
	}
	if depth != maxDepth+1 || n.Link != "A" {
		t.Errorf("it has %d levels, and ends with a link to %q", depth, n.Link)
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a `b` **c**":              "<p>a <code>b</code> <strong>c</strong></p>\n",
		"**Addition**: new":        "<p><strong class=\"badge accent\">Addition</strong>: new</p>\n",
		"a <script>b</script> &":   "<p>a <!-- raw HTML omitted -->b<!-- raw HTML omitted --> &amp;</p>\n",
		"[a](javascript:alert(1))": "<p><a href=\"\">a</a></p>\n",
	} {
		if got, err := markdown(text); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestLongAnswersAreCut checks what the page shows of an answer that is longer
// than it shows, and of one that is longer than it keeps.
func TestLongAnswersAreCut(t *testing.T) {
	for _, size := range []int{10, maxShown, maxKept + 1} {
		body := `["` + strings.Repeat("я", size/2) + `"]`
		inParts := func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["A"] = []string{"1", "2"}
			for _, part := range []string{body[:5], body[5:]} {
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Error(n, err)
				}
			}
		}
		r := resultOf(web.Call(http.HandlerFunc(inParts), httptest.NewRequest("GET", "/", nil), maxKept))
		whole := size < maxShown
		if r.Status != 200 || len(r.Headers) != 3 || len(r.Body) > maxShown || (r.Size == 0) != whole || !whole && r.Size != len(body) {
			t.Errorf("%d bytes: status %d, %d headers, %d bytes shown, size %d", len(body), r.Status, len(r.Headers), len(r.Body), r.Size)
		}
		if whole && r.Body != "[\n  \"яяяяя\"\n]" {
			t.Errorf("shown is %q", r.Body)
		}
		if strings.ToValidUTF8(r.Body, "?") != r.Body {
			t.Errorf("%d bytes are cut inside of a letter", len(body))
		}
	}
}
