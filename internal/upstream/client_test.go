package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gamedex/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const agent = "gamedex/1.0 (+ops@example.org)"

// config returns a configuration with a real clock and the shortest waits.
func config() upstream.Config {
	return upstream.Config{UserAgent: agent, Now: time.Now, Rand: func() float64 { return 0 }}
}

// serve starts a server on this machine, and a client that may send requests at once.
func serve(t *testing.T, answer http.HandlerFunc, tweak ...func(*upstream.Config, *upstream.Host)) (*upstream.Client, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	cfg := config()
	h := upstream.Host{
		Name: server.Listener.Addr().String(), RequestsPerSecond: 1e6, Timeout: 5 * time.Second,
		PrivateAddresses: true, IgnoreRobots: true,
	}
	for _, f := range tweak {
		f(&cfg, &h)
	}
	c, err := upstream.New(cfg, []upstream.Host{h})
	if err != nil {
		t.Fatal(err)
	}
	return c, server.URL
}

// answered is the kind of no error.
const answered upstream.Kind = 0

func wantKind(t *testing.T, err error, kind upstream.Kind) *upstream.Error {
	t.Helper()
	if err == nil && kind == answered {
		return nil
	}
	failed, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		t.Fatalf("got %v, want an error of kind %v", err, kind)
	}
	if failed.Kind != kind {
		t.Fatalf("got kind %v (%v), want %v", failed.Kind, err, kind)
	}
	return failed
}

func jsonAnswer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, body)
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.Bytes()
}

func TestGet(t *testing.T) {
	var seen http.Header
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		if r.Method != http.MethodGet || r.URL.RequestURI() != "/a%2Fb?q=1+2" {
			t.Errorf("asked %s %s", r.Method, r.URL.RequestURI())
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(zipped(`{"ok":true}`))
	})
	a, err := c.Get(t.Context(), upstream.Request{
		URL: url + "/a%2Fb?q=1+2#part", Header: http.Header{"X-Locale": {"uk-ua"}, "User-Agent": {"somebody else"}},
		Accept: []string{"application/json"},
	})
	if err != nil || a.Status != 200 || string(a.Body) != `{"ok":true}` || a.FromCache {
		t.Errorf("got %d %q, from cache %v, %v", a.Status, a.Body, a.FromCache, err)
	}
	want := http.Header{"User-Agent": {agent}, "Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "X-Locale": {"uk-ua"}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("headers sent (-want +got):\n%s", diff)
	}
	if c.Requests() != 1 {
		t.Errorf("%d requests, want 1", c.Requests())
	}
}

// answer is a server's answer: status, headers, body.
type answer struct {
	status int
	header map[string]string
	body   string
}

func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func of(mediaType string, more ...string) map[string]string {
	h := map[string]string{"Content-Type": mediaType}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = more[i+1]
	}
	return h
}

