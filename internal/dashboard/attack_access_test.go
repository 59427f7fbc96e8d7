package dashboard_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
)

// forgeries are the headers that a browser adds to a form of another site.
var forgeries = map[string]http.Header{
	"from another site":          {"Origin": {"http://evil.test"}, "Sec-Fetch-Site": {"cross-site"}},
	"shown by the origin alone":  {"Origin": {"http://evil.test"}},
	"shown by the browser alone": {"Sec-Fetch-Site": {"cross-site"}},
	"from a neighbour":           {"Origin": {"http://evil.127.0.0.1"}, "Sec-Fetch-Site": {"same-site"}},
	"from another port":          {"Origin": {"http://127.0.0.1:1"}, "Sec-Fetch-Site": {"same-site"}},
	"from nowhere":               {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
}

// TestForgedForms checks that every route refuses a form that another site
// makes a browser send, no matter who is signed in.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	before := s.state()
	for _, v := range []*visitor{s.as(s.ann), s.as(s.bob), s.newVisitor()} {
		for _, rt := range routesOf(http.MethodPost) {
			for name, header := range forgeries {
				p := v.send(http.MethodPost, s.pathOf(rt), formKind, encoded(s.formOf(rt)), header)
				if p.status != http.StatusForbidden || p.header.Get("Set-Cookie") != "" {
					t.Errorf("%s, %s: status %d, cookie %q", rt.Path, name, p.status, p.header.Get("Set-Cookie"))
				}
			}
		}
		s.unchanged(before, "a forged form")
	}
	ann := s.as(s.ann)
	ann.send(http.MethodPost, "/profile/sessions", formKind, encoded(nil), forgeries["from another site"])
	ann.get("/profile").wants(t, http.StatusOK) // the session goes on
}

// TestGetChangesNothing checks that a request that a link or a picture on
// another site can cause has no effect, whatever its address.
func TestGetChangesNothing(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	before := s.state()
	for _, v := range []*visitor{s.as(s.ann), s.as(s.bob), s.newVisitor()} {
		for _, rt := range dashboard.Routes() {
			path := s.pathOf(rt)
			if rt.Method == http.MethodPost {
				path += "?_method=POST&" + valuesOf(s.formOf(rt)).Encode()
			}
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
				p := v.send(method, path, "", nil, http.Header{"X-Http-Method-Override": {"POST"}, "Sec-Fetch-Site": {"cross-site"}})
				if p.status >= http.StatusInternalServerError || p.header.Get("Set-Cookie") != "" {
					t.Errorf("%s %s: status %d, cookie %q", method, path, p.status, p.header.Get("Set-Cookie"))
				}
			}
		}
		s.unchanged(before, "looking")
	}
}

// TestOtherMethods checks that a route accepts the methods of the table and no
// others.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	before, v := s.state(), s.as(s.ann)
	for _, rt := range dashboard.Routes() {
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, "BREW"} {
			p := v.send(method, s.pathOf(rt), formKind, encoded(nil), nil)
			if p.status != http.StatusNotFound && p.status != http.StatusMethodNotAllowed && p.status != http.StatusBadRequest {
				t.Errorf("%s %s: status %d", method, rt.Path, p.status)
			}
		}
	}
	s.unchanged(before, "another method")
}

// TestRoutesAreForTheirAudience requests each route as visitors who may not use
// it: a stranger, a disabled user and, for pages of administrators, a user.
func TestRoutesAreForTheirAudience(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	before := s.state()
	guarded, refused := 0, ""
	for _, rt := range dashboard.Routes() {
		if !rt.SignedIn {
			continue
		}
		guarded++
		send := func(v *visitor) answered {
			if rt.Method == http.MethodPost {
				return v.staying().post(s.pathOf(rt), s.formOf(rt)...)
			}
			return v.staying().get(s.pathOf(rt))
		}
		for name, v := range map[string]*visitor{"nobody": s.newVisitor(), "a disabled user": s.as(s.former)} {
			p := send(v)
			if p.status != http.StatusSeeOther || !strings.HasPrefix(strings.TrimPrefix(p.header.Get("Location"), "/en"), "/signin") {
				t.Errorf("%s %s by %s: status %d, to %q", rt.Method, rt.Path, name, p.status, p.header.Get("Location"))
			}
		}
		if !rt.Admins {
			continue
		}
		p := send(s.as(s.eve))
		said := between(t, p.body, "<main", "</main>")
		if refused == "" {
			refused = said
		}
		if p.status != http.StatusForbidden || said != refused || !strings.Contains(said, "This page is for administrators.") {
			t.Errorf("%s %s by a user: status %d\n%s", rt.Method, rt.Path, p.status, said)
		}
	}
	if guarded < 20 {
		t.Errorf("%d routes are guarded", guarded)
	}
	s.unchanged(before, "what was refused")
	for _, rt := range dashboard.Routes() {
		if strings.HasPrefix(rt.Path, "/admin") != rt.Admins {
			t.Errorf("%s %s: for administrators: %v", rt.Method, rt.Path, rt.Admins)
		}
	}
}

