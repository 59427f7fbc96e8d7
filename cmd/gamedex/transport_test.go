package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// endpoints is an example path of an endpoint, with the methods it takes.
var endpoints = map[string]string{
	"/health":                           "GET, HEAD, OPTIONS",
	"/account/me":                       "GET, HEAD, OPTIONS",
	"/account/usage":                    "GET, HEAD, OPTIONS",
	"/catalog/exchange-rates":           "GET, HEAD, OPTIONS",
	"/catalog/platforms":                "GET, HEAD, OPTIONS",
	"/catalog/search?q=star":            "GET, HEAD, OPTIONS",
	"/catalog/suggest?q=star":           "GET, HEAD, OPTIONS",
	"/catalog/games/FORGE":              "GET, HEAD, OPTIONS",
	"/catalog/pcstore/games/star-forge": "GET, HEAD, OPTIONS",
	"/catalog/prices?ids=star-forge":    "GET, HEAD, POST, OPTIONS",
}

// hasNoLimits fails the test if the answer has a rate-limit header.
func (a answer) hasNoLimits() answer {
	a.t.Helper()
	for name := range a.header {
		if strings.HasPrefix(strings.ToLower(name), "x-ratelimit") {
			a.t.Errorf("%s: %d has %s", a.request, a.status, name)
		}
	}
	return a
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

func TestUnknownPaths(t *testing.T) {
	u := sharedClient(t)
	for _, path := range []string{
		"", "/", "/nowhere", "/health/", "//health", "/account", "/account/me/", "/catalog/search/", "/catalog//search",
		"/catalog/games", "/catalog/games/", "/catalog/games/a/b", "/catalog/pcstore/games/", "/catalog/pcstore/star-forge",
		"/Catalog/search?q=star", "/../v1/health", "/catalog/./search", "/catalog%2Fsearch",
	} {
		u.get(path, noKey).code(404, "NOT_FOUND").hasNoLimits()
		a := u.get(path, bearer(u.token)).code(404, "NOT_FOUND").hasLimits().in("Cache-Control", "no-store")
		if a.header.Get("Location") != "" {
			t.Errorf("%s is redirected", path)
		}
	}
	u.do("POST", "/nowhere", "{}").code(404, "NOT_FOUND")
	u.do("OPTIONS", "/nowhere", "").code(404, "NOT_FOUND")
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

func TestWrongMethods(t *testing.T) {
	u := sharedClient(t)
	for path, allow := range endpoints {
		for _, method := range []string{"PUT", "DELETE", "PATCH", "TRACE", "get", "BREW", "POST"} {
			if strings.Contains(allow, method) {
				continue
			}
			u.do(method, path, "", noKey).code(405, "METHOD_NOT_ALLOWED").hasNoLimits()
			a := u.do(method, path, "", bearer(u.token)).code(405, "METHOD_NOT_ALLOWED").in("Allow", allow).in("Cache-Control", "no-store")
			if path == "/health" {
				a.hasNoLimits()
			} else {
				a.hasLimits()
			}
		}
	}
}

func TestOptions(t *testing.T) {
	u := sharedClient(t)
	for path, allow := range endpoints {
		u.do("OPTIONS", path, "", noKey, header("Origin", "https://app.example")).want(204).in("Allow", allow).hasNoLimits().
			in("Access-Control-Allow-Origin", "").in("Access-Control-Allow-Methods", "")
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

func TestHeadIsGetWithoutBody(t *testing.T) {
	u := sharedClient(t)
	paths := []string{"/catalog/search?q=s", "/catalog/games/nothing0", "/catalog/prices", "/nowhere", "/catalog/games/" + starForge(u)}
	for path := range endpoints {
		paths = append(paths, path)
	}
	for _, path := range paths {
		get := u.get(path)
		head := u.do("HEAD", path, "").want(get.status)
		for _, name := range []string{"Content-Type", "ETag", "Cache-Control", "Vary", "X-RateLimit-Limit-Minute"} {
			head.in(name, strings.Join(get.header.Values(name), ", "))
		}
	}
	_, token := newKey(t, shared.open(t).dir)
	counted := newUser(t, u.base, token)
	counted.do("HEAD", "/account/me", "").want(200).in("X-RateLimit-Remaining-Day", "43199")
	counted.do("HEAD", "/catalog/search", "").want(400).in("X-RateLimit-Remaining-Day", "43198")
}

func TestRequestIDs(t *testing.T) {
	u := sharedClient(t)
	long := strings.Repeat("a", 128)
	for _, id := range []string{"mine", "A-1_b.c", long} {
		u.get("/health", header("X-Request-Id", id)).in("X-Request-Id", id)
		u.get("/nowhere", header("X-Request-Id", id)).in("X-Request-Id", id)
	}
	u.get("/catalog/prices?ids=a", header("X-Request-Id", "mine")).want(200).is("meta.requestId", `"mine"`)
	seen := map[string]bool{}
	for _, id := range []string{"", "no spaces", "a/b", "ключ", long + "a", "a,b"} {
		given := u.get("/health", header("X-Request-Id", id)).header.Get("X-Request-Id")
		if given == id || seen[given] {
			t.Errorf("%q is answered with %q", id, given)
		}
		seen[given] = true
	}
}

func TestAcceptIsIgnored(t *testing.T) {
	u := sharedClient(t)
	for _, kind := range []string{"text/html", "application/xml;q=1, */*;q=0", "nonsense"} {
		u.get("/health", header("Accept", kind)).want(200)
	}
}

func TestStringsAreNotEscapedForHTML(t *testing.T) {
	u := sharedClient(t)
	a := u.get("/catalog/games/" + starForge(u)).want(200)
	if !bytes.Contains(a.body, []byte(`& \"сузір'я\" <щодня>`)) {
		t.Errorf("the description is escaped: %s", a.body)
	}
}

// rawExchange writes bytes to the service and returns all that it sends back.
func rawExchange(t *testing.T, base, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	go io.WriteString(conn, text)
	back, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil && len(back) == 0 {
		t.Fatal(err)
	}
	return string(back)
}

func TestLimitHeadersHaveTheCapitalsOfTheSpecification(t *testing.T) {
	u := sharedClient(t)
	tag := u.get("/catalog/platforms").header.Get("ETag")
	for request, status := range map[string]string{
		"GET /api/v1/account/me HTTP/1.1":                                                          "200",
		"HEAD /api/v1/account/me HTTP/1.1":                                                         "200",
		"GET /api/v1/catalog/search HTTP/1.1":                                                      "400",
		"GET /api/v1/catalog/games/nothing0 HTTP/1.1":                                              "404",
		"GET /api/v1/catalog/platforms HTTP/1.1\r\nIf-None-Match: " + tag:                          "304",
		"POST /api/v1/catalog/prices HTTP/1.1\r\nContent-Type: text/plain":                         "415",
		"POST /api/v1/catalog/prices HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 99999999": "413",
		"GET /api/v1/catalog/prices?ids=star-forge HTTP/1.1\r\nX-Padding: none":                    "200",
	} {
		raw := rawExchange(t, u.base, request+"\r\nHost: x\r\nConnection: close\r\nx-api-key: "+u.token+"\r\n\r\n")
		if !strings.HasPrefix(raw, "HTTP/1.1 "+status) {
			t.Errorf("%s: %.40q, want %s", request, raw, status)
		}
		for _, name := range limitHeaders {
			if !strings.Contains(raw, "\r\n"+name+": ") {
				t.Errorf("%s: lacks the header %q:\n%s", request, name, raw)
			}
		}
	}
}

func TestServerRefusesBeforeAnyHandler(t *testing.T) {
	u := sharedClient(t)
	for name, request := range map[string]struct{ text, status string }{
		"long request line": {"GET /api/v1/catalog/search?q=" + strings.Repeat("a", 170<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", "431"},
		"long headers":      {"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("a", 170<<10) + "\r\n\r\n", "431"},
		"no request":        {"nonsense\r\n\r\n", "400"},
		"space in header":   {"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n", "400"},
	} {
		if raw := rawExchange(t, u.base, request.text); !strings.HasPrefix(raw, "HTTP/1.1 "+request.status) {
			t.Errorf("%s: %.80q, want %s", name, raw, request.status)
		}
	}
	ok := "GET /api/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: " + strings.Repeat("a", 150<<10) + "\r\n\r\n"
	if raw := rawExchange(t, u.base, ok); !strings.HasPrefix(raw, "HTTP/1.1 200") {
		t.Errorf("150 KiB of headers: %.80q, want 200", raw)
	}
}

func TestCodings(t *testing.T) {
	u := sharedClient(t)
	path := "/catalog/search?q=star&includeRelated=1"
	plain := u.get(path).want(200).in("Content-Encoding", "")
	for sent, coding := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", "GZIP": "gzip", "gzip, zstd": "zstd", "gzip, deflate, br, zstd": "zstd",
		"gzip;q=1, zstd;q=0.5": "gzip", "zstd;q=0, gzip": "gzip", "br": "", "identity": "", "gzip;q=0": "",
		"": "", "*": "gzip", "*;q=0": "", "identity;q=1, gzip;q=0.2": "",
	} {
		a := u.get(path, header("Accept-Encoding", sent)).want(200).in("Content-Encoding", coding).
			in("ETag", plain.header.Get("ETag")).in("Vary", "Accept-Encoding, Authorization, X-Api-Key")
		if coding != "" && a.sent >= plain.sent {
			t.Errorf("%s: %d bytes, plain ones are %d", sent, a.sent, plain.sent)
		}
		if d, p := fmt.Sprint(a.at("data")), fmt.Sprint(plain.at("data")); d != p {
			t.Errorf("%s: other data", sent)
		}
	}
	many := `{"ids":["star-forge"` + strings.Repeat(`,"nothing-with-a-long-name"`, 3) + `],"regions":"all","include":["editions","meta","url"]}`
	u.post(many, header("Accept-Encoding", "zstd")).want(200).in("Content-Encoding", "zstd")
}

func TestTagsAndCaching(t *testing.T) {
	t.Parallel()
	u := sharedClient(t)
	forge := starForge(u)
	const kept, vary = "private, no-cache", "Accept-Encoding, Authorization, X-Api-Key"
	tags := map[string]string{}
	for _, path := range []string{
		"/catalog/exchange-rates", "/catalog/platforms", "/catalog/search?q=star", "/catalog/search?q=star&limit=3",
		"/catalog/search?q=star&offset=1", "/catalog/search?q=star&platform=pcstore", "/catalog/search?q=star&includeRelated=1",
		"/catalog/search?q=star&includeMembers=1", "/catalog/search?q=forge", "/catalog/suggest?q=star", "/catalog/suggest?q=star&limit=2",
		"/catalog/games/" + forge, "/catalog/pcstore/games/star-forge", "/catalog/prices?ids=" + forge,
		"/catalog/prices?ids=" + forge + "&include=fx", "/catalog/prices?ids=" + forge + ",star-forge", "/catalog/prices?ids=star-forge," + forge,
		"/catalog/prices?ids=" + forge + "&regions=UA", "/catalog/prices?ids=" + forge + "&regions=all", "/catalog/prices?ids=" + forge + ",none",
		"/catalog/prices?ids=none," + forge, "/catalog/prices?ids=nono," + forge,
	} {
		a := u.get(path).want(200).in("Cache-Control", kept).in("Vary", vary)
		tag := a.header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || !strings.HasSuffix(tag, `"`) {
			t.Errorf("%s: ETag %q", path, tag)
		}
		if other, taken := tags[tag]; taken && path != "/catalog/prices?ids=none,"+forge { // the answers are alike
			t.Errorf("%s and %s have one tag", path, other)
		}
		tags[tag] = path
		opaque := strings.TrimPrefix(tag, "W/")
		for _, sent := range []string{tag, opaque, `"x", ` + tag, `W/"y",` + opaque + `, "z"`, "*"} {
			u.get(path, header("If-None-Match", sent)).want(304).in("ETag", tag).in("Cache-Control", kept).in("Vary", vary).hasLimits()
			u.do(http.MethodHead, path, "", header("If-None-Match", sent)).want(304)
		}
		for _, sent := range []string{`"x"`, "nonsense", `W/"` + opaque, ""} {
			u.get(path, header("If-None-Match", sent)).want(200).in("ETag", tag)
		}
	}
	for _, a := range []answer{
		u.get("/health"), u.get("/account/me"), u.get("/account/usage"), u.get("/catalog/search"), u.get("/catalog/games/x"),
		u.get("/nowhere"), u.get("/account/me", noKey), u.post(`{"ids":"star-forge"}`), u.post(`{}`),
		u.post(`{"ids":"star-forge"}`, header("If-None-Match", "*")).want(200),
	} {
		a.in("Cache-Control", "no-store").in("ETag", "")
	}
}

func TestNotModifiedCostsOneRequest(t *testing.T) {
	u := sharedClient(t)
	_, token := newKey(t, shared.open(t).dir)
	counted := newUser(t, u.base, token)
	tag := counted.get("/catalog/platforms").want(200).header.Get("ETag")
	counted.get("/catalog/platforms", header("If-None-Match", tag)).want(304).in("X-RateLimit-Remaining-Day", "43198")
}

func TestNothingRedirects(t *testing.T) {
	u := sharedClient(t)
	for _, path := range []string{"/api/v1//health", "/api/v1/catalog/../health", "/api//v1/health", "/api/v1"} {
		raw := rawExchange(t, u.base, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(raw, "HTTP/1.1 404") {
			t.Errorf("%s: %.60q, want 404", path, raw)
		}
	}
}
