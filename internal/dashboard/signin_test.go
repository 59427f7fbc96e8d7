package dashboard_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb/accounts"
)

type troubled struct {
	*accounts.Repository
	down     atomic.Bool // answers nothing about people and sessions
	readOnly atomic.Bool // stores no sessions, but which browsers are known
	saved    atomic.Int32
	// meanwhile runs once, while a request looks for its user.
	meanwhile atomic.Pointer[func()]
}

var errDown = errors.New("connection refused")

func inTrouble(s *troubled) func(*world, *dashboard.Config) {
	return func(w *world, cfg *dashboard.Config) {
		s.Repository = w.db.Accounts
		cfg.Web.Repository, cfg.SignIn.Users, cfg.SignIn.Links, cfg.Keys.Repository, cfg.Admin.Users = s, s, s, s, s
	}
}

func (s *troubled) broken() error {
	if s.down.Load() {
		return errDown
	}
	return nil
}

func (s *troubled) FindUser(ctx context.Context, id string) (account.User, error) {
	if err := s.broken(); err != nil {
		return account.User{}, err
	}
	u, err := s.Repository.FindUser(ctx, id)
	if f := s.meanwhile.Swap(nil); f != nil {
		(*f)()
	}
	return u, err
}

// FindUserByEmail answers visitors who left meanwhile, too: hashing comes next.
func (s *troubled) FindUserByEmail(ctx context.Context, email string) (account.User, bool, error) {
	if err := s.broken(); err != nil {
		return account.User{}, false, err
	}
	return s.Repository.FindUserByEmail(context.WithoutCancel(ctx), email)
}

func (s *troubled) FindLink(ctx context.Context, hash [32]byte, now int64) (account.Link, bool, error) {
	if err := s.broken(); err != nil {
		return account.Link{}, false, err
	}
	return s.Repository.FindLink(ctx, hash, now)
}

func (s *troubled) FindSession(ctx context.Context, id string, now int64) (account.Session, bool, error) {
	if err := s.broken(); err != nil {
		return account.Session{}, false, err
	}
	return s.Repository.FindSession(ctx, id, now)
}

func (s *troubled) SaveSession(ctx context.Context, session account.Session) error {
	if s.readOnly.Load() && !strings.HasPrefix(session.ID, "device:") {
		return errDown
	}
	s.saved.Add(1)
	return errors.Join(s.broken(), s.Repository.SaveSession(ctx, session))
}

func (s *troubled) RenewSession(ctx context.Context, session account.Session) (bool, error) {
	if s.readOnly.Load() {
		return false, errDown
	}
	s.saved.Add(1)
	alive, err := s.Repository.RenewSession(ctx, session)
	return alive, errors.Join(s.broken(), err)
}

func (v *visitor) staying() *visitor {
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return v
}

// leave sends a form as a visitor who leaves before the password is checked,
// and returns the status.
func (w *world) leave(path string, pairs ...string) int {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, encoded(pairs))
	r.RemoteAddr = "127.0.0.1:1024"
	r.Header.Set("Content-Type", formKind)
	answer := httptest.NewRecorder()
	w.server.Config.Handler.ServeHTTP(answer, r)
	return answer.Code
}

func (w *world) user(email string) account.User {
	w.t.Helper()
	u, found, err := w.db.Accounts.FindUserByEmail(w.t.Context(), email)
	if err != nil || !found {
		w.t.Fatalf("user %s: found %v, %v", email, found, err)
	}
	return u
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	v := w.newVisitor()
	v.get("/profile?x=1").isAt(t, "/signin", `name="back" value="/profile?x=1"`) // a page for signed-in users
	v.post("/signin", "email", " Ann@Example.org ", "password", password, "back", "/profile").wants(t, http.StatusOK).isAt(t, "/profile", annEmail)
	if at := w.user(annEmail).SignedInAt; at == 0 {
		t.Error("the sign-in is not noted")
	}
	noted, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Action: account.UserSignIn, Limit: 10})
	if err != nil || len(noted) != 1 || noted[0].Actor != ann.ID || noted[0].From != "127.0.0.1" {
		t.Errorf("record: %+v, %v", noted, err)
	}
	v.get("/signin?back=/forgotten").isAt(t, "/forgotten")
	if p := v.post("/signout"); p.path != "/" || v.cookie("gamedex") != "" {
		t.Errorf("after the sign-out: at %s with session %q", p.path, v.cookie("gamedex"))
	}
	v.get("/profile").isAt(t, "/signin")
	v.post("/signout").wants(t, http.StatusOK).isAt(t, "/") // again
}

