package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/node"
	"gamedex/internal/node/profile"
	"gamedex/internal/quota"
	"gamedex/internal/registry"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
	"gamedex/internal/webhook"
)

type serveCommand struct {
	Addr          string   `default:"127.0.0.1:8080" help:"Address of the API and the dashboard; port 0 takes a free one."`
	OpsAddr       string   `default:"127.0.0.1:8081" help:"Address of metrics, liveness, readiness and profiles. Never make it public."`
	Roles         []string `default:"api,build,collect" enum:"api,build,collect" help:"What this process does: api answers requests, build makes snapshots, collect reads the stores and the exchange rates."`
	NodeName      string   `placeholder:"NAME" help:"Name of this process in gamedex nodes and on the status page (default: the name of the machine)."`
	Demo          bool     `help:"Fill an empty database with a sample catalog, rates, a user and a key. While the database has no other listings, a few of the prices change every minute."`
	DemoStill     bool     `help:"With --demo: keep the sample prices as they are."`
	ActiveRegions string   `placeholder:"UA,TR,PL,IN" help:"Regions whose games are served, in order of preference (default: UA,TR,PL,IN, or all regions with listings if none of these has one). A game that is sold in none of them is not found."`
	PublicURL     string   `placeholder:"URL" help:"URL of this service for links and the OpenAPI document (default: http:// and --addr)."`
	CORSOrigin    []string `name:"cors-origin" placeholder:"ORIGIN,…" help:"Origins whose pages may call the API, or * (default: none). The flag may be given several times; in the environment commas or spaces separate origins."`
	ConsoleName   string   `default:"Console Store" help:"Display name of the platform consolestore."`
	PCName        string   `name:"pc-name" default:"PC Store" help:"Display name of the platform pcstore."`
	LimitMinute   int      `default:"30" help:"Requests per minute for keys without a limit of their own, 1 to 262143."`
	LimitDay      int      `default:"43200" help:"Requests per UTC day for keys without a limit of their own, 1 to 4194303."`
	Rates         string   `default:"auto" enum:"auto,off" help:"Exchange rates: auto fetches them every hour, off disables fetching (use gamedex rates import)."`
	ratesFlags
	collectFlags
	dashboardFlags
	Webhooks     string   `default:"off" enum:"on,off" help:"Whether keys may have webhooks: on or off. The role build sends their messages."`
	WebhookHosts []string `placeholder:"HOST,…" help:"Hosts that may receive webhooks at private addresses and over plain HTTP (default: none; others need a public address and HTTPS)."`
	Counters     string   `default:"memory" placeholder:"WHERE" help:"Where requests are counted: memory, for a single process with the role api; or a Redis or Valkey server, for several: redis://HOST:PORT, rediss:// for TLS, with ?cluster=1 for a cluster. Set a URL with a password in the environment, where other users do not see it: redis://USER:PASSWORD@HOST:PORT."`
	AnswerCache  *int     `placeholder:"MIB" help:"Memory, in MiB, for encoded prices of games that are often requested; 0: none (default: 64, less where memory is limited)."`
	bucketFlag
	KeepSnapshots *time.Duration `placeholder:"DURATION" help:"How long replaced snapshots are kept for slow nodes, for example 2h; the last five are always kept (default: 1h in an S3 service, 0s in a folder)."`
	Drain         time.Duration  `default:"10s" help:"How long requests are still answered after SIGTERM, while /readyz fails, so that load balancers send them elsewhere. Ctrl-C stops without it."`
	LogFormat     string         `default:"text" enum:"text,json" help:"Log format: text or json."`
	LogLevel      string         `default:"info" enum:"debug,info,warn,error" help:"Minimum log level: debug, info, warn or error."`
	LogRequests   bool           `help:"Log requests to a terminal with --demo too. Everywhere else they are always logged."`
}

