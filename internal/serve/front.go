package serve

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Front is what stands before all handlers: it gives every request an id and a
// [Record], turns a panic into an answer, and writes log and metrics.
type Front struct {
	Next    http.Handler
	Log     *slog.Logger
	Metrics *Metrics  // nil: none
	Rand    io.Reader // used from all goroutines at once
	Now     func() time.Time

	// OnPanic writes the answer of a request whose handler panicked before it
	// wrote anything. What the handler had set of Content-*, ETag and
	// Cache-Control is gone by then; other headers stand.
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
	// Deferred, because an aborted request is counted and logged as well.
	defer f.finish(x, r)
	f.guard(x, r)
}

// guard calls the next handler and answers for it if it panics.
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
		// Half an answer is out: the client must see that it is no whole one.
		panic(http.ErrAbortHandler)
	}
	clearEntity(x.Header())
	f.OnPanic(&x.writer, r)
	x.aborted = false
}

// clearEntity removes what described the answer that did not come.
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

// shownMethod keeps methods that a client made up, of any length, out of the log.
func shownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}
