package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"golang.org/x/sync/errgroup"

	"gamedex/internal/api"
	"gamedex/internal/demo"
	"gamedex/internal/serve"
	"gamedex/internal/webhook"
)

// opsConns is how many connections operators and their tools may have.
const opsConns = 50

// listeners are those of one process.
type listeners struct {
	front *serve.Server // of the API and the dashboard; nil: it answers no requests
	ops   *serve.Server
}

// close closes listeners that never ran.
func (l listeners) close() error { return errors.Join(l.front.Close(), l.ops.Close()) }

// run answers requests until ctx ends and the front has stopped. Operators and their
// tools are answered as long as anybody is.
func (l listeners) run(ctx context.Context) error {
	both, frontCtx := errgroup.WithContext(ctx)
	opsCtx, stopOps := context.WithCancel(context.WithoutCancel(ctx))
	both.Go(func() error {
		defer stopOps()
		if l.front == nil {
			<-frontCtx.Done()
			return nil
		}
		return l.front.Run(frontCtx)
	})
	both.Go(func() error { return l.ops.Run(opsCtx) })
	return both.Wait()
}

// listen opens the operations listener, and the API's if this process answers
// requests. Its error names all addresses at which it cannot listen.
func (n *node) listen() (l listeners, err error) {
	var failed []string
	open := func(flag string, c serve.Config) *serve.Server {
		server, err := serve.Listen(c)
		if err != nil {
			failed = append(failed, flag+" "+err.Error())
		}
		return server
	}
	// Pages contain links that begin with the listener's address, which is not known
	// before the listener is open: the handler is set later.
	var handler http.Handler
	late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) })
	if n.Roles.has(roleAPI) {
		l.front = open("--addr", serve.Config{Addr: n.Addr, Log: n.Log, Handler: late, Proxies: n.Proxies, Drain: n.Drain})
	}
	l.ops = open("--ops-addr", serve.Config{Addr: n.OpsAddr, MaxConns: opsConns, Log: n.Log, Handler: serve.Ops(n.metrics.registry, n.hinted(n.notReady), n.hinted(n.warnings))})
	if failed != nil {
		return l, errors.Join(fmt.Errorf("%s; choose another address", strings.Join(failed, "; ")), l.close())
	}
	n.opsURL = "http://" + reachable(l.ops.Addr())
	if l.front == nil {
		return l, nil
	}
	n.baseURL = "http://" + reachable(l.front.Addr())
	if n.PublicURL != "" {
		n.baseURL = strings.TrimRight(n.PublicURL, "/")
	}
	if handler, err = n.handler(); err != nil {
		return l, errors.Join(err, l.close())
	}
	return l, nil
}

// reachable returns the address at which a client on this machine reaches a
// listener: a loopback address if it listens on every address.
func reachable(addr string) string {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port())
	}
	return addr
}

func (n *node) handler() (_ http.Handler, err error) {
	var hooks webhook.Repository
	if n.Webhooks {
		hooks = n.DB.Webhooks
	}
	wire := api.New(api.Config{
		Version: n.Version, ConsoleName: n.ConsoleName, PCName: n.PCName, CORSOrigins: n.CORSOrigins,
		Limits: n.Limits, PersonLimits: personLimits, Clock: n.now, Live: &n.live, Past: NewDatabase(n.DB, n.now), Keys: n.keys,
		Counter: n.counter, PersonCounter: n.people, Usage: n.usage,
		Webhooks: hooks, WebhookHosts: n.WebhookHosts, AnswerMemory: n.AnswerMemory, AnswerCache: n.AnswerCache, Network: n.Proxies.Network,
		Failed: func(requestID string, err error) {
			n.Log.Error("request failed", "request_id", requestID, "error", err)
		},
	})
	n.items = wire.ItemCounts
	if n.pages, err = n.dashboard(wire); err != nil {
		return nil, err
	}
	return &serve.Front{
		Next: site{api: wire, files: api.Files(n.PublicURL, n.baseURL, n.CORSOrigins), dashboard: n.pages, samples: n.demo}, Log: n.Log, Metrics: n.metrics.http, Quiet: n.QuietRequests,
		Rand: rand.Reader, Now: n.Now, OnPanic: func(w http.ResponseWriter, r *http.Request) {
			if isAPIPath(r.URL.Path) {
				wire.InternalError(w, r)
			} else {
				n.pages.InternalError(w, r)
			}
		},
	}, nil
}

// site passes requests to the API, its documents, the sample covers or, for
// all other paths, the dashboard. The API receives paths as the client sent them: a mux
// would answer doubled slashes with redirects.
type site struct {
	api, dashboard http.Handler
	files          map[string]http.Handler // by path
	samples        *demo.Catalog
}

// ServeHTTP passes the request to the handler that owns the path.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	record := serve.RecordFrom(r.Context())
	switch {
	case isAPIPath(path):
		s.api.ServeHTTP(w, r)
	case s.files[path] != nil:
		record.Route = path
		s.files[path].ServeHTTP(w, r)
	case strings.HasPrefix(path, demo.CoverPath):
		record.Route, record.Quiet = demo.CoverPath, true
		s.serveCover(w, r, strings.TrimPrefix(path, demo.CoverPath))
	default:
		s.dashboard.ServeHTTP(w, r)
	}
}

func isAPIPath(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// serveCover draws the placeholder cover of a sample game.
func (s site) serveCover(w http.ResponseWriter, r *http.Request, name string) {
	svg, ok := s.samples.Cover(name)
	if !ok {
		http.Error(w, "no such cover", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=86400")
	if r.Method != http.MethodHead {
		_, _ = w.Write(svg) // the client may be gone
	}
}
