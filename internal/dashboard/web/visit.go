package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/serve"
)

// Visit is one request while it is answered, and what every template sees as $.
type Visit struct {
	W       http.ResponseWriter
	R       *http.Request
	User    *account.User // nil: nobody is signed in
	Content any           // what the template of the page shows
	Notice  *Notice       // of this page, or nil
	Locale  Locale        // of the page
	About   *About        // nil: not a public page, or an error
	Public  bool          // the page is the same for everybody
	Market  *MarketPicker // in the header; nil: the page shows no prices

	site     *Site
	language *language
	prefix   string              // the language at the beginning of the path: "/en"; "" if it has none
	address  func(Locale) string // of this page; nil: only the visitor can open it
	until    int64               // Unix milliseconds, when what the page shows changes; 0: not known
}

// NewVisit returns a visit of somebody who is not signed in.
func (s *Site) NewVisit(w http.ResponseWriter, r *http.Request) *Visit {
	l, prefix := s.languages.ofPath(r.URL.Path), ""
	if l != nil {
		prefix = "/" + l.Code
	} else {
		l = s.languages.forRequest(r)
	}
	query := r.URL.Query()
	return &Visit{W: w, R: r, site: s, language: l, prefix: prefix, Locale: Locale{l.Code, s.market(query.Get("country"), query.Get("currency"))}}
}

// Context returns the context of the request.
func (v *Visit) Context() context.Context { return v.R.Context() }

// Render answers with a page: the template called name, with content.
func (v *Visit) Render(status int, name string, content any) error {
	v.Content = content
	if ctx := v.Context(); ctx.Value(loadedKey{}) != nil {
		var n Notice
		text := v.site.sessions.PopString(ctx, sessionNotice)
		if text != "" && json.Unmarshal([]byte(text), &n) == nil {
			v.Notice = &n
		}
	}
	var page bytes.Buffer
	if err := v.site.templates.execute(&page, name, "layout.html", v); err != nil {
		return err
	}
	return v.Send(status, htmlType, page.Bytes())
}

const htmlType = "text/html; charset=utf-8"

// JSON is the content type of answers in JSON.
const JSON = "application/json; charset=utf-8"

// Send answers with a body of a content type.
func (v *Visit) Send(status int, contentType string, body []byte) error {
	h := v.W.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body) // fails only if the browser left
	return nil
}

// Redirect sends the browser to another page.
func (v *Visit) Redirect(path string) error {
	http.Redirect(v.W, v.R, path, http.StatusSeeOther)
	return nil
}

// Done redirects to a page that reports what was done: key is the message, with
// args put into it.
func (v *Visit) Done(path, key string, args ...any) error {
	v.SetNotice(Notice{Key: key, Args: args})
	return v.Redirect(path)
}

// Stored redirects as Done does, unless err says why a store did not do it.
func (v *Visit) Stored(err error, path, key string, args ...any) error {
	if err != nil {
		return DatabaseError(err)
	}
	return v.Done(path, key, args...)
}

// Refused redirects to a page that reports why something was not done.
func (v *Visit) Refused(path, key string, args ...any) error {
	v.SetNotice(Notice{Key: key, Args: args, Bad: true})
	return v.Redirect(path)
}

// SetRetryAfter tells the browser how long to wait before the next try.
func (v *Visit) SetRetryAfter(wait time.Duration) {
	v.W.Header().Set("Retry-After", strconv.Itoa(seconds(wait)))
}

func seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }

// By returns what the audit log records of this visit.
func (v *Visit) By() account.By {
	by := account.By{At: v.Now()}
	if a := v.Client(); a.IsValid() {
		by.From = a.String()
	}
	if v.User != nil {
		by.Actor = v.User.ID
	}
	return by
}

// ByWith returns By with a detail.
func (v *Visit) ByWith(detail string) account.By {
	by := v.By()
	by.Detail = detail
	return by
}

// Client returns the address of the browser. It is the zero Addr if it is not known.
func (v *Visit) Client() netip.Addr { return v.site.Client(v.R) }

// Now returns the time in Unix milliseconds.
func (v *Visit) Now() int64 { return v.site.Now().UnixMilli() }

// Form returns a field of the form or of the query, without surrounding space.
func (v *Visit) Form(name string) string { return strings.TrimSpace(v.R.FormValue(name)) }

// T returns a text in the visitor's language, with args put into it.
func (v *Visit) T(key string, args ...any) string { return v.language.text(key, args...) }

// N returns a text about n things: KEY.one, KEY.few, KEY.many or KEY.other. The
// number is its first argument, args follow.
func (v *Visit) N(key string, n int, args ...any) string { return v.language.plural(key, n, args...) }

// Lang returns the visitor's language as HTML writes it: "en".
func (v *Visit) Lang() string { return v.language.Code }

// Languages returns all languages, for the switch.
func (v *Visit) Languages() []*language { return v.site.languages.all }

// Path returns the address of this page, or "/" if it is too long to come back to.
func (v *Visit) Path() string { return LocalPath(v.R.URL.RequestURI(), "/") }

// In reports whether the page belongs to a section of the site: "/keys".
func (v *Visit) In(section string) bool { return v.site.In(v.R.URL.Path, section) }

// In reports whether a path belongs to a section of the site: "/keys".
func (s *Site) In(path, section string) bool {
	if l := s.languages.ofPath(path); l != nil {
		path = strings.TrimPrefix(path, "/"+l.Code)
	}
	return path == section || strings.HasPrefix(path, section+"/")
}

// Text returns the sentence of a notice.
func (v *Visit) Text(n *Notice) string { return v.T(n.Key, n.Args...) }

// Version returns the version of the program.
func (v *Visit) Version() string { return v.site.Version }

// SignUpOpen reports whether everybody may create an account.
func (v *Visit) SignUpOpen() bool { return v.site.SignUp == SignUpOpen }

// Answer is the answer of a handler in memory.
type Answer struct {
	Status int
	Body   []byte // its beginning, if Size is larger
	Size   int    // of the whole body

	header http.Header
	keep   int
}

// Call sends a request to a handler of this process and returns the answer, with at most
// keep bytes of its body. The answer has the request id that the context of the request
// carries.
func Call(h http.Handler, r *http.Request, keep int) *Answer {
	a := &Answer{header: http.Header{"X-Request-Id": {serve.RecordFrom(r.Context()).RequestID}}, keep: keep}
	h.ServeHTTP(a, r)
	return a
}

// Header implements http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader keeps the first status.
func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write implements http.ResponseWriter.
func (a *Answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.Size += len(b)
	a.Body = append(a.Body, b[:min(len(b), a.keep-len(a.Body))]...)
	return len(b), nil
}
