package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"
)

// Front wraps all handlers: it assigns every request an id and a [Record], turns a
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

	refused sampler
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{started: f.Now(), writer: writer{ResponseWriter: w, head: r.Method == http.MethodHead}}
	x.RequestID = requestID(r.Header, f.Rand)
	w.Header().Set("X-Request-Id", x.RequestID)
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	if x.trace = traceparent(r.Header); x.trace != "" {
		ctx = context.WithValue(ctx, traceKey{}, x.trace)
	}
	r = r.WithContext(ctx)
	if f.Metrics != nil {
		f.Metrics.inFlight.Inc()
	}
	// Deferred, because aborted requests are counted and logged too.
	defer f.finish(x, r)
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
	for _, name := range []string{
		"Content-Length", "Content-Type", "Content-Encoding", "Content-Disposition",
		"Etag", "Cache-Control", "Last-Modified",
	} {
		x.Header().Del(name)
	}
	f.OnPanic(&x.writer, r)
	x.aborted = false
}

// finish counts an exchange, and logs it. Of the refused requests without a key it
// logs ten a second.
func (f *Front) finish(x *exchange, r *http.Request) {
	took := f.Now().Sub(x.started)
	if m := f.Metrics; m != nil {
		m.inFlight.Dec()
		m.requests.WithLabelValues(x.route(), x.outcome()).Inc()
		m.latency.WithLabelValues(x.route()).Observe(took.Seconds())
	}
	level := slog.LevelInfo
	if x.Quiet {
		level = slog.LevelDebug
	}
	if !f.Log.Enabled(r.Context(), level) || !f.logs(x) {
		return
	}
	method := r.Method
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, method) {
		method = "other" // it may have any length
	}
	attrs := append(make([]slog.Attr, 0, 8),
		slog.String("method", method), slog.String("route", x.route()),
		slog.String("status", x.outcome()), slog.Int64("bytes", x.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("request_id", x.RequestID), slog.String("key_id", x.KeyID))
	if x.trace != "" {
		attrs = append(attrs, slog.String("traceparent", x.trace))
	}
	f.Log.LogAttrs(r.Context(), level, "request", attrs...)
}
