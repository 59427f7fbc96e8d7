package web

import (
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

var errStore = errors.New("the database did not answer")

// DatabaseError returns the error of a repository as a page's error: a record that is
// not there becomes [NotFound], everything else "try again later".
func DatabaseError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, account.ErrNotFound):
		return NotFound()
	}
	return errors.Join(errStore, err)
}

// FieldErrors is what is wrong with a form: a message key for each wrong field.
// A page shows them with status 422 and what was entered, except passwords.
type FieldErrors map[string]string

// FieldErrorsOf returns what a form shows for the error of a check: the message
// "wrong.FIELD". It reports false for other errors.
func FieldErrorsOf(err error) (FieldErrors, bool) {
	field, ok := errors.AsType[*account.FieldError](err)
	if !ok {
		return nil, false
	}
	return FieldErrors{field.Field: "wrong." + field.Field}, true
}

// maxLocalPath bounds a path that a form leads back to. It fits a form, escaped.
const maxLocalPath = 2000

// LocalPath returns wanted if it is a path of this server of at most 2,000 bytes,
// and fallback if it is longer or if a browser might take it for another server's.
func LocalPath(wanted, fallback string) string {
	if len(wanted) > maxLocalPath {
		return fallback
	}
	u, err := url.Parse(wanted)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return fallback
	}
	if !strings.HasPrefix(wanted, "/") || strings.HasPrefix(wanted, "//") || strings.ContainsAny(wanted, "\\\t\r\n") ||
		strings.HasPrefix(u.Path, "//") {
		return fallback
	}
	return wanted
}