func TestGetJudgesAnswers(t *testing.T) {
	const js, html = "application/json", "text/html; charset=utf-8"
	bomb := string(zipped(strings.Repeat(" ", 1<<20)))
	tests := []struct {
		name     string
		answer   answer
		want     upstream.Kind // zero: accepted
		requests int64
	}{
		{"JSON", answer{200, of(js), `[]`}, 0, 1},
		{"another JSON", answer{200, of("application/problem+json"), `[]`}, upstream.Broken, 2},
		{"capitals", answer{200, of("Application/JSON"), `[]`}, 0, 1},
		{"odd parameters", answer{200, of("application/json;;"), `[]`}, 0, 1},
		{"cut off without a sign", answer{200, of(js), `[1, 2`}, upstream.Broken, 2},
		{"nothing", answer{200, of(js), ``}, upstream.Broken, 2},
		{"no content", answer{status: 204}, upstream.Broken, 2},
		{"a part", answer{206, of(js), `[]`}, upstream.Broken, 2},
		{"text after it", answer{200, of(js), `[] <!-- 3 ms -->`}, upstream.Broken, 2},
		{"plain text", answer{200, of("text/plain"), `[]`}, upstream.Broken, 2},
		{"a web page", answer{200, of(html), `<h1>Welcome</h1>`}, upstream.Broken, 2},
		{"a challenge", answer{200, of(html), `<h1>Are you a robot?</h1>`}, upstream.Stopped, 1},
		{"a challenge with 500", answer{500, of(html), `Solve this CAPTCHA`}, upstream.Stopped, 1},
		{"403 page", answer{403, of(html), `<h1>No</h1>`}, upstream.Stopped, 1},
		{"403 JSON", answer{403, of(js), `{}`}, upstream.Stopped, 1},
		{"429 page", answer{429, of(html), `<h1>No</h1>`}, upstream.Throttled, 2},
		{"503 page", answer{503, of(html), `<h1>No</h1>`}, upstream.Down, 2},
		{"503 page with Retry-After", answer{503, of(html, "Retry-After", "3600"), `<h1>Back soon</h1>`}, upstream.Down, 1},
		{"503 challenge with Retry-After", answer{503, of(html, "Retry-After", "3600"), `captcha`}, upstream.Stopped, 1},
		{"502 page", answer{502, of(html), `<h1>Bad gateway</h1>`}, upstream.Down, 2},
		{"503 JSON", answer{503, of(js), `{}`}, upstream.Down, 2},
		{"408", answer{status: 408}, upstream.Down, 2},
		{"429", answer{429, of(js), `{}`}, upstream.Throttled, 2},
		{"429 tomorrow", answer{429, of(js, "Retry-After", "86400"), `{}`}, upstream.Throttled, 1},
		{"404", answer{404, of(html), `<h1>Not here</h1>`}, upstream.NotFound, 1},
		{"410", answer{410, of(js), `{}`}, upstream.NotFound, 1},
		{"400", answer{400, of(js), `{}`}, upstream.Refused, 1},
		{"401", answer{401, of(js), `{}`}, upstream.Refused, 1},
		{"304 to no condition", answer{status: 304}, upstream.Broken, 2},
		{"300", answer{300, of(html), `choose`}, upstream.Refused, 1},
		{"not gzip", answer{200, of(js, "Content-Encoding", "gzip"), `[]`}, upstream.Broken, 2},
		{"gzip cut off", answer{200, of(js, "Content-Encoding", "gzip"), string(zipped(`[]`)[:12])}, upstream.Broken, 2},
		{"gzip and more", answer{200, of(js, "Content-Encoding", "gzip"), string(zipped(`[]`)) + "more"}, upstream.Broken, 2},
		{"gzip bomb", answer{200, of(js, "Content-Encoding", "gzip"), bomb}, upstream.Broken, 2},
		{"unknown encoding", answer{200, of(js, "Content-Encoding", "br"), `[]`}, upstream.Broken, 2},
		{"500 with garbage", answer{500, of(js, "Content-Encoding", "gzip"), `<>`}, upstream.Down, 2},
		{"403 with garbage", answer{403, of(html, "Content-Encoding", "gzip"), `<>`}, upstream.Stopped, 1},
		{"too big", answer{200, of(js), `"` + strings.Repeat("x", 64<<10) + `"`}, upstream.Broken, 2},
		{"as big as allowed", answer{200, of(js), `"` + strings.Repeat("x", 64<<10-2) + `"`}, 0, 1},
		{"redirect to nowhere", answer{status: 302}, upstream.Refused, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, url := serve(t, tt.answer.ServeHTTP, func(_ *upstream.Config, h *upstream.Host) { h.Attempts, h.MaxBytes = 2, 64<<10 })
			a, err := c.Get(t.Context(), upstream.Request{URL: url, Accept: []string{"application/json"}})
			wantKind(t, err, tt.want)
			if tt.want == answered && string(a.Body) != tt.answer.body {
				t.Errorf("got %.40q, want %.40q", a.Body, tt.answer.body)
			}
			if c.Requests() != tt.requests {
				t.Errorf("%d requests, want %d", c.Requests(), tt.requests)
			}
		})
	}
}

