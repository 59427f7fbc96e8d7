package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/testing/oidctest"
)

type providerWorld struct {
	*world
	provider *oidctest.Provider
	later    atomic.Int64 // nanoseconds that the dashboard's clock is ahead
}

const (
	clientSecret = "s3cret-of-the-client"
	callback     = "/signin/oidc/callback"
)

// newProviderWorld starts one. Every request comes from another address,
// so that tests may sign in often.
func newProviderWorld(t testing.TB, mode web.SignUp, does oidctest.Behaviour, change ...func(*world, *dashboard.Config)) *providerWorld {
	t.Helper()
	pw := &providerWorld{}
	var visits atomic.Uint32
	change = append(change, func(_ *world, cfg *dashboard.Config) {
		pw.provider = oidctest.Start(t, does,
			oidctest.Client{ID: "gamedex", Secret: clientSecret, ReturnTo: cfg.Web.PublicURL + callback},
			oidctest.Client{ID: "other", Secret: "secret of another", ReturnTo: cfg.Web.PublicURL + "/elsewhere"})
		cfg.Web.SignUp = mode
		cfg.SignIn.OIDC = &openid.Settings{Name: "Example", Issuer: pw.provider.Issuer(), ClientID: "gamedex", ClientSecret: clientSecret}
		cfg.Web.Client = func(*http.Request) netip.Addr {
			n := visits.Add(1)
			return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		}
		cfg.Web.Now = func() time.Time { return time.Now().Add(time.Duration(pw.later.Load())) }
	})
	pw.world = newWorld(t, change...)
	return pw
}

// whoami returns the email address that pages show as the visitor's; "" if they
// are not signed in.
func (v *visitor) whoami() string {
	v.w.t.Helper()
	_, rest, ok := strings.Cut(v.get("/").body, `<a href="/profile"`)
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, ">")
	email, _, _ := strings.Cut(rest, "<")
	return email
}

func (v *visitor) hop(address string) (status int, next string) {
	v.w.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.w.server.URL + address
	}
	client := *v.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p := v.request(&client, http.MethodGet, address, nil, nil)
	return p.status, p.header.Get("Location")
}

func (v *visitor) toCallback() (address string) {
	v.w.t.Helper()
	status, provider := v.hop("/signin/oidc?back=/")
	if status != http.StatusSeeOther {
		v.w.t.Fatalf("/signin/oidc: status %d", status)
	}
	status, address = v.hop(provider)
	if status != http.StatusFound || !strings.HasPrefix(address, v.w.server.URL+callback+"?") {
		v.w.t.Fatalf("the provider: status %d, location %q", status, address)
	}
	return strings.TrimPrefix(address, v.w.server.URL)
}

func with(address, name, value string) string {
	path, query, _ := strings.Cut(address, "?")
	q, _ := url.ParseQuery(query)
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return path + "?" + q.Encode()
}

func parameter(address, name string) string {
	_, query, _ := strings.Cut(address, "?")
	q, _ := url.ParseQuery(query)
	return q.Get(name)
}

func person(email string) oidctest.Person {
	return oidctest.Person{Subject: "subject of " + email, Email: email, Verified: true}
}

// What pages say.
const (
	notBegun  = "This sign-in was started in another browser"
	didntWork = "The sign-in with Example failed"
	noAnswer  = "Example is not responding"
)

// TestSignInPassesTheTraceOn checks that requests to the provider belong to the trace of
// the visitor's request. The keys are read for everybody.
func TestSignInPassesTheTraceOn(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail), AddressApart: true})
	w.addUser(annEmail, false)
	v := w.newVisitor()
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	v.header.Set("Traceparent", trace)
	if v.get("/signin/oidc?back=/"); v.whoami() != annEmail {
		t.Fatal("not signed in")
	}
	for path, want := range map[string]string{
		oidctest.DescriptionPath: trace, oidctest.TokenPath: trace, oidctest.UserInfoPath: trace, oidctest.KeysPath: "",
	} {
		if got := w.provider.Traceparent(path); got != want || w.provider.Requests(path) == 0 {
			t.Errorf("%s: %d requests, the last with %q, want %q", path, w.provider.Requests(path), got, want)
		}
	}
}

