package serve

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Front wraps all handlers: it gives every request an id and a [Record], turns a
// panic into an answer, and writes log and metrics.
type Front struct {
	Next    http.Handler
	Log     *slog.Logger
	Metrics *Metrics  // nil: none
	Rand    io.Reader // must be safe for concurrent use
	Now     func() time.Time

	// OnPanic writes the answer of a request whose handler panicked before it
	// wrote anything. The handler's Content-*, ETag and Cache-Control headers
	// are removed; its other headers stay.
	OnPanic func(http.ResponseWriter, *http.Request)

	ids idSource
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, r := exchangeFor(r)
	x.started = f.Now()
	x.RequestID = f.ids.next(r.Header["X-Request-Id"], f.Rand)
	x.writer = writer{ResponseWriter: w, head: r.Method == http.MethodHead}
	x.id[0] = x.RequestID
	w.Header()["X-Request-Id"] = x.id[:]
	f.Metrics.begin()
	// Deferred, because aborted requests are counted and logged too.
	defer f.finish(x, r)
	f.guard(x, r)
}

// guard calls the next handler and recovers from a panic.
func (f *Front) guard(x *exchange, r *http.Request) {
	defer func() {
		if reason := recover(); reason != nil {
			f.answerPanic(x, r, reason)
		}
	}()
	f.Next.ServeHTTP(&x.writer, r)
}

func (f *Front) answerPanic(x *exchange, r *http.Request, reason any) {
	x.aborted = true // unless the answer below succeeds
	if reason == http.ErrAbortHandler {
		panic(reason)
	}
	f.Log.Error("panic in handler", "request_id", x.RequestID, "route", x.route(),
		"panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
	if x.status != 0 {
		// A part of the answer is sent: the client must see that it is incomplete.
		panic(http.ErrAbortHandler)
	}
	clearEntity(x.Header())
	f.OnPanic(&x.writer, r)
	x.aborted = false
}

// clearEntity removes the headers of an answer that was not sent.
func clearEntity(h http.Header) {
	for _, name := range []string{
		"Content-Length", "Content-Type", "Content-Encoding", "Content-Disposition",
		"Etag", "Cache-Control", "Last-Modified",
	} {
		h.Del(name)
	}
}

// finish counts and logs an exchange.
func (f *Front) finish(x *exchange, r *http.Request) {
	defer x.release()
	took := f.Now().Sub(x.started)
	f.Metrics.end(x, took)
	level := slog.LevelInfo
	if x.Quiet {
		level = slog.LevelDebug
	}
	if !f.Log.Enabled(r.Context(), level) {
		return
	}
	f.Log.LogAttrs(r.Context(), level, "request",
		slog.String("method", shownMethod(r.Method)), slog.String("route", x.route()),
		slog.String("status", x.outcome()), slog.Int64("bytes", x.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("request_id", x.RequestID), slog.String("key_id", x.KeyID))
}

// shownMethod returns "other" for unknown methods, which may have any length.
func shownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}
