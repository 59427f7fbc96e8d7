package lease_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/lease"
)

// TestKeep keeps a lease for an hour, in which the database is away for ten minutes, and
// then releases it.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		l, err := holder(s, "a").Wait(t.Context(), "counters", nil)
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		time.AfterFunc(10*time.Minute, func() { s.set(func(s *memoryRepository) { s.hang = true }) })
		time.AfterFunc(20*time.Minute, func() { s.set(func(s *memoryRepository) { s.hang = false }) })
		time.AfterFunc(50*time.Minute, func() {
			if claimable(s.get("counters"), now()) {
				t.Error("the lease is not renewed after the database was away")
			}
		})
		if err := holder(s, "a").Keep(ctx, l); err != nil || ctx.Err() == nil {
			t.Errorf("kept until %v: %v", ctx.Err(), err)
		}
		if !claimable(s.get("counters"), now()) {
			t.Errorf("not released: %+v", s.get("counters"))
		}
	})
}

// TestKeepOutlivesARestore keeps a lease in a database that goes back to an older state: one
// without the lease, and one with an earlier claim of it.
func TestKeepOutlivesARestore(t *testing.T) {
	for name, older := range map[string]func(*memoryRepository){
		"no lease": func(s *memoryRepository) { delete(s.leases, "counters") },
		"an earlier claim": func(s *memoryRepository) {
			s.leases["counters"] = lease.Lease{Name: "counters", Holder: "a", Until: now() + 9000}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore()
			l, err := holder(s, "a").Wait(t.Context(), "counters", nil)
			must(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			time.AfterFunc(time.Minute, func() { s.set(older) })
			time.AfterFunc(3*time.Minute, func() {
				if claimable(s.get("counters"), now()) {
					t.Errorf("%s: not claimed again", name)
				}
			})
			if err := holder(s, "a").Keep(ctx, l); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestKeepNoticesAnother lets another process claim a lease whose holder slept.
func TestKeepNoticesAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		l, err := holder(s, "a").Wait(t.Context(), "counters", nil)
		must(t, err)
		time.Sleep(2 * ttl)
		other, err := holder(s, "b").Wait(t.Context(), "counters", nil)
		must(t, err)
		keeping, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- holder(s, "b").Keep(keeping, other) }()
		if err := holder(s, "a").Keep(t.Context(), l); !errors.Is(err, lease.ErrLost) {
			t.Errorf("kept what another process holds: %v", err)
		}
		if s.get("counters").Token != other.Token {
			t.Error("the other process has lost its lease")
		}
		stop()
		must(t, <-ended)
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		l, err := holder(s, "a").Wait(t.Context(), "counters", nil)
		must(t, err)
		keeping, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- holder(s, "a").Keep(keeping, l) }()
		waited := 0
		wait := func(ctx context.Context) (lease.Lease, time.Duration, error) {
			began := time.Now()
			l, err := holder(s, "b").Wait(ctx, "counters", func(by lease.Lease) {
				if waited++; by.Holder != "a" {
					t.Errorf("it waits for %q", by.Holder)
				}
			})
			return l, time.Since(began), err
		}
		_, took, err := wait(t.Context())
		if held, ok := errors.AsType[*lease.HeldError](err); !ok || held.Holder != "a" || took > ttl/2 || waited != 1 {
			t.Errorf("while another process renews: %v after %v, reported %d times", err, took, waited)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := wait(impatient); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped while it waits: %v", err)
		}

		// A holder that is gone without a release.
		s.set(func(s *memoryRepository) { s.down = errors.New("away") })
		stop()
		must(t, <-ended)
		s.set(func(s *memoryRepository) { s.down = nil })
		l, took, err = wait(t.Context())
		if err != nil || l.Holder != "b" || took > ttl+time.Second || waited != 3 {
			t.Errorf("after the holder was killed: %+v, %v after %v, reported %d times", l, err, took, waited)
		}
		s.set(func(s *memoryRepository) { s.down = errors.New("away") })
		if _, _, err := wait(t.Context()); err == nil {
			t.Error("claimed while the database is away")
		}
	})
}

// must ends the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
