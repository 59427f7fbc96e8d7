package serve

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// exchange is one request under way.
type exchange struct {
	Record
	writer
	kept    *lines    // of the connection; nil if it is not a [Server]'s
	id      [1]string // the value of X-Request-Id
	started time.Time
	aborted bool // the connection is cut, in place of an answer or of its end
	busy    atomic.Bool
}

// release leaves nothing of an exchange but the id, which may stand in a header
// that is not yet written.
func (x *exchange) release() {
	x.Record, x.writer, x.aborted = Record{}, writer{}, false
	x.busy.Store(false)
}

type exchangeKey struct{}

// withExchange gives every connection an exchange, which its requests use one
// after the other: a request of its own, with a context of its own, would have
// to be copied for each.
func withExchange(ctx context.Context, conn net.Conn) context.Context {
	x := new(exchange)
	if c, ok := conn.(*limitedConn); ok {
		x.kept = &c.lines
	}
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeFor returns an empty exchange and the request that leads to it. It
// is the connection's; if there is none, or another request is using it, a new
// one.
func exchangeFor(r *http.Request) (*exchange, *http.Request) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if ok && x.busy.CompareAndSwap(false, true) {
		if x.kept != nil {
			x.kept.pending = x.kept.pending[:0]
		}
		return x, r
	}
	x = new(exchange)
	x.busy.Store(true)
	return x, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
}

func (x *exchange) route() string {
	if x.Route == "" {
		return "none"
	}
	return x.Route
}

// outcome is the status as text, or "aborted".
func (x *exchange) outcome() string {
	switch {
	case x.aborted:
		return "aborted"
	case x.status == 0:
		return "200" // the handler returned without a word
	}
	return strconv.Itoa(x.status)
}
