package dashboard_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
)

// handle passes a request to the handler without a connection, so that the request
// may be one that no client would send. A panic becomes a status of 500.
func (s *attackedWorld) handle(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	s.server.Config.Handler.ServeHTTP(answer, r)
	return answer
}

func request(method, path, query, body string) *http.Request {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.URL = &url.URL{Path: path, RawQuery: query}
	if raw, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = raw, path
	}
	r.RequestURI = path
	r.RemoteAddr = "127.0.0.1:1024"
	r.Header.Set("Content-Type", formKind)
	return r
}

func (s *attackedWorld) failed(r *http.Request, answer *httptest.ResponseRecorder) bool {
	s.t.Helper()
	if answer.Code < http.StatusInternalServerError {
		return false
	}
	s.t.Errorf("%s %.200q?%.200q: status %d", r.Method, r.URL.Path, r.URL.RawQuery, answer.Code)
	return true
}

// logHasNoErrors fails the test if the log has an error. A task in the background that the
// database answers too late on a busy machine is tried again.
func (s *attackedWorld) logHasNoErrors() {
	s.t.Helper()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "tried again") && strings.Contains(line, "context deadline exceeded") {
			continue
		}
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			s.t.Errorf("the log: %.1000s", line)
			return
		}
	}
}

// garbage draws input that nobody sends by mistake. It is the same in every
// run.
type garbage struct{ *rand.Rand }

var scraps = []string{"", " ", "\x00", "\xff\xfe", "\r\n", "..", "../..", "%", "%2e%2e", "%00", "\u2028", "\u202e", "💥", "ß", "İ", "0", "-1", "99999999999999999999", "1e308", "NaN",
	"null", "true", "[]", "{}", "'", `"`, "<", "&", ";", "--", "' OR 1=1 --", "%' OR '%'='", "_", "*", "?", "#", "\\", "/", "//", "a@b", "@", "key_", "usr_", "device:",
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "2006-01-02", "9999-12-31", "10000-01-01", "0000-00-00", "zzzzzzzzzzzzz.AAAAAAAAAAAAAAAA", "pcstore", "consolestore"}

func (g garbage) text() string {
	var b strings.Builder
	for range g.IntN(4) + 1 {
		switch g.IntN(8) {
		case 0:
			raw := make([]byte, g.IntN(40))
			for i := range raw {
				raw[i] = byte(g.Uint32())
			}
			b.Write(raw)
		case 1:
			b.WriteString(strings.Repeat(scraps[g.IntN(len(scraps))], g.IntN(500)))
		default:
			b.WriteString(scraps[g.IntN(len(scraps))])
		}
	}
	return b.String()
}

// fields are garbage under the names that forms have, and others.
func (g garbage) fields() string {
	names := []string{"email", "password", "current", "back", "to", "once", "name", "permission", "expires", "until", "q", "after", "before", "reason", "limit-minute",
		"limit-day", "status", "admin", "key", "region", "platform", "page", "actor", "action", "object", "state", "code", "error"}
	var b strings.Builder
	for range g.IntN(6) {
		name := names[g.IntN(len(names))]
		if g.IntN(10) == 0 {
			name = g.text()
		}
		text := g.text()
		if g.IntN(10) > 0 {
			name, text = url.QueryEscape(name), url.QueryEscape(text)
		}
		fmt.Fprintf(&b, "%s=%s&", name, text)
	}
	return b.String()
}

