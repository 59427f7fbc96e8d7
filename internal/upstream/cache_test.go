package upstream_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/upstream"
)

func TestConditionalRequests(t *testing.T) {
	version, sent := 1, 0
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tag := strconv.Quote(strconv.Itoa(version) + r.Header.Get("X-Locale"))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		jsonAnswer(tag)(w, r)
	})
	get := func(locale, want string, fromCache bool) {
		t.Helper()
		a, err := c.Get(t.Context(), upstream.Request{URL: url, Header: http.Header{"X-Locale": {locale}}, Accept: []string{"application/json"}})
		if err != nil || a.Status != 200 || string(a.Body) != want || a.FromCache != fromCache {
			t.Errorf("got %d %s, from cache %v, %v; want %s, %v", a.Status, a.Body, a.FromCache, err, want, fromCache)
		}
	}
	get("uk", `"1uk"`, false)
	get("uk", `"1uk"`, true)
	get("ru", `"1ru"`, false) // another answer, although it is similar
	get("uk", `"1uk"`, true)
	version = 2
	get("uk", `"2uk"`, false)
	get("uk", `"2uk"`, true)
	if sent != 3 {
		t.Errorf("%d bodies sent, want 3", sent)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	const date = "Fri, 20 Nov 2026 10:00:00 GMT"
	tests := []struct {
		name   string
		answer answer
		want   string // the condition of the second request
	}{
		{"date", answer{200, of("text/xml", "Last-Modified", date), "<x/>"}, date},
		{"no validator", answer{200, of("text/xml"), "<x/>"}, ""},
		{"not to be stored", answer{200, of("text/xml", "Last-Modified", date, "Cache-Control", "private, No-Store"), "<x/>"}, ""},
		{"broken", answer{200, of("text/plain", "Last-Modified", date), "<x/>"}, ""},
		{"missing", answer{404, of("text/xml", "Last-Modified", date), "<x/>"}, ""},
		{"too big to be kept", answer{200, of("text/xml", "Last-Modified", date), strings.Repeat(" ", 64<<20)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			condition := ""
			c := fake(t, func(r *http.Request) *http.Response {
				condition = r.Header.Get("If-Modified-Since")
				a := reply(tt.answer.status, tt.answer.body)
				for name, value := range tt.answer.header {
					a.Header.Set(name, value)
				}
				return a
			}, func(_ *upstream.Config, h *upstream.Host) { h.Attempts, h.MaxBytes = 1, 128<<20 })
			for range 2 {
				_, _ = c.Get(t.Context(), upstream.Request{URL: page, Accept: []string{"text/xml"}})
			}
			if condition != tt.want {
				t.Errorf("asked again if modified since %q, want %q", condition, tt.want)
			}
		})
	}
}

// TestKeptBodiesAreBounded requests more than the cache holds: the least recently used
// body is sent again.
func TestKeptBodiesAreBounded(t *testing.T) {
	body := strings.Repeat("x", 12<<20) // five fit into the cache
	whole := 0
	c := fake(t, func(r *http.Request) *http.Response {
		if r.Header.Get("If-None-Match") != "" {
			return reply(304, "")
		}
		whole++
		return reply(200, body, "ETag", `"1"`)
	})
	for i, path := range strings.Split("abcdeafab", "") { // f replaces b, b replaces c
		a, err := c.Get(t.Context(), upstream.Request{URL: page + path})
		if want := i == 5 || i == 7; err != nil || len(a.Body) != len(body) || a.FromCache != want {
			t.Errorf("%d (%s): %d bytes, from cache %v, want %v, %v", i, path, len(a.Body), a.FromCache, want, err)
		}
	}
	if whole != 7 {
		t.Errorf("%d bodies sent, want 7", whole)
	}
}

// TestChangedBodiesReplaceOldOnes changes one body until its versions together are larger
// than the cache.
func TestChangedBodiesReplaceOldOnes(t *testing.T) {
	body, version := strings.Repeat("x", 12<<20), 0
	c := fake(t, func(r *http.Request) *http.Response {
		tag := strconv.Quote(strconv.Itoa(version))
		if r.Header.Get("If-None-Match") == tag {
			return reply(304, "")
		}
		return reply(200, body, "ETag", tag)
	})
	for version = range 8 {
		for _, want := range []bool{false, true} {
			a, err := c.Get(t.Context(), upstream.Request{URL: page})
			if err != nil || a.FromCache != want {
				t.Errorf("version %d: from cache %v, want %v, %v", version, a.FromCache, want, err)
			}
		}
	}
}

// TestRedirectedAnswersAreNotKept checks that a redirected answer is not cached under the
// original address.
func TestRedirectedAnswersAreNotKept(t *testing.T) {
	moved := false
	c := fake(t, func(r *http.Request) *http.Response {
		condition := r.Header.Get("If-None-Match")
		switch {
		case r.URL.Path == "/end" && condition != "", r.URL.Path == "/page" && condition == `"end"`:
			t.Errorf("%s was asked for unless it matches %s", r.URL.Path, condition)
			return reply(304, "")
		case r.URL.Path == "/end":
			return reply(200, "end", "ETag", `"end"`)
		case moved:
			return reply(302, "", "Location", "/end")
		}
		return reply(200, "page", "ETag", `"page"`)
	})
	for i, want := range []string{"page", "end", "end"} {
		moved = i > 0
		if a, err := c.Get(t.Context(), upstream.Request{URL: page}); err != nil || string(a.Body) != want {
			t.Errorf("%d: got %q, %v, want %q", i, a.Body, err, want)
		}
	}
}