// TestSignInSaysWhatFor checks that visitors whom a page sent to the sign-in read why, in their
// language, also after a wrong password; and that no other address makes the page say anything.
func TestSignInSaysWhatFor(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	plain := map[string]string{}
	for lang, reasons := range map[string]map[string]string{
		"en": {
			"/keys": "Sign in to manage your API keys.", "/keys/new": "Sign in to manage your API keys.", "/usage?key=1": "Sign in to see how your keys are used.",
			"/profile/delete": "Sign in to open your profile.", "/admin/audit": "Sign in as an administrator to open this page.",
			"/en/browse?q=witcher": "Sign in to see games and prices.", pcWitcher: "Sign in to see games and prices.", "/en/deals": "Sign in to see games and prices.",
		},
		"ru": {"/keys": "Войдите, чтобы управлять своими ключами API.", "/ru/deals/main": "Войдите, чтобы увидеть игры и цены."},
		"uk": {"/keys": "Увійдіть, щоб керувати своїми ключами API.", "/uk/browse": "Увійдіть, щоб побачити ігри та ціни."},
	} {
		v.header.Set("Accept-Language", lang)
		plain[lang] = shownText(v.get("/signin").body)
		for path, want := range reasons {
			p := v.get(path)
			if !strings.HasSuffix(p.path, "/signin") || !strings.Contains(shownText(p.body), want) || strings.Contains(plain[lang], want) {
				t.Errorf("%s in %s: at %s, without %q:\n%s", path, lang, p.path, want, shownText(p.body))
			}
			if p := v.post("/signin", "email", annEmail, "password", "wrong password", "back", path); !strings.Contains(shownText(p.body), want) {
				t.Errorf("%s in %s: after a wrong password without %q", path, lang, want)
			}
		}
	}
	v.header.Set("Accept-Language", "en")
	for _, back := range []string{"", "/", "/docs", "/status", "/keyskeys", "//evil.example/keys", "https://evil.example/keys", "/\\evil.example/keys", "keys", "/x/keys", "/signin?back=/keys", "/%zz/keys", "Give us your password"} {
		if text := shownText(v.get("/signin?back=" + url.QueryEscape(back)).body); text != plain["en"] {
			t.Errorf("back %q: the page says more:\n%s", back, text)
		}
	}
}

func TestSignInRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	for _, email := range []string{"", "ann", `"><script>alert(1)</script>@example.org`, "ann@example.org\nx", strings.Repeat("a", 5000) + "@b.c"} {
		v.post("/signin", "email", email, "password", password).wants(t, http.StatusUnprocessableEntity).lacks(t, "<script>alert")
	}
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, _ *dashboard.Config) {
		w.proxies, _ = serve.ParseProxies("127.0.0.1")
	})
	w.addUser(annEmail, true)
	from := func(address string) *visitor {
		v := w.newVisitor()
		v.header.Set("X-Forwarded-For", address)
		return v
	}
	owner := from("192.0.2.7")
	owner.post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile") // the owner
	owner.post("/signout")
	// The guesser sits behind the same address as the owner.
	guesser := from("192.0.2.7")
	for _, email := range []string{annEmail, "eve@example.org"} {
		for i := range 6 {
			p := guesser.post("/signin", "email", email, "password", "guess number "+strings.Repeat("x", i))
			if throttled := p.status == http.StatusTooManyRequests; throttled != (i == 5) {
				t.Errorf("%s: try %d: status %d", email, i+1, p.status)
			}
			if i < 5 {
				continue
			}
			wait, err := strconv.Atoi(p.header.Get("Retry-After"))
			if err != nil || wait > 900 || wait <= 840 || !strings.Contains(p.body, "Try again in 15 minutes") {
				t.Errorf("%s: Retry-After %q\n%s", email, p.header.Get("Retry-After"), p.body)
			}
		}
	}
	guesser.post("/signin", "email", annEmail, "password", password).wants(t, http.StatusTooManyRequests)                 // the right password after too many guesses
	owner.post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile")                // the owner's own browser
	from("198.51.100.1").post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile") // the owner from elsewhere
}

// TestSignInReturnsAttempts checks that an attempt that revealed nothing does
// not count.
func TestSignInReturnsAttempts(t *testing.T) {
	t.Parallel()
	s := &troubled{}
	w := newWorld(t, inTrouble(s))
	w.addUser(annEmail, true)
	for range 10 {
		if status := w.leave("/signin", "email", annEmail, "password", "not her password"); status < 500 {
			t.Fatalf("a visitor who left got status %d", status)
		}
	}
	s.down.Store(true)
	for range 10 {
		w.newVisitor().post("/signin", "email", annEmail, "password", password).wants(t, http.StatusServiceUnavailable) // without the store
	}
	s.down.Store(false)
	w.newVisitor().post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile")
}