// TestGarbage sends garbage to every route, in path, query, form and headers,
// and checks that the server blames only the visitor.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t, func(_ *world, cfg *dashboard.Config) {
		from := uint32(0) // each request has another address; otherwise most would be throttled
		cfg.Web.Client = func(*http.Request) netip.Addr {
			from++
			return netip.AddrFrom4([4]byte{10, byte(from >> 16), byte(from >> 8), byte(from)})
		}
	})
	g := garbage{rand.New(rand.NewPCG(1, 2))}
	headers := []string{"Accept-Language", "X-Forwarded-For", "X-Forwarded-Proto", "X-Request-Id", "User-Agent", "Referer", "Cookie", "Content-Type", "Range", "Accept-Encoding", "If-None-Match"}
	sent, token := 0, ""
	times := 15
	if fullWorld {
		times = 45
	}
	for _, rt := range dashboard.Routes() {
		for n := range times {
			path := s.pathOf(rt)
			if n%3 > 0 && strings.Contains(rt.Path, "{") {
				path = filled(rt.Path, url.PathEscape(g.text()))
			}
			body := g.fields()
			if rt.Path == "/signin" || rt.Path == "/signup" {
				body += "&password=short" // a hash for each would take minutes
			}
			r := request(rt.Method, path, g.fields(), body)
			if n%4 == 0 {
				r.Header[headers[g.IntN(len(headers))]] = []string{g.text()}
			}
			if token == "" {
				token = s.as(s.anAdministrator()).cookie("gamedex")
			}
			if n%5 > 0 {
				r.AddCookie(&http.Cookie{Name: "gamedex", Value: token})
			}
			answer := s.handle(r)
			s.failed(r, answer)
			sent++
			if n%5 > 0 && rt.SignedIn && (answer.Code == http.StatusSeeOther || rt.Method == http.MethodPost) {
				token = "" // the form may have ended the session
			}
		}
	}
	if sent < 40*times {
		t.Errorf("%d requests", sent)
	}
	s.logHasNoErrors()
}

// anAdministrator returns Ann, or her successor if garbage has deleted her.
func (s *attackedWorld) anAdministrator() account.User {
	s.t.Helper()
	for _, u := range []account.User{s.ann, s.other} {
		if now, err := s.db.Accounts.FindUser(s.t.Context(), u.ID); err == nil && now.Admin && !now.Disabled() {
			return now
		}
	}
	s.ann = s.addUser(fmt.Sprintf("ann%d@example.org", millis()), true)
	return s.ann
}

// TestGarbageInPaths puts dots, slashes and worse, escaped or not, into every
// part of a path that is a parameter.
func TestGarbageInPaths(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	cookie := &http.Cookie{Name: "gamedex", Value: s.as(s.ann).cookie("gamedex")}
	for _, rt := range routesOf(http.MethodGet) {
		if !strings.Contains(rt.Path, "{") {
			continue
		}
		for _, text := range append([]string{".", "..", "%2e", "%2e%2e", "%2e%2e%2f%2e%2e", "..%2f..", "%2f", "%2f%2f", "a%2f..%2fb", "%252e%252e", "%00", "%0d%0a", "%ff", "%5c", "%3f", "%23",
			"%3fq=1", "x%2fprices", "%20", "+", ":", "a:b", "http:%2f%2fevil.test", "%E2%80%A8", strings.Repeat("%2e%2e%2f", 200), strings.Repeat("a", 100_000)}, scraps...) {
			if _, err := url.PathUnescape(text); err != nil {
				text = url.PathEscape(text)
			}
			r := request(http.MethodGet, filled(rt.Path, text), "", "")
			r.AddCookie(cookie)
			s.failed(r, s.handle(r))
		}
	}
	s.logHasNoErrors()
}

