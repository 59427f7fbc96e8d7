package serve_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/serve"
)

// exchangeRaw sends text and returns everything up to the end of the connection.
func exchangeRaw(t *testing.T, url, text string) string {
	t.Helper()
	conn := dialFrom(t, "", url)
	defer conn.Close()
	fmt.Fprint(conn, text)
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// TestRequestsOfOneConnection checks that each request of a connection has its
// own record.
func TestRequestsOfOneConnection(t *testing.T) {
	f, log := front(func(w http.ResponseWriter, r *http.Request) {
		record := serve.RecordFrom(r.Context())
		if record.Route != "" || record.KeyID != "" || record.Quiet {
			t.Errorf("%s begins with %+v", r.URL.Path, *record)
		}
		if r.URL.Path == "/known" {
			record.Route, record.KeyID, record.Quiet = "/known", "key_1", true
			w.WriteHeader(http.StatusNotFound)
		}
	})
	f.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	url, stop := start(t, serve.Config{Handler: f})
	exchangeRaw(t, url, "GET /known HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n\r\n"+
		"GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: b\r\nConnection: close\r\n\r\n")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	all := lines(t, log)
	if len(all) != 2 {
		t.Fatalf("log: %v, want two requests", all)
	}
	for i, want := range []struct{ id, route, key, status string }{{"a", "/known", "key_1", "404"}, {"b", "none", "", "200"}} {
		got := all[i]
		if got["request_id"] != want.id || got["route"] != want.route || got["key_id"] != want.key || got["status"] != want.status {
			t.Errorf("request %d is logged as %v, want %v", i+1, got, want)
		}
	}
}

// TestRequestsWithTwoLengths checks that nothing after a request whose end is doubtful is read as a request.
func TestRequestsWithTwoLengths(t *testing.T) {
	asked := make(chan string, 10)
	url, stop := start(t, serve.Config{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		asked <- fmt.Sprint(r.URL.Path, " ", err)
	})})
	const chunked, next = "4\r\nbody\r\n0\r\n\r\n", "GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for _, tt := range []struct{ headers, body, status, asks string }{
		{"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked, "200", "/first <nil>"},
		{"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", chunked, "200", "/first <nil>"},
		{"Transfer-Encoding: chunked\r\n", chunked, "200", "/first <nil>"},
		{"Transfer-Encoding: chunked, identity\r\n", chunked, "501", ""},
		{"Content-Length: 4\r\nContent-Length: 5\r\n", "body", "400", ""},
		{"Content-Length: 4, 5\r\n", "body", "400", ""},
	} {
		answer := exchangeRaw(t, url, "POST /first HTTP/1.1\r\nHost: x\r\n"+tt.headers+"\r\n"+tt.body+next)
		if !strings.HasPrefix(answer, "HTTP/1.1 "+tt.status) || strings.Count(answer, "HTTP/1.1") != 1 {
			t.Errorf("%q is answered %q, want only a status %s", tt.headers, answer, tt.status)
		}
		if tt.asks != "" {
			if got := <-asked; got != tt.asks {
				t.Errorf("%q: the handler read %q, want %q", tt.headers, got, tt.asks)
			}
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if len(asked) > 0 {
		t.Errorf("the handler was called for %q", <-asked)
	}
}

// TestNestedFronts checks that a nested front has a separate record.
func TestNestedFronts(t *testing.T) {
	inner, _ := front(func(_ http.ResponseWriter, r *http.Request) { serve.RecordFrom(r.Context()).Route = "/inner" })
	outer, log := front(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).Route = "/outer"
		inner.ServeHTTP(w, r)
	})
	url, stop := start(t, serve.Config{Handler: outer})
	get(t, url)
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if all := lines(t, log); len(all) != 1 || all[0]["route"] != "/outer" {
		t.Errorf("log: %v, want one request for /outer", all)
	}
}
