package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/upstream"
)

// These tests are about waiting. They run with fake time and without sockets: a hostFunc
// replaces the network.

type hostFunc func(*http.Request) *http.Response

func (f hostFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	a := f(r)
	if a == nil {
		return nil, errors.New("connection refused")
	}
	return a, nil
}

func reply(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// fake is a client of store.example, which answers with f.
func fake(t *testing.T, f hostFunc, tweak ...func(*upstream.Config, *upstream.Host)) *upstream.Client {
	t.Helper()
	cfg := config()
	cfg.HTTP = f
	h := upstream.Host{Name: "store.example", RequestsPerSecond: 1e6, IgnoreRobots: true}
	for _, change := range tweak {
		change(&cfg, &h)
	}
	c, err := upstream.New(cfg, []upstream.Host{h})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const page = "https://store.example/page"

func get(t *testing.T, c *upstream.Client) error {
	_, err := c.Get(t.Context(), upstream.Request{URL: page, Accept: []string{"application/json"}})
	return err
}

// script answers with one status after the other and repeats the last one. It records the
// times of the requests since began.
type script struct {
	began    time.Time
	answers  []string // "status", or "status Retry-After"
	asked    []time.Duration
	sequence int
}

func play(answers ...string) *script { return &script{began: time.Now(), answers: answers} }

func (s *script) answer(*http.Request) *http.Response {
	s.asked = append(s.asked, time.Since(s.began).Truncate(ms)) // a pace of 1e9 is a nanosecond
	now := s.answers[min(s.sequence, len(s.answers)-1)]
	s.sequence++
	status, after, _ := strings.Cut(now, " ")
	var code int
	if _, err := fmt.Sscan(status, &code); err != nil {
		panic(err)
	}
	if code == 0 {
		return nil
	}
	header := []string{"Content-Type", "application/json"}
	if after != "" {
		header = append(header, "Retry-After", after)
	}
	return reply(code, `{}`, header...)
}

func (s *script) want(t *testing.T, want ...time.Duration) {
	t.Helper()
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked at (-want +got):\n%s", diff)
	}
}

const ms, second = time.Millisecond, time.Second

func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draw := 0.5
		s := play("500", "0", "500")
		c := fake(t, s.answer, func(cfg *upstream.Config, h *upstream.Host) {
			cfg.Rand = func() float64 { return draw }
			h.Attempts = 12
		})
		wantKind(t, get(t, c), upstream.Down)
		var want []time.Duration
		for i, at := 0, time.Duration(0); i < 12; i++ {
			want = append(want, at)
			at += min(250*ms<<i, 30*second)
		}
		s.want(t, want...)

		*s, draw = *play("500"), 0 // full jitter: the wait may be zero
		wantKind(t, get(t, c), upstream.Down)
		if s.asked[11] > 0 {
			t.Errorf("the last attempt was after %v", s.asked[11])
		}
	})
}

func TestRetryAfter(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when bubbles begin
	date := func(d time.Duration) string { return start.Add(d).Format(http.TimeFormat) }
	tests := []struct {
		after string
		want  time.Duration // until the next attempt; more than a minute: Until of the error
	}{
		{"7", 7 * second}, {" 60 ", time.Minute}, {date(30 * second), 30 * second},
		{"61", 61 * second}, {date(5 * time.Hour), 5 * time.Hour}, {"86400", 24 * time.Hour}, {"86401", 24 * time.Hour},
		{"99999999999999999999999999", 24 * time.Hour}, {date(1e4 * time.Hour), 24 * time.Hour},
		{"", 0}, {"0", 0}, {"-5", 0}, {"soon", 0}, {"1.5", 0}, {date(-time.Hour), 0},
	}
	for _, status := range []string{"429", "503"} {
		for _, tt := range tests {
			t.Run(status+" "+tt.after, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := play(status+" "+tt.after, "200")
					c := fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond = 1e9 })
					err := get(t, c)
					if tt.want <= time.Minute {
						if err != nil {
							t.Error(err)
						}
						s.want(t, 0, tt.want)
						return
					}
					if failed, ok := errors.AsType[*upstream.Error](err); !ok || !failed.Until.Equal(start.Add(tt.want)) {
						t.Errorf("got %v, want an error until %v", err, start.Add(tt.want))
					}
					s.want(t, 0)
				})
			})
		}
	}
}

