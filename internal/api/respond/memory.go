package respond

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// memoryWait is how long a request waits for memory before it is refused.
const memoryWait = time.Second

// Errors of requests that found no memory in time.
var (
	ErrOwnerMemory = errors.New("the owner's share of the memory for answers is in use")
	ErrMemory      = errors.New("the memory for answers is in use")
)

// memory is a weighted semaphore for the bytes that requests in progress hold. The
// requests of one owner hold at most a quarter, and large requests together at most three
// quarters, so that some is always left for small answers.
type memory struct {
	size, large, share int64

	mu      sync.Mutex
	used    int64
	owners  map[string]int64 // bytes in use by owner
	waiting []*waiter        // oldest first
}

// claim is a request for memory.
type claim struct {
	Holder
	bytes int64
}

func (c claim) acquire(ctx context.Context) error {
	if c.Owner == "" {
		return nil
	}
	return c.Pool.memory.acquire(ctx, c)
}

func (c claim) release() {
	if c.Owner != "" {
		c.Pool.memory.release(c)
	}
}

type waiter struct {
	claim
	granted chan struct{}
}

// newMemory returns a memory of size bytes, or more if its parts would be smaller than
// least bytes, which one request needs.
func newMemory(size, least int64) *memory {
	size = max(size, least)
	return &memory{
		size: size, large: max(size-size/4, least), share: max(size/4, least), owners: make(map[string]int64),
	}
}

// acquire waits at most a second for memory. It fails with [ErrOwnerMemory] or
// [ErrMemory], or when ctx ends.
func (m *memory) acquire(ctx context.Context, c claim) error {
	m.mu.Lock()
	if m.take(c) {
		m.mu.Unlock()
		return nil
	}
	w := &waiter{c, make(chan struct{})}
	m.waiting = append(m.waiting, w)
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.waiting, w)
	if i < 0 { // granted just now
		return nil
	}
	m.waiting = slices.Delete(m.waiting, i, i+1)
	reason := ErrMemory
	if m.owners[c.Owner]+c.bytes > m.share {
		reason = ErrOwnerMemory
	}
	return fmt.Errorf("wait for %d bytes: %w: %w", c.bytes, reason, ctx.Err())
}

// take reserves memory for a claim and reports whether there was enough. The caller
// holds mu.
func (m *memory) take(c claim) bool {
	limit := m.large
	if c.Small {
		limit = m.size
	}
	if m.used+c.bytes > limit || m.owners[c.Owner]+c.bytes > m.share {
		return false
	}
	m.used += c.bytes
	m.owners[c.Owner] += c.bytes
	return true
}

// release returns the memory of a claim. Then it grants the waiting claims for which
// there is enough memory, in the order in which they came.
func (m *memory) release(c claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= c.bytes
	if m.owners[c.Owner] -= c.bytes; m.owners[c.Owner] == 0 {
		delete(m.owners, c.Owner)
	}
	m.waiting = slices.DeleteFunc(m.waiting, func(w *waiter) bool {
		if !m.take(w.claim) {
			return false
		}
		close(w.granted)
		return true
	})
}
