package dashboard_test

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/serve"
)

// hashMemory is the memory that hashing one password takes. No page takes
// nearly as much, so that what a request allocated shows how many passwords it
// hashed.
const hashMemory = 19 << 20

func hashes(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int((after.TotalAlloc - before.TotalAlloc) / hashMemory)
}

// behindProxy makes a world trust the test as its proxy.
func behindProxy(w *world, _ *dashboard.Config) { w.proxies, _ = serve.ParseProxies("127.0.0.1") }

// sameAnswers fails the test if answers differ in more than the text that was
// sent, or if the number of hashes is not wantHashes.
func sameAnswers(t *testing.T, about string, requests map[string]func() (answered, string), wantHashes int) {
	t.Helper()
	var first answered
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		var p answered
		var said string
		worked := hashes(func() { p, said = requests[name]() })
		if worked != wantHashes {
			t.Errorf("%s, %s: %d hashes, want %d", about, name, worked, wantHashes)
		}
		p.body = strings.ReplaceAll(p.body, said, "SAID")
		for _, header := range []string{"Date", "X-Request-Id", "Content-Length", "Set-Cookie"} {
			if header != "Set-Cookie" || p.header.Get(header) != "" {
				p.header.Set(header, "there")
			}
		}
		p.path = ""
		if first.status == 0 {
			first = p
		}
		if diff := cmp.Diff(first, p, cmp.AllowUnexported(answered{})); diff != "" {
			t.Errorf("%s, %s: another answer (-first +this):\n%s", about, name, diff)
		}
	}
}

// TestAnswersRevealNothing checks that neither an answer nor the work for it
// reveals whether an address has an account, what its state is, or whether a
// link ever existed.
func TestAnswersRevealNothing(t *testing.T) {
	s := newAttackedWorld(t, behindProxy)
	from := 0
	fresh := func() *visitor { // from an address that nobody else uses
		from++
		v := s.newVisitor().staying()
		v.header.Set("X-Forwarded-For", fmt.Sprintf("10.0.0.%d", from))
		v.header.Set("X-Request-Id", "same")
		return v
	}
	post := func(path string, said string, pairs ...string) func() (answered, string) {
		return func() (answered, string) { return fresh().post(path, pairs...), said }
	}
	provided := s.addPasswordless("provided@example.org")
	signIn := map[string]func() (answered, string){}
	for name, email := range map[string]string{"a user": bobEmail, "nobody": "nobody@example.org", "a disabled user": "former@example.org",
		"an administrator": annEmail, "a user without a password": provided.Email} {
		signIn[name] = post("/signin", email, "email", email, "password", "not the password")
	}
	signIn["a disabled user's own password"] = post("/signin", "former@example.org", "email", "former@example.org", "password", password)
	sameAnswers(t, "sign-in", signIn, 1)

	signUp := map[string]func() (answered, string){}
	for name, email := range map[string]string{"a user": bobEmail, "nobody": "nobody@example.org", "a disabled user": "former@example.org", "an invited one": "guest@example.org"} {
		signUp[name] = post("/signup", email, "email", email, "password", otherPassword)
	}
	sameAnswers(t, "sign-up", signUp, 1)

	gone := map[string]func() (answered, string){}
	used := s.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "once@example.org" })
	fresh().post(used, "password", otherPassword)
	expired := s.addLink(account.LinkReset, func(l *account.Link) { l.UserID, l.ExpiresAt = s.eve.ID, millis()-1 })
	for name, path := range map[string]string{"used": used, "expired": expired, "made up": "/reset/" + strings.Repeat("A", 43),
		"for another purpose": "/reset/" + s.links["invite"], "of no form": "/setup/no-token"} {
		gone[name+", looked at"] = func() (answered, string) { return fresh().get(path), path }
		gone[name+", sent"] = post(path, path, "password", otherPassword)
	}
	sameAnswers(t, "links that do not work", gone, 0)
	sameAnswers(t, "forgotten", map[string]func() (answered, string){
		"with a user": func() (answered, string) { return fresh().get("/forgotten?email=" + bobEmail), bobEmail },
		"with nobody": func() (answered, string) { return fresh().get("/forgotten?email=x@example.org"), "x@example.org" },
	}, 0)
}

