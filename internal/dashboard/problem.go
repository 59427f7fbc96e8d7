package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gamedex/internal/account"
)

// problem is an error with a page of its own: the visitor's doing, or his to
// know.
type problem struct {
	status     int
	message    string // key of the sentence that says what is wrong, and the way out
	args       []any
	retryAfter time.Duration // 0: not said
	signIn     bool          // a page for who is signed in: lead there instead
}

// Error names the sentence.
func (p *problem) Error() string { return p.message }

func notFoundProblem() error {
	return &problem{status: http.StatusNotFound, message: "error.not-found"}
}

// notFound answers what no route names: a path, or a method on a path that
// others may be used on.
func (d *Dashboard) notFound(v *visit) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := http.Request{Method: method, URL: v.r.URL, Host: v.r.Host}
		if _, pattern := d.routes.Handler(&other); pattern != anyPath {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return notFoundProblem()
	}
	v.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return &problem{status: http.StatusMethodNotAllowed, message: "error.method"}
}

// crossOrigin answers a form that another site sent.
func (d *Dashboard) crossOrigin(*visit) error {
	return &problem{status: http.StatusForbidden, message: "error.cross-origin"}
}

// unavailable says whether the store did not answer, rather than answered
// nonsense: with every store error but the ones with a meaning, trying again
// later is the way out.
func unavailable(err error) bool {
	return errors.Is(err, errStore) || errors.Is(err, context.DeadlineExceeded)
}

// errStore marks errors of the store.
var errStore = errors.New("the database did not answer")

// stored marks an error of the store as such; errors with a meaning become
// their pages.
func stored(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, account.ErrNotFound):
		return notFoundProblem()
	}
	return errors.Join(errStore, err)
}

// signInPath leads to the sign-in and back to where a visitor was going.
func signInPath(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/signin"
	}
	return "/signin?" + url.Values{"back": {r.URL.RequestURI()}}.Encode()
}
