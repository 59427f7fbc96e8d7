package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"golang.org/x/sync/semaphore"

	"gamedex/internal/upstream/netguard"
)

// Host has the operator's settings for one host. Zero values mean the defaults.
type Host struct {
	Name              string        `json:"name"`              // host or host:port, as in the URL
	RequestsPerSecond float64       `json:"requestsPerSecond"` // default 2
	Concurrent        int           `json:"concurrent"`        // default 2
	Timeout           time.Duration `json:"timeout"`           // one attempt with its body; default 15 s
	MaxBytes          int64         `json:"maxBytes"`          // of a decompressed body; default 16 MiB
	Attempts          int           `json:"attempts"`          // default 3
	PrivateAddresses  bool          `json:"privateAddresses"`  // loopback and private networks are allowed
	IgnoreRobots      bool          `json:"ignoreRobots"`
	StopFor           time.Duration `json:"stopFor"` // after a 403 or a challenge page; default 4 h
}

const (
	breakAfter = 5 // failed requests in a row
	breakFor   = time.Minute
)

// The bounds of the settings. A shared pacer would take the times of a slower pace for
// those of a wrong clock, and a higher limit would overflow.
const (
	slowest = 0.01 // requests a second
	maxRead = 1 << 30
)

// withDefaults returns the settings with the defaults filled in and the name in lower case.
func (o Host) withDefaults() Host {
	o.Name = strings.ToLower(o.Name)
	o.RequestsPerSecond = cmp.Or(o.RequestsPerSecond, 2)
	o.Concurrent = cmp.Or(o.Concurrent, 2)
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.MaxBytes = cmp.Or(o.MaxBytes, 16<<20)
	o.Attempts = cmp.Or(o.Attempts, 3)
	o.StopFor = cmp.Or(o.StopFor, 4*time.Hour)
	return o
}

// check checks settings with their defaults filled in. A name must have the form that it
// has in URLs, because it is compared with those of URLs and connections.
func (o Host) check() error {
	u, err := url.Parse("https://" + o.Name + "/")
	if o.Name == "" || err != nil || u.Host != o.Name || u.Hostname() == "" || u.Path != "/" || u.RawQuery != "" {
		return errors.New("name: must be a host or host:port as in a URL, such as api.store.example")
	}
	addr, err := netip.ParseAddr(u.Hostname())
	isPrivate := err == nil && netguard.Private(addr)
	switch {
	case strings.ContainsFunc(o.Name, func(r rune) bool { return r > '~' }):
		return errors.New("name: must be in ASCII (xn--…)")
	case !(o.RequestsPerSecond > 0) || math.IsInf(o.RequestsPerSecond, 0):
		return fmt.Errorf("requestsPerSecond: %v is not a positive number", o.RequestsPerSecond)
	case o.RequestsPerSecond < slowest:
		return fmt.Errorf("requestsPerSecond: %v is below %v, one request in 100 seconds", o.RequestsPerSecond, slowest)
	case o.Concurrent < 0:
		return fmt.Errorf("concurrent: %d is negative", o.Concurrent)
	case o.Timeout < 0:
		return fmt.Errorf("timeout: %v is negative", o.Timeout)
	case o.MaxBytes < 0:
		return fmt.Errorf("maxBytes: %d is negative", o.MaxBytes)
	case o.MaxBytes > maxRead:
		return fmt.Errorf("maxBytes: %d is above %d", o.MaxBytes, maxRead)
	case o.Attempts < 0:
		return fmt.Errorf("attempts: %d is negative", o.Attempts)
	case o.StopFor < 0:
		return fmt.Errorf("stopFor: %v is negative", o.StopFor)
	case !o.PrivateAddresses && isPrivate:
		return errors.New("name: is an address of this machine or of a private network; set privateAddresses to allow it")
	}
	return nil
}

// host is a host and its state, which all requests to it share.
type host struct {
	Host
	hostname  string // without the port
	transport http.RoundTripper
	slots     *semaphore.Weighted
	turns     turns
	robots    robots
	breaker   circuitbreaker.CircuitBreaker[any]

	mu    sync.Mutex
	stop  cooldown // no requests at all
	pause cooldown // demanded by Retry-After
}

// newHost returns a host with checked settings and without a transport.
func newHost(o Host) *host {
	return &host{
		Host: o, hostname: (&url.URL{Host: o.Name}).Hostname(), slots: semaphore.NewWeighted(int64(o.Concurrent)),
		turns: turns{
			host: o.Name, every: max(time.Duration(float64(time.Second)/o.RequestsPerSecond), 0),
			ahead: int(min(max(o.RequestsPerSecond*aheadFor.Seconds(), 1), aheadMax)), turn: semaphore.NewWeighted(1),
		},
		robots: robots{turn: semaphore.NewWeighted(1)},
		breaker: circuitbreaker.NewBuilder[any]().
			WithFailureThreshold(breakAfter).WithSuccessThreshold(1).WithDelay(breakFor).Build(),
	}
}

// cooldown is a time without requests to a host, with the reason.
type cooldown struct {
	until  time.Time
	kind   Kind
	status int
	reason string
}

// newTransport returns a transport that connects to private addresses only if the host
// allows them.
func (h *host) newTransport() *http.Transport {
	// Check the resolved address, so that a name cannot change its address
	// between a check and the connection. The operator's proxy is not the host
	// and may have any address.
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialer := net.Dialer{Timeout: h.Timeout}
		name, _, err := net.SplitHostPort(addr)
		if !h.PrivateAddresses && (err != nil || name == h.hostname) {
			dialer.Control = netguard.RefusePrivate
		}
		return dialer.DialContext(ctx, network, addr)
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    h.Timeout,
		MaxConnsPerHost:        h.Concurrent,
		MaxIdleConnsPerHost:    h.Concurrent,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // decompressed here, with a limit
	}
}

// startCooldown records a cooldown. A longer one of the same kind stays.
func (h *host) startCooldown(c cooldown) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := &h.pause
	if c.kind == Stopped {
		kept = &h.stop
	}
	if c.until.After(kept.until) {
		*kept = c
	}
}

// coolingDown returns the cooldown that holds now, if any; a stop comes first.
func (h *host) coolingDown(now time.Time) (cooldown, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop.until.After(now) {
		return h.stop, true
	}
	return h.pause, h.pause.until.After(now)
}

// errUnfinished is the outcome of a request that panicked. It says nothing about the host.
var errUnfinished = errors.New("unfinished")

// recordOutcome reports the outcome of an admitted request to the breaker.
func (h *host) recordOutcome(err error) {
	var failed *Error
	switch {
	case err == nil:
		h.breaker.RecordSuccess()
	case !errors.As(err, &failed): // the caller gave up; that is not a failure of the host
		if h.breaker.IsHalfOpen() {
			h.breaker.Open()
		}
	case failed.Kind.again():
		h.breaker.RecordFailure()
	default:
		h.breaker.RecordSuccess() // the host answered
	}
}