// TestKeysOfOthersOnEveryRoute checks that other users, even administrators,
// get the same answer for a key or a webhook as for one that does not exist.
func TestKeysOfOthersOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	before, tried := s.state(), 0
	routes := append(dashboard.Routes(), dashboard.Route{Method: http.MethodGet, Path: "/usage?key={id}", SignedIn: true})
	for _, rt := range routes {
		parameter, their, unknown := "{id}", s.key.ID, "key_01HZZZZZZZZZZZZZZZZZZZZZZZ"
		if strings.Contains(rt.Path, "{webhook}") {
			parameter, their, unknown = "{webhook}", s.hook.ID, "whk_01HZZZZZZZZZZZZZZZZZZZZZZZ"
		}
		if !strings.Contains(rt.Path, parameter) || rt.Admins || strings.HasPrefix(rt.Path, "/en/browse") {
			continue
		}
		for name, v := range map[string]*visitor{"a user": s.as(s.eve), "an administrator": s.as(s.ann)} {
			tried++
			header := http.Header{"X-Request-Id": {"same"}}
			send := func(id string) answered {
				path := strings.Replace(rt.Path, parameter, id, 1)
				if rt.Method == http.MethodGet {
					return v.send(rt.Method, path, "", nil, header)
				}
				return v.send(rt.Method, path, formKind, encoded(s.formOf(rt)), header)
			}
			theirs, none := send(their), send(unknown)
			theirs.header.Del("Date")
			none.header.Del("Date")
			if theirs.status != http.StatusNotFound || none.status != theirs.status ||
				strings.ReplaceAll(theirs.body, their, unknown) != none.body || !maps.EqualFunc(theirs.header, none.header, slices.Equal) {
				t.Errorf("%s %s by %s: status %d, for one that is not there %d\n%s", rt.Method, rt.Path, name, theirs.status, none.status, theirs.body)
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d tries", tried)
	}
	s.unchanged(before, "asking for another's key or webhook")
}

// everyAnswer requests one answer of each kind: every route as every visitor,
// pages that do not exist, files, and refused forms.
func (s *attackedWorld) everyAnswer(see func(name string, p answered)) {
	s.t.Helper()
	for who, v := range s.everybody() {
		s.everyAnswerTo(v, who, see)
	}
	s.otherAnswers(see)
}

func (s *attackedWorld) everybody() map[string]*visitor {
	return map[string]*visitor{"an administrator": s.as(s.ann), "a user": s.as(s.eve), "a stranger": s.newVisitor().staying()}
}

func (s *attackedWorld) everyAnswerTo(v *visitor, who string, see func(name string, p answered)) {
	s.t.Helper()
	for _, rt := range dashboard.Routes() {
		name := rt.Method + " " + rt.Path + " by " + who
		if rt.Method == http.MethodGet {
			see(name, v.get(s.pathOf(rt)))
			continue
		}
		see(name+", refused", v.send(rt.Method, s.pathOf(rt), formKind, encoded(nil), forgeries["from another site"]))
		if rt.Path != "/signout" && !strings.HasPrefix(rt.Path, "/profile") {
			see(name, v.post(s.pathOf(rt)))
		}
	}
}

func (s *attackedWorld) otherAnswers(see func(name string, p answered)) {
	s.t.Helper()
	v := s.newVisitor().staying()
	for _, path := range []string{"/nowhere", "/admin/", "//evil.test", "/a/../keys", "/%00", "/assets/", "/assets/none", "/assets/style.css", "/assets/../style.css",
		"/robots.txt", "/favicon.ico"} {
		see(path, v.get(path))
	}
	see("DELETE /assets/style.css", v.send(http.MethodDelete, "/assets/style.css", "", nil, nil))
}

// TestAtOnceHeadersEverywhere checks that every answer forbids what pages here never
// need, also of pages that are opened at once.
func TestAtOnceHeadersEverywhere(t *testing.T) {
	s := newAttackedWorld(t)
	var seen atomic.Int64
	check := func(name string, p answered) {
		seen.Add(1)
		h := p.header
		policy := h.Get("Content-Security-Policy")
		hasAll(t, policy, "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'")
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: the policy allows too much: %q", name, policy)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			if h.Get(header) != want {
				t.Errorf("%s: %s is %q", name, header, h.Get(header))
			}
		}
		if h.Get("Cache-Control") != "private, no-store" && !strings.Contains(name, "/assets/") {
			t.Errorf("%s may be kept: %q", name, h.Get("Cache-Control"))
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other sites may read it", name)
		}
		if to := h.Get("Location"); to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//")) {
			t.Errorf("%s leads to %q", name, to)
		}
	}
	all := s.everybody()
	names := slices.Sorted(maps.Keys(all))
	atOnce(t, len(names), func(i int) bool { s.everyAnswerTo(all[names[i]], names[i], check); return true })
	s.otherAnswers(check)
	if seen.Load() < 150 {
		t.Errorf("%d answers", seen.Load())
	}
}