func (s *attackedWorld) addPasswordless(email string) account.User {
	s.t.Helper()
	u := s.addUser(email, false)
	if err := s.db.Accounts.SetPassword(s.t.Context(), u.ID, "", account.By{At: millis(), Actor: "cli:test"}); err != nil {
		s.t.Fatal(err)
	}
	return u
}

// tries counts guesses by outcome.
type tries struct{ wrong, throttled, busy, in, other atomic.Int64 }

func (n *tries) count(p answered) {
	switch {
	case p.status == http.StatusUnauthorized:
		n.wrong.Add(1)
	case p.status == http.StatusTooManyRequests && p.header.Get("Retry-After") != "":
		n.throttled.Add(1)
	case p.status == http.StatusServiceUnavailable && p.header.Get("Retry-After") != "":
		n.busy.Add(1)
	case p.status == http.StatusSeeOther:
		n.in.Add(1)
	default:
		n.other.Add(1)
	}
}

// guess tries passwords from many addresses, some at once.
func (s *attackedWorld) guess(guesses, guessers int, of func(i int) (email, from string)) *tries {
	n, next := &tries{}, atomic.Int64{}
	guess := func(int) *tries {
		for i := int(next.Add(1)); i <= guesses; i = int(next.Add(1)) {
			email, from := of(i)
			v := s.newVisitor().staying()
			v.header.Set("X-Forwarded-For", from)
			n.count(v.post("/signin", "email", email, "password", fmt.Sprint("guess number ", i)))
		}
		return n
	}
	if guessers == 1 {
		return guess(0)
	}
	return atOnce(s.t, guessers, guess)[0]
}

// patiently signs in and, as a person would, tries again if the server is busy.
func (v *visitor) patiently(email string) answered {
	v.w.t.Helper()
	for range 20 {
		if p := v.post("/signin", "email", email, "password", password); p.status != http.StatusServiceUnavailable {
			return p
		}
	}
	v.w.t.Errorf("%s: the server is busy all the time", email)
	return answered{}
}