func TestGetTakesAnyTypeIfNoneWasAskedFor(t *testing.T) {
	c, url := serve(t, answer{200, of("text/html"), `not a robot`}.ServeHTTP)
	if a, err := c.Get(t.Context(), upstream.Request{URL: url}); err != nil || string(a.Body) != `not a robot` {
		t.Errorf("got %q, %v", a.Body, err)
	}
}

func TestRequestMayLowerTheLimit(t *testing.T) {
	c, url := serve(t, jsonAnswer(`"0123456789"`))
	if _, err := c.Get(t.Context(), upstream.Request{URL: url, MaxBytes: 12}); err != nil {
		t.Errorf("12 bytes: %v", err)
	}
	_, err := c.Get(t.Context(), upstream.Request{URL: url, MaxBytes: 11})
	wantKind(t, err, upstream.Broken)
}

func TestCutConnections(t *testing.T) {
	tests := []struct {
		name   string
		answer string // raw, before the connection is closed
		want   upstream.Kind
	}{
		{"before the answer", "", upstream.Down},
		{"in the headers", "HTTP/1.1 200 OK\r\nContent-", upstream.Down},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2,3", upstream.Broken},
		{"in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n[1,2,3", upstream.Broken},
		{"before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n", upstream.Broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = rw.WriteString(tt.answer)
				_ = rw.Flush()
				_ = conn.Close()
			})
			_, err := c.Get(t.Context(), upstream.Request{URL: url})
			wantKind(t, err, tt.want)
		})
	}
}

// TestSlowHosts checks, with real time limits, that the limit of an attempt covers the
// body.
func TestSlowHosts(t *testing.T) {
	for name, begin := range map[string]string{"no answer": "", "half a body": `[1,`} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			defer close(over)
			var outcomes []string
			c, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if begin != "" {
					_, _ = io.WriteString(w, begin)
					_ = http.NewResponseController(w).Flush()
				}
				<-over
			}, func(cfg *upstream.Config, h *upstream.Host) {
				h.Timeout, h.Attempts = 50*time.Millisecond, 2
				cfg.Observe = func(_, outcome string, _ time.Duration) { outcomes = append(outcomes, outcome) }
			})
			_, err := c.Get(t.Context(), upstream.Request{URL: url})
			wantKind(t, err, upstream.Down)
			if !errors.Is(err, context.DeadlineExceeded) || c.Requests() != 2 {
				t.Errorf("%v after %d requests", err, c.Requests())
			}
			if diff := cmp.Diff([]string{"timeout", "timeout"}, outcomes); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallerGivesUp(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	ctx, cancel := context.WithCancel(t.Context())
	c, url := serve(t, func(http.ResponseWriter, *http.Request) { cancel(); <-over }, func(cfg *upstream.Config, h *upstream.Host) {
		h.Attempts = 1
		cfg.Observe = func(_, outcome string, _ time.Duration) {
			t.Errorf("observed %s, which is not a failure of the host", outcome)
		}
	})
	_, err := c.Get(ctx, upstream.Request{URL: url + "/x?app_id=secret"})
	var failed *upstream.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &failed) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want only the error of the context", err)
	}
	if c.Requests() != 1 {
		t.Errorf("%d requests, want 1", c.Requests())
	}
}

