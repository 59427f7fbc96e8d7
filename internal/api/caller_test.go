package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// TestCallerIsAPerson checks the API called by a page on behalf of a
// person: they have separate limits, may only read the catalog, and appear
// neither in the usage history nor in the record of the page's request.
func TestCallerIsAPerson(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) { c.PersonLimits = quota.Limits{Minute: 3, Day: 100} })
	var log bytes.Buffer
	page := &serve.Front{
		Log: slog.New(slog.NewJSONHandler(&log, nil)), Rand: zeros{}, Now: func() time.Time { return time.UnixMilli(w.now.Load()) }, OnPanic: w.api.InternalError,
		Next: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			serve.RecordFrom(r.Context()).Route = "/page"
			path, query, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/page"), "?")
			w.api.Person(r.Header.Get("Person")).ServeHTTP(out, request("GET", path, query, nil).WithContext(r.Context()))
		}),
	}
	call := func(person, path string) (status int, code string) {
		r := httptest.NewRequest("GET", "/page"+path, nil)
		r.Header.Set("Person", person)
		out := httptest.NewRecorder()
		page.ServeHTTP(out, r)
		var body struct{ Error struct{ Code string } }
		must(t, json.Unmarshal(out.Body.Bytes(), &body))
		return out.Code, body.Error.Code
	}
	for _, tt := range []struct {
		person, path string
		status       int
		code         string
	}{
		{"user_1", "/catalog/games/" + forge, 200, ""},
		{"user_1", "/account/me", 403, "INSUFFICIENT_PERMISSIONS"},
		{"user_1", "/catalog/platforms", 200, ""},
		{"user_1", "/catalog/platforms", 429, "RATE_LIMIT_EXCEEDED"},
		{"user_2", "/catalog/platforms", 200, ""},
	} {
		if status, code := call(tt.person, tt.path); status != tt.status || code != tt.code {
			t.Errorf("%s, %s: %d %s, want %d %s", tt.person, tt.path, status, code, tt.status, tt.code)
		}
	}
	if past, err := w.usage.History(t.Context(), "user_1", w.now.Load()); err != nil || past != (quota.History{}) {
		t.Errorf("usage history %+v, %v", past, err)
	}
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, `"/page"`) || strings.Contains(line, "user_") {
			t.Errorf("the log has %s", line)
		}
	}
}

// TestNewKeysGiveNoMoreRequests checks that an owner who revokes a used key gets
// nothing from another one, and that the headers of a key keep its own limit.
func TestNewKeysGiveNoMoreRequests(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) { c.Limits = quota.Limits{Minute: 3, Day: 100} })
	ann := account.Draft{Name: "of ann", UserID: "usr_ann"}
	first, used := w.newKey(ann)
	for range 3 {
		w.get("/account/me", bearer(used)).want(200)
	}
	w.get("/account/me", bearer(used)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"key"`).is("error.details.limit", "3")
	w.changeKey(first.Revoke(w.now.Load()))
	second, fresh := w.newKey(ann)
	w.get("/account/me", bearer(fresh)).code(429, "RATE_LIMIT_EXCEEDED").
		is("error.details.scope", `"owner"`).is("error.details.limit", "3").is("error.details.retryAfter", "48").
		limit("Limit-Minute", "3").limit("Remaining-Minute", "0").limit("Remaining-Day", "97")
	w.get("/catalog/prices?ids=a", bearer(fresh)).code(429, "rate_limit_minute").is("error.details.scope", `"owner"`)

	// The owner may spend the limits of both keys, but what the first one had used still counts.
	_, third := w.newKey(ann)
	w.get("/account/usage", bearer(third)).want(200).is("data.minute.limit", "3").is("data.minute.used", "1").
		is("data.minute.remaining", "2").is("meta.rateLimit.remaining", "2").is("data.day.remaining", "99")
	w.get("/account/me", bearer(fresh)).want(200)
	// A refusal by the owner's limits is charged to nobody.
	second.LimitMinute = 1
	w.changeKey(second)
	for range 5 {
		w.get("/account/me", bearer(third)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"owner"`)
	}
	second.LimitMinute = 100
	w.changeKey(second)
	w.get("/account/usage", bearer(third)).want(200).is("data.minute.used", "2").is("data.minute.remaining", "1")

	// A day counts before a minute, and the next minute begins with what is left of the day.
	w.now.Add(60_000)
	second.LimitDay = 1
	w.changeKey(second)
	w.get("/account/me", bearer(fresh)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"key"`)

	// Other owners and keys without one do not notice.
	_, other := w.newKey(account.Draft{Name: "of bob", UserID: "usr_bob"})
	w.get("/account/me", bearer(other)).want(200).limit("Remaining-Minute", "2")
	w.get("/account/me").want(200).limit("Remaining-Minute", "2")
}

// limit fails the test if the header X-RateLimit-name is not want.
func (r reply) limit(name, want string) reply {
	r.t.Helper()
	if got := r.header.Get("X-RateLimit-" + name); got != want {
		r.t.Errorf("X-RateLimit-%s is %s, want %s", name, got, want)
	}
	return r
}

// TestCallerOwnsAKey checks the API called by a page on behalf of the owner of a key: the state and the permission of the
// key count, its requests are those of the owner, and nothing but webhooks is there.
func TestCallerOwnsAKey(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) {
		c.PersonLimits, c.Webhooks = quota.Limits{Minute: 5, Day: 100}, silentWebhooks{}
	})
	all := account.ReadCatalog | account.ReadAccount | account.WriteWebhooks
	k, token := w.newKey(account.Draft{Name: "k", UserID: "usr_1", Permissions: all})
	suspended, err := k.Suspend(w.now.Load(), "too loud")
	must(t, err)
	reader, _ := w.newKey(account.Draft{Name: "reader", UserID: "usr_1", Permissions: account.ReadCatalog})
	for i, c := range []struct {
		key    account.Key
		path   string
		status int
		code   string
	}{
		{k, "/account/webhooks", 200, ""}, {k, "/account/me", 403, "INSUFFICIENT_PERMISSIONS"}, {k, "/catalog/platforms", 403, "INSUFFICIENT_PERMISSIONS"},
		{suspended, "/account/webhooks", 403, "KEY_SUSPENDED"}, {k.Revoke(w.now.Load()), "/account/webhooks", 403, "KEY_REVOKED"},
		{reader, "/account/webhooks", 403, "INSUFFICIENT_PERMISSIONS"}, {k, "/account/webhooks", 200, ""}, {k, "/account/webhooks", 429, "RATE_LIMIT_EXCEEDED"},
	} {
		out := httptest.NewRecorder()
		w.api.KeyOwner(c.key).ServeHTTP(out, httptest.NewRequest("GET", "/api/v1"+c.path, nil))
		var body struct{ Error struct{ Code string } }
		if err := json.Unmarshal(out.Body.Bytes(), &body); err != nil || out.Code != c.status || body.Error.Code != c.code {
			t.Errorf("%d: GET %s: %d %s, %v; want %d %s", i, c.path, out.Code, body.Error.Code, err, c.status, c.code)
		}
	}
	w.get("/account/me", bearer(token)).want(200).limit("Remaining-Minute", "29")
}
