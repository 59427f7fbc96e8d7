package dashboard_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

func bodyOf(u account.User) string {
	return fmt.Sprintf(`{"version":1,"deadline":%d,"texts":{"user":%q},"numbers":{"epoch":%d}}`,
		time.Now().Add(time.Hour).UnixMilli(), u.ID, u.Epoch)
}

func (w *world) addSession(body string) string {
	w.t.Helper()
	token := rand.Text()
	s := account.Session{ID: sessionID(token), Body: []byte(body), ExpiresAt: millis() + 3_600_000}
	if err := w.db.Accounts.SaveSession(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
	return token
}

func sessionID(token string) string {
	hash := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

func (w *world) stored(token string) bool {
	w.t.Helper()
	_, found, err := w.db.Accounts.FindSession(w.t.Context(), sessionID(token), millis())
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// TestSessionFixation checks that an attacker who plants a session in a browser
// is not signed in when the browser's owner signs in.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	bob := w.signIn(bobEmail)
	anonymous := fmt.Sprintf(`{"version":1,"deadline":%d,"texts":{"notice":"x"}}`, time.Now().Add(time.Hour).UnixMilli())
	for name, planted := range map[string]string{
		"a value out of nothing":  "planted",
		"a session of nobody":     w.addSession(anonymous),
		"a session of another":    bob.cookie("gamedex"),
		"a session of her own":    w.addSession(bodyOf(ann)),
		"the id of a session":     sessionID(bob.cookie("gamedex")),
		"something of the device": "device:" + bob.cookie("gamedex-device"),
	} {
		v := w.newVisitor()
		v.plant("gamedex", planted)
		if p := v.post("/signin", "email", annEmail, "password", password, "back", "/profile"); p.path != "/profile" || !strings.Contains(p.body, annEmail) {
			t.Fatalf("%s: status %d at %s", name, p.status, p.path)
		}
		if v.cookie("gamedex") == planted || w.stored(planted) {
			t.Errorf("%s: the session keeps the planted token", name)
		}
		attacker := w.newVisitor()
		attacker.plant("gamedex", planted)
		if p := attacker.get("/profile"); p.path != "/signin" {
			t.Errorf("%s: the attacker who planted it is let in\n%s", name, p.body)
		}
	}
}

// A session is over when another request ended it, even if this one stores
// values later.
func TestEndedSessionStaysEnded(t *testing.T) {
	t.Parallel()
	s := &troubled{}
	w := newWorld(t, inTrouble(s))
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	v.staying().post("/profile/password", "current", password, "password", otherPassword)
	token := v.cookie("gamedex") // a sentence waits in this session
	end := func() {
		if err := w.db.Accounts.DeleteSession(t.Context(), sessionID(token)); err != nil {
			t.Error(err)
		}
	}
	s.meanwhile.Store(&end)
	p := v.get("/profile")
	if p.status != http.StatusOK || p.header.Get("Set-Cookie") != "" {
		t.Errorf("the request under way: status %d, cookie %q", p.status, p.header.Get("Set-Cookie"))
	}
	if w.stored(token) {
		t.Error("the ended session was stored again")
	}
	v.get("/profile").wants(t, http.StatusSeeOther) // the next request
}

func TestSessionsEndWithTheirEpoch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	bob := w.addUser(bobEmail, false)
	by := account.By{At: millis(), Actor: "cli:test"}
	for name, end := range map[string]func() error{
		"ended": func() error { return w.db.Accounts.EndSessions(t.Context(), bob.ID, by) },
		"disabled": func() error {
			return w.db.Accounts.DisableUser(t.Context(), bob.ID, by)
		},
		"password": func() error { return w.db.Accounts.SetPassword(t.Context(), bob.ID, bob.PasswordHash, by) },
	} {
		v := w.signIn(bobEmail)
		// As if a request under way had stored the session once more.
		token := w.addSession(bodyOf(w.user(bobEmail)))
		again := w.newVisitor()
		again.plant("gamedex", token)
		body := bodyOf(w.user(bobEmail))
		if err := end(); err != nil {
			t.Fatal(err)
		}
		late := w.newVisitor()
		lateToken := w.addSession(body)
		late.plant("gamedex", lateToken)
		for who, v := range map[string]*visitor{"the session": v, "another": again, "one stored late": late} {
			if p := v.get("/profile"); p.path != "/signin" {
				t.Errorf("%s: %s still works: at %s", name, who, p.path)
			}
		}
		if w.stored(lateToken) {
			t.Errorf("%s: a session that is over is kept", name)
		}
		if err := w.db.Accounts.EnableUser(t.Context(), bob.ID, by); err != nil {
			t.Fatal(err)
		}
	}
	v := w.signIn(bobEmail)
	if err := w.db.Accounts.DeleteUser(t.Context(), bob.ID, by); err != nil {
		t.Fatal(err)
	}
	v.get("/profile").isAt(t, "/signin") // deleted
}

func TestSessionsWithoutStore(t *testing.T) {
	t.Parallel()
	s := &troubled{}
	w := newWorld(t, inTrouble(s))
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	token := v.cookie("gamedex")
	s.down.Store(true)
	p := v.get("/profile")
	if p.status != http.StatusServiceUnavailable || !strings.Contains(p.body, "database is not responding") || p.header.Get("Set-Cookie") != "" {
		t.Errorf("status %d, cookie %q\n%s", p.status, p.header.Get("Set-Cookie"), p.body)
	}
	w.newVisitor().get("/").wants(t, http.StatusOK) // the first page, for who has no session
	s.down.Store(false)
	if p := v.get("/profile"); p.path != "/profile" || v.cookie("gamedex") != token {
		t.Errorf("afterwards: at %s", p.path)
	}
}

// TestSessionsThatCannotBeStored checks that pages that change nothing work
// while sessions cannot be stored.
func TestSessionsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	s := &troubled{}
	w := newWorld(t, inTrouble(s))
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	v.staying().post("/profile/password", "current", password, "password", otherPassword)
	s.readOnly.Store(true)
	for range 2 {
		v.get("/profile").wants(t, http.StatusOK, "The password is changed") // a page with a sentence
	}
	stranger := w.newVisitor()
	p := stranger.post("/signin", "email", annEmail, "password", otherPassword)
	if p.status != http.StatusServiceUnavailable || p.header.Get("Location") != "" || stranger.cookie("gamedex") != "" ||
		strings.Count(p.body, "</html>") != 1 || !strings.Contains(p.body, "database is not responding") {
		t.Errorf("a sign-in: status %d, to %q\n%s", p.status, p.header.Get("Location"), p.body)
	}
	again := w.newVisitor()
	again.plant("gamedex", w.addSession(bodyOf(w.user(annEmail))))
	again.post("/signin", "email", annEmail, "password", otherPassword).wants(t, http.StatusServiceUnavailable) // a sign-in of a signed-in user
	s.readOnly.Store(false)
	v.get("/profile")
	v.get("/profile").lacks(t, "The password is changed") // it is shown once
}

func TestForeignSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	deadline := time.Now().Add(time.Hour).UnixMilli()
	cookies := map[string]string{
		"garbage": "!!%00%ff", "long": strings.Repeat("x", 3000), "quoted": `"a b"`, "spaces": "a,b c", "SQL": "' OR 1=1 --",
	}
	for name, body := range map[string]string{
		"no JSON": "garbage", "empty": "", "null": "null", "nothing": "{}",
		"no version":      fmt.Sprintf(`{"deadline":%d,"texts":{"user":%q}}`, deadline, ann.ID),
		"another version": fmt.Sprintf(`{"version":2,"deadline":%d,"texts":{"user":%q}}`, deadline, ann.ID),
		"other types":     fmt.Sprintf(`{"version":1,"deadline":"tomorrow","texts":{"user":%q}}`, ann.ID),
		"no such user":    fmt.Sprintf(`{"version":1,"deadline":%d,"texts":{"user":"usr_x"}}`, deadline),
		"no epoch":        fmt.Sprintf(`{"version":1,"deadline":%d,"texts":{"user":%q},"numbers":{"epoch":7}}`, deadline, ann.ID),
	} {
		cookies["a body: "+name] = w.addSession(body)
	}
	for name, cookie := range cookies {
		v := w.newVisitor()
		v.header.Set("Cookie", "gamedex="+cookie)
		if p := v.get("/"); p.status != http.StatusOK {
			t.Errorf("%s: the first page: status %d", name, p.status)
		}
		if p := v.get("/profile"); p.path != "/signin" || p.status != http.StatusOK {
			t.Errorf("%s: status %d at %s", name, p.status, p.path)
		}
	}
	v := w.newVisitor()
	v.plant("gamedex", cookies["a body: another version"])
	v.post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile") // a sign-in with the session of another version
}

