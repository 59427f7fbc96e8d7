package dashboard_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
)

func (w *world) addLink(p account.Purpose, change func(*account.Link)) string {
	w.t.Helper()
	by := account.By{At: millis(), Actor: "cli:test"}
	l, token, err := account.NewLink(p, by, rand.Reader)
	if err == nil {
		change(&l)
		err = w.db.Accounts.SaveLink(w.t.Context(), l, by)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimPrefix(signin.LinkAddress(w.server.URL, p, token), w.server.URL)
}

func signUpIs(s web.SignUp) func(*world, *dashboard.Config) {
	return func(_ *world, cfg *dashboard.Config) { cfg.Web.SignUp = s }
}

func TestSetup(t *testing.T) {
	t.Parallel()
	var cfg dashboard.Config
	w := newWorld(t, signUpIs(web.SignUpClosed), func(_ *world, c *dashboard.Config) { cfg = *c })
	d, err := dashboard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	address, needed, err := d.SetupLink(t.Context())
	path, ok := strings.CutPrefix(address, w.server.URL)
	if err != nil || !needed || !ok || !strings.HasPrefix(path, "/setup/") {
		t.Fatalf("link %q, needed %v, %v", address, needed, err)
	}
	v := w.newVisitor()
	v.get(path).wants(t, http.StatusOK, "first administrator")
	for name, form := range map[string][2]string{
		"no address":          {`"><script>alert(1)</script>`, password},
		"a short password":    {annEmail, "short-1"},
		"a known password":    {annEmail, "1234567890"},
		"the address again":   {annEmail, annEmail},
		"an endless password": {annEmail, strings.Repeat("a b", 100)},
	} {
		p := v.post(path, "email", form[0], "password", form[1])
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, `aria-invalid="true"`) || strings.Contains(p.body, "<script>alert") {
			t.Errorf("%s: status %d\n%s", name, p.status, p.body)
		}
		if form[1] != annEmail && strings.Contains(p.body, form[1]) {
			t.Errorf("%s: the page shows the password", name)
		}
	}
	p := v.post(path, "email", "Ann@example.org", "password", password)
	p.isAt(t, "/", "You are the administrator here")
	if u := w.user(annEmail); !u.Admin || u.SignedInAt == 0 {
		t.Errorf("%+v", u)
	}
	w.newVisitor().post(path, "email", bobEmail, "password", password).wants(t, http.StatusNotFound, "already been used") // used again
	if address, needed, err := d.SetupLink(t.Context()); needed || address != "" || err != nil {
		t.Errorf("with a user: %q, %v, %v", address, needed, err)
	}
}

// TestOneSetupLink checks that of several processes one makes the link for the set-up.
func TestOneSetupLink(t *testing.T) {
	t.Parallel()
	var cfg dashboard.Config
	w := newWorld(t, func(_ *world, c *dashboard.Config) { c.SignIn.OthersToo = true; cfg = *c })
	path := ""
	for i := range 3 {
		d, err := dashboard.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		address, needed, err := d.SetupLink(t.Context())
		if !needed || (address != "") != (i == 0) || err != nil {
			t.Errorf("start %d: %q, needed %v, %v", i, address, needed, err)
		}
		if i == 0 {
			path = strings.TrimPrefix(address, w.server.URL)
		}
	}
	w.newVisitor().post(path, "email", annEmail, "password", password).wants(t, http.StatusOK) // the link of the first start
}

func TestInvite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	path := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = bobEmail })
	v := w.newVisitor()
	v.get(path).wants(t, http.StatusOK, `value="bob@example.org" readonly`)
	v.post(path, "email", "eve@example.org", "password", password).isAt(t, "/", "Welcome")
	if _, found, err := w.db.Accounts.FindUserByEmail(t.Context(), "eve@example.org"); found || err != nil {
		t.Error("the invitation made an account for another address")
	}
	if bob := w.user(bobEmail); bob.Admin {
		t.Error("the invitation made an administrator")
	}
	w.newVisitor().get(path).wants(t, http.StatusNotFound) // used again
	again := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = bobEmail })
	w.newVisitor().post(again, "password", password).isAt(t, "/signin", "An account with this address already exists") // an address that has an account
}

func TestLinksThatDoNotWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.addUser(annEmail, true), w.addUser(bobEmail, false)
	invite := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "carol@example.org" })
	expired := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email, l.ExpiresAt = "dave@example.org", millis() })
	setup := w.addLink(account.LinkSetup, func(*account.Link) {})
	disabled := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = bob.ID })
	if err := w.db.Accounts.DisableUser(t.Context(), bob.ID, account.By{At: millis(), Actor: ann.ID}); err != nil {
		t.Fatal(err)
	}
	token := invite[len("/invite/"):]
	for name, path := range map[string]string{
		"another purpose":      "/reset/" + token,
		"another purpose, too": "/setup/" + token,
		"expired":              expired,
		"of a disabled user":   disabled,
		"no token":             "/invite/x",
		"a token cut short":    "/invite/" + token[:42],
		"a guess":              "/invite/" + strings.Repeat("A", 43),
		"an odd one":           "/invite/%00%ff%0a",
	} {
		v := w.newVisitor()
		if p := v.get(path); p.status != http.StatusNotFound || !strings.Contains(p.body, "Ask for a new one") {
			t.Errorf("%s: GET: status %d\n%s", name, p.status, p.body)
		}
		if p := v.post(path, "email", "eve@example.org", "password", password); p.status != http.StatusNotFound || v.cookie("gamedex") != "" {
			t.Errorf("%s: POST: status %d", name, p.status)
		}
	}
	w.newVisitor().post(setup, "email", "eve@example.org", "password", password).wants(t, http.StatusNotFound) // a set-up with users
	if n, err := w.db.Accounts.CountUsers(t.Context()); n != 2 || err != nil {
		t.Errorf("%d users, %v", n, err)
	}
}

func TestInviteWhenSignUpIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signUpIs(web.SignUpClosed))
	ann := w.addUser(annEmail, true)
	invite := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = bobEmail })
	for _, p := range []answered{w.newVisitor().get(invite), w.newVisitor().post(invite, "password", password)} {
		p.wants(t, http.StatusForbidden, "closed at the moment")
	}
	reset := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = ann.ID })
	w.newVisitor().get(reset).wants(t, http.StatusOK)
}

func TestReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	elsewhere := w.signIn(annEmail)
	path := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = ann.ID })
	v := w.newVisitor()
	v.get(path).wants(t, http.StatusOK, `value="ann@example.org" readonly`)
	const other = "another horse battery"
	v.post(path, "email", bobEmail, "password", other).isAt(t, "/", "new password is set")
	elsewhere.get("/profile").isAt(t, "/signin")                                                                 // the session elsewhere
	w.newVisitor().post("/signin", "email", annEmail, "password", password).wants(t, http.StatusUnauthorized)    // the former password
	w.newVisitor().post("/signin", "email", annEmail, "password", other, "back", "/profile").isAt(t, "/profile") // the new password
	w.newVisitor().post(path, "password", password).wants(t, http.StatusNotFound)                                // used again
}

// The token in a link's address is a password for a while.
func TestLinksAreNotLogged(t *testing.T) {
	t.Parallel()
	s := &troubled{}
	w := newWorld(t, inTrouble(s))
	ann := w.addUser(annEmail, true)
	path := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = ann.ID })
	token := path[len("/reset/"):]
	v := w.newVisitor()
	v.get(path)
	v.post(path, "password", "short")
	s.down.Store(true)
	v.get(path).wants(t, http.StatusServiceUnavailable) // without the store
	s.down.Store(false)
	v.post(path, "password", password)
	v.post(path, "password", password)
	w.server.Close() // after the last line of the log
	if log := w.log.String(); strings.Contains(log, token) || !strings.Contains(log, "/reset/{token}") || !strings.Contains(log, "connection refused") {
		t.Errorf("the log:\n%s", log)
	}
	entries, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Object+e.Detail, token) {
			t.Errorf("the record has the token: %+v", e)
		}
	}
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signUpIs(web.SignUpOpen))
	w.addUser(annEmail, true)
	w.newVisitor().get("/").has(t, `href="/signup"`)
	v := w.newVisitor()
	v.get("/signup").wants(t, http.StatusOK)
	v.post("/signup", "email", bobEmail, "password", "short").wants(t, http.StatusUnprocessableEntity, `value="bob@example.org"`) // a short password
	free := v.post("/signup", "email", bobEmail, "password", password)
	if free.path != "/signin" || !strings.Contains(free.body, "If the address was available") || v.cookie("gamedex") != "" {
		t.Errorf("status %d at %s\n%s", free.status, free.path, free.body)
	}
	// The password of the second try must not become that of the account.
	w.newVisitor().post("/signup", "email", annEmail, "password", "the guess of a stranger").isAt(t, "/signin")
	for _, email := range []string{annEmail, bobEmail} {
		w.newVisitor().post("/signin", "email", email, "password", password, "back", "/profile").isAt(t, "/profile")
	}
	if bob := w.user(bobEmail); bob.Admin {
		t.Error("a sign-up made an administrator")
	}
}

func TestSignUpIsThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signUpIs(web.SignUpOpen))
	ann := w.addUser(annEmail, true)
	for range 30 {
		if status := w.leave("/signup", "email", bobEmail, "password", password); status < 500 {
			t.Fatalf("a visitor who left got status %d", status)
		}
	}
	p := w.newVisitor().post("/signup", "email", bobEmail, "password", password)
	if p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "Too many attempts") {
		t.Errorf("status %d, Retry-After %q\n%s", p.status, p.header.Get("Retry-After"), p.body)
	}
	reset := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = ann.ID })
	w.newVisitor().post(reset, "password", password).isAt(t, "/") // links have a limit of their own
}

func TestSignUpWithoutInvitation(t *testing.T) {
	t.Parallel()
	for signUp, want := range map[web.SignUp]string{
		web.SignUpInvite: "by invitation", web.SignUpClosed: "closed at the moment",
	} {
		w := newWorld(t, signUpIs(signUp))
		v := w.newVisitor()
		v.get("/signup").wants(t, http.StatusOK, want).lacks(t, `action="/signup"`)
		v.post("/signup", "email", bobEmail, "password", password).wants(t, http.StatusForbidden, want)
		if n, err := w.db.Accounts.CountUsers(t.Context()); n != 0 || err != nil {
			t.Errorf("%s: %d users, %v", signUp, n, err)
		}
	}
}
