package serve_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/serve"
)

// front returns a Front before next whose log, at debug level, goes to the
// returned buffer. Its clock advances 1.5 ms each time it is read.
func front(next http.HandlerFunc) (*serve.Front, *bytes.Buffer) {
	log := new(bytes.Buffer)
	now := time.Unix(0, 0)
	return &serve.Front{
		Next: next,
		Log:  slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Rand: rand.Reader,
		Now:  func() time.Time { now = now.Add(1500 * time.Microsecond); return now },
		OnPanic: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, "sorry, "+serve.RecordFrom(r.Context()).RequestID)
		},
	}, log
}

func lines(t *testing.T, log *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for d := json.NewDecoder(log); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		delete(line, "time")
		all = append(all, line)
	}
	return all
}

func TestRequestID(t *testing.T) {
	long := strings.Repeat("a", 128)
	tests := []struct {
		name, sent string
		kept       bool
	}{
		{"none", "", false},
		{"plain", "abc-DEF_1.2", true},
		{"one character", "x", true},
		{"longest", long, true},
		{"too long", long + "a", false},
		{"space", "a b", false},
		{"line break would split a log", "a\nb", false},
		{"quote", `a"b`, false},
		{"not ASCII", "ä", false},
		{"slash", "a/b", false},
	}
	generated, ids := regexp.MustCompile(`^[A-Z2-7]{24}$`), map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen string
			f, _ := front(func(_ http.ResponseWriter, r *http.Request) { seen = serve.RecordFrom(r.Context()).RequestID })
			req, resp := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			if tt.sent != "" {
				req.Header.Set("X-Request-Id", tt.sent)
			}
			f.ServeHTTP(resp, req)
			got := resp.Header().Get("X-Request-Id")
			if got != seen {
				t.Errorf("header has %q, context %q", got, seen)
			}
			if tt.kept && got != tt.sent || !tt.kept && !generated.MatchString(got) || ids[got] {
				t.Errorf("id %q for sent %q", got, tt.sent)
			}
			ids[got] = true
		})
	}
}

func TestRecordOutsideARequest(t *testing.T) {
	serve.RecordFrom(context.Background()).Route = "written and forgotten"
}

// TestQuietFront checks that requests can be left out of a log at info level.
func TestQuietFront(t *testing.T) {
	f, log := front(func(http.ResponseWriter, *http.Request) {})
	f.Quiet = true
	f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if all := lines(t, log); len(all) != 1 || all[0]["level"] != "DEBUG" {
		t.Errorf("logged %v, want one line at debug level", all)
	}
}

