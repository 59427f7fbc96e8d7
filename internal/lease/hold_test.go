package lease_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gamedex/internal/lease"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryRepository stores leases like a database, and can fail.
type memoryRepository struct {
	mu     sync.Mutex
	leases map[string]lease.Lease
	down   error
	hang   bool
	ahead  time.Duration // of the database's clock
}

func (s *memoryRepository) now() int64 { return now() + s.ahead.Milliseconds() }

func (s *memoryRepository) enter(ctx context.Context) error {
	s.mu.Lock()
	hang, down := s.hang, s.down
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
	}
	return cmp.Or(ctx.Err(), down)
}

// claimable reports whether l can be claimed at now: it is due, and nobody holds it.
func claimable(l lease.Lease, now int64) bool { return now >= l.Until && now >= l.DueAt }

// claimed returns l as holder has it after claiming it.
func claimed(l lease.Lease, holder string, until int64) lease.Lease {
	l.Holder, l.Until = holder, until
	l.Token++
	return l
}

func (s *memoryRepository) Claim(ctx context.Context, name, holder string, ttl time.Duration) (lease.Lease, bool, error) {
	if err := s.enter(ctx); err != nil {
		return lease.Lease{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[name]
	if !claimable(l, s.now()) {
		return lease.Lease{}, false, nil
	}
	l.Name = name
	s.leases[name] = claimed(l, holder, s.now()+ttl.Milliseconds())
	return s.leases[name], true, nil
}

func (s *memoryRepository) Renew(ctx context.Context, l lease.Lease, ttl time.Duration) (bool, error) {
	return s.change(ctx, l, func(stored *lease.Lease) { stored.Until, stored.Cursor = s.now()+ttl.Milliseconds(), l.Cursor })
}

func (s *memoryRepository) Release(ctx context.Context, l lease.Lease) (bool, error) {
	return s.change(ctx, l, func(stored *lease.Lease) { *stored = l; stored.Holder, stored.Until = "", 0 })
}

func (s *memoryRepository) FindLease(ctx context.Context, name string) (lease.Lease, bool, error) {
	if err := s.enter(ctx); err != nil {
		return lease.Lease{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, found := s.leases[name]
	return l, found, nil
}

func (s *memoryRepository) change(ctx context.Context, l lease.Lease, change func(*lease.Lease)) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := s.leases[l.Name]
	if stored.Token != l.Token || stored.Holder != l.Holder || stored.Holder == "" {
		return false, nil
	}
	change(&stored)
	s.leases[l.Name] = stored
	return true, nil
}

func (s *memoryRepository) set(change func(s *memoryRepository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *memoryRepository) get(name string) lease.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[name]
}

func newStore() *memoryRepository { return &memoryRepository{leases: map[string]lease.Lease{}} }

func now() int64 { return time.Now().UnixMilli() }

const ttl = 30 * time.Second

func holder(s *memoryRepository, id string) lease.Holder {
	return lease.Holder{Repository: s, ID: id, TTL: ttl}
}

func TestHoldRenewsAndReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		due := now() + time.Hour.Milliseconds()
		held, err := holder(s, "a").Hold(t.Context(), "build", func(ctx context.Context, l *lease.Lease) error {
			for range 20 {
				time.Sleep(ttl / 2)
				if ctx.Err() != nil || claimable(s.get("build"), now()) {
					t.Errorf("after %v: %v, %+v", ttl/2, context.Cause(ctx), s.get("build"))
				}
			}
			l.DueAt, l.Cursor = due, "page 7"
			return nil
		})
		if !held || err != nil {
			t.Fatalf("held %v, %v", held, err)
		}
		want := lease.Lease{Name: "build", Token: 1, DueAt: due, Cursor: "page 7"}
		if diff := gocmp.Diff(want, s.get("build")); diff != "" {
			t.Errorf("released (-want +got):\n%s", diff)
		}
		if held, err := holder(s, "b").Hold(t.Context(), "build", nil); held || err != nil {
			t.Errorf("claimed before it is due: %v, %v", held, err)
		}
	})
}

func TestHoldNotesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, broken := newStore(), errors.New("store answered 500")
		h := holder(s, "a")
		for i := range 3 {
			held, err := h.Hold(t.Context(), "sweep", func(_ context.Context, l *lease.Lease) error {
				l.DueAt = now() + (time.Second << l.Attempts).Milliseconds()
				return broken
			})
			l := s.get("sweep")
			if !held || !errors.Is(err, broken) || l.Attempts != i+1 || l.LastError != broken.Error() {
				t.Errorf("failure %d: held %v, %v, %+v", i, held, err, l)
			}
			if wait := time.Duration(l.DueAt-now()) * time.Millisecond; wait != time.Second<<i {
				t.Errorf("failure %d: due in %v, want %v", i, wait, time.Second<<i)
			}
			time.Sleep(time.Minute)
		}
		if _, err := h.Hold(t.Context(), "sweep", func(context.Context, *lease.Lease) error { return nil }); err != nil {
			t.Error(err)
		}
		if l := s.get("sweep"); l.Attempts != 0 || l.LastError != "" {
			t.Errorf("after a success: %+v", l)
		}
	})
}

func TestOnlyOneHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		var inside, most, runs atomic.Int32
		var wg sync.WaitGroup
		for _, id := range []string{"a", "b", "c", "d"} {
			wg.Go(func() {
				for range 50 {
					_, err := holder(s, id).Hold(t.Context(), "build", func(context.Context, *lease.Lease) error {
						most.Store(max(most.Load(), inside.Add(1)))
						runs.Add(1)
						time.Sleep(time.Minute)
						inside.Add(-1)
						return nil
					})
					if err != nil {
						t.Error(err)
					}
					time.Sleep(7 * time.Second)
				}
			})
		}
		wg.Wait()
		if most.Load() != 1 || runs.Load() < 10 {
			t.Errorf("%d holders at once in %d runs, want 1", most.Load(), runs.Load())
		}
	})
}