// Run serves until the context ends, which may be during the start. It continues when
// standard output is closed.
func (s *serveCommand) Run(ctx context.Context, p *program, c *commands) error {
	active, err := s.check(c)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE)
	quiet := s.Demo && !s.LogRequests && isTerminal(p.Stderr)
	s.queueLog(p)
	drain := func() time.Duration { return s.drain(ctx) }
	err = stopInTime(ctx, drain, func() error {
		config := s.config(p, c, active)
		config.Drain, config.QuietRequests = drain, quiet
		s.limitMemory(&config)
		db, err := node.AwaitDatabase(ctx, config, func(ctx context.Context) (*sqldb.DB, error) {
			// In the place of a database that is gone, a new one would replace its snapshots.
			opts := c.options(p, sqldb.OnServer(c.dsn()) || !config.Bucket.HasSnapshots())
			opts.KeepDamaged = true
			return c.open(ctx, p, opts)
		})
		if err != nil {
			return err
		}
		config.DB = db
		return errors.Join(node.Run(ctx, config), db.Close())
	}, func() {
		fmt.Fprintf(p.Stderr, "gamedex: not stopped after %v; exiting\n", drain()+stopTime)
		p.closeLog()
		p.Exit(statusFailed)
	})
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // stopped before it was up
	}
	return err
}

// drain returns how long the service answers requests after a signal to stop: after
// Ctrl-C in a terminal, where no load balancer has to notice, not at all.
func (s *serveCommand) drain(stopped context.Context) time.Duration {
	if errors.Is(context.Cause(stopped), errInterrupted) {
		return 0
	}
	return s.Drain
}

// stopTime limits the time to stop after the drain: 10 s for requests in progress, 5 s for
// the last writes. The systemd unit allows 30 s for drain and stop.
const stopTime = 15 * time.Second

// maxAnswerCache is the upper limit of --answer-cache, in MiB.
const maxAnswerCache = 64 << 10

// maxDrain is the upper limit of --drain, more than any load balancer needs.
const maxDrain = 10 * time.Minute

// stopInTime does work. It calls late if work has not ended stopTime after the end of ctx
// and the drain.
func stopInTime(ctx context.Context, drain func() time.Duration, work func() error, late func()) error {
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(ctx, func() {
		select {
		case <-ended:
		case <-time.After(drain() + stopTime):
			late()
		}
	})()
	return work()
}

// queueLog puts a queue before standard error, so that the service does not block when
// nothing reads that pipe.
func (s *serveCommand) queueLog(p *program) {
	p.log = serve.NewLogQueue(p.Stderr, func(out io.Writer, lines int64) {
		s.logger(out, p.hint).Warn("log lines were dropped: nothing read the log fast enough", "lines", lines)
	})
	p.Stderr = p.log
	p.notice = func(text string) { s.logger(p.log, p.hint).Warn(text) }
}

// logger returns a log that is written to out, with hints as hint writes them.
func (s *serveCommand) logger(out io.Writer, hint func(string) string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // one of the enum
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			return slog.String(a.Key, hint(err.Error()))
		}
		if a.Value.Kind() == slog.KindString {
			return slog.String(a.Key, hint(a.Value.String()))
		}
		return a
	}}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// check rejects flags that cannot work, before anything is opened.
