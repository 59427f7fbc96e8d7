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

	"gamedex/internal/api"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// TestCallerIsAPerson checks the API called by a page on behalf of a
// person: they have separate limits, may only read the catalog, and appear
// neither in the usage history nor in the record of the page's request.
func TestCallerIsAPerson(t *testing.T) {
	var of *api.API
	w := newWorld(t, func(_ *world, c *api.Config) {
		c.PersonLimits = quota.Limits{Minute: 3, Day: 100}
		of = api.New(*c)
	})
	var log bytes.Buffer
	page := &serve.Front{
		Log: slog.New(slog.NewJSONHandler(&log, nil)), Rand: zeros{}, Now: func() time.Time { return time.UnixMilli(w.now.Load()) }, OnPanic: of.InternalError,
		Next: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			serve.RecordFrom(r.Context()).Route = "/page"
			path, query, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/page"), "?")
			of.Person(r.Header.Get("Person")).ServeHTTP(out, request("GET", path, query, nil).WithContext(r.Context()))
		}),
	}
	call := func(person, path string) (status int, code string) {
		r := httptest.NewRequest("GET", "/page"+path, nil)
		r.Header.Set("Person", person)
		out := httptest.NewRecorder()
		page.ServeHTTP(out, r)
		var body struct{ Error struct{ Code string } }
		if err := json.Unmarshal(out.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
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
