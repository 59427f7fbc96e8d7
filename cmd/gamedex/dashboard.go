package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// dashboardFlags say who may sign in, and how.
type dashboardFlags struct {
	SignUp           string    `name:"signup" default:"invite" enum:"closed,invite,open" help:"Who may make an account in the dashboard: closed is nobody, invite is who has an invitation, open is everybody."`
	TrustedProxies   string    `placeholder:"CIDR,…" help:"Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, for example 127.0.0.1,10.0.0.0/8 (default: none)."`
	ImageHosts       []string  `placeholder:"HOST,…" help:"Hosts from which the dashboard's pages may load covers, for example images.example (default: this one alone)."`
	AuditRetention   wholeDays `default:"365d" placeholder:"DAYS" help:"How long the record of what was done to keys and users is kept, for example 90d, or forever. Addresses in it are shortened after 30 days."`
	OIDCIssuer       string    `name:"oidc-issuer" placeholder:"URL" help:"Let people sign in with this OpenID Connect provider, too. Its verified email addresses are believed."`
	OIDCClientID     string    `name:"oidc-client-id" placeholder:"ID" help:"What the provider knows this service as."`
	OIDCClientSecret string    `name:"oidc-client-secret" placeholder:"SECRET" help:"The secret that goes with it. Rather give it in the environment, where other users do not see it."`
	OIDCName         string    `name:"oidc-name" default:"OpenID Connect" help:"What the button calls the provider."`
}

// The explorer's own limit for a user: what a person can look at, not what a
// program would take.
const (
	explorerMinute = 120
	explorerDay    = 20_000
	explorerMemory = 64 << 20 // bytes of answers in work
)

// hashesAtOnce bounds the memory for passwords: each takes 19 MiB.
const hashesAtOnce = 2

// check refuses what cannot work before anything is opened.
func (f *dashboardFlags) check() error {
	if _, err := serve.ParseProxies(f.TrustedProxies); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if oidc := f.oidc(); oidc != nil {
		if err := oidc.Check(); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	return nil
}

func (f *dashboardFlags) oidc() *openid.Settings {
	if f.OIDCIssuer == "" && f.OIDCClientID == "" && f.OIDCClientSecret == "" {
		return nil
	}
	return &openid.Settings{Name: f.OIDCName, Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret}
}

// dashboard makes the pages. The explorer in them asks an API of its own, which
// counts against the one who looks and against no key.
func (n *node) dashboard(wire api.Config) (*dashboard.Dashboard, error) {
	proxies, err := serve.ParseProxies(n.flags.TrustedProxies)
	if err != nil {
		return nil, err
	}
	wire.Keys, wire.Counter, wire.Usage = explorers{}, quota.NewMemory(), uncounted{}
	wire.CORSOrigin, wire.AnswerMemory = "", explorerMemory
	return dashboard.New(dashboard.Config{
		Store: n.db, Live: &n.live, Passwords: account.NewPasswords(hashesAtOnce),
		Counter: n.memory, Limits: n.flags.limits(), Catalog: api.New(wire), OIDC: n.flags.oidc(),
		Web: web.Config{
			Store: n.db, SignUp: web.SignUp(n.flags.SignUp),
			PublicURL: n.baseURL, Secure: n.needsHTTPS(), ImageHosts: n.flags.ImageHosts,
			Names: [2]string{n.flags.ConsoleName, n.flags.PCName}, Version: version,
			Client: proxies.Client, HTTPS: proxies.HTTPS,
			Now: n.program.Now, Rand: rand.Reader, Log: n.log,
		},
	})
}

// needsHTTPS says whether passwords and cookies have to be encrypted on their
// way: wherever the service can be reached from another machine.
func (n *node) needsHTTPS() bool {
	u, err := url.Parse(n.baseURL)
	if err != nil || u.Scheme == "https" {
		return true
	}
	if n.flags.PublicURL == "" {
		u.Host = n.flags.Addr // what it is bound to, which may be everything
	}
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !addr.IsLoopback())
}

// greetPeople says why nobody will be able to sign in, if so, and, while there
// is nobody who could, how to become the dashboard's first administrator.
func (n *node) greetPeople(ctx context.Context) {
	if n.needsHTTPS() && strings.HasPrefix(n.baseURL, "http://") {
		fmt.Fprintf(n.program.Stdout, "\nNobody can sign in over plain HTTP from elsewhere: put an HTTPS proxy before --addr,"+
			" and set --public-url to the https:// address that people use, and --trusted-proxies.\n")
	}
	address, needed, err := n.pages.SetupLink(ctx)
	switch {
	case err != nil:
		n.log.Error("no set-up link; gamedex user create EMAIL --admin makes an administrator, too", "error", err)
	case needed:
		fmt.Fprintf(n.program.Stdout, "\nNobody can sign in yet. The first administrator, once and within a day:\n\n  %s\n", address)
	}
}

// explorers lets everybody look who is signed in; the token is the user's id.
type explorers struct{}

// Find implements api.KeyFinder.
func (explorers) Find(_ context.Context, token string) (account.Key, error) {
	return account.Key{ID: token, Name: "explorer", Permissions: account.ReadCatalog, LimitMinute: explorerMinute, LimitDay: explorerDay}, nil
}

// uncounted keeps what the explorer asks out of everybody's usage.
type uncounted struct{}

// Add implements api.Usage.
func (uncounted) Add(string, string, quota.Outcome, int64) {}

// History implements api.Usage.
func (uncounted) History(context.Context, string, int64) (quota.History, error) {
	return quota.History{}, nil
}

// wholeDays is a span of whole days: "90d", or "forever", which is 0.
type wholeDays int

// UnmarshalText reads what the command line says.
func (d *wholeDays) UnmarshalText(text []byte) error {
	if string(text) == "forever" {
		*d = 0
		return nil
	}
	number, ok := strings.CutSuffix(string(text), "d")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > 36500 {
		return errors.New(`must be days such as 90d (1d to 36500d), or "forever"`)
	}
	*d = wholeDays(n)
	return nil
}

// addressesKept is how long the audit log knows whole addresses.
const addressesKept = 30 * 24 * time.Hour

// forget removes what is kept of people longer than it is to be: old audit
// entries, whole addresses, sessions and links that are over.
func (n *node) forget(ctx context.Context) error {
	now := n.program.Now()
	errs := []error{
		n.db.DeleteExpired(ctx, now.UnixMilli()),
		n.db.ShortenAddresses(ctx, now.Add(-addressesKept).UnixMilli()),
	}
	if keep := n.flags.AuditRetention; keep > 0 {
		gone, err := n.db.ForgetAudit(ctx, now.AddDate(0, 0, -int(keep)).UnixMilli())
		if gone > 0 {
			n.log.Info("old audit entries deleted", slog.Int64("entries", gone))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// panicked answers a request whose handler panicked, in the words of whoever
// owns its path.
func panicked(wire *api.API, pages *dashboard.Dashboard) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		if isWirePath(r.URL.Path) {
			wire.InternalError(w, r)
			return
		}
		pages.InternalError(w, r)
	}
}