// TestAtOnceGuesses is a run of thousands of guesses from hundreds of addresses, 50
// at a time. No more than the throttle's numbers get through, and meanwhile
// the owner signs in on a known device, and others anywhere.
func TestAtOnceGuesses(t *testing.T) {
	s := newAttackedWorld(t, behindProxy)
	owner := s.newVisitor().staying()
	owner.header.Set("X-Forwarded-For", "192.0.2.1")
	owner.patiently(bobEmail).wants(t, http.StatusSeeOther) // before the attack
	owner.post("/signout")
	n := atOnce(t, 2, func(i int) *tries {
		if i == 0 {
			return s.guess(2000, 50, func(i int) (string, string) { return bobEmail, fmt.Sprintf("10.%d.%d.1, 10.1.%d.7", i%9, i%100, i%300) })
		}
		for i := range 3 {
			owner.patiently(bobEmail).wants(t, http.StatusSeeOther) // during the attack
			owner.post("/signout")
			other := s.newVisitor().staying()
			other.header.Set("X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
			other.patiently(eveEmail).wants(t, http.StatusSeeOther)
		}
		return nil
	})[0]
	if wrong := n.wrong.Load(); wrong > 50 || wrong < 40 {
		t.Errorf("%d guesses got through; at most 50 in an hour should, whatever the address", wrong)
	}
	if n.in.Load() > 0 || n.other.Load() > 0 || n.throttled.Load()+n.busy.Load() < 1500 {
		t.Errorf("let in %d, throttled %d, other %d", n.in.Load(), n.throttled.Load(), n.other.Load())
	}
	owner.patiently(bobEmail).wants(t, http.StatusSeeOther) // after the attack
	// Guesses that a busy server refused were not counted: use up the rest.
	rest := s.guess(60, 1, func(i int) (string, string) { return bobEmail, fmt.Sprintf("10.200.%d.1", i) })
	if rest.throttled.Load() == 0 || rest.in.Load() > 0 {
		t.Errorf("after the attack: let in %d, throttled %d, wrong %d", rest.in.Load(), rest.throttled.Load(), rest.wrong.Load())
	}
	fresh := s.newVisitor().staying()
	fresh.header.Set("X-Forwarded-For", "203.0.113.9")
	fresh.patiently(bobEmail).wants(t, http.StatusTooManyRequests) // from a browser that is not known
}

// TestAtOnceGuessesFromOneAddress checks that one address gets few attempts, for one
// account and for all together, and that further attempts cause no hashing. A guess that
// a busy server refused does not count.
func TestAtOnceGuessesFromOneAddress(t *testing.T) {
	s := newAttackedWorld(t, behindProxy)
	var n *tries
	work := hashes(func() {
		n = s.guess(300, 10, func(int) (string, string) { return bobEmail, "10.0.0.1" })
	})
	if n.wrong.Load() != 5 || n.throttled.Load()+n.busy.Load() != 295 {
		t.Errorf("one account: %d got through, %d were throttled", n.wrong.Load(), n.throttled.Load())
	}
	if work > 10 { // five, and what 300 pages take
		t.Errorf("%d hashes for five guesses", work)
	}
	n = s.guess(300, 10, func(i int) (string, string) { return fmt.Sprintf("user%d@example.org", i), "10.0.0.2" })
	if n.wrong.Load() != 20 || n.throttled.Load()+n.busy.Load() != 280 {
		t.Errorf("many accounts: %d got through, %d were throttled", n.wrong.Load(), n.throttled.Load())
	}
	n = s.guess(100, 10, func(i int) (string, string) {
		return fmt.Sprintf("user%d@example.org", i), fmt.Sprintf("2001:db8::%x", i)
	})
	if wrong := n.wrong.Load(); wrong > 20 || wrong+n.busy.Load() < 20 { // busy: refused before it counts
		t.Errorf("one IPv6 network: %d got through", n.wrong.Load())
	}
}

// TestAddressesCannotBeMadeUp checks that without a trusted proxy no header
// changes the address of a visitor.
func TestAddressesCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	// The clock does not move and one guess is made at a time: no try comes back
	// because a window ends or the server is busy.
	now := time.Now()
	s := newAttackedWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.Web.Now = func() time.Time { return now } })
	n := s.guess(100, 1, func(i int) (string, string) { return fmt.Sprintf("user%d@example.org", i), fmt.Sprintf("10.0.0.%d", i) })
	if n.wrong.Load() != 20 || n.throttled.Load() != 80 {
		t.Errorf("%d got through, %d were throttled", n.wrong.Load(), n.throttled.Load())
	}
	noted, err := s.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s.as(s.bob).send(http.MethodPost, "/keys/"+s.key.ID+"/name", formKind, encoded([]string{"name", "x"}), http.Header{"X-Forwarded-For": {"10.9.9.9"}})
	after, err := s.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 1})
	if err != nil || after[0].From != "127.0.0.1" || after[0].ID <= noted[0].ID {
		t.Errorf("the log says %+v, %v", after, err)
	}
}

// TestAtOnceOneLink checks that of many visitors who use a link at the same time
// exactly one succeeds.
func TestAtOnceOneLink(t *testing.T) {
	s := newAttackedWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.SignIn.Passwords = account.NewPasswords(8) })
	users, err := s.db.Accounts.CountUsers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answers := atOnce(t, 20, func(int) answered {
		return s.newVisitor().staying().post("/invite/"+s.links["invite"], "password", otherPassword)
	})
	got := countStatuses(answers)
	after, err := s.db.Accounts.CountUsers(t.Context())
	if err != nil || got[http.StatusSeeOther] != 1 || after != users+1 || got[http.StatusInternalServerError] > 0 {
		t.Errorf("statuses %v; %d users became %d, %v", got, users, after, err)
	}
}

