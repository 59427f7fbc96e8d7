package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/api"
)

// TestOrderOfChecks sends requests that are wrong in several ways, and checks
// that the first check in the contract's order answers.
func TestOrderOfChecks(t *testing.T) {
	w := newWorld(t, unlimited)
	_, catalogOnly := w.newKey(account.Draft{Name: "catalog only", Permissions: account.ReadCatalog})
	_, accountOnly := w.newKey(account.Draft{Name: "account only", Permissions: account.ReadAccount})
	_, spent := w.newKey(account.Draft{Name: "spent", Permissions: account.ReadAccount, LimitMinute: 1})
	w.get("/account/me", bearer(spent)).want(200)
	revoked, revokedToken := w.newKey(account.Draft{Name: "revoked", LimitMinute: 1})
	w.get("/account/me", bearer(revokedToken)).want(200)
	revoked.RevokedAt = start
	w.changeKey(revoked)

	text := header("Content-Type", "text/plain")
	noKey := func(r *http.Request) { r.Header.Del("Authorization") }
	for _, c := range []struct {
		name, method, path, body string
		change                   []with
		status                   int
		code                     string
		limited                  bool // has rate-limit headers
	}{
		{"path before method and key", "DELETE", "/nowhere", "", []with{noKey}, 404, "NOT_FOUND", false},
		{"method before key", "DELETE", "/catalog/search", "", []with{noKey}, 405, "METHOD_NOT_ALLOWED", false},
		{"key before parameters", "GET", "/catalog/search", "", []with{noKey}, 401, "UNAUTHORIZED", false},
		{"key before body", "POST", "/catalog/prices", "{", []with{noKey, text}, 401, "api_key_missing", false},
		{"state of the key before limits", "GET", "/catalog/search", "", []with{bearer(revokedToken)}, 403, "KEY_REVOKED", true},
		{"limits before permission", "GET", "/catalog/search", "", []with{bearer(spent)}, 429, "RATE_LIMIT_EXCEEDED", true},
		{"limits before body", "POST", "/catalog/prices", "{", []with{bearer(spent), text}, 429, "rate_limit_minute", true},
		{"permission before parameters", "GET", "/catalog/search?q=%zz", "", []with{bearer(accountOnly)}, 403, "INSUFFICIENT_PERMISSIONS", true},
		{"permission before body", "POST", "/catalog/prices", "{", []with{bearer(accountOnly), text}, 403, "INSUFFICIENT_PERMISSIONS", true},
		{"permission of the other family", "GET", "/account/me", "", []with{bearer(catalogOnly)}, 403, "INSUFFICIENT_PERMISSIONS", true},
		{"content type before size", "POST", "/catalog/prices", strings.Repeat("x", 1<<20+1), []with{text}, 415, "UNSUPPORTED_MEDIA_TYPE", true},
		{"size before parameters", "POST", "/catalog/prices", strings.Repeat("x", 1<<20+1), nil, 413, "PAYLOAD_TOO_LARGE", true},
		{"parameters before work", "GET", "/catalog/search?q=a", "", nil, 400, "INVALID_PARAMS", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.do(c.method, c.path, c.body, c.change...).code(c.status, c.code)
			if has := r.header.Get("X-RateLimit-Limit-Minute") != ""; has != c.limited {
				t.Errorf("rate-limit headers present: %v, want %v", has, c.limited)
			}
		})
	}
}

func TestCountedRequests(t *testing.T) {
	w := newWorld(t)
	revoked, revokedToken := w.newKey(account.Draft{Name: "revoked"})
	for _, c := range []struct {
		name  string
		do    func()
		costs float64
	}{
		{"a good answer", func() { w.get("/catalog/search?q=star").want(200) }, 1},
		{"a HEAD", func() { w.do("HEAD", "/catalog/search?q=star", "").want(200) }, 1},
		{"a 304", func() { w.get("/catalog/platforms", header("If-None-Match", "*")).want(304) }, 1},
		{"a 400", func() { w.get("/catalog/search").want(400) }, 1},
		{"a GAME_NOT_FOUND", func() { w.get("/catalog/games/x").want(404) }, 1},
		{"a 415", func() { w.post("{}", header("Content-Type", "text/plain")).want(415) }, 1},
		{"browse", func() { w.get("/catalog/browse").want(200) }, 1},
		{"deals", func() { w.get("/catalog/deals").want(200) }, 1},
		{"past prices", func() { w.get("/catalog/history?ids=a,b,c,d,e").want(200) }, 1},
		{"bulk prices of many ids", func() { w.get("/catalog/prices?ids=a,b,c,d,e").want(200) }, 1},
		{"an unknown key", func() { w.get("/account/me", bearer("gdx_nope")).want(401) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := w.get("/account/usage").at("data.minute.used").(float64)
			c.do()
			after := w.get("/account/usage").at("data.minute.used").(float64)
			if got := after - before - 1; got != c.costs {
				t.Errorf("costs %v requests, want %v", got, c.costs)
			}
			w.now.Add(60_000)
		})
	}
	revoked.RevokedAt = start
	w.get("/account/me", bearer(revokedToken)).want(200)
	w.changeKey(revoked)
	first := w.get("/account/me", bearer(revokedToken)).code(403, "KEY_REVOKED").header.Get("X-RateLimit-Remaining-Minute")
	second := w.get("/account/me", bearer(revokedToken)).code(403, "KEY_REVOKED").header.Get("X-RateLimit-Remaining-Minute")
	if first != "29" || second != "29" {
		t.Errorf("a revoked key has %s, then %s requests left, want 29 and 29", first, second)
	}
}