func TestProviderLetsIn(t *testing.T) {
	t.Parallel()
	worlds := map[web.SignUp]*providerWorld{}
	for _, mode := range []web.SignUp{web.SignUpClosed, web.SignUpInvite, web.SignUpOpen} {
		w := newProviderWorld(t, mode, oidctest.Behaviour{})
		w.addUser(annEmail, true)
		off := w.addUser("off@example.org", false)
		if err := w.db.Accounts.DisableUser(t.Context(), off.ID, account.By{At: millis(), Actor: "cli:test"}); err != nil {
			t.Fatal(err)
		}
		w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "guest@example.org" })
		w.addLink(account.LinkInvite, func(l *account.Link) { l.Email, l.Admin = "chief@example.org", true })
		worlds[mode] = w
	}
	claims := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	unverified := func(email string) oidctest.Person { return oidctest.Person{Subject: "x", Email: email} }
	const closed, invite, open = web.SignUpClosed, web.SignUpInvite, web.SignUpOpen
	for _, tt := range []struct {
		name string
		mode web.SignUp
		does oidctest.Behaviour
		want string // who is signed in
		says string // what the page says otherwise
	}{
		{"a user", invite, oidctest.Behaviour{Person: person(annEmail)}, annEmail, ""},
		{"a user while sign-up is closed", closed, oidctest.Behaviour{Person: person(annEmail)}, annEmail, ""},
		{"in capitals", invite, oidctest.Behaviour{Person: person("Ann@Example.ORG")}, annEmail, ""},
		{"the address from user info", invite, oidctest.Behaviour{Person: oidctest.Person{Subject: "i", Email: annEmail, Verified: true}, AddressApart: true}, annEmail, ""},
		{"verified as a text", invite, oidctest.Behaviour{Person: oidctest.Person{Subject: "t", Email: annEmail}, Claims: claims("email_verified", "true")}, annEmail, ""},
		{"an invited guest", invite, oidctest.Behaviour{Person: person("guest@example.org")}, "guest@example.org", ""},
		{"an invited administrator", invite, oidctest.Behaviour{Person: person("chief@example.org")}, "chief@example.org", ""},
		{"a guest while sign-up is open", open, oidctest.Behaviour{Person: person("chief@example.org")}, "chief@example.org", ""},
		{"anybody while sign-up is open", open, oidctest.Behaviour{Person: person("new@example.org")}, "new@example.org", ""},

		{"nobody", invite, oidctest.Behaviour{Person: person("new@example.org")}, "", "There is no account here for new@example.org"},
		{"an invitation while sign-up is closed", closed, oidctest.Behaviour{Person: person("guest@example.org")}, "", "There is no account here for guest@example.org"},
		{"a user whose address is not verified", invite, oidctest.Behaviour{Person: unverified(annEmail)}, "", "Example has not verified that ann@example.org is your address"},
		{"verified is 1", invite, oidctest.Behaviour{Person: unverified(annEmail), Claims: claims("email_verified", 1)}, "", "has not verified"},
		{"verified is nothing", invite, oidctest.Behaviour{Person: unverified(annEmail), Claims: claims("email_verified", nil)}, "", "has not verified"},
		{"not verified by user info", invite, oidctest.Behaviour{Person: unverified(annEmail), AddressApart: true}, "", "has not verified"},
		{"not verified while sign-up is open", open, oidctest.Behaviour{Person: unverified("other@example.org")}, "", "has not verified"},
		{"no address", open, oidctest.Behaviour{Person: oidctest.Person{Subject: "x"}}, "", "Example did not provide an email address"},
		{"an address in other letters", open, oidctest.Behaviour{Person: person("аnn@example.org")}, "", "Example did not provide an email address"},
		{"a disabled user", invite, oidctest.Behaviour{Person: person("off@example.org")}, "", worlds[invite].newVisitor().wrongSignIn()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := worlds[tt.mode]
			w.provider.Now(tt.does)
			v := w.newVisitor()
			p := v.get("/signin/oidc?back=/")
			if tt.says != "" && (p.status < 400 || p.status > 403 || !strings.Contains(p.body, tt.says)) {
				t.Errorf("status %d; the page does not say %q:\n%s", p.status, tt.says, p.body)
			}
			if got := v.whoami(); got != tt.want {
				t.Fatalf("signed in as %q, want %q", got, tt.want)
			}
			if tt.want == "" {
				w.notTied(tt.does.Person)
				return
			}
			if u := w.user(tt.want); u.SignedInAt == 0 || u.Admin != (tt.want == annEmail || tt.want == "chief@example.org") {
				t.Errorf("the user is %+v", u)
			}
		})
	}
}

