package upstream

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// Config is what a client is made of. UserAgent, Now and Rand are needed.
type Config struct {
	UserAgent string            // names the program and the operator's contact
	HTTP      http.RoundTripper // nil: the client's own, which checks the addresses it connects to
	Pacer     Pacer             // nil: the requests of this process alone are paced
	Now       func() time.Time  // must go on as real time does: the waits do
	Rand      func() float64    // from [0,1)
	Log       *slog.Logger      // nil: nothing is logged
	// Observe hears of every attempt: ok, not_modified, client_error,
	// server_error, throttled, timeout, refused, broken or stopped. May be nil.
	Observe func(host, outcome string, took time.Duration)
}

// Client asks hosts. It may be used from any goroutine.
type Client struct {
	cfg      Config
	product  string // the name that robots.txt may call us by
	hosts    map[string]*host
	cache    *cache
	requests atomic.Int64
	close    []func()
}

// Request is a GET.
type Request struct {
	URL    string
	Header http.Header
	Accept []string // media types that are what was asked for; none: whatever comes
	// MaxBytes is a limit for the unpacked body, below the host's; zero: the host's.
	MaxBytes int64
}

// Answer is what a host answered. Header and Body may be shared with later
// answers and must not be changed.
type Answer struct {
	Status    int
	Header    http.Header
	Body      []byte
	FromCache bool // the host said that it is still the same
}

// New makes a client that asks these hosts and no others.
func New(cfg Config, hosts []Host) (*Client, error) {
	switch {
	case cfg.UserAgent == "":
		return nil, errors.New("upstream client: it needs a user agent that says how to reach the operator")
	case strings.ContainsFunc(cfg.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }):
		return nil, fmt.Errorf("upstream client: user agent %q: only printable ASCII can be sent", cfg.UserAgent)
	case cfg.Now == nil || cfg.Rand == nil:
		return nil, errors.New("upstream client: it needs a clock and random numbers")
	}
	if cfg.Pacer == nil {
		cfg.Pacer = NewPacer(cfg.Now)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	c := &Client{cfg: cfg, product: productToken(cfg.UserAgent), hosts: make(map[string]*host), cache: &cache{entries: make(map[string]*list.Element), order: list.New()}}
	for i, o := range hosts {
		o.Name = strings.ToLower(o.Name)
		o.RequestsPerSecond = cmp.Or(o.RequestsPerSecond, 2)
		o.Concurrent = cmp.Or(o.Concurrent, 2)
		o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
		o.MaxBytes = cmp.Or(o.MaxBytes, 16<<20)
		o.Attempts = cmp.Or(o.Attempts, 3)
		o.StopFor = cmp.Or(o.StopFor, 4*time.Hour)
		if err := o.check(); err != nil {
			return nil, fmt.Errorf("hosts[%d] %q: %w", i, o.Name, err)
		}
		if c.hosts[o.Name] != nil {
			return nil, fmt.Errorf("hosts[%d] %q: it is there twice", i, o.Name)
		}
		h := &host{
			Host: o, hostname: (&url.URL{Host: o.Name}).Hostname(), slots: make(chan struct{}, o.Concurrent),
			moments: moments{
				host: o.Name, every: max(time.Duration(float64(time.Second)/o.RequestsPerSecond), 0),
				ahead: int(min(max(o.RequestsPerSecond*aheadFor.Seconds(), 1), aheadMax)), turn: make(chan struct{}, 1),
			},
			robots: robots{turn: make(chan struct{}, 1)},
			breaker: circuitbreaker.NewBuilder[any]().
				WithFailureThreshold(breakAfter).WithSuccessThreshold(1).WithDelay(breakFor).Build(),
		}
		if h.transport = cfg.HTTP; h.transport == nil {
			own := h.newTransport()
			h.transport = own
			c.close = append(c.close, own.CloseIdleConnections)
		}
		c.hosts[o.Name] = h
	}
	return c, nil
}