// holdUntilCancelled holds a lease. It returns after what time and with what cause the
// context of the work ended.
func holdUntilCancelled(t *testing.T, ctx context.Context, h lease.Holder, during func()) (after time.Duration, cause, err error) {
	began := time.Now()
	_, err = h.Hold(ctx, "build", func(ctx context.Context, _ *lease.Lease) error {
		during()
		<-ctx.Done()
		after, cause = time.Since(began), context.Cause(ctx)
		return ctx.Err()
	})
	return after, cause, err
}

func TestALostLeaseCancelsTheWork(t *testing.T) {
	tests := []struct {
		name   string
		during func(*memoryRepository)
		within time.Duration
	}{
		{"taken over", func(s *memoryRepository) {
			s.set(func(s *memoryRepository) { s.leases["build"] = claimed(s.leases["build"], "b", now()+1e6) })
		}, ttl / 3},
		{"the database is down", func(s *memoryRepository) { s.set(func(s *memoryRepository) { s.down = errors.New("gone") }) }, ttl},
		{"the database hangs", func(s *memoryRepository) { s.set(func(s *memoryRepository) { s.hang = true }) }, ttl},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				var before lease.Lease
				after, cause, err := holdUntilCancelled(t, t.Context(), holder(s, "a"), func() { tt.during(s); before = s.get("build") })
				if !errors.Is(cause, lease.ErrLost) || !errors.Is(err, lease.ErrLost) || !strings.Contains(err.Error(), "build") {
					t.Errorf("cause %v, error %v, want ErrLost", cause, err)
				}
				if after > tt.within {
					t.Errorf("cancelled after %v, want at most %v", after, tt.within)
				}
				if diff := gocmp.Diff(before, s.get("build")); diff != "" {
					t.Errorf("a lost lease was written (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// TestClocksMayDisagree checks that a holder neither loses its lease nor keeps it too
// long when the database's clock is far from its own.
func TestClocksMayDisagree(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				s.ahead = ahead
				_, err := holder(s, "a").Hold(t.Context(), "build", func(ctx context.Context, _ *lease.Lease) error {
					time.Sleep(10 * ttl)
					return context.Cause(ctx)
				})
				if err != nil {
					t.Errorf("with a database that answers: %v", err)
				}
				began := time.Now()
				after, cause, _ := holdUntilCancelled(t, t.Context(), holder(s, "a"), func() { s.set(func(s *memoryRepository) { s.hang = true }) })
				ends := time.UnixMilli(s.get("build").Until).Add(-ahead)
				if !errors.Is(cause, lease.ErrLost) || !began.Add(after).Before(ends) {
					t.Errorf("cancelled after %v with %v, want before the lease ends in the database, after %v", after, cause, ends.Sub(began))
				}
			})
		})
	}
}

func TestAShortOutageLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		_, err := holder(s, "a").Hold(t.Context(), "build", func(ctx context.Context, _ *lease.Lease) error {
			s.set(func(s *memoryRepository) { s.hang = true })
			time.Sleep(ttl / 2)
			s.set(func(s *memoryRepository) { s.hang = false })
			time.Sleep(10 * ttl)
			return context.Cause(ctx)
		})
		must(t, err)
	})
}

func TestAStopHandsOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.leases["build"] = lease.Lease{Name: "build", Attempts: 2, LastError: "before"}
		ctx, cancel := context.WithCancel(t.Context())
		_, cause, err := holdUntilCancelled(t, ctx, holder(s, "a"), cancel)
		if !errors.Is(cause, context.Canceled) || errors.Is(err, lease.ErrLost) {
			t.Errorf("cause %v, error %v", cause, err)
		}
		want := lease.Lease{Name: "build", Token: 1, Attempts: 2, LastError: "before"}
		if diff := gocmp.Diff(want, s.get("build")); diff != "" {
			t.Errorf("released (-want +got):\n%s", diff)
		}
	})
}

func TestHoldReportsAStoreThatIsDown(t *testing.T) {
	s := newStore()
	s.down = errors.New("gone")
	held, err := holder(s, "a").Hold(t.Context(), "build", nil)
	if held || !errors.Is(err, s.down) || !strings.Contains(err.Error(), "claim lease build") {
		t.Errorf("held %v, %v", held, err)
	}
	s.down = nil
	_, err = holder(s, "a").Hold(t.Context(), "build", func(context.Context, *lease.Lease) error {
		s.down = errors.New("gone later")
		return nil
	})
	if !errors.Is(err, s.down) || !strings.Contains(err.Error(), "release lease build") {
		t.Errorf("at release: %v", err)
	}
}

// TestConfirm checks that work that stalled learns from Confirm that its lease is gone,
// and that Confirm keeps a lease.
func TestConfirm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		h := holder(s, "a")
		l, ok, err := s.Claim(t.Context(), "build", "a", ttl)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for range 3 {
			time.Sleep(ttl - time.Second)
			if err := h.Confirm(t.Context(), l); err != nil {
				t.Fatalf("confirm a lease that is held: %v", err)
			}
		}
		time.Sleep(ttl + time.Second)
		if _, ok, err := s.Claim(t.Context(), "build", "b", ttl); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := h.Confirm(t.Context(), l); !errors.Is(err, lease.ErrLost) {
			t.Errorf("confirm a lease that another process holds: %v, want ErrLost", err)
		}
		s.down = errors.New("database is down")
		if err := h.Confirm(t.Context(), l); !errors.Is(err, s.down) {
			t.Errorf("confirm without the database: %v", err)
		}
	})
}