func (s *serveCommand) check(c *commands) ([]catalog.Region, error) {
	if s.Demo && !s.has("api") {
		return nil, errors.New("--demo: requires the role api, which serves the sample covers")
	}
	if len(s.Roles) == 0 {
		return nil, errors.New("--roles: at least one is required: api, build or collect")
	}
	if s.CollectProfile != "" && !s.has("collect") {
		return nil, errors.New("--collect-profile: requires the role collect")
	}
	for _, shown := range []struct{ flag, name string }{{"--console-name", s.ConsoleName}, {"--pc-name", s.PCName}} {
		if strings.TrimSpace(shown.name) == "" {
			return nil, fmt.Errorf("%s %q: must not be blank; leave the flag out for the default", shown.flag, shown.name)
		}
	}
	if err := errors.Join(checkAddress("--addr", s.Addr), checkAddress("--ops-addr", s.OpsAddr)); err != nil {
		return nil, err
	}
	if s.CollectProfile != "" {
		if _, err := profile.Read(s.CollectProfile); err != nil {
			return nil, err
		}
	}
	if s.Rates == "auto" {
		if err := node.RateConfig(s.ratesFlags).Check(); err != nil {
			return nil, err
		}
	}
	if err := s.checkCounters(c); err != nil {
		return nil, err
	}
	if err := registry.CheckName(s.NodeName); err != nil {
		return nil, fmt.Errorf("--node-name: %w", err)
	}
	if _, err := s.bucket(c); err != nil {
		return nil, err
	}
	if s.KeepSnapshots != nil && (*s.KeepSnapshots < 0 || *s.KeepSnapshots > maxKeepSnapshots) {
		return nil, fmt.Errorf("--keep-snapshots %v: must be 0s to %.0fh", *s.KeepSnapshots, maxKeepSnapshots.Hours())
	}
	if s.LimitMinute < 1 || s.LimitMinute > account.MaxLimitMinute {
		return nil, fmt.Errorf("--limit-minute %d: must be 1 to %d", s.LimitMinute, account.MaxLimitMinute)
	}
	if s.LimitDay < 1 || s.LimitDay > account.MaxLimitDay {
		return nil, fmt.Errorf("--limit-day %d: must be 1 to %d", s.LimitDay, account.MaxLimitDay)
	}
	if s.AnswerCache != nil && (*s.AnswerCache < 0 || *s.AnswerCache > maxAnswerCache) {
		return nil, fmt.Errorf("--answer-cache %d: must be 0 to %d, in MiB", *s.AnswerCache, maxAnswerCache)
	}
	if s.Drain < 0 || s.Drain > maxDrain {
		return nil, fmt.Errorf("--drain %v: must be 0s to %.0fm", s.Drain, maxDrain.Minutes())
	}
	for _, host := range s.WebhookHosts {
		if u, err := url.Parse("https://" + host); err != nil || host == "" || u.Host != host || u.Port() != "" {
			return nil, fmt.Errorf("--webhook-hosts %s: must be names or addresses without ports, such as 127.0.0.1", host)
		}
	}
	urls := checkPublicURL(s.PublicURL)
	for _, o := range s.origins() {
		if o != "*" && (!isWebURL(o) || strings.Count(o, "/") > len("//")) {
			urls = errors.Join(urls, fmt.Errorf("--cors-origin %s: must be * or an origin such as https://games.example, without a path", o))
		}
	}
	if err := errors.Join(urls, s.dashboardFlags.check()); err != nil {
		return nil, err
	}
	return parseRegions(s.ActiveRegions)
}

// checkAddress checks an address to listen on, without looking up its host.
func checkAddress(flag, address string) error {
	host, port, err := net.SplitHostPort(address)
	if _, wrong := net.LookupPort("tcp", port); err != nil || wrong != nil || strings.ContainsAny(host, "/@") {
		return fmt.Errorf("%s %q: must be HOST:PORT such as 127.0.0.1:8080, or :8080 for all addresses of this machine; the port is a number from 0 to 65535", flag, address)
	}
	return nil
}

// origins returns the origins of --cors-origin, in lower case, as browsers send
// them. Each value may hold several.
func (s *serveCommand) origins() []string {
	return strings.Fields(strings.ToLower(strings.Join(s.CORSOrigin, " ")))
}

// checkPublicURL checks the value of --public-url; it may be empty.
func checkPublicURL(u string) error {
	if u != "" && !isWebURL(u) {
		return fmt.Errorf("--public-url %s: must be a URL such as https://games.example", u)
	}
	return nil
}

