package storesim

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"gamedex/internal/catalog"
)

// Fault is one way for a request to fail.
type Fault uint8

// The faults.
const (
	Slow              Fault = iota + 1 // the right answer, late
	Hang                               // no answer until the client disconnects, 30 s at most
	Cut                                // the first half of the answer
	TooMany                            // 429
	TooManyRetryAfter                  // 429 with Retry-After: 1
	Forbidden                          // 403 and a page in HTML
	ServerError                        // 500, 502 or 503
	WrongType                          // 200 and a text
	GarbageGzip                        // claims to be gzip, and is not
	Partial                            // data with errors: a part of it is missing
	EmptyRegion                        // empty lists; other operations answer as usual
	Rotated                            // the hash is not known
	PricesVanish                       // everything is unavailable
)

var faultNames = [...]string{Slow: "slow", Hang: "hang", Cut: "cut", TooMany: "too many", TooManyRetryAfter: "too many, retry after",
	Forbidden: "forbidden", ServerError: "server error", WrongType: "wrong type", GarbageGzip: "garbage gzip", Partial: "partial",
	EmptyRegion: "empty region", Rotated: "rotated", PricesVanish: "prices vanish"}

// String names the fault in the messages of tests.
func (f Fault) String() string {
	if int(f) < len(faultNames) && f > 0 {
		return faultNames[f]
	}
	return "none"
}

// AllFaults lists every fault.
func AllFaults() []Fault {
	all := make([]Fault, 0, len(faultNames))
	for f := Slow; f <= PricesVanish; f++ {
		all = append(all, f)
	}
	return all
}

// Faults describes which requests to the stores fail, and how. Requests for
// robots.txt and exchange rates never fail. The zero value causes no faults.
type Faults struct {
	Seed     uint64
	Share    float64          // of requests that fail, 0 to 1
	Kinds    []Fault          // one of them each time
	Platform catalog.Platform // zero: both
	Region   catalog.Region   // zero: all; otherwise only requests for this region
}

// SetFaults sets the faults from the next request on.
func (w *World) SetFaults(f Faults) {
	w.faulty.mu.Lock()
	defer w.faulty.mu.Unlock()
	w.faulty.faults = f
	w.faulty.random = rand.New(rand.NewPCG(f.Seed, f.Seed))
}

// faultSource draws the faults, one request after another.
type faultSource struct {
	mu     sync.Mutex
	faults Faults
	random *rand.Rand
}

// draw returns the fault of a request, or zero. number is a random number to
// vary the fault with.
func (s *faultSource) draw(p catalog.Platform, r catalog.Region) (f Fault, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := &s.faults
	switch {
	case set.Share <= 0 || len(set.Kinds) == 0:
		return 0, 0
	case set.Platform != 0 && set.Platform != p, set.Region != catalog.Region{} && set.Region != r:
		return 0, 0
	case s.random.Float64() >= set.Share:
		return 0, 0
	}
	return set.Kinds[s.random.IntN(len(set.Kinds))], s.random.IntN(1000)
}

const (
	slowness = 400 * time.Millisecond
	patience = 30 * time.Second
)

// fail answers with a fault that does not need the correct answer, and reports whether it
// did. It delays a slow answer.
func (f Fault) fail(rw http.ResponseWriter, r *http.Request, number int) bool {
	switch f {
	case Slow:
		wait(r.Context(), slowness)
		return false
	case Hang:
		wait(r.Context(), patience)
		panic(http.ErrAbortHandler)
	case TooMany:
		page(rw, http.StatusTooManyRequests, "text/plain", "Too many requests")
	case TooManyRetryAfter:
		rw.Header().Set("Retry-After", "1")
		page(rw, http.StatusTooManyRequests, "application/json", `{"message":"Too many requests"}`)
	case Forbidden:
		page(rw, http.StatusForbidden, "text/html", "<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1></BODY></HTML>")
	case ServerError:
		page(rw, [...]int{500, 502, 503}[number%3], "text/plain", "upstream connect error")
	case WrongType:
		page(rw, http.StatusOK, "text/plain", "data: soon")
	case GarbageGzip:
		rw.Header().Set("Content-Encoding", "gzip")
		page(rw, http.StatusOK, "application/json", "\x1f\x8b\x08\x00garbage that no one can unpack")
	default:
		return false
	}
	return true
}

// wait sleeps until the time is over or the client has disconnected.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func page(rw http.ResponseWriter, status int, contentType, body string) {
	rw.Header().Set("Content-Type", contentType)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write([]byte(body)) // ignore the error of a client that has disconnected
}
