package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/quota"
)

func TestUnknownPaths(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		"", "/", "/health/", "//health", "/catalog", "/catalog/games", "/catalog/games/", "/catalog/games/a/b",
		"/catalog//search", "/catalog/search/", "/Catalog/search", "/catalog%2Fsearch", "/catalog/pcstore/games/",
		"/../v1/health", "/catalog/games/a/../b",
	} {
		t.Run(path, func(t *testing.T) {
			r := w.get(path).code(404, "NOT_FOUND")
			if r.header.Get("Location") != "" || r.header.Get("X-RateLimit-Remaining-Day") != "43200" {
				t.Errorf("headers %v", r.header)
			}
		})
	}
}

// TestUncountedAnswersShowTheLimits sends requests that no key pays for.
func TestUncountedAnswersShowTheLimits(t *testing.T) {
	w := newWorld(t)
	w.get("/account/me").want(200)
	suspended, ofSuspended := w.newKey(account.Draft{Name: "suspended"})
	suspended.SuspendedAt = start
	w.changeKey(suspended)
	for _, c := range []struct {
		method, path string
		status       int
		key          with
		remaining    string // of the minute
	}{
		{"GET", "/nowhere", 404, bearer(w.token), "29"},
		{"OPTIONS", "/nowhere", 404, bearer(w.token), "29"},
		{"GET", "/catalog/games/a/b", 404, header("X-Api-Key", w.token), "29"},
		{"PUT", "/account/me", 405, bearer(w.token), "29"},
		{"POST", "/catalog/search?q=star", 405, bearer(w.token), "29"},
		{"GET", "/nowhere", 404, bearer(ofSuspended), "30"},
		{"GET", "/nowhere", 404, bearer("gdx_none"), ""},
		{"PUT", "/account/me", 405, header("Authorization", ""), ""},
		{"OPTIONS", "/account/me", 204, bearer(w.token), ""},
		{"PUT", "/health", 405, bearer(w.token), ""},
		{"GET", "/health", 200, bearer(w.token), ""},
		{"GET", "/account/me", 200, bearer(w.token), "28"}, // none of them was counted
	} {
		r := w.do(c.method, c.path, "", c.key).want(c.status)
		if got := r.header.Get("X-RateLimit-Remaining-Minute"); got != c.remaining {
			t.Errorf("%s %s: %q requests remain, want %q", c.method, c.path, got, c.remaining)
		}
		if got := r.header.Get("X-RateLimit-Limit-Day"); (got != "") != (c.remaining != "") {
			t.Errorf("%s %s: day limit %q", c.method, c.path, got)
		}
	}
}

func TestInvalidIDsAreNotFound(t *testing.T) {
	w := newWorld(t)
	for sent, id := range map[string]string{
		"x": "x", "a%2Fb": "a/b", "%20": " ", "..": "..", "%00": "\\u0000",
		"%22": `\"`, "star-forge": "star-forge", abroad: abroad, strings.Repeat("a", 3000): strings.Repeat("a", 3000),
	} {
		w.get("/catalog/games/"+sent).code(404, "GAME_NOT_FOUND").is("error.details", `{"gameId":"`+id+`"}`)
	}
	for sent, field := range map[string]string{"games/%ff": "gameId", "games/a%C3": "gameId", "pcstore/games/citro%EBn": "slug", "pcstore/games/%ED%A0%80": "slug"} {
		value := sent[strings.LastIndexByte(sent, '/')+1:]
		w.get("/catalog/"+sent).code(400, "INVALID_PARAMS").is("error.details", `{"constraint":"encoding","field":"`+field+`","value":"`+value+`"}`)
	}
	w.get("/catalog/pcstore/games/"+forge).code(404, "GAME_NOT_FOUND")
	w.get("/catalog/pcstore/games/STAR-Forge-Old").want(200).is("data.slug", `"star-forge"`)
	w.get("/catalog/games/"+strings.ToLower(forge)).want(200).is("data.id", `"`+forge+`"`)
	w.get("/%63atalog/games/" + forge).want(200)
}

