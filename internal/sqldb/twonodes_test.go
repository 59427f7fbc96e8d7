package sqldb_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/lease"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
)

// twin is one of two nodes on one database: its pages, its keys and its usage. Its clock
// is ahead or behind.
type twin struct {
	db      *sqldb.DB
	ahead   time.Duration
	pages   *dashboard.Dashboard
	keys    *account.Cache
	usage   *quota.Usage
	flusher *quota.Flusher
}

const twinsURL = "http://localhost:8080"

func newTwin(t *testing.T, dsn string, ahead time.Duration) *twin {
	t.Helper()
	n := &twin{db: open(t, dsn), ahead: ahead}
	log := slog.New(slog.DiscardHandler)
	n.keys = account.NewCache(n.db.Accounts, n.millis, log)
	n.usage = quota.NewUsage(rand.Text(), n.db.Accounts)
	n.flusher = quota.NewFlusher(nil, n.usage, n.db.Accounts, n.millis, log)
	var err error
	n.pages, err = dashboard.New(dashboard.Config{
		Catalog: func() *overview.Catalog { return nil }, Keys: keys.Config{Repository: n.db.Accounts, Counter: quota.NewMemory()},
		SignIn: signin.Config{Users: n.db.Accounts, Links: n.db.Accounts, Keys: n.db.Accounts, Passwords: account.NewPasswords(1)},
		Web: web.Config{
			Repository: n.db.Accounts, SignUp: web.SignUpInvite, PublicURL: twinsURL,
			Secure: func(*http.Request) bool { return false },
			Client: func(*http.Request) netip.Addr { return netip.Addr{} }, HTTPS: func(*http.Request) bool { return false },
			Now: n.now, Rand: rand.Reader, Log: log,
		},
	})
	must(t, err)
	return n
}

func (n *twin) now() time.Time { return time.Now().Add(n.ahead) }

func (n *twin) millis() int64 { return n.now().UnixMilli() }

func (n *twin) by() account.By { return account.By{At: n.millis(), Actor: "cli:test"} }

// browser is a browser behind a load balancer that sends each request to another node.
type browser struct {
	t       *testing.T
	cookies map[string]string
}

// asks sends a request to a node, and returns the status.
func (b *browser) asks(n *twin, method, path string, form url.Values) (status int) {
	r := httptest.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer := httptest.NewRecorder()
	n.pages.ServeHTTP(answer, r)
	for _, c := range answer.Result().Cookies() {
		b.cookies[c.Name] = c.Value
	}
	return answer.Code
}

func (b *browser) signedIn(n *twin) bool {
	return b.asks(n, http.MethodGet, "/profile", nil) == http.StatusOK
}

const twinEmail, twinPassword = "ann@example.org", "correct horse battery"

// onTwins runs a test of two nodes, one with a clock that is two seconds ahead, one that
// is as much behind. It runs on each engine, in the full world in both directions.
func onTwins(t *testing.T, test func(t *testing.T, a, b *twin, ann account.User)) {
	t.Parallel()
	hash, err := account.NewPasswords(1).Hash(t.Context(), twinPassword)
	must(t, err)
	directions := map[string]time.Duration{"forth": 2 * time.Second}
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		directions["back"] = -2 * time.Second
	}
	for _, e := range engines() {
		for direction, ahead := range directions {
			t.Run(e.name+"/"+direction, func(t *testing.T) {
				dsn := e.dsn(t)
				a, b := newTwin(t, dsn, ahead), newTwin(t, dsn, -ahead)
				ann := account.User{ID: "usr_ann", Email: twinEmail, Admin: true, PasswordHash: hash, CreatedAt: a.millis()}
				must(t, a.db.Accounts.CreateUser(t.Context(), ann, a.by()))
				must(t, a.db.Accounts.CreateUser(t.Context(), account.User{ID: "usr_other", Email: "other@example.org", Admin: true, CreatedAt: a.millis()}, a.by()))
				test(t, a, b, ann)
			})
		}
	}
}

// TestSignInOverTwoNodes checks that a session that begins on one node is valid on both at once,
// and that it ends on both at once. TestProviderOverTwoNodes of cmd/gamedex signs in with a provider.
func TestSignInOverTwoNodes(t *testing.T) {
	onTwins(t, func(t *testing.T, a, b *twin, ann account.User) {
		var sessions []*browser
		for range 2 {
			s := &browser{t, map[string]string{}}
			status := s.asks(a, http.MethodPost, "/signin", url.Values{"email": {twinEmail}, "password": {twinPassword}})
			if status != http.StatusSeeOther || !s.signedIn(b) || !s.signedIn(a) {
				t.Fatalf("a session that began on a node: status %d, on the other signed in: %v", status, s.signedIn(b))
			}
			sessions = append(sessions, s)
		}
		if sessions[0].asks(b, http.MethodPost, "/signout", url.Values{}); sessions[0].signedIn(a) {
			t.Error("a session that ended on a node goes on on the other")
		}
		must(t, a.db.Accounts.DisableUser(t.Context(), ann.ID, a.by()))
		if sessions[1].signedIn(b) {
			t.Error("a user who was disabled on a node is signed in on the other")
		}
	})
}