func (w *providerWorld) notTied(p oidctest.Person) {
	w.t.Helper()
	u, found, err := w.db.Accounts.FindUserByIdentity(w.t.Context(), w.provider.Issuer(), p.Subject)
	if found || err != nil {
		w.t.Errorf("%s is tied to %s, error %v", p.Subject, u.Email, err)
	}
}

func (v *visitor) wrongSignIn() string {
	v.w.t.Helper()
	p := v.post("/signin", "email", annEmail, "password", "not the password")
	if p.status != http.StatusUnauthorized {
		v.w.t.Fatalf("a wrong password: status %d", p.status)
	}
	_, rest, _ := strings.Cut(p.body, `role="alert"`)
	_, rest, _ = strings.Cut(rest, ">")
	sentence, _, _ := strings.Cut(rest, "<")
	if strings.TrimSpace(sentence) == "" {
		v.w.t.Fatalf("no sentence after a wrong password:\n%s", p.body)
	}
	return strings.TrimSpace(sentence)
}

func TestProviderIdentityOutlivesAddress(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail), SecretInBody: true})
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	w.newVisitor().get("/signin/oidc?back=/")

	moved := oidctest.Person{Subject: person(annEmail).Subject, Email: bobEmail, Verified: true}
	w.provider.Now(oidctest.Behaviour{Person: moved, SecretInBody: true})
	v := w.newVisitor()
	v.get("/signin/oidc?back=/")
	if got := v.whoami(); got != annEmail {
		t.Errorf("after her address at the provider changed: signed in as %q", got)
	}
	w.provider.Now(oidctest.Behaviour{Person: oidctest.Person{Subject: strings.ToUpper(moved.Subject), Email: annEmail}, SecretInBody: true})
	other := w.newVisitor()
	if other.get("/signin/oidc?back=/"); other.whoami() != "" {
		t.Errorf("with her subject in other letters: signed in as %q", other.whoami())
	}
	w.provider.Now(oidctest.Behaviour{Person: person(bobEmail), SecretInBody: true})
	v.get("/signin/oidc?back=/")
	if got := v.whoami(); got != bobEmail {
		t.Errorf("after somebody else signed in in the same browser: signed in as %q", got)
	}
	entries, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Object: w.user(bobEmail).ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, e := range entries {
		done = append(done, fmt.Sprintf("%s by %t", e.Action, e.Actor == e.Object))
	}
	want := []string{"user.sign-in by true", "user.identity by true", "user.create by false"}
	if !slices.Equal(done, want) {
		t.Errorf("the record says %q, want %q", done, want)
	}
}

func TestProviderSendsBackWithoutCode(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Refusal: "access_denied"})
	v := w.newVisitor()
	if p := v.get("/signin/oidc?back=/usage"); p.path != "/signin" || p.status != http.StatusOK ||
		!strings.Contains(p.body, "The sign-in with Example was cancelled.") || !strings.Contains(p.body, `value="/usage"`) {
		t.Errorf("called off: status %d at %s\n%s", p.status, p.path, p.body)
	}
	const evil = `<script>alert(1)</script>` + "\nlevel=ERROR"
	w.provider.Now(oidctest.Behaviour{Refusal: evil})
	v.get("/signin/oidc").wants(t, http.StatusBadRequest, didntWork).lacks(t, "alert(1)") // an unknown error
	if strings.Contains(w.log.String(), "\nlevel=ERROR") {
		t.Error("the error of the provider made a line of its own in the log")
	}
}