func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other host had a request")
	}))
	defer other.Close()
	to := func(status int, location string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(status)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/end", jsonAnswer(`"end"`))
	for i := range 4 {
		mux.HandleFunc(fmt.Sprintf("/%d", i+1), to(301+i%2, fmt.Sprintf("/%d", i)))
	}
	mux.HandleFunc("/0", to(307, "end?token=secret"))
	mux.HandleFunc("/other", to(308, other.URL+"/end?token=secret"))
	mux.HandleFunc("/other-scheme", to(302, "ftp:///end"))
	mux.HandleFunc("/user", func(w http.ResponseWriter, r *http.Request) { to(302, "http://me@"+r.Host+"/end")(w, r) })
	mux.HandleFunc("/loop", to(302, "/loop"))
	tests := []struct {
		path     string
		want     upstream.Kind
		requests int64
	}{
		{"/end", 0, 1}, {"/0", 0, 2}, {"/2", 0, 4}, {"/3", upstream.Refused, 4},
		{"/other", upstream.Refused, 1}, {"/other-scheme", upstream.Refused, 1},
		{"/user", upstream.Refused, 1}, {"/loop", upstream.Refused, 4},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			c, url := serve(t, mux.ServeHTTP)
			_, err := c.Get(t.Context(), upstream.Request{URL: url + tt.path})
			if failed := wantKind(t, err, tt.want); failed != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error contains the query: %v", err)
			}
			if c.Requests() != tt.requests {
				t.Errorf("%d requests, want %d", c.Requests(), tt.requests)
			}
		})
	}
}

func TestRequestsThatAreNotSent(t *testing.T) {
	c := fake(t, func(*http.Request) *http.Response { t.Error("asked"); return nil })
	for _, url := range []string{
		"", "store.example", "/relative?key=secret", "ftp://store.example/", "https://other.example/?key=secret",
		"https://:443/?key=secret", "https://me:secret@store.example/", "https://store.example:99999999/?key=secret\x7f", "%zz?secret",
	} {
		_, err := c.Get(t.Context(), upstream.Request{URL: url})
		wantKind(t, err, upstream.Refused)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error contains the secret: %v", url, err)
		}
	}
	if c.Requests() != 0 {
		t.Errorf("%d requests, want none", c.Requests())
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	inside := make(chan struct{}, 3)
	leave := make(chan struct{})
	c, url := serve(t, func(http.ResponseWriter, *http.Request) { inside <- struct{}{}; <-leave },
		func(_ *upstream.Config, h *upstream.Host) { h.Concurrent = 3 })
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if _, err := c.Get(t.Context(), upstream.Request{URL: url}); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 { // the fourth would block the server
		for range 3 {
			<-inside
		}
		if sent := c.Requests(); sent%3 != 0 {
			t.Errorf("%d requests sent, want three at a time", sent)
		}
		for range 3 {
			leave <- struct{}{}
		}
	}
	all.Wait()
}

func TestObserve(t *testing.T) {
	for want, a := range map[string]answer{
		"ok": {status: 200}, "client_error": {status: 404}, "server_error": {status: 500}, "throttled": {status: 429},
		"stopped": {status: 403}, "broken": {200, map[string]string{"Content-Encoding": "x"}, ""},
	} {
		var host, got string
		c, url := serve(t, a.ServeHTTP, func(cfg *upstream.Config, _ *upstream.Host) {
			cfg.Observe = func(name, outcome string, took time.Duration) {
				host, got = name, outcome
				if took <= 0 {
					t.Errorf("%s took %v", outcome, took)
				}
			}
		})
		_, _ = c.Get(t.Context(), upstream.Request{URL: url})
		if got != want || "http://"+host != url {
			t.Errorf("%d: observed %q of %s, want %q of %s", a.status, got, host, want, url)
		}
	}
}

func TestRedirectsBetweenSchemes(t *testing.T) {
	for from, kind := range map[string]upstream.Kind{"http": answered, "https": upstream.Refused} {
		c := fake(t, func(r *http.Request) *http.Response {
			if r.URL.Path == "/end" {
				return reply(200, "")
			}
			to := map[string]string{"http": "https", "https": "http"}[r.URL.Scheme]
			return reply(301, "", "Location", to+"://STORE.example/end")
		})
		_, err := c.Get(t.Context(), upstream.Request{URL: from + "://store.example/"})
		wantKind(t, err, kind)
	}
}
