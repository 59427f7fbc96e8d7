package main

import (
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// backend is a service behind a load balancer.
type backend struct {
	*shop
	key, token       string
	answered, closed atomic.Int64 // answers, and how many of them asked for a new connection
}

func startBackend(t *testing.T, args ...string) *backend {
	t.Helper()
	b := &backend{shop: copyOfShared(t)}
	b.key, b.token = newKey(t, b.dir, highLimits...)
	b.start(t, args...)
	return b
}

// notReady reports whether /readyz says that the service stops.
func (s *server) notReady() bool {
	s.t.Helper()
	res, body := fetch(s.t, "GET", s.ops+"/readyz")
	return res.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "this process is stopping")
}

// TestStopBehindALoadBalancer stops one of two services under load. No request fails,
// although the clients do not retry. The stopped service has counted every request that
// it answered.
func TestStopBehindALoadBalancer(t *testing.T) {
	t.Parallel()
	first, second := startBackend(t, "--drain", "15s"), startBackend(t)
	const visitors = 8
	var next atomic.Pointer[backend]
	next.Store(first)
	end := make(chan struct{})
	var asking sync.WaitGroup
	for range visitors {
		asking.Go(func() {
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			var to *backend
			conn := connection{}
			defer conn.close()
			for {
				select {
				case <-end:
					return
				case <-pace.C:
				}
				if conn.conn == nil {
					to = next.Load()
				}
				r, err := conn.ask(to.api, "GET", "/api/v1/account/me", to.token, "")
				if err != nil || r.status != http.StatusOK {
					t.Errorf("a request failed: %d %v %s", r.status, err, r.body)
					return
				}
				to.answered.Add(1)
				if conn.conn == nil { // the answer asked for a new connection
					to.closed.Add(1)
				}
			}
		})
	}
	defer asking.Wait()
	defer sync.OnceFunc(func() { close(end) })()
	answers := func(b *backend, n int64) {
		t.Helper()
		if !await.Progress(func() bool { return b.answered.Load() >= n }, func() any { return b.answered.Load() }) {
			t.Fatalf("%d answers, want %d", b.answered.Load(), n)
		}
	}
	answers(first, 50*visitors)
	if err := first.interrupt(); err != nil {
		t.Fatal(err)
	}
	await.That(t, "/readyz to fail during the drain", first.notReady)
	answers(first, first.answered.Load()+2*visitors) // it has not sent them elsewhere yet
	next.Store(second)
	if status := first.exit(); status != 0 {
		t.Errorf("serve ends with %d: %s", status, first.stderr)
	}
	answers(second, second.answered.Load()+10*visitors)
	if closed := first.closed.Load(); closed < visitors {
		t.Errorf("%d answers of the stopping service asked for a new connection, want one of each of %d clients at least", closed, visitors)
	}
	if n := int64(stored(t, first.dir, first.key)); n != first.answered.Load() {
		t.Errorf("the stopped service counted %d of %d requests", n, first.answered.Load())
	}
	first.quietLog()
}

// TestStopWithoutDrain checks that the service stops at once after Ctrl-C, and at the
// second signal.
func TestStopWithoutDrain(t *testing.T) {
	t.Parallel()
	// The service inherits that SIGHUP is ignored, as below nohup, but not that it is caught.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	for name, tt := range map[string]struct {
		signals []os.Signal
		status  int
	}{
		"Ctrl-C":            {[]os.Signal{os.Interrupt}, 0},
		"a closed terminal": {[]os.Signal{syscall.SIGHUP}, 0},
		"a second signal":   {[]os.Signal{syscall.SIGTERM, syscall.SIGTERM}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, t.TempDir(), "--drain", maxDrain.String())
			for i, signal := range tt.signals {
				if i > 0 {
					await.That(t, "/readyz to say that the service stops", s.notReady)
				}
				if err := s.process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			if status := s.exit(); status != tt.status {
				t.Errorf("serve ends with %d, want %d: %s", status, tt.status, s.stderr)
			}
		})
	}
}