// clocked is a dashboard whose time a test moves, for one visitor.
type clocked struct {
	t       *testing.T
	pages   *dashboard.Dashboard
	store   *troubled
	cookies map[string]string
}

func newClocked(t *testing.T, now func() time.Time) *clocked {
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c := &clocked{t: t, store: &troubled{Repository: db.Accounts}, cookies: map[string]string{}}
	c.pages, err = dashboard.New(dashboard.Config{
		Catalog: func() *overview.Catalog { return nil },
		Keys:    keys.Config{Repository: c.store, Counter: quota.NewMemory()},
		SignIn:  signin.Config{Users: c.store, Links: c.store, KeysOf: c.store.KeysOf, Passwords: account.NewPasswords(1)},
		Web: web.Config{
			Repository: c.store, SignUp: web.SignUpClosed, PublicURL: "http://localhost:8080",
			Secure: func(*http.Request) bool { return false },
			Client: func(*http.Request) netip.Addr { return netip.Addr{} }, HTTPS: func(*http.Request) bool { return false },
			Now: now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db}
	w.addUser(annEmail, true)
	return c
}

// request returns the status of an answer, and keeps the cookies that have not
// expired.
func (c *clocked) request(method, path string, form url.Values) int {
	r := httptest.NewRequestWithContext(c.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", formKind)
	for name, value := range c.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer := httptest.NewRecorder()
	c.pages.ServeHTTP(answer, r)
	for _, cookie := range answer.Result().Cookies() {
		c.cookies[cookie.Name] = cookie.Value
	}
	return answer.Code
}

func (c *clocked) signIn() {
	c.t.Helper()
	if status := c.request(http.MethodPost, "/signin", url.Values{"email": {annEmail}, "password": {password}}); status != http.StatusSeeOther {
		c.t.Fatalf("sign-in: status %d", status)
	}
}

func (c *clocked) signedIn() bool { return c.request(http.MethodGet, "/profile", nil) == http.StatusOK }

// TestSessionTimes checks when sessions end, by the time of the pages, also on a machine whose own clock is 40 days off.
func TestSessionTimes(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, ahead := range []time.Duration{0, 40 * day, -40 * day} {
		t.Run(ahead.String(), func(t *testing.T) { testSessionTimes(t, day, ahead) })
	}
}

func testSessionTimes(t *testing.T, day, ahead time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		c := newClocked(t, func() time.Time { return time.Now().Add(-ahead) })
		c.signIn()
		time.Sleep(7*day - time.Minute)
		if !c.signedIn() {
			t.Error("over before seven days without a visit")
		}
		time.Sleep(7*day - time.Minute)
		if !c.signedIn() {
			t.Error("a visit did not move the end")
		}
		time.Sleep(7*day + time.Second)
		if c.signedIn() {
			t.Error("still works after seven days without a visit")
		}
		c.signIn()
		for i := range 30 {
			if i > 0 && !c.signedIn() {
				t.Errorf("over after %d days with a visit each", i)
			}
			time.Sleep(day)
		}
		time.Sleep(time.Second)
		if c.signedIn() {
			t.Error("still works after thirty days")
		}
	})
}

func TestSessionsAreSeldomWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClocked(t, time.Now)
		c.signIn()
		before := c.store.saved.Load()
		for range 10 * 60 {
			time.Sleep(time.Second)
			if !c.signedIn() {
				t.Fatal("signed out")
			}
		}
		if written := c.store.saved.Load() - before; written != 10 {
			t.Errorf("written %d times in 10 minutes with a visit each second, want 10", written)
		}
	})
}