func TestUnknownForms(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	cookie := &http.Cookie{Name: "gamedex", Value: s.as(s.bob).cookie("gamedex")}
	before := s.state()
	var parts bytes.Buffer
	multi := multipart.NewWriter(&parts)
	for i := range 500 {
		file, err := multi.CreateFormFile(fmt.Sprint("file", i), "name\x00.txt")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(file, strings.Repeat("x", 10))
	}
	multi.Close()
	bodies := map[string]struct{ kind, body string }{
		"too large":             {formKind, "name=" + strings.Repeat("x", 1<<20)},
		"too many fields":       {formKind, strings.Repeat("name=x&", 20_000)},
		"JSON":                  {"application/json", `{"name": "x"}`},
		"many files":            {multi.FormDataContentType(), parts.String()},
		"half a multipart form": {multi.FormDataContentType(), parts.String()[:200]},
		"no boundary":           {"multipart/form-data", "x"},
		"a boundary too long":   {"multipart/form-data; boundary=" + strings.Repeat("x", 200), "x"},
		"no content type":       {"", "name=x"},
		"a broken content type": {"text/;;;", "name=x"},
		"bad escapes":           {formKind, "name=%zz&%"},
		"semicolons":            {formKind, "name=x;y;z"},
	}
	for name, b := range bodies {
		for _, path := range []string{"/keys/new", "/keys/" + s.key.ID + "/name", "/profile/password", "/profile/delete", "/signin", "/signup", "/language", "/invite/" + s.links["invite"],
			"/reset/" + s.links["reset"]} {
			if strings.HasSuffix(path, "/name") && (strings.HasPrefix(name, "semi") || strings.HasPrefix(name, "too many")) {
				continue // which may be read as the name of a key
			}
			r := request(http.MethodPost, path, "", b.body)
			r.Header.Set("Content-Type", b.kind)
			r.AddCookie(cookie)
			answer := s.handle(r)
			if answer.Code >= http.StatusInternalServerError || answer.Code == http.StatusOK {
				t.Errorf("%s to %s: status %d", name, path, answer.Code)
			}
		}
	}
	s.unchanged(before, "an unknown form")
	s.logHasNoErrors()
}

// TestTooMuchOfEverything checks that headers, cookies and queries of absurd
// sizes are answered, and that no page contains the visitor's Host header.
func TestTooMuchOfEverything(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	token := s.as(s.ann).cookie("gamedex")
	many := strings.Repeat("gamedex=x; ", 10_000)
	for name, change := range map[string]func(*http.Request){
		"cookies before":   func(r *http.Request) { r.Header.Set("Cookie", many+"gamedex="+token) },
		"cookies after":    func(r *http.Request) { r.Header.Set("Cookie", "gamedex="+token+"; "+many) },
		"a large cookie":   func(r *http.Request) { r.Header.Set("Cookie", "gamedex="+strings.Repeat("x", 500_000)) },
		"a large device":   func(r *http.Request) { r.Header.Set("Cookie", "gamedex-device="+strings.Repeat("x", 500_000)) },
		"many languages":   func(r *http.Request) { r.Header.Set("Accept-Language", strings.Repeat("ru;q=0.1,", 50_000)) },
		"long languages":   func(r *http.Request) { r.Header.Set("Accept-Language", strings.Repeat("a-", 50_000)) },
		"many proxies":     func(r *http.Request) { r.Header.Set("X-Forwarded-For", strings.Repeat("1.1.1.1,", 50_000)) },
		"a deep query":     func(r *http.Request) { r.URL.RawQuery = strings.Repeat("q[a]=1&", 50_000) },
		"a long query":     func(r *http.Request) { r.URL.RawQuery = "q=" + strings.Repeat("%ff", 100_000) },
		"a long search":    func(r *http.Request) { r.URL.RawQuery = "q=" + strings.Repeat("witcher+", 20_000) },
		"a wild search":    func(r *http.Request) { r.URL.RawQuery = "q=" + strings.Repeat("%25_", 90) },
		"a host from hell": func(r *http.Request) { r.Host = "evil.test:99999/<script>" },
	} {
		for _, path := range []string{"/", "/signin", "/en/browse", "/admin/users", "/admin/keys", "/admin/audit", "/keys", "/usage", "/nowhere"} {
			r := request(http.MethodGet, path, "", "")
			r.AddCookie(&http.Cookie{Name: "gamedex", Value: token})
			change(r)
			if answer := s.handle(r); !s.failed(r, answer) && strings.Contains(answer.Body.String(), "evil.test") {
				t.Errorf("%s of %s: the host is in the page", name, path)
			}
		}
	}
	s.logHasNoErrors()
}
