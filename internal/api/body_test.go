package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// stalled is a body that delivers one byte and then blocks.
type stalled struct {
	io.Reader
	reached func()
}

func newStalled(reached func()) stalled { return stalled{strings.NewReader("{"), reached} }

func (s stalled) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil {
		s.reached()
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (stalled) Close() error { return nil }

// TestAnAnnouncedBodyTakesLittleMemory checks that thousands of clients that
// announce a large body each, and send none of it, take little memory.
func TestAnAnnouncedBodyTakesLittleMemory(t *testing.T) {
	w := newWorld(t, unlimited)
	const clients, most = 20, 512 << 10
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	for range clients {
		r := request(http.MethodPost, "/catalog/prices", "", nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.ContentLength = 1 << 20
		r.Body = newStalled(func() { runtime.ReadMemStats(&during) })
		w.api.ServeHTTP(httptest.NewRecorder(), r)
	}
	if each := (during.TotalAlloc - before.TotalAlloc) / clients; each > most {
		t.Errorf("%d bytes taken for each body of which one byte came, want %d at most", each, most)
	}
}

// TestUnauthorizedBodyIsNotAwaited checks that a client without a key that
// announces a large body and sends none of it holds a connection for seconds,
// not for the minute that a body may take.
func TestUnauthorizedBodyIsNotAwaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
	must(t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(await.Patience))
	fmt.Fprint(conn, "POST /api/v1/catalog/prices HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d, want 401", res.StatusCode)
	}
}