// TestProviderThrottle checks that a browser may begin 30 sign-ins in an hour, that
// others with its address still can, and that only pages begin one.
func TestProviderThrottle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, cfg *dashboard.Config) {
		does := oidctest.Behaviour{Person: person("ann.new@example.org")}
		p := oidctest.Start(t, does, oidctest.Client{ID: "gamedex", Secret: "s", ReturnTo: cfg.Web.PublicURL + callback})
		cfg.SignIn.OIDC = &openid.Settings{Name: "Example", Issuer: p.Issuer(), ClientID: "gamedex", ClientSecret: "s"}
		cfg.Web.SignUp = web.SignUpOpen
	})
	v := w.newVisitor()
	begin := func(v *visitor, want int, header http.Header) {
		t.Helper()
		v.send("GET", "/signin/oidc", "", nil, header).wants(t, want)
	}
	for range 400 { // images on another site
		begin(w.newVisitor(), http.StatusForbidden, http.Header{"Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}, "Sec-Fetch-Site": {"cross-site"}})
	}
	begin(v, http.StatusForbidden, http.Header{"Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}})
	for range 31 { // the first one names the browser
		if status, _ := v.hop("/signin/oidc"); status != http.StatusSeeOther {
			t.Fatalf("status %d", status)
		}
	}
	if p := v.get("/signin/oidc"); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("one more in a browser: status %d, Retry-After %q", p.status, p.header.Get("Retry-After"))
	}
	// An office: everybody signs in, and none of that counts.
	for range 320 {
		w.newVisitor().get("/signin/oidc").wants(t, http.StatusOK)
	}
	fresh := 0
	for ; fresh < 400; fresh++ {
		if status, _ := w.newVisitor().hop("/signin/oidc"); status != http.StatusSeeOther {
			break
		}
	}
	if fresh != 299 {
		t.Errorf("%d browsers with one address could begin a sign-in, want 299", fresh)
	}
}

func TestProviderAbsent(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	for _, path := range []string{"/signin/oidc", callback, callback + "?code=1&state=2"} {
		v.get(path).wants(t, http.StatusNotFound)
	}
}

// TestAtOnceProvider checks that visitors who come at once cause one
// discovery, and that a new user is created once.
func TestAtOnceProvider(t *testing.T) {
	const visitors = 6
	come, unknown := newMeeting(visitors), newMeeting(visitors)
	w := newProviderWorld(t, web.SignUpOpen,
		oidctest.Behaviour{Person: person("new@example.org"), Describe: func(map[string]any) { come.all.Wait() }},
		func(w *world, cfg *dashboard.Config) { cfg.SignIn.Users = meetingUsers{w.db.Accounts, unknown} })
	pages := w.server.Config.Handler
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/signin/oidc" {
			come.arrive()
		}
		pages.ServeHTTP(rw, r)
	})
	for _, email := range atOnce(t, visitors, func(int) string {
		v := w.newVisitor()
		v.get("/signin/oidc?back=/")
		return v.whoami()
	}) {
		if email != "new@example.org" {
			t.Errorf("signed in as %q", email)
		}
	}
	if n := w.provider.Requests(oidctest.DescriptionPath); n != 1 {
		t.Errorf("the provider was discovered %d times", n)
	}
	if n, err := w.db.Accounts.CountUsers(t.Context()); n != 1 || err != nil {
		t.Errorf("%d users, error %v", n, err)
	}
}

// meeting makes the first n goroutines that arrive wait for each other.
type meeting struct {
	all  sync.WaitGroup
	left atomic.Int32
}

func newMeeting(n int) *meeting {
	m := &meeting{}
	m.all.Add(n)
	m.left.Store(int32(n))
	return m
}

func (m *meeting) arrive() {
	if m.left.Add(-1) >= 0 {
		m.all.Done()
	}
}

// meetingUsers makes the first searches for an email address wait for each
// other.
type meetingUsers struct {
	*accounts.Repository
	looked *meeting
}

func (s meetingUsers) FindUserByEmail(ctx context.Context, email string) (account.User, bool, error) {
	u, found, err := s.Repository.FindUserByEmail(ctx, email)
	s.looked.arrive()
	s.looked.all.Wait()
	return u, found, err
}

// Over plain HTTP no cookie would come back with the provider's answer.
func TestProviderOverPlainHTTP(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{},
		func(_ *world, cfg *dashboard.Config) { cfg.Web.Secure = always })
	w.newVisitor().get("/signin/oidc").isAt(t, "/signin", "encrypted connection")
}
