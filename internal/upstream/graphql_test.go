package upstream_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/upstream"
)

func query(url string) upstream.Persisted {
	return upstream.Persisted{
		URL: url + "/op", Operation: "gridRetrieve", Hash: "5f2a",
		Variables: map[string]any{"id": "a&b+c", "pageArgs": map[string]int{"size": 100, "offset": 0}},
		Header:    http.Header{"X-Locale": {"uk-ua"}},
	}
}

func TestAsk(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		got := []string{
			r.Method, r.URL.Path, q.Get("operationName"), q.Get("variables"), q.Get("extensions"),
			r.Header.Get("Content-Type"), r.Header.Get("X-Apollo-Operation-Name"), r.Header.Get("X-Locale"), q.Get("fixed"),
		}
		want := []string{
			"GET", "/op", "gridRetrieve", `{"id":"a\u0026b+c","pageArgs":{"offset":0,"size":100}}`,
			`{"persistedQuery":{"version":1,"sha256Hash":"5f2a"}}`, "application/json", "gridRetrieve", "uk-ua", "1",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		jsonAnswer(`{"data":{"grid":[1, 2]},"extensions":{}}`)(w, r)
	})
	q := query(url)
	q.URL += "?fixed=1"
	got, err := c.Ask(t.Context(), q)
	if err != nil || string(got.Data) != `{"grid":[1, 2]}` || got.Errors != nil {
		t.Errorf("got %s, %v, %v", got.Data, got.Errors, err)
	}
	if len(q.Header) != 1 {
		t.Errorf("the caller's headers are now %v", q.Header)
	}
}

func TestAskReplies(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   upstream.Reply
	}{
		{"data", 200, `{"data":{"a":1},"errors":null}`, upstream.Reply{Data: []byte(`{"a":1}`)}},
		{"data, no errors", 200, `{"errors":[],"data":{"a":1}}`, upstream.Reply{Data: []byte(`{"a":1}`)}},
		{"a part", 200, `{"errors":[{"message":"Operation timed out!"}],"data":{"a":null}}`,
			upstream.Reply{Data: []byte(`{"a":null}`), Errors: []upstream.GraphError{{Message: "Operation timed out!"}}}},
		{"not sold", 200, `{"errors":[{"message":"Product not available for [x, UA, uk]","error":{"code":77,"reason":"data_not_found"},
			"statusCode":404,"errorCode":3100001,"apiName":"getProduct"}],"data":null}`,
			upstream.Reply{Data: []byte(`null`), Errors: []upstream.GraphError{
				{Message: "Product not available for [x, UA, uk]", Code: "3100001", Reason: "data_not_found"}}}},
		{"not sold, with 404", 404, `{"errors":[{"message":"gone","errorCode":"E7"}]}`,
			upstream.Reply{Errors: []upstream.GraphError{{Message: "gone", Code: "E7"}}}},
		{"a service's error", 400, `{"errors":[{"message":"failed with status code 404","path":["Catalog","elements",5,"mappings"],
			"serviceResponse":"{\"errorCode\":\"errors.not_found\",\"numericErrorCode\":1004}"}],"data":{"a":[]}}`,
			upstream.Reply{Data: []byte(`{"a":[]}`), Errors: []upstream.GraphError{{
				Message: "failed with status code 404", Code: "1004", Reason: "errors.not_found", Path: []any{"Catalog", "elements", 5.0, "mappings"}}}}},
		{"an extension's code", 200, `{"data":null,"errors":[{"message":"bad","extensions":{"code":"BAD_USER_INPUT"},"path":null}]}`,
			upstream.Reply{Data: []byte(`null`), Errors: []upstream.GraphError{{Message: "bad", Code: "BAD_USER_INPUT"}}}},
		{"odd errors", 200, `{"data":{"a":1},"errors":["why not",{"message":5,"path":"a","serviceResponse":"oops","error":[],"extensions":7},{}]}`,
			upstream.Reply{Data: []byte(`{"a":1}`), Errors: []upstream.GraphError{
				{Message: `"why not"`}, {Message: "5"}, {Message: "{}"}}}},
		{"words of refusal with data", 200, `{"data":{"a":1},"errors":[{"message":"csrf"}]}`,
			upstream.Reply{Data: []byte(`{"a":1}`), Errors: []upstream.GraphError{{Message: "csrf"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, url := serve(t, answer{tt.status, of("application/json"), tt.body}.ServeHTTP)
			got, err := c.Ask(t.Context(), query(url))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if c.Requests() != 1 {
				t.Errorf("%d requests, want 1", c.Requests())
			}
		})
	}
}

func TestAskFails(t *testing.T) {
	const js = "application/json"
	refusal := func(message string) string { return `{"errors":[{"message":"` + message + `"}]}` }
	tests := []struct {
		name      string
		status    int
		mediaType string
		body      string
		want      upstream.Kind
	}{
		{"unknown hash", 200, js, refusal("PersistedQueryNotFound"), upstream.Outdated},
		{"unknown hash, with 400", 400, js, refusal("PersistedQueryNotFound"), upstream.Outdated},
		{"unknown hash, with 500", 500, js, refusal("PersistedQueryNotFound"), upstream.Outdated},
		{"unknown hash, with data null", 200, js, `{"data":null,"errors":[{"message":"PersistedQueryNotFound"}]}`, upstream.Outdated},
		{"unknown hash by its code", 404, js, `{"errors":[{"message":"x","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`, upstream.Outdated},
		{"not whitelisted", 403, js, refusal("Query is not whitelisted"), upstream.Outdated},
		{"refused as forged", 400, js, refusal("This operation has been blocked as a potential Cross-Site Request Forgery (CSRF)."), upstream.Outdated},
		{"another media type of GraphQL", 400, "application/graphql-response+json", refusal("PersistedQueryNotFound"), upstream.Outdated},
		{"forbidden", 403, js, refusal("no"), upstream.Stopped},
		{"a challenge", 403, "text/html", `<p>Access Denied`, upstream.Stopped},
		{"throttled", 429, js, refusal("slow down"), upstream.Throttled},
		{"server error", 500, js, refusal("oops"), upstream.Down},
		{"bad request without errors", 400, js, `{}`, upstream.Refused},
		{"not found without errors", 404, js, `{"message":"no"}`, upstream.NotFound},
		{"not found, plain text", 404, "text/plain", refusal("no"), upstream.NotFound},
		{"plain text", 200, "text/plain", `{"data":{}}`, upstream.Broken},
		{"neither data nor errors", 200, js, `{"extensions":{}}`, upstream.Broken},
		{"no data and no errors", 200, js, `{"data":null,"errors":[]}`, upstream.Broken},
		{"errors in another format", 200, js, `{"data":{},"errors":{"message":"x"}}`, upstream.Broken},
		{"too many errors", 200, js, `{"data":{},"errors":[{}` + strings.Repeat(",{}", 10_000) + `]}`, upstream.Broken},
		{"a list", 200, js, `[{"data":{}}]`, upstream.Broken},
		{"nothing", 200, js, ``, upstream.Broken},
		{"cut off", 200, js, `{"data":{"a":[1,2`, upstream.Broken},
		{"truncated between members", 200, js, `{"data":{"a":1}`, upstream.Broken},
		{"more after it", 200, js, `{"data":{"a":1}} {}`, upstream.Broken},
		{"garbage after it", 200, js, `{"data":{"a":1}}}`, upstream.Broken},
		{"data twice", 200, js, `{"data":{"a":1},"data":{"a":2}}`, upstream.Broken},
		{"errors twice", 200, js, `{"data":{"a":1},"errors":[],"err\u006frs":[]}`, upstream.Broken},
		{"no commas", 200, js, `{"data":{"a":1} "errors":[]}`, upstream.Broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, url := serve(t, answer{tt.status, of(tt.mediaType), tt.body}.ServeHTTP)
			got, err := c.Ask(t.Context(), query(url))
			wantKind(t, err, tt.want)
			if got.Data != nil || got.Errors != nil {
				t.Errorf("the error was returned with %+v", got)
			}
			wantText := ""
			if tt.want == upstream.Outdated {
				wantText = "profile outdated: operation gridRetrieve: "
			}
			if !strings.Contains(err.Error(), wantText) || strings.Contains(err.Error(), "5f2a") {
				t.Errorf("error %q, want %q in it and no query", err, wantText)
			}
			again := tt.want == upstream.Throttled || tt.want == upstream.Down || tt.want == upstream.Broken
			if sent := c.Requests(); sent != 1 && !again || sent != 3 && again {
				t.Errorf("%d requests", sent)
			}
		})
	}
}

