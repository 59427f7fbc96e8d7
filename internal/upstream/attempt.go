package upstream

import (
	"compress/gzip"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"gamedex/internal/upstream/netguard"
)

const (
	backoffBase  = 500 * time.Millisecond
	backoffMax   = 60 * time.Second
	waitMax      = 60 * time.Second // a longer wait ends the request instead
	maxRedirects = 3
)

// do makes a request with all its attempts, which count as one for the breaker.
func (c *Client) do(ctx context.Context, h *host, r *request) (a Answer, err error) {
	now := c.cfg.Now()
	if cooldown, ok := h.coolingDown(now); ok && (cooldown.kind == Stopped || cooldown.until.Sub(now) > waitMax) {
		return Answer{}, r.inCooldown(h, cooldown) // attempts wait for shorter pauses
	}
	before := h.breaker.State()
	if !h.breaker.TryAcquirePermit() {
		wait := h.breaker.RemainingDelay()
		if before == circuitbreaker.HalfOpenState {
			wait = h.Timeout // another request is trying the host
		}
		return Answer{}, r.failed(h, &Error{Kind: Stopped, Until: now.Add(wait),
			Err: fmt.Errorf("%d requests in a row failed; no requests for %v", breakAfter, breakFor)})
	}
	err = errUnfinished // the error after a panic below
	defer func() { h.recordOutcome(err) }()
	if err := c.permitted(ctx, h, r, r.url); err != nil {
		return Answer{}, err
	}
	return c.attempts(ctx, h, r)
}

// attempts repeats a request until the answer is good or another attempt makes no sense.
func (c *Client) attempts(ctx context.Context, h *host, r *request) (Answer, error) {
	for n := 1; ; n++ {
		a, err := c.follow(ctx, h, r)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.Kind.again() || n >= h.Attempts {
			return a, err
		}
		// A random time up to a limit that doubles, unless the host sends one.
		wait := time.Duration(c.cfg.Rand() * float64(min(backoffBase<<min(n-1, 10), backoffMax)))
		if !failed.Until.IsZero() {
			wait = failed.Until.Sub(c.cfg.Now())
		}
		if wait > waitMax {
			return Answer{}, err
		}
		c.cfg.Log.DebugContext(ctx, "upstream attempt failed", "attempt", n, "wait", wait, "error", err)
		if err := sleep(ctx, wait); err != nil {
			return Answer{}, r.ended(err)
		}
	}
}

func (c *Client) follow(ctx context.Context, h *host, r *request) (Answer, error) {
	target := r.url
	for range maxRedirects + 1 {
		a, err := c.send(ctx, h, r, target)
		if err != nil || !redirects(a) {
			return a, err
		}
		// A redirect may lead only to the same host, and not from https to http.
		next, err := target.Parse(a.Header.Get("Location"))
		switch {
		case err != nil || a.Header.Get("Location") == "":
			err = fmt.Errorf("answered %d without a valid Location", a.Status)
		case strings.ToLower(next.Host) != h.Name || next.User != nil:
			err = fmt.Errorf("answered %d to another host, %q", a.Status, next.Host)
		case next.Scheme != target.Scheme && next.Scheme != "https":
			err = fmt.Errorf("answered %d from %s to %q", a.Status, target.Scheme, next.Scheme)
		}
		if err != nil {
			return Answer{}, r.failed(h, &Error{Kind: Refused, Status: a.Status, Err: err})
		}
		next.Host, next.Fragment, next.RawFragment = h.Name, "", ""
		if err := c.permitted(ctx, h, r, next); err != nil {
			return Answer{}, err
		}
		target = next
	}
	return Answer{}, r.failed(h, &Error{Kind: Refused, Err: fmt.Errorf("it redirects more than %d times", maxRedirects)})
}

func redirects(a Answer) bool { return slices.Contains([]int{301, 302, 303, 307, 308}, a.Status) }

func (c *Client) send(ctx context.Context, h *host, r *request, target *url.URL) (Answer, error) {
	if err := h.slots.Acquire(ctx, 1); err != nil {
		return Answer{}, r.ended(err)
	}
	defer h.slots.Release(1)
	if err := c.awaitTurn(ctx, h, r); err != nil {
		return Answer{}, err
	}
	c.requests.Add(1)
	began := c.cfg.Now()
	a, failed := c.exchange(ctx, h, r, target)
	if failed == nil && !redirects(a) {
		failed = r.judge(a)
	}
	if failed != nil && ctx.Err() != nil {
		return Answer{}, r.ended(ctx.Err()) // the caller gave up; that is not a failure of the host
	}
	c.cfg.Observe(h.Name, outcome(a, failed), c.cfg.Now().Sub(began))
	if failed != nil {
		r.failed(h, failed)
		if failed.Kind == Stopped {
			failed.Until = c.cfg.Now().Add(h.StopFor)
			c.cfg.Log.WarnContext(ctx, "upstream host stopped", "host", h.Name, "until", failed.Until, "reason", failed.Err)
		}
		if !failed.Until.IsZero() { // it holds for all requests to the host
			kind := Throttled
			if failed.Kind == Stopped {
				kind = Stopped
			}
			h.startCooldown(cooldown{until: failed.Until, kind: kind, status: failed.Status, reason: failed.Err.Error()})
		}
		return Answer{}, failed
	}
	if a.Status == http.StatusOK && !a.FromCache && target == r.url {
		c.cache.putAnswer(&cached{key: r.key, header: a.Header, body: a.Body})
	}
	return a, nil
}