func TestMethods(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, e := range api.Endpoints() {
		path := strings.NewReplacer("/api/v1", "", "{gameId}", forge, "{slug}", "star-forge", "{webhookId}", someWebhook).Replace(e.Pattern)
		allow := strings.Join(e.Methods, ", ") + ", OPTIONS"
		for _, method := range []string{"PUT", "DELETE", "PATCH", "BREW"} {
			if slices.Contains(e.Methods, method) {
				continue
			}
			if got := w.do(method, path, "").code(405, "METHOD_NOT_ALLOWED").header.Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow %q, want %q", method, path, got, allow)
			}
		}
		r := w.do("OPTIONS", path, "", header("Authorization", "")).want(204)
		if r.header.Get("Allow") != allow || r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("X-RateLimit-Limit-Day") != "" {
			t.Errorf("OPTIONS %s: %v", path, r.header)
		}
	}
	w.do("OPTIONS", "/nowhere", "").code(404, "NOT_FOUND")
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	w := newWorld(t, unlimited)
	for path, status := range map[string]int{
		"/health": 200, "/account/me": 200, "/catalog/search?q=star": 200, "/catalog/search?q=a": 400,
		"/catalog/games/" + forge: 200, "/catalog/games/x": 404, "/catalog/prices?ids=" + forge: 200,
	} {
		get, head := w.get(path).want(status), w.do("HEAD", path, "").want(status)
		for _, name := range []string{"Content-Type", "ETag", "Cache-Control", "Vary", "X-RateLimit-Limit-Minute"} {
			if get.header.Get(name) != head.header.Get(name) {
				t.Errorf("%s: %s is %q for GET and %q for HEAD", path, name, get.header.Get(name), head.header.Get(name))
			}
		}
	}
}

func TestWindows(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) { c.Limits = quota.Limits{Minute: 2, Day: 3} })
	w.get("/account/me").want(200).is("meta.rateLimit", `{"limit":2,"remaining":1,"resetAt":"2026-11-20T07:01:00.000Z"}`)
	w.get("/account/me").want(200)
	r := w.get("/account/me").code(429, "RATE_LIMIT_EXCEEDED").
		is("error.details", `{"limit":2,"resetAt":"2026-11-20T07:01:00.000Z","retryAfter":48,"scope":"key","window":"minute"}`)
	if r.header.Get("Retry-After") != "48" || r.header.Get("X-RateLimit-Remaining-Minute") != "0" {
		t.Errorf("headers %v", r.header)
	}
	w.now.Add(48_000)
	w.get("/account/usage").want(200).is("data.minute.used", "1").is("data.day.used", "3").is("data.history", `{"last24h":3,"last30d":3,"last7d":3}`)
	w.get("/catalog/prices?ids=a").code(429, "rate_limit_day").is("error.details.limit", "3").is("error.details.window", `"day"`).
		is("error.details.resetAt", `"2026-11-21T00:00:00.000Z"`)
}

func TestCORSIsOptIn(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) { c.CORSOrigins = []string{"https://app.example"} })
	for _, r := range []reply{
		w.get("/account/me").want(200), w.get("/catalog/search").want(400), w.do("OPTIONS", "/catalog/prices", "").want(204),
		w.get("/nowhere").want(404), w.get("/nowhere", header("Authorization", "")).want(404), w.do("PUT", "/account/me", "").want(405),
		w.get("/catalog/games/nope").want(404), w.get("/account/me", header("Authorization", "")).want(401), w.do("OPTIONS", "/nowhere", "").want(404),
		w.do("OPTIONS", "/nowhere", "", header("Access-Control-Request-Method", "GET")).want(204),
	} {
		if r.header.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.Contains(strings.Join(r.header.Values("Vary"), ","), "Origin") {
			t.Errorf("headers %v", r.header)
		}
	}
	preflight := w.do("OPTIONS", "/catalog/prices", "").header
	if preflight.Get("Access-Control-Allow-Methods") != "GET, HEAD, POST, OPTIONS" || !strings.Contains(preflight.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight %v", preflight)
	}
}

func TestSeveralCORSOrigins(t *testing.T) {
	for _, c := range []struct {
		configured         []string
		sent, want, varies string
	}{
		{nil, "https://a.example", "", ""},
		{[]string{"https://a.example", "https://b.example"}, "https://a.example", "https://a.example", "Origin"},
		{[]string{"https://a.example", "https://b.example"}, "https://b.example", "https://b.example", "Origin"},
		{[]string{"https://a.example", "https://b.example"}, "https://c.example", "https://a.example", "Origin"},
		{[]string{"https://a.example", "https://b.example"}, "https://b.example.evil", "https://a.example", "Origin"},
		{[]string{"https://a.example", "https://b.example"}, "", "https://a.example", "Origin"},
		{[]string{"https://a.example", "*"}, "https://c.example", "*", ""},
	} {
		w := newWorld(t, func(_ *world, cfg *api.Config) { cfg.CORSOrigins = c.configured })
		r := w.get("/nowhere", header("Origin", c.sent)).want(404)
		if got := r.header.Get("Access-Control-Allow-Origin"); got != c.want || r.header.Get("Vary") != c.varies {
			t.Errorf("%v: a page of %q sees %q, Vary %q; want %q, %q", c.configured, c.sent, got, r.header.Get("Vary"), c.want, c.varies)
		}
	}
}