// TestCookiesAreKeptIn checks that cookies are out of reach of scripts, of
// other sites' forms and, over HTTPS, of neighbouring hosts, and that visitors
// who only look get none.
func TestCookiesAreKeptIn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world, *dashboard.Config){"http": func(*world, *dashboard.Config) {}, "https": onHTTPS} {
		s := newAttackedWorld(t, change)
		given := map[string]bool{}
		v := s.newVisitor().staying()
		v.header.Set("X-Forwarded-Proto", "https")
		for _, rt := range []dashboard.Route{{Method: "POST", Path: "/signin"}, {Method: "POST", Path: "/language"}, {Method: "POST", Path: "/signup"}} {
			p := v.post(s.pathOf(rt), s.formOf(rt)...)
			for _, c := range cookiesOf(t, p) {
				given[c.Name] = true
				secret := strings.HasPrefix(c.Name, "__Host-")
				if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
					c.Secure != (name == "https") || secret != (name == "https" && c.Name != "language") {
					t.Errorf("%s: %v", name, c)
				}
			}
		}
		if len(given) != 3 {
			t.Errorf("%s: cookies %v", name, given)
		}
	}
	s := newAttackedWorld(t)
	for _, rt := range routesOf(http.MethodGet) {
		if p := s.newVisitor().staying().get(s.pathOf(rt)); p.header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie for a stranger: %q", rt.Path, p.header.Get("Set-Cookie"))
		}
	}
}

// TestStolenSession checks that a session copied from a browser stops working
// after everything that should end it.
func TestStolenSession(t *testing.T) {
	t.Parallel()
	s, people := newAttackedWorld(t), 0
	for name, end := range map[string]func(s *attackedWorld, v *visitor){
		"sign-out":            func(_ *attackedWorld, v *visitor) { v.post("/signout") },
		"sign out everywhere": func(_ *attackedWorld, v *visitor) { v.post("/profile/sessions") },
		"everywhere, from another browser": func(s *attackedWorld, _ *visitor) {
			s.as(s.bob).post("/profile/sessions")
		},
		"a new password": func(_ *attackedWorld, v *visitor) {
			v.post("/profile/password", "current", password, "password", otherPassword)
		},
		"a reset link": func(s *attackedWorld, _ *visitor) {
			s.newVisitor().post(s.addLink(account.LinkReset, func(l *account.Link) { l.UserID = s.bob.ID }), "password", otherPassword)
		},
		"the account is deleted": func(_ *attackedWorld, v *visitor) { v.post("/profile/delete", "password", password) },
		"signed out by an admin": func(s *attackedWorld, _ *visitor) { s.as(s.ann).post("/admin/users/" + s.bob.ID + "/sign-out") },
		"disabled by an admin":   func(s *attackedWorld, _ *visitor) { s.as(s.ann).post("/admin/users/" + s.bob.ID + "/disable") },
		"signed in once more":    func(s *attackedWorld, v *visitor) { v.post("/signin", "email", s.bob.Email, "password", password) },
		"disabled and let in":    func(s *attackedWorld, _ *visitor) { s.disableAndEnable(s.bob) },
		"deleted and signed up": func(s *attackedWorld, v *visitor) {
			v.post("/profile/delete", "password", password)
			s.addUser(s.bob.Email, false)
		},
	} {
		people++
		s.bob = s.addUser(fmt.Sprintf("stolen%d@example.org", people), false)
		v := s.as(s.bob)
		stolen := v.cookie("gamedex")
		thief := s.newVisitor().staying()
		thief.plant("gamedex", stolen)
		if p := thief.get("/profile"); p.status != http.StatusOK {
			t.Fatalf("%s: the session does not work to begin with: %d", name, p.status)
		}
		end(s, v)
		if p := thief.get("/profile"); p.status != http.StatusSeeOther {
			t.Errorf("%s: the stolen session still works: %d", name, p.status)
		}
		if p := thief.post("/keys/new", s.formOf(dashboard.Route{Path: "/keys/new"})...); p.status != http.StatusSeeOther {
			t.Errorf("%s: the stolen session still creates keys: %d", name, p.status)
		}
	}
}

func (s *attackedWorld) disableAndEnable(u account.User) {
	s.t.Helper()
	ann := s.as(s.ann)
	ann.post("/admin/users/" + u.ID + "/disable")
	ann.post("/admin/users/" + u.ID + "/enable")
}