func TestAccessLog(t *testing.T) {
	tests := []struct {
		name, method string
		handler      http.HandlerFunc
		want         map[string]any
	}{
		{"full", "GET", func(w http.ResponseWriter, r *http.Request) {
			rec := serve.RecordFrom(r.Context())
			rec.Route, rec.KeyID = "/catalog/games/{id}", "key_1"
			w.WriteHeader(404)
			w.Write([]byte("12345"))
			w.Write([]byte("67"))
		}, map[string]any{"level": "INFO", "method": "GET", "route": "/catalog/games/{id}", "status": "404", "bytes": 7.0, "key_id": "key_1"}},
		{"nothing said", "POST", func(http.ResponseWriter, *http.Request) {},
			map[string]any{"level": "INFO", "method": "POST", "route": "none", "status": "200", "bytes": 0.0, "key_id": ""}},
		{"quiet", "GET", func(w http.ResponseWriter, r *http.Request) {
			serve.RecordFrom(r.Context()).Quiet = true
			w.WriteHeader(204)
		}, map[string]any{"level": "DEBUG", "method": "GET", "route": "none", "status": "204", "bytes": 0.0, "key_id": ""}},
		{"the first status counts, early hints do not", "GET", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(201)
			w.Write(nil)
		}, map[string]any{"level": "INFO", "method": "GET", "route": "none", "status": "201", "bytes": 0.0, "key_id": ""}},
		{"no body goes out on HEAD", "HEAD", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("12345")) },
			map[string]any{"level": "INFO", "method": "HEAD", "route": "none", "status": "200", "bytes": 0.0, "key_id": ""}},
		{"made-up method", "FORGED", func(http.ResponseWriter, *http.Request) {},
			map[string]any{"level": "INFO", "method": "other", "route": "none", "status": "200", "bytes": 0.0, "key_id": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, log := front(tt.handler)
			req := httptest.NewRequest(tt.method, "/secret-path?q=secret-query", nil)
			req.Header.Set("Authorization", "Bearer secret-token")
			req.Header.Set("X-Request-Id", "r1")
			f.ServeHTTP(httptest.NewRecorder(), req)
			if strings.Contains(log.String(), "secret") {
				t.Errorf("the log has what may be secret: %s", log)
			}
			tt.want["msg"], tt.want["request_id"], tt.want["ms"] = "request", "r1", 1.5
			if diff := cmp.Diff([]map[string]any{tt.want}, lines(t, log)); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPanicBecomesAnAnswer(t *testing.T) {
	f, log := front(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		w.Header().Set("ETag", `W/"x"`)
		w.Header().Set("X-RateLimit", "29")
		panic("broken index")
	})
	url, stop := start(t, serve.Config{Handler: f})
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	id := resp.Header.Get("X-Request-Id")
	if resp.StatusCode != 500 || string(body) != "sorry, "+id {
		t.Errorf("got %d %q, want 500 with id %q", resp.StatusCode, body, id)
	}
	if resp.Header.Get("ETag") != "" || resp.Header.Get("X-RateLimit") != "29" {
		t.Errorf("headers: %v, want no ETag, and the rest kept", resp.Header)
	}
	if status, _ := get(t, url); status != 500 {
		t.Errorf("the next request got %d: the server did not survive", status)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	all := lines(t, log)
	stack, _ := all[0]["stack"].(string)
	if len(all) != 4 || all[0]["panic"] != "broken index" || all[0]["request_id"] != id || !strings.Contains(stack, "front_test.go") || all[1]["status"] != "500" {
		t.Errorf("log: %v, want panic, id and stack, and a request with status 500, twice", all)
	}
}

func TestAPanicInOnPanicIsLoggedAsAborted(t *testing.T) {
	f, log := front(func(http.ResponseWriter, *http.Request) { panic("first") })
	f.OnPanic = func(http.ResponseWriter, *http.Request) { panic("second") }
	func() {
		defer func() {
			if reason := recover(); reason != "second" {
				t.Errorf("recovered %v", reason)
			}
		}()
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	if all := lines(t, log); all[len(all)-1]["status"] != "aborted" {
		t.Errorf("log: %v, want an aborted request", all)
	}
}

func TestPanicInTheMiddleCutsTheConnection(t *testing.T) {
	tests := map[string]http.HandlerFunc{
		"panic after the first bytes": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic("too late")
		},
		"abort before any byte": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			f, log := front(handler)
			url, stop := start(t, serve.Config{Handler: f})
			resp, err := http.Get(url)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil {
				t.Error("the client got what looks like a whole answer")
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			all := lines(t, log)
			if last := all[len(all)-1]; last["msg"] != "request" || last["status"] != "aborted" {
				t.Errorf("last log line: %v, want an aborted request", last)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	metrics := serve.NewMetrics(registry)
	ops := serve.Ops(registry, func() []string { return nil }, func() []string { return nil })
	f, _ := front(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/game" {
			serve.RecordFrom(r.Context()).Route = "/games/{id}"
		} else {
			w.WriteHeader(404)
		}
		if got := samples(ops, "gamedex_http_in_flight"); got != "gamedex_http_in_flight 1\n" {
			t.Errorf("while one is under way: %s", got)
		}
	})
	f.Metrics = metrics
	for _, path := range []string{"/game", "/game", "/random-1", "/random-2"} {
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	const want = `gamedex_http_in_flight 0
gamedex_http_request_seconds_count{route="/games/{id}"} 2
gamedex_http_request_seconds_count{route="none"} 2
gamedex_http_requests_total{code="200",route="/games/{id}"} 2
gamedex_http_requests_total{code="404",route="none"} 2
`
	got := samples(ops, "gamedex_http_in_flight", "gamedex_http_request_seconds_count", "gamedex_http_requests_total")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// samples returns the lines of /metrics that begin with one of the names.
func samples(ops http.Handler, names ...string) string {
	resp := httptest.NewRecorder()
	ops.ServeHTTP(resp, httptest.NewRequest("GET", "/metrics", nil))
	var found strings.Builder
	for line := range strings.Lines(resp.Body.String()) {
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(line, n) }) {
			found.WriteString(line)
		}
	}
	return found.String()
}

// TestRefusedRequestsAreSampled checks that strangers cannot fill the log, while
// every request of a key is in it.
func TestRefusedRequestsAreSampled(t *testing.T) {
	key, status := "", http.StatusUnauthorized
	f, log := front(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).KeyID = key
		w.WriteHeader(status)
	})
	now := time.Unix(0, 0)
	f.Now = func() time.Time { return now }
	send := func(n int) {
		for range n {
			f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}
	}
	logged := func() int { return len(lines(t, log)) }
	if send(1000); logged() != 10 {
		t.Error("not ten of a thousand refused requests are logged")
	}
	key = "key_1"
	if send(50); logged() != 50 {
		t.Error("a request of a key is not logged")
	}
	key, status = "", http.StatusServiceUnavailable
	if send(50); logged() != 50 {
		t.Error("a failure is not logged")
	}
	status, now = http.StatusNotFound, now.Add(time.Second)
	send(3)
	all := lines(t, log)
	if len(all) != 4 || all[0]["requests"] != 990.0 {
		t.Errorf("a second later the log has %v", all)
	}
}