func TestStatesOfAKey(t *testing.T) {
	w := newWorld(t)
	expires := int64(start + 90_000)
	key, token := w.newKey(account.Draft{Name: "short", ExpiresAt: expires})
	w.get("/account/me", bearer(token)).want(200).is("data.expiresAt", `"2026-11-20T07:01:42.345Z"`)
	w.now.Store(expires)
	w.get("/account/me", bearer(token)).code(403, "KEY_EXPIRED").is("error.details", `{"expiresAt":"2026-11-20T07:01:42.345Z"}`)
	key.SuspendedAt = start
	w.changeKey(key)
	w.get("/account/me", bearer(token)).code(403, "KEY_SUSPENDED").is("error.details", "null")
	key.RevokedAt = start
	w.changeKey(key)
	w.get("/catalog/prices?ids=a", bearer(token)).code(403, "KEY_REVOKED")
	w.get("/health", bearer(token)).want(200)
}

func TestWhereTheKeyIsRead(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, authorization, apiKey string
		status                      int
	}{
		{"bearer", "Bearer " + w.token, "", 200},
		{"bearer in any case, more space", "bEaReR   " + w.token + " ", "", 200},
		{"x-api-key", "", w.token, 200},
		{"another scheme leaves it to x-api-key", "Basic abc", w.token, 200},
		{"bearer goes first", "Bearer gdx_bad", w.token, 401},
		{"a bad x-api-key behind a good bearer", "Bearer " + w.token, "bad", 200},
		{"nothing", "", "", 401},
		{"token without scheme", w.token, "", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.get("/account/me?api_key="+w.token, func(r *http.Request) {
				r.Header.Del("Authorization")
				if c.authorization != "" {
					r.Header.Set("Authorization", c.authorization)
				}
				if c.apiKey != "" {
					r.Header.Set("x-api-key", c.apiKey)
				}
			}).want(c.status)
			if challenge := r.header.Get("WWW-Authenticate"); (challenge == "Bearer") != (c.status == 401) {
				t.Errorf("WWW-Authenticate %q", challenge)
			}
		})
	}
}

func TestUnavailable(t *testing.T) {
	t.Run("looking up a key", func(t *testing.T) {
		w := newWorld(t)
		w.get("/account/me").want(200) // known from here on
		_, other := w.newKey(account.Draft{Name: "other"})
		w.keys.breakDown()
		r := w.get("/account/me", bearer(other)).code(503, "SERVICE_UNAVAILABLE")
		if r.header.Get("Retry-After") == "" || r.header.Get("X-RateLimit-Limit-Day") != "" {
			t.Errorf("headers %v: want Retry-After, no rate limits", r.header)
		}
		w.get("/account/me").want(200)
		if err := <-w.failed; !errors.Is(err, account.ErrUnavailable) {
			t.Errorf("Failed was called with %v", err)
		}
	})
	t.Run("catalog before an index", func(t *testing.T) {
		w := newWorld(t, func(w *world, _ *api.Config) { w.live.Swap(nil) })
		for _, path := range []string{
			"/catalog/search?q=ab", "/catalog/suggest?q=ab", "/catalog/games/x", "/catalog/pcstore/games/x",
			"/catalog/prices?ids=a", "/catalog/history?ids=a", "/catalog/browse", "/catalog/deals", "/catalog/platforms", "/catalog/exchange-rates",
		} {
			r := w.get(path).code(503, "SERVICE_UNAVAILABLE").
				is("error.message", `"no prices yet; ask the operator"`)
			if r.header.Get("Retry-After") == "" || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: headers %v", path, r.header)
			}
		}
		w.get("/catalog/search?q=a").want(400)
		w.get("/account/me").want(200)
		w.get("/account/usage").want(200)
		w.get("/health").want(503).is("ok", "false").is("status", `"starting"`)
	})
}
