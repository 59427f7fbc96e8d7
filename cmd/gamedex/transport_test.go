package main

import (
	"strings"
	"testing"
)

// endpoints are an example path of each endpoint.
var endpoints = []string{
	"/health",
	"/account/me",
	"/account/usage",
	"/catalog/exchange-rates",
	"/catalog/platforms",
	"/catalog/search?q=star",
	"/catalog/suggest?q=star",
	"/catalog/games/FORGE",
	"/catalog/pcstore/games/star-forge",
	"/catalog/prices?ids=star-forge",
}

// limitHeaders are the six of the specification.
var limitHeaders = []string{
	"X-RateLimit-Limit-Minute", "X-RateLimit-Remaining-Minute", "X-RateLimit-Reset-Minute",
	"X-RateLimit-Limit-Day", "X-RateLimit-Remaining-Day", "X-RateLimit-Reset-Day",
}

func (a answer) hasLimits() answer {
	a.t.Helper()
	for _, name := range limitHeaders {
		if a.header.Get(name) == "" {
			a.t.Errorf("%s: %d lacks %s", a.request, a.status, name)
		}
	}
	return a
}

// TestPathsOutsideTheVersion opens paths of the API that have no version or another one: programs
// call them, so they get the error envelope and no page.
func TestPathsOutsideTheVersion(t *testing.T) {
	s := shared.open(t)
	const want = `{"ok":false,"error":{"code":"NOT_FOUND",`
	for _, method := range []string{"GET", "POST"} {
		for _, path := range []string{"/api", "/api/", "/api/health", "/api/v2/health", "/api/v1health", "/api//v1/health"} {
			res, body := fetch(t, method, s.api+path)
			if res.StatusCode != 404 || res.Header.Get("Content-Type") != "application/json; charset=utf-8" || !strings.HasPrefix(body, want) {
				t.Errorf("%s %s: %d %q %.100s", method, path, res.StatusCode, res.Header.Get("Content-Type"), body)
			}
		}
	}
}

func TestCORSOriginIsOptIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	_, token := newKey(t, dir)
	u := newUser(t, start(t, dir, "--cors-origin", "https://app.example").api, token)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	for _, a := range []answer{u.get("/account/me").want(200), u.get("/catalog/search").want(400), u.get("/health").want(200)} {
		a.in("Access-Control-Allow-Origin", "https://app.example")
		for _, name := range append([]string{"ETag", "X-Request-Id", "Retry-After"}, limitHeaders...) {
			if !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s: a page cannot read %s", a.request, name)
			}
		}
	}
	u.do("OPTIONS", "/catalog/prices", "", noKey).want(204).in("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
}
