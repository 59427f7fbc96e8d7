package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
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
	if err := b.start(t, args...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.kill)
	return b
}

// notReady returns what /readyz says about a service that stops; "" if it does not.
func (s *server) notReady() string {
	s.t.Helper()
	if res, body := fetch(s.t, "GET", s.ops+"/readyz"); res.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "this process is stopping") {
		return body
	}
	return ""
}

// visitor is a client that repeats no request. It keeps its connection until an answer
// asks it not to.
type visitor struct {
	to   *backend
	conn net.Conn
	from *bufio.Reader
}

// ask sends a request: on the connection that is open, else on a new one to next.
func (v *visitor) ask(next *backend) error {
	if v.conn == nil {
		conn, err := net.Dial("tcp", strings.TrimPrefix(next.api, "http://"))
		if err != nil {
			return err
		}
		v.to, v.conn, v.from = next, conn, bufio.NewReader(conn)
	}
	_, err := fmt.Fprintf(v.conn, "GET /api/v1/account/me HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n", v.to.token)
	if err != nil {
		return err
	}
	res, err := http.ReadResponse(v.from, nil)
	if err != nil {
		return err
	}
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d, %w: %s", res.StatusCode, err, body)
	}
	v.to.answered.Add(1)
	if res.Close {
		v.to.closed.Add(1)
		v.conn.Close()
		v.conn = nil
	}
	return nil
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
			v := &visitor{}
			for {
				select {
				case <-end:
					return
				case <-pace.C:
				}
				if err := v.ask(next.Load()); err != nil {
					t.Errorf("a request failed: %v", err)
					return
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
	if !await.Progress(func() bool { return first.notReady() != "" }, await.Nothing) {
		t.Fatal("/readyz does not fail during the drain")
	}
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
				if i > 0 && !await.Progress(func() bool { return s.notReady() != "" }, await.Nothing) {
					t.Fatal("/readyz does not say that the service stops")
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
