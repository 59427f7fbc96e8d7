package serve

import (
	"context"
	"encoding/base32"
	"io"
	"sync"
)

// Record is what is known of one request, filled in while it is answered. It
// is read when the answer is complete, for the access log and the metrics.
// Only the goroutine that answers the request may use it, and only until the
// handler returns: then it is the next request's.
type Record struct {
	RequestID string
	Route     string // the pattern that matched, out of a fixed set; "" none did
	KeyID     string // "" no known key
	Quiet     bool   // logged at debug level: health checks
}

// RecordFrom returns the record of the request that ctx belongs to. Outside
// [Front] it returns a new one that nobody reads.
func RecordFrom(ctx context.Context) *Record {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && x.busy.Load() {
		return &x.Record
	}
	return new(Record)
}

const maxRequestID = 128

// idSource draws request ids. Randomness comes for many of them at a time:
// what an operating system takes to give some does not depend on how much.
// The zero value is ready, for all goroutines.
type idSource struct{ pool sync.Pool } // of *randomness

// randomness is bytes of which the last left were not used yet.
type randomness struct {
	bytes [32 * idSize]byte
	left  int
}

const idSize = 15 // bytes; 24 characters of base 32

// next returns the client's X-Request-Id if it is valid, else a random one of
// 24 characters.
func (s *idSource) next(sent []string, rand io.Reader) string {
	if len(sent) > 0 && validRequestID(sent[0]) {
		return sent[0]
	}
	drawn, ok := s.pool.Get().(*randomness)
	if !ok {
		drawn = new(randomness)
	}
	defer s.pool.Put(drawn)
	if drawn.left == 0 {
		if _, err := io.ReadFull(rand, drawn.bytes[:]); err != nil {
			return "no-randomness" // an id names a request; it guards nothing
		}
		drawn.left = len(drawn.bytes)
	}
	var id [idSize / 5 * 8]byte
	base32.StdEncoding.Encode(id[:], drawn.bytes[len(drawn.bytes)-drawn.left:][:idSize])
	drawn.left -= idSize
	return string(id[:])
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