// TestPauseHoldsForAll checks that the pause that one request causes also holds for other
// requests to the host.
func TestPauseHoldsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("429 20", "200", "200", "429 300", "200")
		c := fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond = 1e9 })
		var both sync.WaitGroup
		both.Go(func() { time.Sleep(5 * second); _ = get(t, c) })
		wantKind(t, get(t, c), answered)
		both.Wait()
		s.want(t, 0, 20*second, 20*second)

		first := wantKind(t, get(t, c), upstream.Throttled)
		second := wantKind(t, get(t, c), upstream.Throttled) // at once, without a request
		if !first.Until.Equal(second.Until) || time.Until(second.Until) != 300*time.Second || second.Status != 429 || len(s.asked) != 4 {
			t.Errorf("first %v, second %v, %d requests", first, second, len(s.asked))
		}
		time.Sleep(300 * time.Second)
		wantKind(t, get(t, c), answered)
	})
}

func TestWaitsEndWithTheContext(t *testing.T) {
	tests := map[string]struct {
		script string
		tweak  func(*upstream.Config, *upstream.Host)
	}{
		"backoff":     {"500", func(cfg *upstream.Config, _ *upstream.Host) { cfg.Rand = func() float64 { return 0.999 } }},
		"retry after": {"429 50", func(*upstream.Config, *upstream.Host) {}},
		"pace":        {"500", func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond = 0.1 }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 200*ms)
				defer cancel()
				began := time.Now()
				_, err := fake(t, play(tt.script).answer, tt.tweak).Get(ctx, upstream.Request{URL: page})
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 200*ms {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("500")
		c := fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond = 1e9 })
		ask := func(kind upstream.Kind, requests int) {
			t.Helper()
			before := len(s.asked)
			wantKind(t, get(t, c), kind)
			if got := len(s.asked) - before; got != requests {
				t.Errorf("%d requests, want %d", got, requests)
			}
		}
		for range 4 {
			ask(upstream.Down, 3)
		}
		s.answers = []string{"404"} // an answer is an answer
		ask(upstream.NotFound, 1)
		s.answers = []string{"500"}
		for range 5 {
			ask(upstream.Down, 3)
		}
		ask(upstream.Stopped, 0)
		time.Sleep(59 * second)
		if failed := wantKind(t, get(t, c), upstream.Stopped); time.Until(failed.Until) != second {
			t.Errorf("until %v, want in a second", failed.Until)
		}
		time.Sleep(second)
		ask(upstream.Down, 3) // half open: one tries, and fails
		ask(upstream.Stopped, 0)
		time.Sleep(time.Minute)
		s.answers = []string{"200"}
		ask(0, 1)
		ask(0, 1)
	})
}

// halfOpen lets requests to a host that is down fail until the breaker would let one try.
func halfOpen(t *testing.T, c *upstream.Client) {
	t.Helper()
	for range 5 {
		wantKind(t, get(t, c), upstream.Down)
	}
	time.Sleep(time.Minute)
}

// TestBreakerLetsOneTry has a probe that hangs, and one that is given up: the
// breaker must survive both.
func TestBreakerLetsOneTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, hang := 500, time.Duration(0)
		c := fake(t, func(r *http.Request) *http.Response {
			time.Sleep(hang)
			return reply(status, `{}`)
		})
		halfOpen(t, c)
		status, hang = 200, 10*second
		var probe sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		probe.Go(func() {
			_, _ = c.Get(ctx, upstream.Request{URL: page}) // succeeds, because this host ignores ctx
		})
		time.Sleep(second)
		if failed := wantKind(t, get(t, c), upstream.Stopped); time.Until(failed.Until) != 15*second {
			t.Errorf("beside the probe: until %v, want the time of an attempt", failed.Until)
		}
		cancel()
		probe.Wait()
		if err := get(t, c); err != nil {
			t.Errorf("after the probe: %v", err)
		}
	})
}

func TestBreakerSurvivesAnAbandonedProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("500")
		c := fake(t, s.answer, func(cfg *upstream.Config, _ *upstream.Host) { cfg.Rand = func() float64 { return 0.9 } })
		halfOpen(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms) // in the backoff
		defer cancel()
		if _, err := c.Get(ctx, upstream.Request{URL: page}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		s.answers = []string{"200"}
		wantKind(t, get(t, c), upstream.Stopped) // nothing was proved
		time.Sleep(time.Minute)
		wantKind(t, get(t, c), answered)
	})
}

func TestBreakerSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("500")
		c := fake(t, func(r *http.Request) *http.Response {
			if s.sequence == 15 {
				s.sequence++
				panic("transport")
			}
			return s.answer(r)
		})
		halfOpen(t, c)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = get(t, c)
		}()
		s.answers = []string{"200"}
		wantKind(t, get(t, c), upstream.Stopped) // nothing was proved
		time.Sleep(time.Minute)
		for range 5 { // more than there are slots
			wantKind(t, get(t, c), answered)
		}
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("403", "200")
		c := fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.StopFor = 2 * time.Hour })
		first := wantKind(t, get(t, c), upstream.Stopped)
		time.Sleep(time.Hour)
		again := wantKind(t, get(t, c), upstream.Stopped)
		if diff := cmp.Diff(first.Error(), again.Error()); diff != "" || again.Status != 403 || time.Until(again.Until) != time.Hour {
			t.Errorf("until %v, status %d (-first +again):\n%s", again.Until, again.Status, diff)
		}
		s.want(t, 0)
		time.Sleep(time.Hour)
		wantKind(t, get(t, c), answered)
	})
}

func TestStopCarriedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("200")
		c := fake(t, s.answer)
		c.Stop("other.example", time.Now().Add(time.Hour), "not ours")
		c.Stop("STORE.example", time.Now().Add(time.Hour), "answered 403 elsewhere")
		c.Stop("store.example", time.Now().Add(time.Minute), "shorter")
		failed := wantKind(t, get(t, c), upstream.Stopped)
		if time.Until(failed.Until) != time.Hour || !strings.Contains(failed.Error(), "answered 403 elsewhere") || len(s.asked) > 0 {
			t.Errorf("got %v after %d requests", failed, len(s.asked))
		}
		time.Sleep(time.Hour)
		wantKind(t, get(t, c), answered)
	})
}

// TestStopEndsWaits stops a host while requests wait for their turns.
func TestStopEndsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("403", "200")
		slow := func(r *http.Request) *http.Response { time.Sleep(100 * ms); return s.answer(r) }
		c := fake(t, slow, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond, h.Concurrent = 1, 4 })
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { wantKind(t, get(t, c), upstream.Stopped) })
		}
		all.Wait()
		s.want(t, 100*ms)
	})
}

// TestSlotsEndWithTheContext checks that ctx ends the wait for a slot that a blocked request
// holds, for the host and for its robots.txt.
func TestSlotsEndWithTheContext(t *testing.T) {
	for _, ignore := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := fake(t, func(*http.Request) *http.Response { time.Sleep(10 * second); return reply(404, "") },
				func(_ *upstream.Config, h *upstream.Host) { h.Concurrent, h.IgnoreRobots = 1, ignore })
			var first sync.WaitGroup
			first.Go(func() { _ = get(t, c) })
			time.Sleep(ms)
			ctx, cancel := context.WithTimeout(t.Context(), second)
			defer cancel()
			began := time.Now()
			if _, err := c.Get(ctx, upstream.Request{URL: page}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			first.Wait()
		})
	}
}