// TestAtOnceLimitsHold checks that simultaneous requests of one visitor neither
// exceed the limit of keys nor do anything twice.
func TestAtOnceLimitsHold(t *testing.T) {
	s := newAttackedWorld(t)
	for i := len(s.keysOf(s.eve)); i < account.MaxKeys-5; i++ {
		s.addKey(s.eve, fmt.Sprint("key ", i))
	}
	eve := s.as(s.eve)
	form := s.formOf(dashboard.Route{Path: "/keys/new"})
	answers := atOnce(t, 20, func(i int) answered {
		mine := slices.Clone(form)
		mine[1] = fmt.Sprintf("%s%02d", mine[1][:len(mine[1])-2], i)
		return eve.post("/keys/new", mine...)
	})
	got := countStatuses(answers)
	if keys := len(s.keysOf(s.eve)); keys != account.MaxKeys || got[http.StatusOK] != 5 || got[http.StatusUnprocessableEntity] != 15 {
		t.Errorf("%d keys; statuses %v", keys, got)
	}
	bob := s.as(s.bob)
	for _, path := range []string{"/keys/" + s.key.ID + "/revoke", "/profile/delete"} {
		if got := countStatuses(atOnce(t, 10, func(int) answered { return bob.post(path, "password", password) })); got[http.StatusInternalServerError] > 0 {
			t.Errorf("%s: statuses %v", path, got)
		}
	}
	s.logHasNoErrors() // such as of a database; on a busy machine, a password may wait too long for its turn
	// Two administrators who take the right from each other: one is left.
	ann, other := s.as(s.ann), s.as(s.other)
	atOnce(t, 2, func(i int) answered {
		if i == 0 {
			return ann.post("/admin/users/" + s.other.ID + "/no-admin")
		}
		return other.post("/admin/users/" + s.ann.ID + "/no-admin")
	})
	if !s.user(s.ann.Email).Admin && !s.user(s.other.Email).Admin {
		t.Error("there is no administrator left")
	}
}

// TestSecretsStayWhereTheyAre plays a whole story and looks for its secrets: in
// addresses, in pages that are not for them, in the log, in the database.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	secrets := map[string]string{"password": password, "another password": otherPassword, "token of a key": s.token[8:],
		"invitation": s.links["invite"], "reset link": s.links["reset"]}
	see := func(p answered, shown ...string) {
		t.Helper()
		for name, secret := range secrets {
			if strings.Contains(p.body, secret) && !slices.Contains(shown, name) || strings.Contains(p.header.Get("Location"), secret) {
				t.Errorf("%s: the %s is in the page or in its address", p.path, name)
			}
		}
	}
	keep := func(v *visitor, name string) {
		secrets[name+"'s session"], secrets[name+"'s device"] = v.cookie("gamedex"), v.cookie("gamedex-device")
	}
	guest := s.newVisitor().staying()
	see(guest.get("/invite/"+s.links["invite"]), "invitation")
	see(guest.post("/invite/"+s.links["invite"], "password", "short"), "invitation")
	see(guest.post("/invite/"+s.links["invite"], "password", otherPassword))
	keep(guest, "guest")
	bob := s.newVisitor().staying()
	see(bob.post("/signin", "email", bobEmail, "password", otherPassword))
	see(bob.post("/signin", "email", bobEmail, "password", password))
	keep(bob, "bob")
	form := s.formOf(dashboard.Route{Path: "/keys/new"})
	made := bob.post("/keys/new", form...)
	secrets["new token"] = between(t, made.body, `<code id="token">`, "</code>")[8:]
	see(made, "new token")
	s.requestAPI(s.token, "/account/me")
	see(bob.post("/profile/password", "current", password, "password", otherPassword))
	keep(bob, "bob again")
	ann := s.as(s.ann)
	reset := ann.post("/admin/users/" + s.bob.ID + "/reset")
	link := between(t, reset.body, `<code id="link">`, "</code>")
	secrets["new reset link"] = link[strings.LastIndex(link, "/")+1:]
	see(reset, "new reset link")
	see(s.newVisitor().staying().post(strings.TrimPrefix(link, s.server.URL), "password", password))
	s.newVisitor().post("/signin?password=" + otherPassword + "&email=" + bobEmail)
	for _, rt := range routesOf(http.MethodGet) {
		if !strings.Contains(rt.Path, "{token}") {
			see(s.as(s.ann).get(s.pathOf(rt)))
			see(s.as(s.bob).get(s.pathOf(rt)))
		}
	}
	if err := s.flusher.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"log": s.log.String()}
	for _, file := range s.databaseFiles() {
		places["database"] += readFile(t, file)
	}
	if !strings.Contains(places["database"], "guest@example.org") || !strings.Contains(places["log"], "/profile/password") || len(secrets) != 13 {
		t.Fatalf("the test looks in the wrong places, or for %d secrets", len(secrets))
	}
	for place, text := range places {
		for name, secret := range secrets {
			if len(secret) < 10 || strings.Contains(text, secret) {
				t.Errorf("the %s contains the %s", place, name)
			}
		}
	}
	if strings.Contains(places["log"], bobEmail) {
		t.Error("the log contains an email address")
	}
}
