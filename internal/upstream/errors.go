package upstream

import (
	"fmt"
	"net/url"
	"time"
)

// Kind classifies a failed request by its consequence for the next one.
type Kind uint8

// The kinds.
const (
	Stopped   Kind = iota + 1 // 403, challenge page, open breaker: no request until Until
	Outdated                  // the host no longer knows the operation: the profile is outdated
	Throttled                 // 429 after all attempts, or the wait that the host demanded is not over
	Down                      // 5xx, timeouts, refused connections, DNS, after all attempts
	Broken                    // wrong content type, truncated, not JSON, invalid gzip, too big, after all attempts
	Refused                   // other 4xx, robots.txt, other host, private address: another attempt is useless
	NotFound                  // 404, 410
)

var kindNames = [...]string{
	Stopped: "stopped", Outdated: "profile outdated", Throttled: "throttled", Down: "down",
	Broken: "broken answer", Refused: "refused", NotFound: "not found",
}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

func (k Kind) again() bool { return k == Down || k == Throttled || k == Broken }

// Error is the error of a failed request. A request that ended with the caller's context
// returns the error of the context instead.
type Error struct {
	Kind   Kind
	Host   string
	URL    string    // scheme, host and path; never the query
	Status int       // HTTP status; zero: there was no answer
	Until  time.Time // Stopped, Throttled, Down: when to try again; zero: unknown
	Err    error
}

// NewError returns the error of an answer that the caller cannot use. It omits the query
// of the address.
func NewError(kind Kind, address string, err error) *Error {
	u, parseErr := url.Parse(address)
	if parseErr != nil {
		return &Error{Kind: kind, URL: "request", Err: err}
	}
	return &Error{Kind: kind, Host: u.Host, URL: redacted(u), Err: err}
}

// Error returns the address, the failure and the time of the next possible attempt.
func (e *Error) Error() string {
	until := ""
	if !e.Until.IsZero() {
		until = " until " + e.Until.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s: %s%s: %v", e.URL, e.Kind, until, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
