package upstream

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Pacer assigns a time to every request, for all processes that share it.
type Pacer interface {
	// ReserveRequests reserves n times of a host: the first after wait, and each next
	// one every later. It returns a wait, not a time, because clocks differ.
	ReserveRequests(ctx context.Context, host string, n int, every time.Duration) (wait time.Duration, err error)
}

// NewPacer returns a Pacer for the requests of this process only.
func NewPacer(now func() time.Time) Pacer {
	return &pacer{now: now, next: make(map[string]time.Time)}
}

type pacer struct {
	now  func() time.Time
	mu   sync.Mutex
	next map[string]time.Time // the first free time
}

func (p *pacer) ReserveRequests(_ context.Context, host string, n int, every time.Duration) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, first := p.now(), p.next[host]
	if first.Before(now) {
		first = now
	}
	p.next[host] = first.Add(time.Duration(n) * every)
	return first.Sub(now), nil
}

const (
	aheadFor = 500 * time.Millisecond // of times reserved at once
	aheadMax = 500                    // times reserved at once
)

// turns holds the reserved times of one host.
type turns struct {
	host  string
	every time.Duration
	ahead int
	turn  *semaphore.Weighted // held while next and left are changed
	next  time.Time
	left  int
}

// nextTime returns the next time. Unused past times are lost: otherwise a burst of
// requests would follow a pause.
func (t *turns) nextTime(ctx context.Context, p Pacer, now func() time.Time) (time.Time, error) {
	if err := t.turn.Acquire(ctx, 1); err != nil {
		return time.Time{}, err
	}
	defer t.turn.Release(1)
	for ; t.left > 0 && t.next.Before(now()); t.left-- {
		t.next = t.next.Add(t.every)
	}
	if t.left == 0 {
		wait, err := p.ReserveRequests(ctx, t.host, t.ahead, t.every)
		if err != nil {
			return time.Time{}, fmt.Errorf("reserve request times of %s: %w", t.host, err)
		}
		// The clock is read after the answer, so first is late by up to the time of the
		// call. If the times before it were later still, it follows them: two requests
		// are never closer than every.
		first := now().Add(wait)
		if ahead := t.next.Sub(first); ahead < 0 || ahead > t.every {
			t.next = first
		}
		t.left = t.ahead
	}
	at := t.next
	t.next, t.left = t.next.Add(t.every), t.left-1
	return at, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
