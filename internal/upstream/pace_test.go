package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/upstream"
)

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("200")
		c := fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond, h.Concurrent = 0, 8 })
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { _ = get(t, c) })
		}
		all.Wait()
		time.Sleep(10 * second) // does not save up times
		for range 3 {
			_ = get(t, c)
		}
		s.want(t, 0, 500*ms, second, 1500*ms, 2*second, 12*second, 12500*ms, 13*second)
	})
}

func TestAttemptsArePacedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("500")
		wantKind(t, get(t, fake(t, s.answer, func(_ *upstream.Config, h *upstream.Host) { h.RequestsPerSecond = 0 })), upstream.Down)
		s.want(t, 0, 500*ms, second)
	})
}

// reservations records the reservations of a pacer.
type reservations struct {
	upstream.Pacer
	mu    sync.Mutex
	sizes []int
	fail  error
}

func (p *reservations) ReserveRequests(ctx context.Context, host string, n int, every time.Duration) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return 0, p.fail
	}
	p.sizes = append(p.sizes, n)
	return p.Pacer.ReserveRequests(ctx, host, n, every)
}

func TestReservesAhead(t *testing.T) {
	for rate, ahead := range map[float64]int{0.1: 1, 2: 1, 3.9: 1, 4: 2, 100: 50, 1000: 500, 1e6: 500} {
		synctest.Test(t, func(t *testing.T) {
			p := &reservations{Pacer: upstream.NewPacer(time.Now)}
			c := fake(t, play("200").answer, func(cfg *upstream.Config, h *upstream.Host) { cfg.Pacer, h.RequestsPerSecond = p, rate })
			for range ahead + 1 {
				_ = get(t, c)
			}
			if diff := cmp.Diff([]int{ahead, ahead}, p.sizes); diff != "" {
				t.Errorf("%v per second: reserved (-want +got):\n%s", rate, diff)
			}
		})
	}
}

func TestPacerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("database is locked")
		s, p := play("200"), &reservations{Pacer: upstream.NewPacer(time.Now), fail: broken}
		c := fake(t, s.answer, func(cfg *upstream.Config, _ *upstream.Host) { cfg.Pacer = p })
		var failed *upstream.Error
		for range 6 { // not a failure of the host
			if err := get(t, c); !errors.Is(err, broken) || errors.As(err, &failed) {
				t.Errorf("got %v", err)
			}
		}
		p.fail = nil
		if err := get(t, c); err != nil || len(s.asked) != 1 {
			t.Errorf("%v after %d requests", err, len(s.asked))
		}
	})
}

// TestPaceHolds lets clients that share a pacer send requests at random times. It checks
// that no two requests are closer than the pace, for any number of reserved times.
func TestPaceHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rate := rapid.SampledFrom([]float64{1, 2, 8, 40}).Draw(rt, "rate")
		gaps := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 1, 7, 130, 2000}), 1, 30).Draw(rt, "gaps")
		var asked []time.Time
		synctest.Test(t, func(t *testing.T) {
			p := upstream.NewPacer(time.Now)
			var mu sync.Mutex
			host := func(*http.Request) *http.Response {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, time.Now())
				return reply(200, `{}`, "Content-Type", "application/json")
			}
			tweak := func(cfg *upstream.Config, h *upstream.Host) {
				cfg.Pacer, h.RequestsPerSecond, h.Concurrent = p, rate, 3
			}
			clients := []*upstream.Client{fake(t, host, tweak), fake(t, host, tweak)}
			var all sync.WaitGroup
			for i, gap := range gaps {
				time.Sleep(time.Duration(gap) * ms)
				all.Go(func() {
					if err := get(t, clients[i%2]); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
		if len(asked) != len(gaps) {
			rt.Fatalf("%d requests, want %d", len(asked), len(gaps))
		}
		for i := 1; i < len(asked); i++ {
			if d := asked[i].Sub(asked[i-1]); d < time.Duration(float64(time.Second)/rate) {
				rt.Fatalf("requests %d and %d are %v apart at %v per second", i-1, i, d, rate)
			}
		}
	})
}

// latePacer answers every other time late.
type latePacer struct {
	upstream.Pacer
	asked int
}

func (p *latePacer) ReserveRequests(ctx context.Context, host string, n int, every time.Duration) (time.Duration, error) {
	wait, err := p.Pacer.ReserveRequests(ctx, host, n, every)
	if p.asked++; p.asked%2 == 1 {
		time.Sleep(400 * ms)
	}
	return wait, err
}

// TestPaceHoldsWithALatePacer checks that requests are not closer than the pace because
// only some answers of the pacer are late.
func TestPaceHoldsWithALatePacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play("200")
		c := fake(t, s.answer, func(cfg *upstream.Config, h *upstream.Host) {
			cfg.Pacer, h.RequestsPerSecond = &latePacer{Pacer: upstream.NewPacer(time.Now)}, 1
		})
		for range 6 {
			_ = get(t, c)
		}
		s.want(t, 400*ms, 1400*ms, 2400*ms, 3400*ms, 4400*ms, 5400*ms)
	})
}

func TestPacerKeepsHostsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := upstream.NewPacer(time.Now)
		for _, want := range []struct {
			host string
			wait time.Duration
		}{{"a", 0}, {"b", 0}, {"a", 3 * second}, {"b", 3 * second}, {"a", 6 * second}} {
			wait, err := p.ReserveRequests(t.Context(), want.host, 3, second)
			if err != nil || wait != want.wait {
				t.Errorf("%s: %v, %v, want %v", want.host, wait, err, want.wait)
			}
		}
	})
}
