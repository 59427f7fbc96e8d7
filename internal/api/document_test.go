package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/api"
)

func get(t *testing.T, h http.Handler, method, path string, change ...with) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for _, f := range change {
		f(r)
	}
	out := httptest.NewRecorder()
	h.ServeHTTP(out, r)
	return out.Result()
}

func TestDocument(t *testing.T) {
	h := api.Files("", "", nil)[api.DocumentPath]
	resp := get(t, h, "GET", "/openapi.json")
	raw, err := io.ReadAll(resp.Body)
	if err != nil || !json.Valid(raw) || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%v, valid JSON %v, %v", err, json.Valid(raw), resp.Header)
	}
	again := get(t, h, "GET", "/openapi.json", header("If-None-Match", resp.Header.Get("ETag")))
	if again.StatusCode != 304 || resp.Header.Get("ETag") == "" {
		t.Errorf("requested again with the tag %q: %d", resp.Header.Get("ETag"), again.StatusCode)
	}
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("without CORS origins Access-Control-Allow-Origin is %q", got)
	}
	h = api.Files("", "", []string{"https://a.example", "https://b.example"})[api.DocumentPath]
	resp = get(t, h, "GET", "/openapi.json", header("Origin", "https://b.example"))
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "https://b.example" {
		t.Errorf("Access-Control-Allow-Origin %q for an allowed origin", got)
	}
	if got := get(t, h, "POST", "/openapi.json"); got.StatusCode != 405 || got.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST is %d, Allow %q", got.StatusCode, got.Header.Get("Allow"))
	}
}

// TestDocumentNamesThePublicURL checks that only the server and the contact of
// the document depend on where the service is.
func TestDocumentNamesThePublicURL(t *testing.T) {
	h := api.Files("https://games.example/prices/", "", nil)[api.DocumentPath]
	var got, want map[string]any
	must(t, json.NewDecoder(get(t, h, "GET", "/openapi.json").Body).Decode(&got))
	must(t, json.Unmarshal(api.OpenAPI(), &want))
	if diff := cmp.Diff([]any{map[string]any{"url": "/api/v1"}}, want["servers"]); diff != "" {
		t.Errorf("servers without a public URL:\n%s", diff)
	}
	want["servers"] = []any{map[string]any{"url": "https://games.example/prices/api/v1"}}
	want["info"].(map[string]any)["contact"].(map[string]any)["url"] = "https://games.example/prices"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document of a public URL:\n%s", diff)
	}
}
