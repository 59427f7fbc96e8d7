package respond

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

// Hold is the memory that one request holds. Set its exported fields before the first
// call of Take.
type Hold struct {
	Pool    *Pool
	Owner   string              // "": the memory is not counted; only for tiny answers
	Network netip.Prefix        // of the client; the zero Prefix if it is not known
	W       http.ResponseWriter // of the request

	// The time that the client kept the request waiting, and the bytes it took or sent.
	since  atomic.Int64 // when the request began to wait; 0: it does not
	waited atomic.Int64
	moved  atomic.Int64

	// Of the memory's mu.
	bytes    int64
	accounts [2]*account // of the owner and of the network
	cut      bool        // the connection was closed to others' advantage
}

// Take waits for more memory. It fails with [ErrOwnerMemory] or [ErrMemory] if none is free
// within a second, or when ctx ends.
func (h *Hold) Take(ctx context.Context, bytes int64) error {
	if h.Owner == "" {
		return nil
	}
	return h.Pool.memory.take(ctx, h, bytes)
}

// Release returns all memory, and reports whether the client was cut off.
func (h *Hold) Release() (cut bool) {
	if h.accounts[0] == nil {
		return false
	}
	return h.Pool.memory.release(h)
}

// Write sends a part of the answer.
func (h *Hold) Write(p []byte) (int, error) { return h.await(h.W.Write, p) }

// Body returns the body of the request, of which each read counts as waiting for the client.
func (h *Hold) Body(of io.ReadCloser) io.ReadCloser { return &body{of, h} }

type body struct {
	io.ReadCloser
	hold *Hold
}

func (b *body) Read(p []byte) (int, error) { return b.hold.await(b.ReadCloser.Read, p) }

// await calls the client's Read or Write.
func (h *Hold) await(client func([]byte) (int, error), p []byte) (int, error) {
	began := h.Pool.memory.now()
	h.since.Store(began)
	n, err := client(p)
	h.since.Store(0)
	h.waited.Add(h.Pool.memory.now() - began)
	h.moved.Add(int64(n))
	return n, err
}

// waitedUntil returns how long the client has kept the request waiting in all.
func (h *Hold) waitedUntil(now int64) time.Duration {
	waited := h.waited.Load()
	if since := h.since.Load(); since != 0 {
		waited += now - since
	}
	return time.Duration(waited)
}

// against returns how much the owner or the network of h holds, whichever is more, and the
// same for another hold. What they share does not count, so that clients behind one address
// are compared by owner.
func (h *Hold) against(other *Hold) (own, others int64) {
	for i, a := range h.accounts {
		if o := other.accounts[i]; a != o {
			own, others = max(own, a.held()), max(others, o.held())
		}
	}
	return own, others
}

func (h *Hold) charge(bytes int64) {
	for _, a := range h.accounts {
		if a != nil {
			a.bytes += bytes
		}
	}
}

// disconnect makes the reads and writes of a request fail, so that its handler ends and releases
// its memory. A handler that does not wait for its client fails when it next does.
func (h *Hold) disconnect() {
	// If these fail, the handler ends when the client has read the answer.
	past, c := time.Unix(1, 0), http.NewResponseController(h.W)
	_ = c.SetReadDeadline(past)
	_ = c.SetWriteDeadline(past)
}
