package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gamedex/internal/account"
)

// Problem is an error with a page that tells the visitor what to do.
type Problem struct {
	Status     int
	Message    string // key of the sentence: what is wrong, and what to do
	Args       []any
	RetryAfter time.Duration // 0: not sent
	signIn     bool          // send the visitor to the sign-in instead
}

// Error returns the key of the message.
func (p *Problem) Error() string { return p.Message }

// NotFound returns the problem of a page that does not exist.
func NotFound() error {
	return &Problem{Status: http.StatusNotFound, Message: "error.not-found"}
}

// notFound answers requests that match no route: an unknown path, or a known
// path with another method.
func (s *Site) notFound(v *Visit) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := http.Request{Method: method, URL: v.R.URL, Host: v.R.Host}
		if _, pattern := s.mux.Handler(&other); pattern != anyPath {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return NotFound()
	}
	v.W.Header().Set("Allow", strings.Join(allowed, ", "))
	return &Problem{Status: http.StatusMethodNotAllowed, Message: "error.method"}
}

// errStore marks errors of the store.
var errStore = errors.New("the database did not answer")

// StoreError returns the error of a store as a page's error: a record that is
// not there becomes [NotFound], everything else "try again later".
func StoreError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, account.ErrNotFound):
		return NotFound()
	}
	return errors.Join(errStore, err)
}

// problemOf returns what the visitor reads about an error. The error's own text
// is not for them; expected reports whether it needs no line in the log.
func problemOf(err error) (p *Problem, expected bool) {
	switch {
	case errors.As(err, &p):
		return p, true
	case errors.Is(err, errStore) || errors.Is(err, context.DeadlineExceeded):
		return &Problem{Status: http.StatusServiceUnavailable, Message: "error.unavailable", RetryAfter: 5 * time.Second}, false
	}
	return &Problem{Status: http.StatusInternalServerError, Message: "error.internal"}, false
}

// signInPath returns the address of the sign-in that leads back to the page of r.
func signInPath(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/signin"
	}
	return "/signin?" + url.Values{"back": {r.URL.RequestURI()}}.Encode()
}
