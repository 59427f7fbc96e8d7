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
)

// Host is what an operator allows for one host. Zero values mean the defaults.
type Host struct {
	Name              string        // host or host:port, as in the URL
	RequestsPerSecond float64       // default 2
	Concurrent        int           // default 2
	Timeout           time.Duration // one attempt with its body; default 15 s
	MaxBytes          int64         // of an unpacked body; default 16 MiB
	Attempts          int           // default 3
	PrivateAddresses  bool          // loopback and private networks are allowed
	IgnoreRobots      bool
	StopFor           time.Duration // after a 403 or a challenge page; default 4 h
}

const (
	breakAfter = 5 // failed requests in a row
	breakFor   = time.Minute
)

// The bounds of what can be meant: a pace so slow that its moments lie beyond
// what a shared pacer takes for a wrong clock would be none at all, and a limit
// so high that it overflows would let nothing through.
const (
	slowest  = 0.01 // requests a second
	mostRead = 1 << 30
)

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

// check judges settings that have their defaults.
func (o Host) check() error {
	if err := checkName(o.Name); err != nil {
		return err
	}
	switch {
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
	case o.MaxBytes > mostRead:
		return fmt.Errorf("maxBytes: %d is above %d", o.MaxBytes, mostRead)
	case o.Attempts < 0:
		return fmt.Errorf("attempts: %d is negative", o.Attempts)
	case o.StopFor < 0:
		return fmt.Errorf("stopFor: %v is negative", o.StopFor)
	case !o.PrivateAddresses && privateLiteral(o.Name):
		return errors.New("name: it is an address of this machine or of a private network: set privateAddresses if it is meant")
	}
	return nil
}

// checkName accepts only what a URL holds unchanged: the name is compared
// with those of URLs and of connections as it is.
func checkName(name string) error {
	u, err := url.Parse("https://" + name + "/")
	if name == "" || err != nil || u.Host != name || u.Hostname() == "" || u.Path != "/" || u.RawQuery != "" {
		return errors.New("name: it is not a host or host:port as in a URL, such as api.store.example")
	}
	for i := range len(name) {
		if name[i] > '~' {
			return errors.New("name: write it as it is asked for, in ASCII (xn--…)")
		}
	}
	return nil
}

func privateLiteral(name string) bool {
	u := url.URL{Host: name}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && private(addr)
}

// host is one host and all that is remembered of it.
type host struct {
	Host
	hostname  string // without the port
	transport http.RoundTripper
	slots     chan struct{}
	moments   moments
	robots    robots
	breaker   circuitbreaker.CircuitBreaker[any]

	mu    sync.Mutex
	stop  rest // no requests, whatever happens
	pause rest // asked for by Retry-After
}

// rest is a time in which a host is left alone, and why.
type rest struct {
	until  time.Time
	kind   Kind
	status int
	reason string
}

func newHost(o Host) *host {
	h := &host{
		Host:    o,
		slots:   make(chan struct{}, o.Concurrent),
		moments: newMoments(o.Name, o.RequestsPerSecond),
		robots:  robots{turn: make(chan struct{}, 1)},
	}
	h.hostname = (&url.URL{Host: o.Name}).Hostname()
	h.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(breakAfter).WithSuccessThreshold(1).WithDelay(breakFor).Build()
	return h
}

// newTransport is a transport that connects to private addresses only if the
// host may have one.
func (h *host) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            h.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    h.Timeout,
		MaxConnsPerHost:        h.Concurrent,
		MaxIdleConnsPerHost:    h.Concurrent,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // unpacked here, with a limit
	}
}

// dial checks the address that a name turned out to have, so that a name that
// changes its address between two looks is no way in. An operator's own proxy
// is not the host, and may be anywhere.
func (h *host) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: h.Timeout}
	name, _, err := net.SplitHostPort(addr)
	if !h.PrivateAddresses && (err != nil || name == h.hostname) {
		dialer.Control = refusePrivate
	}
	return dialer.DialContext(ctx, network, addr)
}

// leaveAlone notes a rest. A longer one of the same kind stays.
func (h *host) leaveAlone(r rest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := &h.pause
	if r.kind == Stopped {
		kept = &h.stop
	}
	if r.until.After(kept.until) {
		*kept = r
	}
}

// resting returns the rest that holds at now.
func (h *host) resting(now time.Time) (rest, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop.until.After(now) {
		return h.stop, true
	}
	return h.pause, h.pause.until.After(now)
}

// errUnfinished marks a request that neither failed nor succeeded.
var errUnfinished = errors.New("unfinished")

// leave reports to the breaker how a request that it let in ended.
func (h *host) leave(err error) {
	var failed *Error
	switch {
	case err == nil:
		h.breaker.RecordSuccess()
	case !errors.As(err, &failed): // the caller went away; that proves nothing
		if h.breaker.IsHalfOpen() {
			h.breaker.Open()
		}
	case failed.Kind.again():
		h.breaker.RecordFailure()
	default:
		h.breaker.RecordSuccess() // the host answered
	}
}
