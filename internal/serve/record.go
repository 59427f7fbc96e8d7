package serve

import (
	"context"
	"encoding/base32"
	"io"
	"net/http"
)

// Record is what is known of one request, filled in while it is answered. It
// is read when the answer is complete, for the access log and the metrics.
// Only the goroutine that answers the request may use it.
type Record struct {
	RequestID string
	Route     string // the pattern that matched, out of a fixed set; "" none did
	KeyID     string // "" no known key
	Quiet     bool   // logged at debug level: health checks
}

type recordKey struct{}

// RecordFrom returns the record of the request that ctx belongs to. Outside
// [Front] it returns a new one that nobody reads.
func RecordFrom(ctx context.Context) *Record {
	if record, ok := ctx.Value(recordKey{}).(*Record); ok {
		return record
	}
	return new(Record)
}

const maxRequestID = 128

// requestID returns the client's X-Request-Id if it is valid, else a random
// one of 24 characters.
func requestID(r *http.Request, rand io.Reader) string {
	if sent := r.Header["X-Request-Id"]; len(sent) > 0 && validRequestID(sent[0]) {
		return sent[0]
	}
	var raw [15]byte
	if _, err := io.ReadFull(rand, raw[:]); err != nil {
		return "no-randomness" // an id names a request; it guards nothing
	}
	return base32.StdEncoding.EncodeToString(raw[:])
}

func validRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
