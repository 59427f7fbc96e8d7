package serve

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// exchange is a request and its answer while they are in progress.
type exchange struct {
	Record
	writer
	id      [1]string // the value of X-Request-Id
	started time.Time
	aborted bool // the connection is closed before the end of the answer
	busy    atomic.Bool
}

// release clears the exchange, except for the id, which may be in a header that
// is not yet written.
func (x *exchange) release() {
	x.Record, x.writer, x.aborted = Record{}, writer{}, false
	x.busy.Store(false)
}

type exchangeKey struct{}

// withExchange adds an exchange to the context of a connection. Its requests
// use it one after the other: a new context would copy the request each time.
func withExchange(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, exchangeKey{}, new(exchange))
}

// exchangeFor returns an empty exchange and a request whose context has it: the
// connection's exchange, or a new one if there is none or it is in use.
func exchangeFor(r *http.Request) (*exchange, *http.Request) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if ok && x.busy.CompareAndSwap(false, true) {
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

// outcome returns the status as text, or "aborted".
func (x *exchange) outcome() string {
	switch {
	case x.aborted:
		return "aborted"
	case x.status == 0:
		return "200" // the handler wrote nothing
	}
	return strconv.Itoa(x.status)
}