// onHTTPS is a world whose cookies are for HTTPS, behind a proxy.
func onHTTPS(w *world, cfg *dashboard.Config) {
	w.proxies, _ = serve.ParseProxies("127.0.0.1")
	cfg.Web.Secure = always
}

func always(*http.Request) bool { return true }

// TestSignInToADemo checks that over plain HTTP the demo's account may sign in, with cookies that
// the browser sends back, and nobody else.
func TestSignInToADemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onHTTPS, func(_ *world, cfg *dashboard.Config) { cfg.Web.PlainUser = annEmail })
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	v := w.newVisitor()
	v.get("/signin").has(t, annEmail, `name="password"`)
	if p := v.post("/signin", "email", bobEmail, "password", password); p.status != http.StatusBadRequest || p.header.Get("Set-Cookie") != "" {
		t.Errorf("another account: status %d, cookie %q", p.status, p.header.Get("Set-Cookie"))
	}
	v.post("/signin", "email", annEmail, "password", password, "back", "/profile").isAt(t, "/profile")                                   // the demo's account
	w.newVisitor().get(w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "eve@example.org" })).lacks(t, `name="password"`) // nor can an invitation be used
	v = w.newVisitor().staying()
	v.header.Set("X-Forwarded-Proto", "https")
	for _, c := range cookiesOf(t, v.post("/signin", "email", bobEmail, "password", password)) {
		if !c.Secure || !strings.HasPrefix(c.Name, "__Host-") {
			t.Errorf("over HTTPS: cookie %s", c.Raw)
		}
	}
}

func TestSignInNeedsHTTPS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onHTTPS)
	w.addUser(annEmail, true)
	invited := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = bobEmail })
	v := w.newVisitor()
	for _, path := range []string{"/signin", invited} {
		v.get(path).wants(t, http.StatusOK, "--public-url")
		p := v.post(path, "email", annEmail, "password", password)
		if p.status != http.StatusBadRequest || !strings.Contains(p.body, "--public-url") || p.header.Get("Set-Cookie") != "" {
			t.Errorf("POST %s: status %d, cookie %q", path, p.status, p.header.Get("Set-Cookie"))
		}
	}
	v.header.Set("X-Forwarded-Proto", "https")
	v.get(invited).wants(t, http.StatusOK).lacks(t, "--public-url") // over HTTPS
}

// TestSignInCookies checks what TestCookiesAreKeptIn leaves out: how long the cookies last, and how hard they are to guess.
func TestSignInCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	lasts := map[string]time.Duration{"gamedex": 7 * 24 * time.Hour, "gamedex-device": 365 * 24 * time.Hour}
	for _, c := range cookiesOf(t, w.newVisitor().staying().post("/signin", "email", annEmail, "password", password)) {
		want, age := lasts[c.Name], time.Duration(c.MaxAge)*time.Second
		if delete(lasts, c.Name); age > want || age < want-time.Minute {
			t.Errorf("cookie %s", c.Raw)
		}
		if len(c.Value) != 43 {
			t.Errorf("the value of %s has %d characters, want 43: 256 random bits", c.Name, len(c.Value))
		}
	}
	if len(lasts) > 0 {
		t.Errorf("no cookie %v", lasts)
	}
}

func cookiesOf(t *testing.T, p answered) []*http.Cookie {
	t.Helper()
	return (&http.Response{Header: p.header}).Cookies()
}

// TestDeviceIsNotPlanted checks that a cookie that makes a browser known is not
// one that somebody else knows.
func TestDeviceIsNotPlanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	bob := w.signIn(bobEmail)
	planted := bob.cookie("gamedex-device")
	v := w.newVisitor()
	v.plant("gamedex-device", planted)
	v.post("/signin", "email", annEmail, "password", password)
	if got := v.cookie("gamedex-device"); got == planted || got == "" {
		t.Errorf("Ann's browser is known by %q, which Bob planted", got)
	}
	mine := v.cookie("gamedex-device")
	v.post("/signin", "email", annEmail, "password", password)
	if got := v.cookie("gamedex-device"); got != mine {
		t.Error("a known browser got another token")
	}
}

func (v *visitor) plant(name, value string) {
	v.w.t.Helper()
	u, err := url.Parse(v.w.server.URL)
	if err != nil {
		v.w.t.Fatal(err)
	}
	v.client.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}
