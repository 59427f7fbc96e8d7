package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/goleak"

	"gamedex/internal/testing/await"
)

// clock is the clock of a service that runs inside the test: either of a machine, which it sets by steps, or the real time
// until it is set, then the set time, which the service goes by whatever its database shows.
type clock struct {
	shown     atomic.Pointer[time.Time]
	ofMachine bool
	ahead     atomic.Int64 // of a machine
}

func (c *clock) now() time.Time {
	if at := c.shown.Load(); at != nil {
		return *at
	}
	return stepped(time.Now(), time.Duration(c.ahead.Load()))
}

func (c *clock) set(at time.Time) { c.shown.Store(&at) }

// step sets the clock of a machine so far from the real time.
func (c *clock) step(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

// stepped returns a time that time.Now has returned as if the clock of the machine had been set by whole seconds: that does
// not change the time since the process started, by which times are compared.
func stepped(t time.Time, by time.Duration) time.Time {
	*(*int64)(unsafe.Pointer(&t)) += int64(by/time.Second) << 30 // the seconds are above 30 bits of nanoseconds
	return t
}

// startInside starts the service inside the test, with a clock that the test
// controls, and stops it at the end of the test.
func startInside(t *testing.T, now *clock, dir string, args ...string) *server {
	t.Helper()
	private(t, dir)
	s := newServer(t)
	ctx, stop := context.WithCancel(context.Background())
	s.interrupt = func() error { stop(); return nil }
	p := &program{Stdin: strings.NewReader(""), Stdout: s.stdout, Stderr: s.stderr, Now: now.now, OwnClock: !now.ofMachine, Exit: func(int) {}}
	line := append(databaseFlags(t, dir), serveAnywhere...)
	if e := enginesOf(t, dir); e.bucket != "" { // Redis would count by its own clock
		line = append(line, "--bucket", e.bucket)
	}
	go func() {
		s.status = p.run(ctx, append(append(line, "--rates", "off", "--log-level", "warn", "--drain", "0s"), args...))
		close(s.exited)
	}()
	t.Cleanup(func() { s.stop() })
	if err := s.listens(); err != nil {
		t.Fatal(err)
	}
	return s
}

// newShopInside is newShop for a service that runs inside the test.
func newShopInside(t *testing.T, now *clock, args ...string) *shop {
	t.Helper()
	s := copyOfShared(t, args...)
	s.server = startInside(t, now, s.dir, args...)
	s.healthy()
	return s
}

// TestServeInProcess runs the whole service inside the test, so that the race
// detector sees its wiring: traffic, a concurrent import, a key change, and a
// stop that leaves no goroutine behind.
func TestServeInProcess(t *testing.T) {
	from := copyOfShared(t)
	dir, token := from.dir, from.token
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := startInside(t, new(clock), dir)
	s.healthy()
	client := &http.Client{Timeout: await.Patience}

	var traffic sync.WaitGroup
	for _, path := range []string{"/catalog/search?q=star", "/catalog/suggest?q=mo", "/account/usage", "/account/me",
		"/catalog/prices?ids=star-forge&regions=all&include=editions,url,fx"} {
		traffic.Go(func() {
			for range 50 {
				if r, err := s.try(client, "GET", token, "/api/v1"+path, ""); err != nil || r.status != http.StatusOK {
					t.Errorf("GET %s: %d %v %s", path, r.status, err, r.body)
				}
			}
		})
	}
	beside := &program{Stdin: strings.NewReader(besideLine), Stdout: io.Discard, Stderr: s.stderr, Now: time.Now}
	if status := beside.run(t.Context(), append(databaseFlags(t, dir), "import", "-")); status != 0 {
		t.Errorf("import beside the server: status %d", status)
	}
	if status := beside.run(t.Context(), append(databaseFlags(t, dir), "key", "create", "--name", "second")); status != 0 {
		t.Errorf("key create beside the server: status %d", status)
	}
	traffic.Wait()
	client.CloseIdleConnections()
	s.stopInOrder()
	s.quietLog()
}

const besideLine = `{"platform":"pcstore","region":"UA","product":"beside","slug":"beside","title":"Beside","type":"base","price":{"currency":"UAH","base":100,"current":100},"observedAt":"2026-11-01T00:00:00Z"}`
