package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"gamedex/internal/api"
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
	var handler http.Handler
	w := newWorld(t, unlimited, func(_ *world, c *api.Config) { handler = api.New(*c) })
	const clients, most = 20, 512 << 10
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	for range clients {
		r := request(http.MethodPost, "/catalog/prices", "", nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.ContentLength = 1 << 20
		r.Body = newStalled(func() { runtime.ReadMemStats(&during) })
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	if each := (during.TotalAlloc - before.TotalAlloc) / clients; each > most {
		t.Errorf("%d bytes taken for each body of which one byte came, want %d at most", each, most)
	}
}
