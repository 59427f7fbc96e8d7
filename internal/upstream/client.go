package upstream

import (
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
)

// Config configures a Client. UserAgent, Now and Rand are required.
type Config struct {
	UserAgent string            // names the program and the operator's contact
	HTTP      http.RoundTripper // nil: a transport that checks the addresses to which it connects
	Pacer     Pacer             // nil: pace only the requests of this process
	Now       func() time.Time  // must advance with real time, as the waits do
	Rand      func() float64    // from [0,1)
	Log       *slog.Logger      // nil: log nothing
	// Observe is called after every attempt with its outcome: ok, not_modified,
	// client_error, server_error, throttled, timeout, refused, broken or stopped.
	// It may be nil.
	Observe func(host, outcome string, took time.Duration)
}

// Client sends requests to hosts. It may be used from any goroutine.
type Client struct {
	cfg      Config
	product  string // our name in robots.txt
	hosts    map[string]*host
	cache    *cache
	requests atomic.Int64
}

// Request is a GET.
type Request struct {
	URL    string
	Header http.Header
	Accept []string // accepted media types; none: all
	// MaxBytes is a limit for the decompressed body, below that of the host;
	// zero: the limit of the host.
	MaxBytes int64
}

// Answer is an answer of a host. Later answers may share Header and Body, which must not
// be changed.
type Answer struct {
	Status    int
	Header    http.Header
	Body      []byte
	FromCache bool // the host answered that it has not changed
}

// New returns a client that sends requests only to these hosts.
func New(cfg Config, hosts []Host) (*Client, error) {
	switch {
	case cfg.UserAgent == "":
		return nil, errors.New("upstream client: the user agent with the operator's contact is missing")
	case strings.ContainsFunc(cfg.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }):
		return nil, fmt.Errorf("upstream client: user agent %q: only printable ASCII can be sent", cfg.UserAgent)
	case cfg.Now == nil || cfg.Rand == nil:
		return nil, errors.New("upstream client: the clock or the random source is missing")
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
	c := &Client{cfg: cfg, product: productToken(cfg.UserAgent), hosts: make(map[string]*host), cache: &cache{entries: make(map[string]*list.Element)}}
	for i, o := range hosts {
		o = o.withDefaults()
		if err := o.check(); err != nil {
			return nil, fmt.Errorf("hosts[%d] %q: %w", i, o.Name, err)
		}
		if c.hosts[o.Name] != nil {
			return nil, fmt.Errorf("hosts[%d] %q: is given twice", i, o.Name)
		}
		h := newHost(o)
		if h.transport = cfg.HTTP; h.transport == nil {
			h.transport = h.newTransport()
		}
		c.hosts[o.Name] = h
	}
	return c, nil
}

// Requests returns the number of attempts so far, to all hosts.
func (c *Client) Requests() int64 { return c.requests.Load() }

// Get sends r and returns a complete answer with a status 2xx and an accepted media type.
// Otherwise it returns an [*Error], or the error of ctx if ctx ended.
func (c *Client) Get(ctx context.Context, r Request) (Answer, error) {
	h, asked, err := c.prepare(r)
	if err != nil {
		return Answer{}, err
	}
	asked.judge = func(a Answer) *Error { return asked.judgeAnswer(a, c.cfg.Now()) }
	return c.do(ctx, h, asked)
}

// request is a checked Request with the settings of its host.
type request struct {
	url      *url.URL
	header   http.Header
	accept   []string
	maxBytes int64
	// robots marks the request for robots.txt itself. It is always allowed, and
	// is read only up to maxBytes.
	robots bool
	key    string // in the cache
	// judge returns the fault of an answer that is not a redirect.
	judge func(Answer) *Error
}

// prepare finds the host and refuses requests that must not be sent.
func (c *Client) prepare(r Request) (*host, *request, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, nil, &Error{Kind: Refused, URL: "request", Err: errors.New("the URL is not an http or https URL without a user")}
	}
	u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Host), "", ""
	h := c.hosts[u.Host]
	if h == nil {
		return nil, nil, &Error{Kind: Refused, Host: u.Host, URL: redacted(u),
			Err: fmt.Errorf("requests to %s are not allowed: add it to hosts", u.Host)}
	}
	asked := &request{url: u, header: r.Header.Clone(), accept: r.Accept, maxBytes: h.MaxBytes}
	if r.MaxBytes > 0 {
		asked.maxBytes = min(r.MaxBytes, h.MaxBytes)
	}
	asked.complete(c.cfg.UserAgent)
	return h, asked, nil
}

// complete sets the headers of all requests, and the cache key, which includes every
// header that the caller chose.
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
	_ = r.header.Write(&key) // sorted; a strings.Builder never fails
	r.key = key.String()
}

// redacted returns a URL for errors and logs, without the query, which may contain keys.
func redacted(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// Stop stops all requests to a host until the given time, for a reason that this or
// another process has found. A longer stop stays. Stop ignores unknown hosts.
func (c *Client) Stop(host string, until time.Time, reason string) {
	if h := c.hosts[strings.ToLower(host)]; h != nil {
		h.startCooldown(cooldown{until: until, kind: Stopped, reason: reason})
	}
}

// inCooldown returns the error of a request that a cooldown prevents.
func (r *request) inCooldown(h *host, why cooldown) *Error {
	return r.failed(h, &Error{Kind: why.kind, Status: why.status, Until: why.until, Err: errors.New(why.reason)})
}

// failed adds to an error where the request went.
func (r *request) failed(h *host, e *Error) *Error {
	e.Host, e.URL = h.Name, redacted(r.url)
	return e
}
