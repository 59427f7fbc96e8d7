package serve

import (
	"context"
	"encoding/base32"
	"io"
	"sync"
)

// Record describes one request for the access log and the metrics. Handlers set
// its fields. Only the goroutine of the handler may use it, and only until the
// handler returns: then the next request uses it.
type Record struct {
	RequestID string
	Route     string // the pattern that matched, out of a fixed set; "": none
	KeyID     string // "": no known key
	Quiet     bool   // logged at debug level: health checks
}

// RecordFrom returns the record of the request with this context. Outside [Front]
// it returns a new record, which has no effect.
func RecordFrom(ctx context.Context) *Record {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && x.busy.Load() {
		return &x.Record
	}
	return new(Record)
}

const maxRequestID = 128

// idSource generates request ids. It reads random bytes for many ids at once,
// because a read takes the same time for few bytes. The zero value is ready to
// use and safe for concurrent use.
type idSource struct{ pool sync.Pool } // of *randomness

// randomness is random bytes, of which the last left are unused.
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
			return "no-randomness" // an id only names a request
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
