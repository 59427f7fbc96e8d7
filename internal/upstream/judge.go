package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// retryAfterMax is the longest time that a host can demand without requests.
const retryAfterMax = 24 * time.Hour

// judgeAnswer returns the fault of an answer, or nil. An answer must have a status 2xx, an
// accepted media type and, if that is JSON, a complete body.
func (r *request) judgeAnswer(a Answer, now time.Time) *Error {
	if failed := r.judgeStatus(a, now); failed != nil {
		return failed
	}
	// Without a content type, the body decides.
	got, acceptsAll := mediaType(a), len(r.accept) == 0
	if !acceptsAll && got != "" && !slices.Contains(r.accept, got) {
		return &Error{Kind: Broken, Status: a.Status, Err: fmt.Errorf("the answer is %.60q, not %s", got, strings.Join(r.accept, " or "))}
	}
	wantsJSON := !acceptsAll && isJSON(got) || got == "" && slices.ContainsFunc(r.accept, isJSON)
	if wantsJSON && !json.Valid(a.Body) {
		return &Error{Kind: Broken, Status: a.Status, Err: errors.New("the body is not JSON or is truncated")}
	}
	return nil
}

// judgeStatus returns the fault that the status of an answer shows, or that its page is a
// challenge; nil if there is none.
func (r *request) judgeStatus(a Answer, now time.Time) *Error {
	answered := fmt.Errorf("answered %d", a.Status)
	failed := func(k Kind) *Error { return &Error{Kind: k, Status: a.Status, Err: answered} }
	// A web page instead of the requested data may be a challenge. A 403 counts
	// as one in any case; another page must have the words of a challenge,
	// because it may be the error page of a server.
	challenged := false
	if mediaType(a) == "text/html" && len(r.accept) > 0 && !slices.Contains(r.accept, "text/html") {
		page := strings.ToLower(string(a.Body[:min(len(a.Body), 64<<10)]))
		challenged = a.Status == http.StatusForbidden ||
			slices.ContainsFunc(challengeWords[:], func(words string) bool { return strings.Contains(page, words) })
	}
	switch {
	case challenged:
		return &Error{Kind: Stopped, Status: a.Status, Err: fmt.Errorf("answered %d with a challenge page", a.Status)}
	case a.Status == http.StatusPartialContent:
		return failed(Broken)
	case a.Status < 300:
		return nil
	case a.Status == http.StatusForbidden:
		return failed(Stopped)
	case a.Status == http.StatusNotFound, a.Status == http.StatusGone:
		return failed(NotFound)
	case a.Status == http.StatusTooManyRequests:
		e := failed(Throttled)
		e.Until = retryAfter(a.Header, now)
		return e
	case a.Status >= 500, a.Status == http.StatusRequestTimeout:
		e := failed(Down)
		e.Until = retryAfter(a.Header, now)
		return e
	case a.Status == http.StatusNotModified:
		return failed(Broken) // nothing was cached
	}
	return failed(Refused)
}

// challengeWords are what challenge pages say, in lower case.
var challengeWords = [...]string{
	"captcha", "challenge", "access denied", "not a robot", "are you a robot", "you are human", "you are a human",
	"unusual traffic", "enable javascript and cookies", "checking your browser", "you have been blocked", "request blocked",
}

// mediaType returns the media type of an answer in lower case, without parameters; "" if it
// has none.
func mediaType(a Answer) string {
	header := a.Header.Get("Content-Type")
	parsed, _, err := mime.ParseMediaType(header)
	if err != nil && parsed == "" {
		parsed, _, _ = strings.Cut(header, ";")
		parsed = strings.ToLower(strings.TrimSpace(parsed))
	}
	return parsed
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// retryAfter returns the time of a Retry-After header, seconds or a date, at most a day
// ahead. Without one it returns the zero time.
func retryAfter(header http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(header.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(retryAfterMax/time.Second))) * time.Second
	} else if errors.Is(err, strconv.ErrRange) {
		wait = retryAfterMax
	} else if date, err := http.ParseTime(value); err == nil {
		wait = min(date.Sub(now), retryAfterMax)
	}
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(wait)
}

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

// again reports whether another attempt may succeed.
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
