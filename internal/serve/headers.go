package serve

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// plainHeader is how many bytes the request line and headers of a request may
	// have before they draw from the budget of the listener.
	plainHeader = 32 << 10
	// headerBudget bounds the bytes beyond that of all requests in progress.
	headerBudget = 64 << 20
	// fieldCost is the memory of a header field beyond its bytes, and pairCost
	// that of a parameter.
	fieldCost, pairCost = 256, 64

	// lingerTime is how long a refused client may go on sending, so that it reads
	// the answer instead of a reset.
	lingerTime = 500 * time.Millisecond
)

// busyAnswer is the answer to a client whose headers exceed what is left of the
// budget. No handler sees the request.
const busyAnswer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\n" +
	"Connection: close\r\n\r\n503 Service Unavailable: too many long requests at once\n"

// budget is a number of bytes that may be in use at the same time.
type budget struct{ free atomic.Int64 }

// take takes n bytes, or none if there are too few.
func (b *budget) take(n int64) bool {
	if b.free.Add(-n) >= 0 {
		return true
	}
	b.free.Add(n)
	return false
}

func (b *budget) giveBack(n int64) { b.free.Add(n) }

// headerCount counts the request line and headers that a connection is reading.
// net/http reads one request after the other; Read may also be called while a
// handler runs.
type headerCount struct {
	ended atomic.Bool  // the handler runs, or its answer is being sent
	read  atomic.Int64 // weight of what was read
	drawn atomic.Int64 // of the budget
}

// count adds what was read. It reports whether there was room for it.
func (h *headerCount) count(p []byte, from *budget) bool {
	if h.ended.Load() {
		return true
	}
	weight := int64(len(p))
	if h.read.Load()+weight > plainHeader {
		weight += int64(fieldCost*bytes.Count(p, []byte("\n")) + pairCost*bytes.Count(p, []byte("&")))
	}
	over := h.read.Add(weight) - plainHeader
	if over <= 0 {
		return true
	}
	need := min(over, weight)
	if !from.take(need) {
		return false
	}
	h.drawn.Add(need)
	return true
}

// release gives back what was drawn.
func (h *headerCount) release(to *budget) {
	if drawn := h.drawn.Swap(0); drawn > 0 {
		to.giveBack(drawn)
	}
}

// next begins the next request of the connection.
func (h *headerCount) next(to *budget) {
	h.release(to)
	h.read.Store(0)
	h.ended.Store(false)
}

// Read reads from the client. While the headers of a request arrive, it draws
// from the budget; if that is used up, it answers 503 and ends the connection.
func (c *limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 || c.header.count(p[:n], &c.listener.headers) {
		return n, err
	}
	if _, err := io.WriteString(c, busyAnswer); err == nil && c.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, maxHeaderBytes)
	}
	return 0, io.EOF // net/http adds no answer of its own
}

// headersRead marks, at the start of each handler, that the headers are read.
func headersRead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
			c.header.ended.Store(true)
		}
		next.ServeHTTP(w, r)
	})
}

type connKey struct{}