func TestContentTypesOfBodies(t *testing.T) {
	w := newWorld(t, unlimited)
	const body = `{"ids":["a"]}`
	for kind, status := range map[string]int{
		"application/json": 200, "Application/JSON; charset=utf-8": 200, "application/vnd.x+json": 200, "application/json; charset=": 200,
		"text/json": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "nonsense": 415, ";": 415,
	} {
		if got := w.post(body, header("Content-Type", kind)).status; got != status {
			t.Errorf("Content-Type %q: %d, want %d", kind, got, status)
		}
	}
	w.do("POST", "/catalog/prices", body).want(200)
	for coding, status := range map[string]int{
		"": 200, "identity": 200, " Identity ": 200, "identity, identity": 200,
		"gzip": 415, "identity, gzip": 415, "zstd": 415,
	} {
		if got := w.post(body, header("Content-Encoding", coding)).status; got != status {
			t.Errorf("Content-Encoding %q: %d, want %d", coding, got, status)
		}
	}
	w.post(body, func(r *http.Request) { r.Header["Content-Encoding"] = []string{"identity", "gzip"} }).code(415, "UNSUPPORTED_MEDIA_TYPE")
	w.post("\ufeff" + body).want(200)
	for _, wrong := range []string{"\ufeff\ufeff" + body, " \ufeff" + body, body + "\ufeff", "\xff\xfe{\x00}\x00"} {
		w.post(wrong).code(400, "INVALID_PARAMS").is("error.details.constraint", `"json"`)
	}
	most := `{"ids":["a"]` + strings.Repeat(" ", 1<<20-len(body)) + `}`
	w.post(most).want(200)
	for range 10 { // the answer arrives although the client is still sending
		w.post(most+strings.Repeat(" ", 1<<20)).code(413, "PAYLOAD_TOO_LARGE")
	}
	w.post(most+" ", func(r *http.Request) { r.ContentLength = -1 }).code(413, "PAYLOAD_TOO_LARGE")
}

func TestAPanicBecomesA500(t *testing.T) {
	broken := errors.New("counter is broken")
	w := newWorld(t, func(w *world, c *api.Config) { c.Live = nil })
	r := w.get("/catalog/platforms", header("X-Request-Id", "mine_1.x")).code(500, "INTERNAL_ERROR").is("error.requestId", `"mine_1.x"`)
	if r.header.Get("X-RateLimit-Remaining-Day") != "43199" || r.header.Get("Cache-Control") != "no-store" || strings.Contains(string(r.body), broken.Error()) {
		t.Errorf("headers %v", r.header)
	}
	w.get("/account/usage").want(200).is("data.minute.used", "2").is("data.history.last24h", "2")
	if sent := w.get("/account/me", header("X-Request-Id", "no spaces")).header.Get("X-Request-Id"); sent == "no spaces" || sent == "" {
		t.Errorf("X-Request-Id %q", sent)
	}
}

// TestAThousandLongIDsInAGet asks for as many ids of the longest legal length as
// are allowed, through the program's own listener.
func TestAThousandLongIDsInAGet(t *testing.T) {
	w := newWorld(t, unlimited)
	addr := serveFor(t, w.server.Config.Handler)
	ids := make([]string, 1001)
	for i := range ids {
		ids[i] = fmt.Sprintf("%0128d", i)
	}
	for _, c := range []struct {
		ids            []string
		status, within string
	}{
		{ids[:1000], "HTTP/1.1 200 ", `"counts":{"requested":1000,"resolved":0,"notFound":1000}`},
		{ids, "HTTP/1.1 400 ", `"too_many_ids"`},
	} {
		raw := wire(t, addr, "GET /api/v1/catalog/prices?ids="+strings.Join(c.ids, ",")+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "+w.token+"\r\n\r\n")
		if !strings.HasPrefix(raw, c.status) || !strings.Contains(raw, c.within) {
			t.Errorf("%d ids of 128 characters: %.60q, want %s with %s", len(c.ids), raw, c.status, c.within)
		}
	}
}
