package upstream

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	backoffBase  = 500 * time.Millisecond
	backoffMax   = 60 * time.Second
	waitMax      = 60 * time.Second // a host that asks for more gets no second attempt
	maxRedirects = 3
)

// ask makes a whole request: all its attempts, seen by the breaker as one.
func (c *Client) ask(ctx context.Context, h *host, r *request) (a Answer, err error) {
	if err := c.admit(h, r); err != nil {
		return Answer{}, err
	}
	err = errUnfinished // what a panic below leaves
	defer func() { h.leave(err) }()
	a, err = c.try(ctx, h, r)
	return a, err
}

func (c *Client) try(ctx context.Context, h *host, r *request) (Answer, error) {
	if err := c.permitted(ctx, h, r, r.url); err != nil {
		return Answer{}, err
	}
	return c.attempts(ctx, h, r)
}

// attempts goes on until an answer is good, or trying again makes no sense.
func (c *Client) attempts(ctx context.Context, h *host, r *request) (Answer, error) {
	for n := 1; ; n++ {
		a, err := c.follow(ctx, h, r)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.Kind.again() || n >= h.Attempts {
			return a, err
		}
		wait := c.backoff(n)
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

// backoff is the wait after attempt n: any time up to a limit that doubles.
func (c *Client) backoff(n int) time.Duration {
	limit := min(backoffBase<<min(n-1, 10), backoffMax)
	return time.Duration(c.cfg.Rand() * float64(limit))
}

// follow makes one attempt, through redirects within the host.
func (c *Client) follow(ctx context.Context, h *host, r *request) (Answer, error) {
	target := r.url
	for range maxRedirects + 1 {
		a, err := c.send(ctx, h, r, target)
		if err != nil || !redirects(a) {
			return a, err
		}
		next, err := h.redirect(target, a)
		if err != nil {
			return Answer{}, r.failed(h, &Error{Kind: Refused, Status: a.Status, Err: err})
		}
		if err := c.permitted(ctx, h, r, next); err != nil {
			return Answer{}, err
		}
		target = next
	}
	return Answer{}, r.failed(h, &Error{Kind: Refused, Err: fmt.Errorf("it redirects more than %d times", maxRedirects)})
}

func redirects(a Answer) bool {
	switch a.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirect returns the address that an answer leads to, if it is of the same host
// and not less safe.
func (h *host) redirect(from *url.URL, a Answer) (*url.URL, error) {
	to, err := from.Parse(a.Header.Get("Location"))
	switch {
	case err != nil || a.Header.Get("Location") == "":
		return nil, fmt.Errorf("answered %d without saying where to", a.Status)
	case strings.ToLower(to.Host) != h.Name || to.User != nil:
		return nil, fmt.Errorf("answered %d to another host, %q", a.Status, to.Host)
	case to.Scheme != from.Scheme && to.Scheme != "https":
		return nil, fmt.Errorf("answered %d from %s to %q", a.Status, from.Scheme, to.Scheme)
	}
	to.Host, to.Fragment, to.RawFragment = h.Name, "", ""
	return to, nil
}

// send sends one GET when it is its time, and judges what comes.
func (c *Client) send(ctx context.Context, h *host, r *request, target *url.URL) (Answer, error) {
	if err := enter(ctx, h.slots); err != nil {
		return Answer{}, r.ended(err)
	}
	defer func() { <-h.slots }()
	if err := c.await(ctx, h, r); err != nil {
		return Answer{}, err
	}
	c.requests.Add(1)
	began := c.cfg.Now()
	a, failed := c.exchange(ctx, h, r, target)
	if failed == nil && !redirects(a) {
		failed = r.judge(a)
	}
	if failed != nil && ctx.Err() != nil {
		return Answer{}, r.ended(ctx.Err()) // the caller has gone; it says nothing about the host
	}
	c.cfg.Observe(h.Name, outcome(a, failed), c.cfg.Now().Sub(began))
	if failed != nil {
		c.remember(ctx, h, r.failed(h, failed))
		return Answer{}, failed
	}
	if a.Status == http.StatusOK && !a.FromCache && target == r.url {
		c.cache.putAnswer(&cached{key: r.key, header: a.Header, body: a.Body})
	}
	return a, nil
}

// await waits for the end of a pause and then for a moment of the host's pace.
func (c *Client) await(ctx context.Context, h *host, r *request) error {
	for {
		moment, err := h.moments.take(ctx, c.cfg.Pacer, c.cfg.Now)
		if err == nil {
			err = sleep(ctx, moment.Sub(c.cfg.Now()))
		}
		if err != nil {
			return r.ended(err)
		}
		now := c.cfg.Now()
		rest, ok := h.resting(now)
		if !ok {
			return nil
		}
		if rest.kind == Stopped || rest.until.Sub(now) > waitMax {
			return r.resting(h, rest)
		}
		if err := sleep(ctx, rest.until.Sub(now)); err != nil {
			return r.ended(err)
		}
	}
}

// remember notes what a failure means for all requests to its host.
func (c *Client) remember(ctx context.Context, h *host, e *Error) {
	switch {
	case e.Kind == Stopped:
		e.Until = c.cfg.Now().Add(h.StopFor)
		c.cfg.Log.WarnContext(ctx, "upstream host stopped", "host", h.Name, "until", e.Until, "reason", e.Err)
	case e.Until.IsZero():
		return
	}
	kind := e.Kind
	if kind != Stopped {
		kind = Throttled
	}
	h.leaveAlone(rest{until: e.Until, kind: kind, status: e.Status, reason: e.Err.Error()})
}

// exchange sends one GET and reads the answer. The time limit covers both.
func (c *Client) exchange(ctx context.Context, h *host, r *request, target *url.URL) (Answer, *Error) {
	limited, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	kept := c.kept(r, target)
	req := r.build(limited, target, kept)
	resp, err := h.transport.RoundTrip(req)
	if err != nil {
		return Answer{}, unreached(limited, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && kept != nil {
		return Answer{Status: http.StatusOK, Header: kept.header, Body: kept.body, FromCache: true}, nil
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	a.Body, err = r.readBody(resp)
	if err != nil && a.Status < 300 { // of other answers the status says enough
		return a, cutOff(limited, a.Status, err)
	}
	return a, nil
}

// kept is the answer that target may still have.
func (c *Client) kept(r *request, target *url.URL) *cached {
	if target != r.url {
		return nil
	}
	e, _ := c.cache.getAnswer(r.key)
	return e
}

func (r *request) build(ctx context.Context, target *url.URL, kept *cached) *http.Request {
	header := r.header.Clone()
	if kept != nil {
		kept.validate(header)
	}
	req := &http.Request{
		Method: http.MethodGet, URL: target, Host: target.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return req.WithContext(ctx)
}

// readBody unpacks a body, to at most maxBytes whatever it claims to be.
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

// unreached judges a request that got no answer.
func unreached(ctx context.Context, err error) *Error {
	var private *privateError
	if errors.As(err, &private) {
		return &Error{Kind: Refused, Err: private}
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return &Error{Kind: Down, Err: err}
}

// cutOff judges a body that could not be read to its end.
func cutOff(ctx context.Context, status int, err error) *Error {
	if ctx.Err() != nil {
		return &Error{Kind: Down, Status: status, Err: fmt.Errorf("not read in time: %w", ctx.Err())}
	}
	return &Error{Kind: Broken, Status: status, Err: fmt.Errorf("read body: %w", err)}
}

// ended is the error of a request that was given up. It is not the host's.
func (r *request) ended(err error) error { return fmt.Errorf("get %s: %w", redacted(r.url), err) }

// outcome is the word for an attempt in metrics.
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
