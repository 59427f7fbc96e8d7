package node

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/admin"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/reference"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/dashboard/webhooks"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// personLimits limit the requests that pages send to the API on behalf of a user:
// more than a person can read, less than a program would send.
var personLimits = quota.Limits{Minute: 120, Day: 20_000}

// publicLimits limit the requests for public pages of an address, and of all together. A
// search engine reads less; a cache in front of the service answers more.
var publicLimits = web.PublicLimits{Each: 120, All: 6000}

// hashesAtOnce bounds the memory for passwords: each takes 19 MiB.
const hashesAtOnce = 2

// dashboard returns the pages. The explorer and the reference send requests to the
// API on behalf of the signed-in user.
func (n *node) dashboard(wire *api.API) (*dashboard.Dashboard, error) {
	cfg := dashboard.Config{
		Catalog: wire.Catalog, Status: status.Repositories{ListingCount: n.DB.Listings.ListingCount, Sweeps: n.DB.Sweeps, Nodes: n.DB.Nodes, Registry: n.nodes, CountsAlone: func() bool { return n.countsAlone() != "" }},
		API:       wire.Pages,
		Watched:   n.DB.Accounts,
		Reference: reference.Config{Document: api.OpenAPI(), API: wire.Person},
		Admin:     admin.Config{Users: n.DB.Accounts, Links: n.DB.Accounts, Keys: n.DB.Accounts, Platforms: n.DB.Nodes, SearchAudit: n.DB.Accounts.SearchAudit},
		Keys:      keys.Config{Repository: n.DB.Accounts, Counter: n.counter, Limits: n.Limits, OwnerLimits: n.keys.OwnerLimits, Flush: n.flusher.Flush, LastUsed: n.keys.LastUsed},
		SignIn: signin.Config{
			Users: n.DB.Accounts, Links: n.DB.Accounts, KeysOf: n.DB.Accounts.KeysOf, Passwords: account.NewPasswords(hashesAtOnce), OIDC: n.OIDC,
			Tries: n.tries, OthersToo: n.DB.File == nil,
		},
		Web: web.Config{
			Repository: n.DB.Accounts, SignUp: n.SignUp, PublicPages: n.PublicPages, PublicLimits: publicLimits,
			PublicURL: n.baseURL, Secure: n.mayBeRemote, PlainUser: n.plainUser(), ImageHosts: n.ImageHosts,
			Names: [2]string{n.ConsoleName, n.PCName}, Version: n.Version,
			Client: n.Proxies.Client, HTTPS: n.Proxies.HTTPS, Country: func(r *http.Request) string { return n.Proxies.Header(r, n.CountryHeader) }, FormMemory: wire.FormMemory,
			Now: n.now, Rand: rand.Reader, Log: n.Log,
		},
		Webhooks: webhooks.Config{KeysOf: n.DB.Accounts.KeysOf, API: wire.KeyOwner},
	}
	if n.Webhooks {
		cfg.Webhooks.Repository, cfg.Admin.Webhooks = n.DB.Webhooks, n.DB.Webhooks
	}
	return dashboard.New(cfg)
}

// needsHTTPS reports whether the service can be reached from another machine, so
// that passwords and cookies must be encrypted.
func (n *node) needsHTTPS() bool {
	u, err := url.Parse(n.baseURL)
	if err != nil || u.Scheme == "https" {
		return true
	}
	if n.PublicURL == "" {
		u.Host = n.Addr // it may listen on every address
	}
	return !serve.IsLoopback(u.Hostname())
}

// mayBeRemote reports whether a request can come from another machine. Without a public URL, one that
// a proxy on this machine passes on can.
func (n *node) mayBeRemote(r *http.Request) bool {
	return n.needsHTTPS() || n.PublicURL == "" && serve.PassedOn(r)
}

// plainUser returns the email address of the user who may sign in over plain HTTP; "" for none.
func (n *node) plainUser() string {
	if n.Demo {
		return demoEmail
	}
	return ""
}

// printSetupHint prints who can sign in from another machine over plain HTTP, if anybody asks for that,
// and, while there are no users, the link that creates the first administrator.
func (n *node) printSetupHint(ctx context.Context) {
	if n.needsHTTPS() && strings.HasPrefix(n.baseURL, "http://") {
		who := "Nobody can"
		if n.Demo {
			who = "Only the account of the demo can"
		}
		fmt.Fprintf(n.Stdout, "\n%s sign in over plain HTTP. For others, put an HTTPS proxy in front of --addr,"+
			" and set --public-url to its https:// address and --trusted-proxies to its IP address."+
			" If browsers on this machine alone reach the service, as with a container's port that is published on"+
			" 127.0.0.1, set --public-url to http:// and that address, such as http://127.0.0.1:8080.\n", who)
	}
	address, needed, err := n.pages.SetupLink(ctx)
	switch {
	case err != nil:
		n.Log.Error("no setup link; create an administrator with gamedex user create EMAIL --admin", "error", err)
	case needed && address == "":
		fmt.Fprint(n.Stdout, n.Hint("\nNobody can sign in yet. Another start of gamedex has printed a one-time link that creates the administrator."+
			" If nobody has it: gamedex user create EMAIL --admin\n"))
	case needed:
		fmt.Fprintf(n.Stdout, "\nNobody can sign in yet. Open this one-time link within 24 hours to create the administrator:\n\n  %s\n", address)
	}
}
