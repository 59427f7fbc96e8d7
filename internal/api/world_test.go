package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
	"gamedex/internal/testing/apitest"
)

// start is the time at which every world begins: twelve seconds into a
// minute.
const start = 1_795_158_012_345 // 2026-11-20T07:00:12.345Z

// world is the API as the program runs it, over a real index, a real key cache
// and real counters, with a clock that tests move.
type world struct {
	t      testing.TB
	now    atomic.Int64
	live   *index.Live
	keys   *memoryKeys
	cache  *account.Cache
	usage  *quota.Usage
	api    *api.API
	failed chan error
	server *httptest.Server
	client *http.Client
	token  string // of a key with all permissions
	key    account.Key
}

// newWorld starts a world with the sample catalog. Changes of the config are
// applied before it starts.
func newWorld(t testing.TB, change ...func(*world, *api.Config)) *world {
	t.Helper()
	w := &world{t: t, live: new(index.Live), keys: newMemoryKeys(), failed: make(chan error, 100)}
	w.now.Store(start)
	w.live.Swap(sampleView(t))
	w.cache = account.NewCache(w.keys, w.now.Load, slog.New(slog.DiscardHandler))
	w.usage = quota.NewUsage("run", noHistory{})
	cfg := api.Config{
		Version: "1.2.3", ConsoleName: "Console Store", PCName: "PC Store",
		Limits: quota.Limits{Minute: 30, Day: 43200},
		Clock:  func() time.Time { return time.UnixMilli(w.now.Load()) },
		Live:   w.live, Past: samplePast{}, Keys: w.cache, Counter: quota.NewMemory(), Usage: w.usage,
		AnswerCache: 1 << 20,
		Failed:      func(_ string, err error) { w.failed <- err },
	}
	for _, f := range change {
		f(w, &cfg)
	}
	w.api = api.New(cfg)
	w.server = httptest.NewServer(&serve.Front{
		Next: w.api, Log: slog.New(slog.DiscardHandler), Rand: zeros{},
		Now: cfg.Clock, OnPanic: w.api.InternalError,
	})
	t.Cleanup(w.server.Close)
	w.client = newClient(t)
	w.key, w.token = w.newKey(account.Draft{Name: "everything"})
	return w
}

// newClient returns a client that checks every answer against the API
// reference.
func newClient(t testing.TB) *http.Client {
	t.Helper()
	ref, err := reference()
	must(t, err)
	// Without keep-alives each test's connections end with it.
	next := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	return &http.Client{Transport: ref.Transport(t, next)}
}

// unlimited sets limits that no test exhausts.
func unlimited(_ *world, c *api.Config) {
	c.Limits = quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// newKey puts a new key into the store. Its token works at once.
func (w *world) newKey(d account.Draft) (account.Key, string) {
	w.t.Helper()
	key, token, err := d.Issue(w.now.Load(), w.keys)
	must(w.t, err)
	w.keys.save(key)
	return key, token
}

// changeKey changes a stored key and makes the cache see it.
func (w *world) changeKey(k account.Key) {
	w.t.Helper()
	w.keys.save(k)
	must(w.t, w.cache.Refresh(context.Background()))
}

// reply is an answer, read and decoded.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	length int64
	body   []byte
}

// with changes a request before it is sent.
type with func(*http.Request)

func header(name, value string) with { return func(r *http.Request) { r.Header.Set(name, value) } }

func bearer(token string) with { return header("Authorization", "Bearer "+token) }

// get sends a GET for a path under /api/v1 with the world's key.
func (w *world) get(path string, change ...with) reply {
	w.t.Helper()
	return w.do(http.MethodGet, path, "", change...)
}

// post sends a JSON body to the bulk price endpoint.
func (w *world) post(body string, change ...with) reply {
	w.t.Helper()
	return w.do(http.MethodPost, "/catalog/prices", body, append([]with{header("Content-Type", "application/json")}, change...)...)
}

// direct sends a request to the API without a network.
func (w *world) direct(method, path, body string, change ...with) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	for _, f := range change {
		f(r)
	}
	out := httptest.NewRecorder()
	w.server.Config.Handler.ServeHTTP(out, r)
	return out
}

func (w *world) do(method, path, body string, change ...with) reply {
	w.t.Helper()
	r, err := http.NewRequest(method, w.server.URL, strings.NewReader(body))
	must(w.t, err)
	// Set raw, so that paths and queries that no URL parser accepts arrive
	// unchanged.
	target, query, _ := strings.Cut("/api/v1"+path, "?")
	r.URL.Opaque = strings.TrimPrefix(w.server.URL, "http:") + target
	r.URL.RawQuery = query
	r.URL.Path = target
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("X-Request-Id", "test-1")
	for _, f := range change {
		f(r)
	}
	resp, err := w.client.Do(r)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(w.t, err)
	plain, err := apitest.Unpack(resp.Header.Get("Content-Encoding"), raw)
	must(w.t, err)
	return reply{w.t, resp.StatusCode, resp.Header, resp.ContentLength, plain}
}

// want fails the test if the answer has another status.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %.500s", r.status, status, r.body)
	}
	return r
}

// at returns the value at a path of names and numbers ("data.items.0.id").
func (r reply) at(path string) any {
	r.t.Helper()
	var node any
	if err := json.Unmarshal(r.body, &node); err != nil {
		r.t.Fatalf("%v: %.500s", err, r.body)
	}
	for name := range strings.SplitSeq(path, ".") {
		switch parent := node.(type) {
		case map[string]any:
			node = parent[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(parent) {
				return nil
			}
			node = parent[i]
		default:
			return nil
		}
	}
	return node
}

// is fails the test if the value at a path is not the given JSON. Non-breaking
// spaces count as plain ones.
func (r reply) is(path, want string) reply {
	r.t.Helper()
	got, err := json.Marshal(r.at(path))
	must(r.t, err)
	var tidy bytes.Buffer
	if err := json.Compact(&tidy, []byte(want)); err != nil {
		r.t.Fatalf("test wants %s, which is no JSON", want)
	}
	if strings.ReplaceAll(string(got), "\u00a0", " ") != tidy.String() {
		r.t.Errorf("%s = %s, want %s", path, got, want)
	}
	return r
}

// code fails the test if the answer is not this error.
func (r reply) code(status int, code string) reply {
	r.t.Helper()
	return r.want(status).is("ok", "false").is("error.code", `"`+code+`"`)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
