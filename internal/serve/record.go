package serve

import (
	"context"
	"encoding/base32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Record describes one request for the access log and the metrics. Handlers set
// its fields. Only the goroutine of the handler may use it, and only until the
// handler returns.
type Record struct {
	RequestID string
	Route     string // the pattern that matched, out of a fixed set; "": none
	KeyID     string // "": no known key
	Quiet     bool   // logged at debug level: health checks
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
