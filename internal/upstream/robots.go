package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	robotsFor   = 24 * time.Hour // how long an answer is valid
	robotsAgain = time.Hour      // after a failure, with the old rules
	robotsBytes = 500 << 10      // more is not read (RFC 9309, section 2.5)
)

type robots struct {
	turn  *semaphore.Weighted // held while robots.txt is read and while the fields below are used
	rules rules
	until time.Time // zero: never read
}

func (c *Client) permitted(ctx context.Context, h *host, r *request, target *url.URL) error {
	if h.IgnoreRobots || r.robots {
		return nil
	}
	if err := h.robots.turn.Acquire(ctx, 1); err != nil {
		return r.ended(err)
	}
	defer h.robots.turn.Release(1)
	if !h.robots.until.After(c.cfg.Now()) {
		if err := c.readRobots(ctx, h, target); err != nil {
			return err
		}
	}
	if h.robots.rules.allow(target) {
		return nil
	}
	return r.failed(h, &Error{Kind: Refused, Until: h.robots.until,
		Err: fmt.Errorf("robots.txt disallows %s to %q", target.EscapedPath(), c.product)})
}

// readRobots reads robots.txt again. If that fails, no requests to the host are possible,
// unless there are older rules.
func (c *Client) readRobots(ctx context.Context, h *host, target *url.URL) error {
	r := &request{
		url:      &url.URL{Scheme: target.Scheme, Host: h.Name, Path: "/robots.txt"},
		maxBytes: robotsBytes, robots: true,
	}
	r.complete(c.cfg.UserAgent)
	r.judge = func(a Answer) *Error {
		if a.Status >= 400 && a.Status < 500 && a.Status != http.StatusTooManyRequests {
			return nil // there is none
		}
		return r.judgeStatus(a, c.cfg.Now())
	}
	a, err := c.attempts(ctx, h, r)
	var failed *Error
	switch {
	case err == nil && a.Status < 300:
		h.robots.rules = parseRobots(a.Body, c.product)
	case err == nil, errors.As(err, &failed) && failed.Kind == Refused && failed.Status >= 300:
		h.robots.rules = nil // there is none, or it is another host's
	case failed != nil && failed.Kind.again() && !h.robots.until.IsZero():
		h.robots.until = c.cfg.Now().Add(robotsAgain)
		c.cfg.Log.WarnContext(ctx, "cannot read robots.txt again; the old rules stay in force", "host", h.Name, "error", err)
		return nil
	default:
		return err
	}
	h.robots.until = c.cfg.Now().Add(robotsFor)
	return nil
}

// productToken returns the name of a user agent in robots.txt: the part before its version
// or comment.
func productToken(userAgent string) string {
	rest := strings.TrimLeftFunc(userAgent, func(r rune) bool {
		return r == '-' || r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	})
	return strings.ToLower(strings.TrimSuffix(userAgent, rest))
}

// rules are the lines of robots.txt that apply to us.
type rules []rule

type rule struct {
	allow  bool
	length int      // in bytes of the file: the longest match decides
	parts  []string // of the pattern, between its stars
	whole  bool     // it ended in $
}

// parseRobots reads the groups for product, or else those for all. It ignores invalid
// lines.
func parseRobots(text []byte, product string) rules {
	var ours, everybody rules
	named := false
	forUs, forAll, inRules := false, false, true // inRules: the next user-agent begins a group
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if inRules {
				forUs, forAll, inRules = false, false, false
			}
			forUs = forUs || product != "" && productToken(value) == product
			forAll = forAll || strings.HasPrefix(value, "*")
			named = named || forUs
		case "allow", "disallow":
			inRules = true
			if value == "" {
				continue
			}
			if forUs {
				ours = append(ours, newRule(key == "allow", value))
			}
			if forAll {
				everybody = append(everybody, newRule(key == "allow", value))
			}
		}
	}
	if named {
		return ours
	}
	return everybody
}

func newRule(allow bool, pattern string) rule {
	r := rule{allow: allow, length: len(pattern)}
	pattern, r.whole = strings.CutSuffix(pattern, "$")
	r.parts = strings.Split(normalised(pattern), "*")
	return r
}

// allow applies the longest matching rule; of two of the same length, the one that allows.
func (rs rules) allow(u *url.URL) bool {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	path = normalised(path)
	best := rule{allow: true, length: -1}
	for _, r := range rs {
		if (r.length > best.length || r.length == best.length && r.allow) && r.matches(path) {
			best = r
		}
	}
	return best.allow
}

// matches searches the parts in their order, each at the earliest position, and the last
// one at the end if the pattern ends in $.
func (r rule) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, r.parts[0])
	if !ok {
		return false
	}
	last := len(r.parts) - 1
	if last == 0 {
		return !r.whole || rest == ""
	}
	for _, part := range r.parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if r.whole {
		return strings.HasSuffix(rest, r.parts[last])
	}
	return strings.Contains(rest, r.parts[last])
}

// normalised returns the same text for equal paths: it escapes only characters that need
// it, in capital letters.
func normalised(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c, escaped := path[i], false
		if c == '%' && i+2 < len(path) {
			if value, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, escaped, i = byte(value), true, i+2
			}
		}
		unreserved := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
		if escaped && !unreserved || c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