// TestLinksAndLeasesOverTwoNodes checks that a link from a node is open on the other at
// once, and works once; and that a lease and the mark of an import last on both.
func TestLinksAndLeasesOverTwoNodes(t *testing.T) {
	onTwins(t, func(t *testing.T, a, b *twin, ann account.User) {
		link, _, err := account.NewLink(account.LinkReset, a.by(), rand.Reader)
		must(t, err)
		link.UserID = ann.ID
		must(t, a.db.Accounts.SaveLink(t.Context(), link, a.by()))
		if _, found, err := b.db.Accounts.FindLink(t.Context(), link.Hash, b.millis()); !found || err != nil {
			t.Errorf("a new link is open on the other node: %v, %v", found, err)
		}
		_, err = b.db.Accounts.AcceptReset(t.Context(), link.Hash, ann.PasswordHash, b.by())
		must(t, err)
		if _, err := a.db.Accounts.AcceptReset(t.Context(), link.Hash, ann.PasswordHash, a.by()); err == nil {
			t.Error("a link works twice")
		}
		_, err = lease.Holder{Repository: a.db.Nodes, ID: "a", TTL: time.Hour}.Hold(t.Context(), "task", func(context.Context, *lease.Lease) error {
			held, err := lease.Holder{Repository: b.db.Nodes, ID: "b", TTL: time.Hour}.Hold(t.Context(), "task", func(context.Context, *lease.Lease) error { return nil })
			if held || err != nil {
				t.Errorf("both nodes hold a lease: %v, %v", held, err)
			}
			return nil
		})
		must(t, err)
		const mark, renewal = 10_000, 3000 // of an import
		began := time.Now()
		must(t, a.db.Nodes.MarkLoading(t.Context(), "import", a.millis(), a.millis()+mark))
		until, err := b.db.Nodes.LoadingUntil(t.Context())
		if left := until - b.millis() + time.Since(began).Milliseconds(); err != nil || left < renewal {
			t.Errorf("the mark of an import ends on the other node in %d ms, before it is renewed: %v", left, err)
		}
	})
}

// TestKeysOverTwoNodes checks that a key from a node works on the other at once, that a
// change of it or of its user is known after a look (every 500 ms), and that last uses and
// usage are those of both nodes after each has saved its own.
func TestKeysOverTwoNodes(t *testing.T) {
	onTwins(t, func(t *testing.T, a, b *twin, ann account.User) {
		ctx := t.Context()
		var tokens []string
		var issued []account.Key
		for _, name := range []string{"revoked", "kept"} {
			key, token, err := account.Draft{Name: name, UserID: ann.ID}.Issue(a.millis(), rand.Reader)
			must(t, err)
			must(t, a.db.Accounts.CreateKey(ctx, key, a.by()))
			tokens, issued = append(tokens, token), append(issued, key)
		}
		statusOn := func(n *twin, token string) account.Status {
			must(t, n.keys.Refresh(ctx))
			k, err := n.keys.Find(ctx, token)
			must(t, err)
			return k.Status(n.millis())
		}
		if k, err := b.keys.Find(ctx, tokens[1]); err != nil || k.Status(b.millis()) != account.StatusActive {
			t.Errorf("a new key is %s on the other node, %v", k.Status(b.millis()), err)
		}
		for _, n := range []*twin{a, b} {
			statusOn(n, tokens[0])
			statusOn(n, tokens[1])
		}
		first, last := a, b
		if a.ahead > b.ahead {
			first, last = b, a
		}
		used := last.millis()
		for _, n := range []*twin{last, first} {
			n.usage.Add(issued[1].ID, "/r", quota.OutcomeOK, n.millis())
			must(t, n.keys.SaveUses(ctx))
			for range 2 {
				must(t, n.flusher.Flush(ctx))
			}
		}
		stored, _, err := b.db.Accounts.FindKeyByHash(ctx, issued[1].Hash)
		if must(t, err); stored.LastUsedAt < used-1000 || stored.LastUsedAt > last.millis() {
			t.Errorf("last used at %d, want about %d", stored.LastUsedAt, used)
		}
		sums, _, err := a.db.Accounts.SumUsage(ctx, issued[1].ID, 0, "none")
		must(t, err)
		total := int64(0)
		for _, h := range sums {
			total += h.Count
		}
		if total != 2 {
			t.Errorf("%d requests are counted, want 2", total)
		}
		_, err = b.db.Accounts.RevokeKey(ctx, issued[0].ID, b.by())
		must(t, err)
		if got := statusOn(a, tokens[0]); got != account.StatusRevoked {
			t.Errorf("a key that was revoked on the other node is %s", got)
		}
		must(t, b.db.Accounts.DisableUser(ctx, ann.ID, b.by()))
		if got := statusOn(a, tokens[1]); got != account.StatusSuspended {
			t.Errorf("a key whose user was disabled on the other node is %s", got)
		}
	})
}
