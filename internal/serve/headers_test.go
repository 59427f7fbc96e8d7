package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/serve"
	"gamedex/internal/testing/await"
)

// answer reads the status of the next answer on a connection.
func answer(t *testing.T, conn net.Conn) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == 503 && resp.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	return resp.StatusCode
}

const (
	longStart = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "
	small     = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
)

// longHeader is a request of about 100 KiB without its end.
var longHeader = longStart + strings.Repeat("x", 100<<10)

// TestHeadersDrawFromABudget gives room for one long request. While it arrives,
// others get 503, and short ones are answered.
func TestHeadersDrawFromABudget(t *testing.T) {
	const room = 100 << 10
	s, err := serve.Listen(serve.Config{
		Addr: "127.0.0.1:0", HeaderMemory: room, Handler: http.HandlerFunc(hello), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.AwaitHeaders(await.Patience) // they arrive slowly on a busy machine
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx) }()
	defer func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}()
	url := "http://" + s.Addr()
	// awaitFree waits until at least least bytes and at most most are free.
	awaitFree := func(least, most int64) {
		t.Helper()
		await.That(t, fmt.Sprintf("%d to %d free bytes", least, most), func() bool {
			free := s.FreeHeaderMemory()
			return free >= least && free <= most
		})
	}
	for name, end := range map[string]func(net.Conn){
		"answered": func(conn net.Conn) {
			fmt.Fprint(conn, "\r\n\r\n")
			if got := answer(t, conn); got != 200 {
				t.Errorf("the first long request: %d, want 200", got)
			}
			fmt.Fprint(conn, small) // its connection draws nothing now
			if got := answer(t, conn); got != 200 {
				t.Errorf("a short request after it: %d, want 200", got)
			}
		},
		"hung up": func(conn net.Conn) { conn.Close() },
	} {
		first, second, short := dialFrom(t, "", url), dialFrom(t, "", url), dialFrom(t, "", url)
		fmt.Fprint(first, longHeader)
		awaitFree(room-70<<10, room-60<<10)
		go io.WriteString(second, longHeader+"\r\n\r\n")
		if got := answer(t, second); got != 503 {
			t.Errorf("%s: a second long request: %d, want 503", name, got)
		}
		fmt.Fprint(short, small)
		if got := answer(t, short); got != 200 {
			t.Errorf("%s: a short request beside it: %d, want 200", name, got)
		}
		end(first)
		awaitFree(room, room)
		fmt.Fprint(short, longHeader+"\r\n\r\n")
		if got := answer(t, short); got != 200 {
			t.Errorf("%s: a long request after it: %d, want 200", name, got)
		}
		awaitFree(room, room)
	}
}

// TestManyFieldsDrawMore sends headers whose fields need far more memory than
// their bytes.
func TestManyFieldsDrawMore(t *testing.T) {
	url, _ := start(t, serve.Config{HeaderMemory: 1 << 20, Handler: http.HandlerFunc(hello)})
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"one field":       {longHeader + "\r\n\r\n", 200},
		"many fields":     {"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X:\r\n", 25<<10) + "\r\n", 503},
		"many parameters": {"GET /?" + strings.Repeat("a&", 50<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", 503},
		"a body of 1 MiB": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n" + strings.Repeat("\n", 1<<20), 200},
		"many short ones": {small + strings.Repeat("\r\n", 100), 200},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dialFrom(t, "", url)
			go io.WriteString(conn, c.text) // the server may stop to read
			if got := answer(t, conn); got != c.want {
				t.Errorf("status %d, want %d", got, c.want)
			}
		})
	}
}