func TestAskAgainAfterABrokenAnswer(t *testing.T) {
	bodies := []string{`{"data":{"a":`, `{"data":{"a":1}}`}
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := bodies[0]
		bodies = bodies[1:]
		w.Header().Set("ETag", `"same"`)
		if r.Header.Get("If-None-Match") != "" {
			t.Error("the broken answer was cached")
		}
		jsonAnswer(body)(w, r)
	})
	got, err := c.Ask(t.Context(), query(url))
	if err != nil || string(got.Data) != `{"a":1}` {
		t.Errorf("got %s, %v", got.Data, err)
	}
}

func TestAskIsConditional(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		jsonAnswer(`{"data":{"a":1},"errors":[{"message":"partial"}]}`)(w, r)
	})
	for range 2 {
		got, err := c.Ask(t.Context(), query(url))
		if err != nil || string(got.Data) != `{"a":1}` || len(got.Errors) != 1 {
			t.Errorf("got %s, %v, %v", got.Data, got.Errors, err)
		}
	}
}

func TestAskInvalidVariables(t *testing.T) {
	c, url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	q := query(url)
	q.Variables = func() {}
	if _, err := c.Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "variables") {
		t.Errorf("got %v", err)
	}
	q = query(url)
	q.URL = "https://\x7fsecret"
	if _, err := c.Ask(t.Context(), q); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func FuzzAsk(f *testing.F) {
	for _, body := range []string{
		`{"data":{"a":1}}`, `{"data":null,"errors":[{"message":"x","path":[1],"serviceResponse":"{}","extensions":{"code":1}}]}`,
		`{"errors":[[]]}`, `{`, `{"a"`, `{"a":}`, `null`, `{"data":{},"data":{}}`, `{"data":1}2`,
	} {
		f.Add(200, body)
		f.Add(404, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		c := fake(t, func(*http.Request) *http.Response {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
		}, func(_ *upstream.Config, h *upstream.Host) { h.Attempts = 1 })
		got, err := c.Ask(t.Context(), query("https://store.example"))
		var failed *upstream.Error
		switch {
		case err != nil && !errors.As(err, &failed):
			t.Errorf("%d %q: %v is not of this package", status, body, err)
		case err == nil && (len(got.Data) == 0 || string(got.Data) == "null") && len(got.Errors) == 0:
			t.Errorf("%d %q: an empty reply", status, body)
		case err == nil && status >= 300 && len(got.Errors) == 0:
			t.Errorf("%d %q: taken", status, body)
		}
	})
}