func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && !strings.ContainsAny(s, "?#")
}

// checkCounters checks the value of --counters, and whether it can be used with the database.
func (s *serveCommand) checkCounters(c *commands) error {
	counters, err := node.ParseCounters(s.Counters)
	if err == nil && counters != nil && !sqldb.OnServer(c.dsn()) {
		err = fmt.Errorf("--counters %s: requires --database postgres://…; with SQLite, one process answers all requests and counts them in memory", counters)
	}
	return err
}

// config returns the node's configuration. The flags were checked.
func (s *serveCommand) config(p *program, c *commands, active []catalog.Region) node.Config {
	proxies, _ := serve.ParseProxies(s.TrustedProxies) // checked
	snapshots, _ := s.bucket(c)                        // checked
	counters, _ := node.ParseCounters(s.Counters)      // checked
	config := node.Config{
		Bucket: snapshots, CacheDir: filepath.Join(c.DataDir, "cache"), KeepSnapshots: s.KeepSnapshots, Counters: counters,
		OverridesFile: c.overridesFile(), ServerFile: c.serverFile(), KeepPrivate: func() error { return c.keepPrivate(p) }, NodeName: s.nodeName(), Version: version,
		Roles: slices.Compact(slices.Sorted(slices.Values(s.Roles))), ActiveRegions: active, Demo: s.Demo, DemoStill: s.DemoStill,
		Addr: s.Addr, OpsAddr: s.OpsAddr, PublicURL: s.PublicURL, CORSOrigins: s.origins(), ConsoleName: s.ConsoleName, PCName: s.PCName,
		Limits:   quota.Limits{Minute: s.LimitMinute, Day: s.LimitDay},
		Webhooks: s.Webhooks == "on", WebhookHosts: s.webhookHosts(),
		SignUp: web.SignUp(s.SignUp), PublicPages: s.PublicPages, Proxies: proxies, CountryHeader: s.CountryHeader, ImageHosts: s.ImageHosts, AuditRetention: int(s.AuditRetention), OIDC: s.oidc(),
		Stdout: p.Stdout, Hint: p.hint, Now: p.Now, OwnClock: p.OwnClock, Log: s.logger(p.Stderr, p.hint), LogsDropped: p.log.Dropped,
	}
	if s.CollectProfile != "" {
		config.Stores = (*node.StoreConfig)(&s.collectFlags)
	}
	if s.Rates == "auto" {
		config.Rates = (*node.RateConfig)(&s.ratesFlags)
	}
	return config
}

// webhookHosts returns the hosts of --webhook-hosts as URLs name them.
func (s *serveCommand) webhookHosts() (hosts webhook.Hosts) {
	for _, host := range s.WebhookHosts {
		hosts = append(hosts, strings.ToLower(strings.Trim(host, "[]")))
	}
	return hosts
}

// nodeName returns the name of this process.
func (s *serveCommand) nodeName() string {
	host, err := os.Hostname()
	if err != nil || registry.CheckName(host) != nil {
		host = "unnamed"
	}
	return cmp.Or(s.NodeName, host)
}

func (s *serveCommand) has(role string) bool { return slices.Contains(s.Roles, role) }

// maxKeepSnapshots is a year; a longer time is probably a typing error.
const maxKeepSnapshots = 365 * 24 * time.Hour

// parseRegions parses the active regions, without duplicates. It returns none for "", which
// means the default.
func parseRegions(s string) ([]catalog.Region, error) {
	var regions []catalog.Region
	for code := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(code) == "" {
			continue
		}
		r, err := catalog.FindRegion(code)
		if err != nil {
			return nil, fmt.Errorf("--active-regions: %w", err)
		}
		if !slices.Contains(regions, r) {
			regions = append(regions, r)
		}
	}
	if len(regions) == 0 && s != "" {
		return nil, errors.New("--active-regions: at least one country code is required, for example UA,TR")
	}
	return regions, nil
}