// awaitTurn waits for the end of a pause and then for a time of the host's pace.
func (c *Client) awaitTurn(ctx context.Context, h *host, r *request) error {
	for {
		at, err := h.turns.nextTime(ctx, c.cfg.Pacer, c.cfg.Now)
		if err == nil {
			err = sleep(ctx, at.Sub(c.cfg.Now()))
		}
		if err != nil {
			return r.ended(err)
		}
		now := c.cfg.Now()
		cooldown, ok := h.coolingDown(now)
		if !ok {
			return nil
		}
		if cooldown.kind == Stopped || cooldown.until.Sub(now) > waitMax {
			return r.inCooldown(h, cooldown)
		}
		if err := sleep(ctx, cooldown.until.Sub(now)); err != nil {
			return r.ended(err)
		}
	}
}

// exchange sends one GET and reads the answer. The time limit covers both.
func (c *Client) exchange(ctx context.Context, h *host, r *request, target *url.URL) (Answer, *Error) {
	limited, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	header := r.header.Clone()
	var kept *cached
	if target == r.url {
		if kept = c.cache.getAnswer(r.key); kept != nil {
			kept.setConditions(header)
		}
	}
	req := &http.Request{
		Method: http.MethodGet, URL: target, Host: target.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	resp, err := h.transport.RoundTrip(req.WithContext(limited))
	if err != nil {
		if private, ok := errors.AsType[*netguard.PrivateError](err); ok {
			return Answer{}, &Error{Kind: Refused, Err: fmt.Errorf("%w; set privateAddresses of the host to allow it", private)}
		}
		if limited.Err() != nil {
			err = fmt.Errorf("no answer in time: %w", limited.Err())
		}
		return Answer{}, &Error{Kind: Down, Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && kept != nil {
		return Answer{Status: http.StatusOK, Header: kept.header, Body: kept.body, FromCache: true}, nil
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	a.Body, err = r.readBody(resp)
	if err != nil && a.Status < 300 { // the status of other answers is enough
		if limited.Err() != nil {
			return a, &Error{Kind: Down, Status: a.Status, Err: fmt.Errorf("not read in time: %w", limited.Err())}
		}
		return a, &Error{Kind: Broken, Status: a.Status, Err: fmt.Errorf("read body: %w", err)}
	}
	return a, nil
}

func (r *request) readBody(resp *http.Response) ([]byte, error) {
	body := io.Reader(resp.Body)
	switch encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(io.LimitReader(body, r.maxBytes+r.maxBytes/16+1024))
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		body = unpacked
	default:
		return nil, fmt.Errorf("content encoding %q was not asked for", encoding)
	}
	read, err := io.ReadAll(io.LimitReader(body, r.maxBytes+1))
	if int64(len(read)) > r.maxBytes {
		if !r.robots {
			return nil, fmt.Errorf("more than %d bytes", r.maxBytes)
		}
		return read[:r.maxBytes], nil
	}
	return read, err
}

// ended is the error of a request that was given up. It is not the host's.
func (r *request) ended(err error) error { return fmt.Errorf("get %s: %w", redacted(r.url), err) }

func outcome(a Answer, failed *Error) string {
	switch {
	case failed == nil && a.FromCache:
		return "not_modified"
	case failed == nil && a.Status < 400:
		return "ok"
	case failed == nil:
		return "client_error"
	}
	var network net.Error
	switch {
	case failed.Kind == Stopped:
		return "stopped"
	case failed.Kind == Throttled:
		return "throttled"
	case failed.Kind == Broken:
		return "broken"
	case errors.As(failed.Err, &network) && network.Timeout():
		return "timeout"
	case failed.Status >= 500:
		return "server_error"
	case failed.Status > 0:
		return "client_error"
	}
	return "refused"
}

const (
	cacheBytes = 64 << 20
	entryBytes = 1 << 10 // approximate memory of an entry without its key and body
)

// cache keeps recently used bodies for which a host can answer "not modified". The bodies
// never change.
type cache struct {
	mu      sync.Mutex
	size    int
	entries map[string]*list.Element
	order   list.List // of *cached, most recently used first
}

type cached struct {
	key    string
	header http.Header
	body   []byte
}

func (e *cached) size() int { return len(e.key) + len(e.body) + entryBytes }

func (e *cached) setConditions(header http.Header) {
	if tag := e.header.Get("Etag"); tag != "" {
		header.Set("If-None-Match", tag)
	}
	if modified := e.header.Get("Last-Modified"); modified != "" {
		header.Set("If-Modified-Since", modified)
	}
}

// getAnswer returns the answer of a key; nil if there is none.
func (c *cache) getAnswer(key string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(found)
	return found.Value.(*cached)
}

// putAnswer replaces the answer of a key. It keeps the new one only if a conditional
// request for it is possible.
func (c *cache) putAnswer(e *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[e.key]; ok {
		c.drop(old)
	}
	noStore := strings.Contains(strings.ToLower(e.header.Get("Cache-Control")), "no-store")
	conditional := e.header.Get("Etag") != "" || e.header.Get("Last-Modified") != ""
	if noStore || !conditional || e.size() > cacheBytes {
		return
	}
	c.entries[e.key] = c.order.PushFront(e)
	c.size += e.size()
	for c.size > cacheBytes {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	gone := c.order.Remove(e).(*cached)
	delete(c.entries, gone.key)
	c.size -= gone.size()
}
