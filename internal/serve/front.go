package serve

import (
	"cmp"
	"context"
	"encoding/base32"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Front wraps all handlers: it assigns every request an id and a [Record], turns a
// panic into an answer, and writes log and metrics.
type Front struct {
	Next    http.Handler
	Log     *slog.Logger
	Metrics *Metrics  // nil: none
	Rand    io.Reader // must be safe for concurrent use
	Now     func() time.Time
	Quiet   bool // log all requests at debug level

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
	if x.Quiet || f.Quiet {
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

// Record describes one request for the access log and the metrics. Handlers set
// its fields. Only the goroutine of the handler may use it, and only until the
// handler returns.
type Record struct {
	RequestID string
	Route     string // the pattern that matched, out of a fixed set; "": none
	KeyID     string // "": no known key
	Quiet     bool   // logged at debug level: health checks
	CutOff    bool   // the connection was closed for want of memory
}

// exchange is a request and its answer while they are in progress.
type exchange struct {
	Record
	writer
	started time.Time
	aborted bool   // the connection is closed before the end of the answer
	trace   string // its trace context; "": none
}

type exchangeKey struct{}

// RecordFrom returns the record of the request with this context. Outside [Front]
// it returns a new record, which has no effect.
func RecordFrom(ctx context.Context) *Record {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return &x.Record
	}
	return new(Record)
}

func (x *exchange) route() string { return cmp.Or(x.Route, "none") }

// outcome returns the status as text, "aborted" or "cut off".
func (x *exchange) outcome() string {
	switch {
	case x.CutOff:
		return "cut off"
	case x.aborted:
		return "aborted"
	case x.status == 0:
		return "200" // the handler wrote nothing
	}
	return strconv.Itoa(x.status)
}

const (
	maxRequestID   = 128
	requestIDChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
)

// requestID returns the client's X-Request-Id if it is valid, else a random one
// of 24 characters.
func requestID(h http.Header, rand io.Reader) string {
	if sent := h.Get("X-Request-Id"); sent != "" && len(sent) <= maxRequestID && strings.Trim(sent, requestIDChars) == "" {
		return sent
	}
	var random [15]byte
	if _, err := io.ReadFull(rand, random[:]); err != nil {
		return "no-randomness" // an id only names a request
	}
	return base32.StdEncoding.EncodeToString(random[:])
}

// traceFields are version, trace id, parent id and flags of a traceparent header, and
// what a later version adds.
var traceFields = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// traceparent returns the W3C trace context of a request, in version 00; "" if there is
// no valid one. Of a later version it takes what version 00 has.
func traceparent(h http.Header) string {
	sent := h["Traceparent"]
	if len(sent) != 1 {
		return ""
	}
	fields := traceFields.FindStringSubmatch(sent[0])
	if fields == nil {
		return ""
	}
	version, trace, parent, flags, more := fields[1], fields[2], fields[3], fields[4], fields[5]
	switch {
	case version == "ff", version == "00" && more != "", strings.Trim(trace, "0") == "", strings.Trim(parent, "0") == "":
		return ""
	case version == "00":
		return sent[0]
	}
	sampled := "00"
	if strings.ContainsAny(flags[1:], "13579bdf") {
		sampled = "01"
	}
	return "00-" + trace + "-" + parent + "-" + sampled
}

type traceKey struct{}

// Traceparent returns the W3C trace context of the request with this context, for the
// header traceparent of requests that are made on behalf of it; "" if it has none.
func Traceparent(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}

// writer records the status and the size of an answer.
type writer struct {
	http.ResponseWriter
	status int   // 0: nothing was written
	bytes  int64 // of the body
	head   bool  // the request is HEAD: the body is not sent
}

func (w *writer) WriteHeader(status int) {
	// 1xx statuses precede the final one, except 101, which is final.
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	if !w.head {
		w.bytes += int64(n)
	}
	return n, err
}

// FlushError flushes the answer; http.ResponseController calls it.
func (w *writer) FlushError() error {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher. The next Write returns the error, if any.
func (w *writer) Flush() { _ = w.FlushError() }

// Unwrap returns the underlying writer; http.ResponseController calls it.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Metrics counts requests. Labels are only routes and statuses: with paths or
// keys, clients could create any number of time series. Create it with
// [NewMetrics].
type Metrics struct {
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// NewMetrics registers the metrics: gamedex_http_requests_total
// (route, code: the status, "aborted" or "cut off"), gamedex_http_request_seconds (route)
// and gamedex_http_in_flight. It panics if they are already registered.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	auto := promauto.With(registry)
	return &Metrics{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "gamedex_http_requests_total",
			Help: "Requests answered, by route pattern and status; aborted: the client left first; cut off: it was too slow while others waited for memory.",
		}, []string{"route", "code"}),
		latency: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gamedex_http_request_seconds",
			Help:    "Time from the request's header to the end of its answer, slow clients included, by route pattern.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"route"}),
		inFlight: auto.NewGauge(prometheus.GaugeOpts{
			Name: "gamedex_http_in_flight",
			Help: "Requests being answered now.",
		}),
	}
}
