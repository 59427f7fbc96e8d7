package api_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gamedex/internal/serve"
	"gamedex/internal/testing/await"
)

// TestHeadersOnTheWire checks the capitals of the rate limits, which net/http would change.
func TestHeadersOnTheWire(t *testing.T) {
	w := newWorld(t, unlimited)
	listener := serveFor(t, w.server.Config.Handler)
	got := wire(t, listener, "GET /api/v1/account/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: r\r\nAuthorization: Bearer "+w.token+"\r\n\r\n")
	for _, line := range []string{
		"X-RateLimit-Limit-Minute: 262143", "X-RateLimit-Remaining-Minute: 262142", "X-RateLimit-Reset-Minute: 2026-11-20T07:01:00.000Z",
		"X-RateLimit-Limit-Day: 4194303", "X-RateLimit-Remaining-Day: 4194302", "X-RateLimit-Reset-Day: 2026-11-21T00:00:00.000Z",
	} {
		if strings.Count(got, "\r\n"+line+"\r\n") != 1 {
			t.Errorf("the answer lacks the line %q:\n%s", line, got)
		}
	}
}

// serveFor runs a handler as the program does, until the test ends.
func serveFor(t testing.TB, handler http.Handler) (addr string) {
	t.Helper()
	server, err := serve.Listen(serve.Config{Addr: "127.0.0.1:0", Handler: handler, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return server.Addr()
}

// wire sends text and returns the answer.
func wire(t *testing.T, addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(await.Patience))
	fmt.Fprint(conn, text)
	all, err := io.ReadAll(conn)
	must(t, err)
	return string(all)
}

// TestAllocationsOfAnAnswer counts the allocations of a request behind net/http, with its
// header map. About ten are for the rate-limit headers. The limits leave room for the race
// detector, which empties pools at random.
func TestAllocationsOfAnAnswer(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, c := range []struct {
		path string
		most float64
	}{
		{"/health", 13},
		{"/account/me", 27},
		{"/catalog/exchange-rates", 29},
		{"/catalog/suggest?q=star+f", 38},
		{"/catalog/search?q=star+f", 38},
		{"/catalog/games/" + forge, 32},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1"+c.path, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+w.token)
		got := testing.AllocsPerRun(100, func() {
			w.server.Config.Handler.ServeHTTP(&discard{header: make(http.Header)}, r)
		})
		if got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.path, got, c.most)
		}
	}
}
