package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/api"
	"gamedex/internal/api/apitest"
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

func TestReferencePage(t *testing.T) {
	h, err := api.Reference("", nil)
	if err != nil {
		t.Fatal(err)
	}
	page := get(t, h, "GET", "/docs")
	html, err := io.ReadAll(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	if page.StatusCode != 200 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", page.StatusCode, page.Header)
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("Content-Security-Policy %q", policy)
	}
	if bytes.Contains(html, []byte("<script>")) || bytes.Contains(html, []byte("http:")) || bytes.Contains(html, []byte("https:")) {
		t.Errorf("the page has an inline script or loads from elsewhere:\n%s", html)
	}
	for _, link := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllSubmatch(html, -1) {
		plain, zipped := get(t, h, "GET", string(link[1])), get(t, h, "GET", string(link[1]), header("Accept-Encoding", "gzip"))
		a, err := io.ReadAll(plain.Body)
		if err != nil || plain.StatusCode != 200 {
			t.Fatalf("%s: %d, %v", link[1], plain.StatusCode, err)
		}
		b, err := io.ReadAll(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if b, err = apitest.Unpack(zipped.Header.Get("Content-Encoding"), b); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the gzipped file differs (%v)", link[1], err)
		}
	}
}

func TestReferenceDocument(t *testing.T) {
	h, err := api.Reference("", nil)
	if err != nil {
		t.Fatal(err)
	}
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
	if h, err = api.Reference("", []string{"https://a.example", "https://b.example"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/openapi.json": "https://b.example", "/docs": "", "/docs/nothing": ""} {
		resp := get(t, h, "GET", path, header("Origin", "https://b.example"))
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: Access-Control-Allow-Origin %q, want %q", path, got, want)
		}
	}
	if got := get(t, h, "GET", "/docs/nothing").StatusCode; got != 404 {
		t.Errorf("an unknown page is %d", got)
	}
	if got := get(t, h, "POST", "/docs"); got.StatusCode != 405 || got.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST is %d, Allow %q", got.StatusCode, got.Header.Get("Allow"))
	}
}

// TestReferenceNamesThePublicURL checks that only the server and the contact of
// the document depend on where the service is.
func TestReferenceNamesThePublicURL(t *testing.T) {
	h, err := api.Reference("https://games.example/prices/", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.NewDecoder(get(t, h, "GET", "/openapi.json").Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(api.OpenAPI(), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{map[string]any{"url": "/api/v1"}}, want["servers"]); diff != "" {
		t.Errorf("servers without a public URL:\n%s", diff)
	}
	want["servers"] = []any{map[string]any{"url": "https://games.example/prices/api/v1"}}
	want["info"].(map[string]any)["contact"].(map[string]any)["url"] = "https://games.example/prices"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document of a public URL:\n%s", diff)
	}
}
