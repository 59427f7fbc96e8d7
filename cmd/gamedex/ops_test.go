package main

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// fetch requests a page outside the API.
func fetch(t *testing.T, method, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := plainTransport.RoundTrip(r)
	return res, bodyOf(t, res, err)
}

// bodyOf returns the body of a response that was received without an error.
func bodyOf(t *testing.T, res *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestReferencePages(t *testing.T) {
	t.Parallel()
	s := shared.open(t)
	res, doc := fetch(t, "GET", s.api+"/openapi.json")
	if res.StatusCode != 200 || doc != must(t, s.dir, "", "openapi") || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		t.Errorf("/openapi.json: %d, %v", res.StatusCode, res.Header)
	}
	res, page := fetch(t, "GET", s.api+"/docs")
	policy := res.Header.Get("Content-Security-Policy")
	if res.StatusCode != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("/docs: %d with policy %q", res.StatusCode, policy)
	}
	links := regexp.MustCompile(`(?:src|href)="([^"#]+)[^"]*"`).FindAllStringSubmatch(page, -1)
	if len(links) < 20 {
		t.Errorf("/docs has %d links", len(links))
	}
	for _, link := range links { // all of them lead to this server
		path := strings.TrimPrefix(html.UnescapeString(link[1]), s.api) // search engines read full addresses
		if !strings.HasPrefix(path, "/") {
			t.Errorf("%s leads elsewhere", path)
		} else if res, _ := fetch(t, "GET", s.api+path); res.StatusCode >= 400 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if res, _ := fetch(t, "GET", s.api+"/docs/"); res.StatusCode != 301 || res.Header.Get("Location") != "/docs" {
		t.Errorf("/docs/: %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	for _, path := range []string{"/nothing", "/metrics", "/readyz", "/debug/pprof/", "/covers/nothing"} {
		if res, _ := fetch(t, "GET", s.api+path); res.StatusCode != 404 {
			t.Errorf("%s: %d, want 404", path, res.StatusCode)
		}
	}
}

func TestOperationsListener(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	u.get("/catalog/search?q=star").want(200)
	u.get("/catalog/search?q=s").want(400)
	u.get("/catalog/games/nothing0").want(404)
	for path, want := range map[string]string{"/livez": "", "/readyz": "", "/debug/pprof/": "goroutine"} {
		if res, body := fetch(t, "GET", s.ops+path); res.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", path, res.StatusCode, body)
		}
	}
	_, metrics := fetch(t, "GET", s.ops+"/metrics")
	for _, want := range [][]string{
		{`/api/v1/catalog/search`, `"200"`, " 1"}, {`/api/v1/catalog/search`, `"400"`, " 1"}, {`/api/v1/catalog/games/{gameId}`, `"404"`, " 1"},
		{"index", "age"}, {"index", "bytes"},
	} {
		if !hasLine(metrics, want...) {
			t.Errorf("no metric has %q:\n%s", want, metrics)
		}
	}
	if strings.Contains(metrics, s.token) || strings.Contains(metrics, "nothing0") {
		t.Error("metrics name a token or an id")
	}
}

// TestBuildersHaveTheMetricsOfTheDatabase checks that only processes with the role build
// read the database at each scrape.
func TestBuildersHaveTheMetricsOfTheDatabase(t *testing.T) {
	t.Parallel()
	for roles, want := range map[string]bool{"api,build": true, "api": false} {
		_, metrics := fetch(t, "GET", newShop(t, "--roles", roles).ops+"/metrics")
		if has := hasLine(metrics, "gamedex_imported_listings_total") && hasLine(metrics, "gamedex_nodes"); has != want ||
			!hasLine(metrics, "gamedex_index_cards") || !hasLine(metrics, "gamedex_clock_skew_seconds") {
			t.Errorf("--roles %s: has metrics of the database: %v, want %v:\n%s", roles, has, want, metrics)
		}
	}
}

// hasLine reports whether one line that is not a comment contains all the
// parts.
func hasLine(text string, parts ...string) bool {
	for line := range strings.Lines(text) {
		all := !strings.HasPrefix(line, "#")
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return true
		}
	}
	return false
}

// TestLogsHoldNoTokens checks that no log line contains a token, however it was
// sent.
func TestLogsHoldNoTokens(t *testing.T) {
	t.Parallel()
	s := newShop(t, "--log-level", "debug", "--log-format", "json")
	u := s.user(t)
	u.get("/account/me?key="+s.token, header("X-Request-Id", "find-me")).want(200)
	u.get("/account/me", noKey, header("X-Api-Key", s.token)).want(200)
	u.get("/catalog/games/" + s.token).want(404)
	u.get("/catalog/search?q=" + s.token).want(200)
	u.get("/"+s.token, noKey).want(404)
	unknown := stranger(t)
	u.get("/account/me", bearer(unknown)).want(401)
	s.stopInOrder()
	log := s.stderr.String()
	for _, token := range []string{s.token, s.token[4:], unknown} {
		if strings.Contains(log, token) {
			t.Errorf("the log has a token:\n%s", log)
		}
	}
	var found map[string]any
	for text := range strings.Lines(log) {
		if line := decoded[map[string]any](t, text); line["request_id"] == "find-me" {
			found = line
		}
	}
	if found["status"] != "200" || found["route"] != "/api/v1/account/me" || found["key_id"] == "" || found["method"] != "GET" {
		t.Errorf("the access log has %v", found)
	}
}
