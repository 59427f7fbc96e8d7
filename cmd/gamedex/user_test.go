package main

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

// person is a user with a browser.
type person struct {
	t      *testing.T
	base   string
	client *http.Client
}

func newPerson(t *testing.T, base string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, base, &http.Client{Jar: jar, Timeout: await.Patience, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// send posts a form, or gets a page without one, and follows redirects. It
// returns the status, the final address and the page.
func (p *person) send(path string, form url.Values) (status int, end, body string) {
	p.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = p.base + path
	}
	ask := func() (*http.Response, error) { return p.client.PostForm(path, form) }
	if form == nil {
		ask = func() (*http.Response, error) { return p.client.Get(path) }
	}
	res, err := ask()
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, res.Request.URL.Path, string(text)
}

// signIn reports whether an email and a password sign in.
func (p *person) signIn(email, password string) bool {
	p.t.Helper()
	status, end, body := p.send("/signin", url.Values{"email": {email}, "password": {password}})
	return status == 200 && end == "/" && strings.Contains(body, `action="/signout"`)
}

// TestTheFirstAdministrator checks that the first start prints a link, that the
// link creates an administrator, that no further link is printed, and that no
// log contains the secrets.
func TestTheFirstAdministrator(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--log-level", "debug")
	link := s.prints(`(http://\S+/setup/(\S+))`)
	p := newPerson(t, s.api)
	if status, _, body := p.send(link[1], nil); status != 200 || !strings.Contains(body, "<form") {
		t.Fatalf("the link opens: %d\n%s", status, body)
	}
	const password = "first of all of us"
	if status, end, body := p.send(link[1], url.Values{"email": {"Root@Example.org"}, "password": {password}}); status != 200 || end != "/" {
		t.Fatalf("set-up: %d at %s\n%s", status, end, body)
	}
	if status, _, _ := newPerson(t, s.api).send(link[1], nil); status != 404 {
		t.Errorf("the link opens twice: %d", status)
	}
	if status, _, _ := p.send("/admin/users", nil); status != 200 {
		t.Errorf("the first user is not an administrator: %d", status)
	}
	if !newPerson(t, s.api).signIn("root@example.org", password) {
		t.Error("the first user cannot sign in")
	}
	if log := s.stderr.String(); strings.Contains(log, link[2]) || strings.Contains(log, password) || !strings.Contains(log, "/setup/{token}") {
		t.Errorf("the log has a secret, or no request:\n%s", log)
	}
	s.stop()
	again := start(t, dir)
	again.prints(`dashboard  http`)
	if strings.Contains(again.stdout.String(), "/setup/") {
		t.Errorf("a second start prints another link:\n%s", again.stdout)
	}
}

func TestUserCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	made := decoded[userShown](t, must(t, dir, "", "user", "create", "Ann@Example.org", "--admin", "--json"))
	if made.Email != "ann@example.org" || !made.Admin || made.Status != "active" || made.SignedInAt != nil {
		t.Errorf("created %+v", made)
	}
	if !newPerson(t, s.api).signIn("ann@example.org", made.Password) {
		t.Error("the printed password does not work")
	}
	must(t, dir, "bob's own password\nignored\n", "user", "create", "bob@example.org", "--password-stdin")
	bob := newPerson(t, s.api)
	if !bob.signIn("bob@example.org", "bob's own password") {
		t.Error("the given password does not work")
	}
	_, token := newKey(t, dir, append(highLimits, "--user", "bob@example.org")...)
	u := newUser(t, s.api, token)
	u.get("/account/me").want(200)
	if _, _, body := bob.send("/keys", nil); !strings.Contains(body, ">test<") {
		t.Errorf("a key made for bob is not among their keys:\n%s", body)
	}

	must(t, dir, "", "user", "disable", "bob@example.org")
	u.inForce("/account/me", 403)
	if _, end, _ := bob.send("/keys", nil); end != "/signin" {
		t.Errorf("a disabled user's session goes on at %s", end)
	}
	if bob.signIn("bob@example.org", "bob's own password") {
		t.Error("a disabled user signs in")
	}
	must(t, dir, "", "user", "enable", "bob@example.org")
	u.inForce("/account/me", 200)
	link := strings.TrimSpace(must(t, dir, "", "user", "reset", "bob@example.org", "--public-url", s.api+"/"))
	if status, end, body := bob.send(link, url.Values{"password": {"another one of bob's"}}); status != 200 || end != "/" {
		t.Fatalf("reset: %d at %s\n%s", status, end, body)
	}
	if p := newPerson(t, s.api); p.signIn("bob@example.org", "bob's own password") || !p.signIn("bob@example.org", "another one of bob's") {
		t.Error("after a reset, the old password works or the new one does not")
	}
	invite := decoded[map[string]any](t, must(t, dir, "", "user", "invite", "eve@example.org", "--public-url", s.api, "--json"))["link"].(string)
	if status, end, body := newPerson(t, s.api).send(invite, url.Values{"password": {"eve was invited here"}}); status != 200 || end != "/" {
		t.Fatalf("invite: %d at %s\n%s", status, end, body)
	}
	list := must(t, dir, "", "user", "list")
	for _, want := range []string{"EMAIL", "ann@example.org", "bob@example.org", "eve@example.org", "yes", "active"} {
		if !strings.Contains(list, want) {
			t.Errorf("user list lacks %q:\n%s", want, list)
		}
	}
	must(t, dir, "", "user", "delete", "bob@example.org")
	u.inForce("/account/me", 403)
	if list := must(t, dir, "", "user", "list", "--json"); strings.Contains(list, "bob@") {
		t.Errorf("deleted, and listed:\n%s", list)
	}
}

func TestUserCommandsRefuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", testFeed)
	must(t, dir, "", "user", "create", "ann@example.org", "--admin")
	must(t, dir, "", "user", "create", "off@example.org")
	must(t, dir, "", "user", "disable", "off@example.org")
	for _, c := range []struct {
		args, stdin string
		says        []string
	}{
		{"user create nobody", "", []string{`email "nobody"`, "must be"}},
		{"user create ann@example.org", "", []string{"ann@example.org", "another user has this email address"}},
		{"user create ANN@example.org", "", []string{"another user has this email address"}},
		{"user create eve@example.org --password-stdin", "short\n", []string{"password", "10 to 200"}},
		{"user create eve@example.org --password-stdin", "", []string{"password", "10 to 200"}},
		{"user invite ann@example.org", "", []string{"another user has this email address", "gamedex user reset ann@example.org"}},
		{"user invite eve@example.org --public-url nowhere", "", []string{"--public-url nowhere", "https://games.example"}},
		{"user reset eve@example.org", "", []string{"user eve@example.org: not found", "gamedex user list"}},
		{"user reset off@example.org", "", []string{"disabled", "gamedex user enable off@example.org"}},
		{"user delete ann@example.org", "", []string{"there is no other administrator", "gamedex user create EMAIL --admin"}},
		{"user disable ann@example.org", "", []string{"there is no other administrator"}},
		{"key create --name x --user eve@example.org", "", []string{"--user eve@example.org", "gamedex user list"}},
		{"key create --name x --user off@example.org", "", []string{"disabled", "gamedex user enable"}},
	} {
		r := run(t, dir, c.stdin, strings.Fields(c.args)...)
		if r.status == 0 || r.stdout != "" {
			t.Errorf("%s: status %d, prints %q", c.args, r.status, r.stdout)
		}
		for _, want := range c.says {
			if !strings.Contains(withoutData(r.stderr), want) {
				t.Errorf("%s: does not say %q:\n%s", c.args, want, r.stderr)
			}
		}
	}
	if r := run(t, filepath.Join(dir, "none"), "", "user", "create", "ann@example.org"); r.status != 1 || !strings.Contains(r.stderr, "there is no ") {
		t.Errorf("user create makes a database: %+v", r)
	}
}

// TestOldAuditEntriesAreDeleted checks that the service deletes old audit entries and
// shortens old addresses at its start and every hour.
func TestOldAuditEntriesAreDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", testFeed)
	now := time.Now()
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
		for _, age := range []int{100, 40, 10} {
			e := account.AuditEntry{At: now.AddDate(0, 0, -age).UnixMilli(), Actor: "usr_x", Action: account.UserSignIn, Object: "usr_x", From: "192.0.2.77"}
			if err := db.Accounts.AddAudit(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	s := start(t, dir, "--audit-retention", "90d")
	var from []string
	if !await.Progress(func() bool {
		withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
			entries, err := db.Accounts.SearchAudit(ctx, account.AuditQuery{Actor: "usr_x", Limit: 10})
			from = nil
			for _, e := range entries {
				from = append(from, e.From)
			}
			return err
		})
		return slices.Equal(from, []string{"192.0.2.77", "192.0.2.0"})
	}, func() any { return len(from) }) {
		t.Errorf("the log still has the addresses %q\n%s", from, s.stderr)
	}
}