// Close lets go of idle connections. Requests may still be made.
func (c *Client) Close() {
	for _, f := range c.close {
		f()
	}
}

// Requests is how many attempts were sent so far, to all hosts.
func (c *Client) Requests() int64 { return c.requests.Load() }

// Get requests r and returns a whole answer of the right media type with status
// 2xx. Anything else is an [*Error], except that ctx ended: then it is ctx's.
func (c *Client) Get(ctx context.Context, r Request) (Answer, error) {
	h, asked, err := c.prepare(r)
	if err != nil {
		return Answer{}, err
	}
	asked.judge = func(a Answer) *Error { return asked.judgeAnswer(a, c.cfg.Now()) }
	return c.ask(ctx, h, asked)
}

type request struct {
	url      *url.URL
	header   http.Header
	accept   []string
	maxBytes int64
	// robots: it is for robots.txt, which nothing forbids, and of which what is
	// over maxBytes is not read.
	robots bool
	key    string
	// judge says what is wrong with an answer; redirects are not shown to it.
	judge func(Answer) *Error
}

// prepare finds the host and refuses what is not to be sent.
func (c *Client) prepare(r Request) (*host, *request, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, nil, &Error{Kind: Refused, URL: "request", Err: errors.New("its URL is not one of http or https without a user")}
	}
	u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Host), "", ""
	h := c.hosts[u.Host]
	if h == nil {
		return nil, nil, &Error{Kind: Refused, Host: u.Host, URL: redacted(u),
			Err: fmt.Errorf("%s is not among the hosts that may be asked: add it to hosts", u.Host)}
	}
	asked := &request{url: u, header: r.Header.Clone(), accept: r.Accept, maxBytes: h.MaxBytes}
	if r.MaxBytes > 0 {
		asked.maxBytes = min(r.MaxBytes, h.MaxBytes)
	}
	asked.complete(c.cfg.UserAgent)
	return h, asked, nil
}

// complete sets the headers that are the same for all, and what the answer is
// kept under: answers may differ by any header that the caller chose.
func (r *request) complete(userAgent string) {
	if r.header == nil {
		r.header = make(http.Header)
	}
	if len(r.accept) > 0 {
		r.header.Set("Accept", strings.Join(r.accept, ", "))
	}
	r.header.Set("User-Agent", userAgent)
	r.header.Set("Accept-Encoding", "gzip")
	var key strings.Builder
	key.WriteString(r.url.String() + "\n")
	_ = r.header.Write(&key) // sorted; a builder takes everything
	r.key = key.String()
}

// redacted is a URL for errors and logs: queries hold keys.
func redacted(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// Stop keeps all requests from a host until then, for what another process, or
// the one before, was told. A stop that lasts longer stays as it is. Hosts that
// are not known are none of the client's business.
func (c *Client) Stop(host string, until time.Time, reason string) {
	if h := c.hosts[strings.ToLower(host)]; h != nil {
		h.leaveAlone(rest{until: until, kind: Stopped, reason: reason})
	}
}

// Stopped says until when a host may not be asked, and why: after a 403, a
// challenge page or Stop. The zero time: it may be asked. What passes by
// itself, a breaker or Retry-After, is not counted here.
func (c *Client) Stopped(host string) (until time.Time, reason string) {
	h := c.hosts[strings.ToLower(host)]
	if h == nil {
		return time.Time{}, ""
	}
	if r, ok := h.resting(c.cfg.Now()); ok && r.kind == Stopped {
		return r.until, r.reason
	}
	return time.Time{}, ""
}

// resting is the error of a request that a rest keeps from being sent.
func (r *request) resting(h *host, why rest) *Error {
	return r.failed(h, &Error{Kind: why.kind, Status: why.status, Until: why.until, Err: errors.New(why.reason)})
}

func (r *request) failed(h *host, e *Error) *Error {
	e.Host, e.URL = h.Name, redacted(r.url)
	return e
}
