package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"gamedex/internal/serve"
)

// inLines sets X-A and X-B as header lines; inMap sets them as headers, which
// is what the other must look like.
func inLines(w http.ResponseWriter) bool {
	lines := w.(interface{ HeaderLines() *[]byte }).HeaderLines()
	if lines == nil {
		return false
	}
	*lines = append((*lines)[:0], "X-A: 1\r\nX-B: two\r\n"...)
	return true
}

func inMap(w http.ResponseWriter) bool {
	w.Header()["X-A"], w.Header()["X-B"] = []string{"1"}, []string{"two"}
	return true
}

var dates = regexp.MustCompile(`Date: .*\r\n`)

// TestHeaderLinesLookLikeHeaders compares what goes over the wire, byte by byte.
func TestHeaderLinesLookLikeHeaders(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 10_000)
	for _, c := range []struct {
		name, request string
		answer        func(w http.ResponseWriter, r *http.Request)
	}{
		{"small", "GET / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "small") }},
		{"nothing said", "GET / HTTP/1.1\r\n", func(http.ResponseWriter, *http.Request) {}},
		{"no body", "GET / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		{"HEAD", "HEAD / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "small") }},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "small") }},
		{"chunked, more than a buffer", "GET / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }},
		{"of known length", "GET / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			io.WriteString(w, body)
		}},
		{"a body that looks like an answer", "GET / HTTP/1.1\r\n", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			io.WriteString(w, "HTTP/1.1 200 OK\r\nX-Request-Id: no\r\n\r\n")
		}},
		{"a body sent when asked for", "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n", func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			w.Write(sent)
		}},
		{"a panic", "GET / HTTP/1.1\r\n", func(http.ResponseWriter, *http.Request) { panic("broken") }},
		{"an abort", "GET / HTTP/1.1\r\n", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := c.request + "Host: x\r\nConnection: close\r\nX-Request-Id: r1\r\n\r\nabc"
			var wire [2]string
			for i, set := range []func(http.ResponseWriter) bool{inLines, inMap} {
				f, _ := front(func(w http.ResponseWriter, r *http.Request) {
					if !set(w) {
						t.Error("no way for header lines on a server's connection")
					}
					c.answer(w, r)
				})
				url, _ := start(t, serve.Config{Handler: f})
				wire[i] = dates.ReplaceAllString(exchangeRaw(t, url, sent), "")
			}
			if wire[0] != wire[1] {
				t.Errorf("as lines:\n%.600q\nas headers:\n%.600q", wire[0], wire[1])
			}
		})
	}
}

// exchangeRaw sends text and returns all that comes back until the end.
func exchangeRaw(t *testing.T, url, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(conn, text)
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// TestHeaderLinesWhereTheyStandApart: only a header that fills net/http's buffer
// has them first, and what comes before the answer has none.
func TestHeaderLinesWhereTheyStandApart(t *testing.T) {
	f, _ := front(func(w http.ResponseWriter, _ *http.Request) {
		inLines(w)
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("A-Long", strings.Repeat("x", 10_000))
		w.Header().Set("Z-Long", strings.Repeat("x", 10_000))
		io.WriteString(w, "small")
	})
	url, _ := start(t, serve.Config{Handler: f})
	wire := exchangeRaw(t, url, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if got := strings.Count(wire, "X-A: 1\r\nX-B: two\r\n"); got != 1 {
		t.Errorf("the lines stand %d times in %.200q", got, wire)
	}
	if !strings.Contains(wire, "\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: two\r\nA-Long: xxx") || !strings.HasSuffix(wire, "\r\n\r\nsmall") {
		t.Errorf("got %.200q ... %.40q", wire, wire[len(wire)-40:])
	}
}

// TestHeaderLinesBelongToOneAnswer: the next on the same connection has none of
// them, wherever they were set.
func TestHeaderLinesBelongToOneAnswer(t *testing.T) {
	f, _ := front(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/before":
			inLines(w)
		case "/after":
			io.WriteString(w, "x")
			if inLines(w) {
				t.Error("lines are taken behind the header")
			}
		}
	})
	url, _ := start(t, serve.Config{Handler: f})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	reader := bufio.NewReader(conn)
	for _, c := range []struct{ path, want string }{
		{"/before", "1"}, {"/", ""}, {"/after", ""}, {"/", ""}, {"/before", "1"},
	} {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", c.path)
		resp, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("X-A"); got != c.want {
			t.Errorf("%s: X-A %q, want %q", c.path, got, c.want)
		}
		io.Copy(io.Discard, resp.Body)
	}
}

func TestHeaderLinesNeedAServer(t *testing.T) {
	f, _ := front(func(w http.ResponseWriter, _ *http.Request) {
		if inLines(w) {
			t.Error("lines are taken where nobody writes them")
		}
	})
	f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// TestRequestsOfOneConnection: what is noted of one is not told of the next,
// though they share their memory.
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

// TestAFrontInsideAFront has a record of its own.
func TestAFrontInsideAFront(t *testing.T) {
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