// openDB opens the database of a data folder.
func openDB(t *testing.T, dir string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), cmp.Or(serverDSN(t, dir), fileDSN(dir)), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func withDB(t *testing.T, dir string, work func(context.Context, *sqldb.DB) error) {
	t.Helper()
	db := openDB(t, dir)
	defer db.Close()
	if err := work(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}

func TestDemoSignIn(t *testing.T) {
	t.Parallel()
	s := sharedDemo.open(t)
	found := s.prints(demoAccount)
	p := newPerson(t, s.api)
	if !p.signIn(found[2], found[3]) {
		t.Fatalf("the printed sign-in does not work:\n%s", s.stdout)
	}
	for _, path := range []string{"/", "/keys", "/usage", "/en/browse?q=witcher", "/status", "/admin/users", "/admin/keys", "/admin/platforms", "/admin/audit", "/profile"} {
		if status, end, body := p.send(path, nil); status != 200 || !strings.HasPrefix(path, end) {
			t.Errorf("%s: %d at %s\n%s", path, status, end, body)
		}
	}
	if strings.Contains(s.stdout.String(), "/setup/") {
		t.Errorf("a set-up link although there is a user:\n%s", s.stdout)
	}
}

// TestSignInBehindAProxy checks that cookies are secure behind a proxy that
// speaks HTTPS, and that the sign-in page explains why it cannot work without
// HTTPS.
func TestSignInBehindAProxy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addr := porttest.Addr(t)
	start(t, dir, "--addr", addr, "--public-url", "https://games.example", "--trusted-proxies", "127.0.0.1")
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	post := func(header http.Header) *http.Response { return postSignIn(t, "http://"+addr, header) }
	if res := post(http.Header{}); res.StatusCode != 400 || len(res.Cookies()) > 0 {
		t.Errorf("over plain HTTP: %d with cookies %v", res.StatusCode, res.Cookies())
	}
	res := post(http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-For": {"203.0.113.9"}, "Origin": {"https://games.example"}})
	if res.StatusCode != 303 {
		t.Fatalf("through the proxy: %d", res.StatusCode)
	}
	for _, c := range res.Cookies() {
		if !c.Secure || !c.HttpOnly || !strings.HasPrefix(c.Name, "__Host-") {
			t.Errorf("cookie %s", c.Raw)
		}
	}
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
		entries, err := db.Accounts.SearchAudit(ctx, account.AuditQuery{Action: account.UserSignIn, Limit: 10})
		if err == nil && (len(entries) != 1 || entries[0].From != "203.0.113.9") {
			t.Errorf("the audit log has %+v", entries)
		}
		return err
	})
}

func postSignIn(t *testing.T, address string, header http.Header) *http.Response {
	t.Helper()
	form := url.Values{"email": {"ann@example.org"}, "password": {"a long enough password"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/signin", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

// TestSignInBehindAProxyWithoutPublicURL checks that what a proxy on this machine passes on
// needs HTTPS, although the listener is on a loopback address.
func TestSignInBehindAProxyWithoutPublicURL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--trusted-proxies", "127.0.0.1")
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	if res := postSignIn(t, s.api, http.Header{}); res.StatusCode != 303 || len(res.Cookies()) == 0 || res.Cookies()[0].Secure {
		t.Errorf("from this machine: %d with cookies %v", res.StatusCode, res.Cookies())
	}
	if res := postSignIn(t, s.api, http.Header{"X-Forwarded-Proto": {"http"}}); res.StatusCode != 400 || len(res.Cookies()) > 0 {
		t.Errorf("through a proxy over plain HTTP: %d with cookies %v", res.StatusCode, res.Cookies())
	}
	if res := postSignIn(t, s.api, http.Header{"X-Forwarded-Proto": {"https"}}); res.StatusCode != 303 || len(res.Cookies()) == 0 || !res.Cookies()[0].Secure {
		t.Errorf("through a proxy over HTTPS: %d with cookies %v", res.StatusCode, res.Cookies())
	}
}

func TestDayDurations(t *testing.T) {
	for text, want := range map[string]wholeDays{"1d": 1, "90d": 90, "36500d": 36500, "forever": 0} {
		var got wholeDays
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "0d", "-1d", "36501d", "5", "1.5d", "24h", "Forever"} {
		if err := new(wholeDays).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
