package respond

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// memoryWait is how long a request waits for memory before it is refused.
	memoryWait = time.Second
	// recheck is how often those that wait look for holds that became slow.
	recheck = memoryWait / 10
	// patience is how long a client may keep a hold waiting before it can be cut off.
	patience = memoryWait / 2
	// pace is how many bytes a second the client of any hold must take or send while a
	// request waits for memory whose owner and network hold less.
	pace = 64 << 10
)

// Errors of requests that found no memory in time.
var (
	ErrOwnerMemory = errors.New("the owner's share of the memory for answers is in use")
	ErrMemory      = errors.New("the memory for answers is in use")
)

// memory shares its size among the requests in progress. One owner holds at most a
// quarter, or half with small holds, and large holds together at most three quarters, so that some is always left
// for small ones. When it is full, the request whose owner and network would hold least
// is next, and holds of those that have more are cut off for it.
type memory struct {
	size, large, share int64
	began              time.Time

	mu       sync.Mutex
	used     int64 // by all holds
	leaving  int64 // of it, by those that were cut off
	accounts map[party]*account
	holds    map[*Hold]struct{}
	waiting  []*waiter // oldest first
	next     *waiter   // for whom holds were cut off; nil: nobody
}

// party is an owner or the network of a client.
type party struct {
	owner   string
	network netip.Prefix
}

// account counts what a party holds, without what was cut off.
type account struct {
	party
	bytes int64
	holds int // cut off or not
}

func (a *account) held() int64 {
	if a == nil {
		return 0
	}
	return a.bytes
}

// waiter is a hold that wants more.
type waiter struct {
	*Hold
	more    int64
	granted chan struct{}
}

func (w *waiter) small() bool { return w.bytes+w.more <= smallHold }

// isPoorer reports whether the owner and network of w would hold less than those of another
// if each was granted what it wants.
func (w *waiter) isPoorer(than *waiter) bool {
	own, others := w.against(than.Hold)
	return own+w.more < others+than.more
}

// newMemory returns a memory of size bytes, or more if its parts would be smaller than
// least bytes, which one request needs.
func newMemory(size, least int64) *memory {
	size = max(size, least)
	return &memory{
		size: size, large: max(size-size/4, least), share: max(size/4, least), began: time.Now(),
		accounts: make(map[party]*account), holds: make(map[*Hold]struct{}),
	}
}

// now returns the time since the memory was made, which is never 0.
func (m *memory) now() int64 { return max(1, int64(time.Since(m.began))) }

func (m *memory) take(ctx context.Context, h *Hold, more int64) error {
	m.mu.Lock()
	m.enter(h)
	now := waiter{Hold: h, more: more}
	if (len(m.waiting) == 0 || now.small()) && m.give(&now) {
		m.mu.Unlock()
		return nil
	}
	w := &waiter{h, more, make(chan struct{})}
	m.waiting = append(m.waiting, w)
	m.grant()
	m.makeRoom(w)
	m.mu.Unlock()
	return m.wait(ctx, w)
}

// enter opens the accounts of a hold. The caller of this and of all methods below holds mu,
// unless they say otherwise.
func (m *memory) enter(h *Hold) {
	if h.accounts[0] != nil {
		return
	}
	m.holds[h] = struct{}{}
	for i, p := range [...]party{{owner: h.Owner}, {network: h.Network}} {
		if p == (party{}) {
			continue
		}
		a := m.accounts[p]
		if a == nil {
			a = &account{party: p}
			m.accounts[p] = a
		}
		a.holds++
		h.accounts[i] = a
	}
}

// wait waits until a waiter was granted its memory. The caller does not hold mu.
func (m *memory) wait(ctx context.Context, w *waiter) error {
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	for {
		select {
		case <-w.granted:
			return nil
		case <-tick.C:
			m.lookForSlow(w)
		case <-ctx.Done():
			return m.giveUp(w, ctx.Err())
		}
	}
}

// lookForSlow cuts off holds that became slow for a waiter. The caller does not hold mu.
func (m *memory) lookForSlow(w *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.makeRoom(w)
}

// giveUp ends the wait of a waiter, unless it was granted just now. The caller does not hold mu.
func (m *memory) giveUp(w *waiter, cause error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.waiting, w) {
		return nil
	}
	m.remove(w)
	reason := ErrMemory
	if m.exceedsShare(w) {
		reason = ErrOwnerMemory
	}
	return fmt.Errorf("wait for %d bytes: %w: %w", w.more, reason, cause)
}

// remove ends a wait.
func (m *memory) remove(w *waiter) {
	m.waiting = slices.DeleteFunc(m.waiting, func(other *waiter) bool { return other == w })
	if m.next == w {
		m.next = nil
	}
}

// exceedsShare reports whether a waiter would hold more than its owner may. Small holds may have as
// much as large ones in addition.
func (m *memory) exceedsShare(w *waiter) bool {
	share := m.share
	if w.small() {
		share += m.share
	}
	return w.accounts[0].bytes+w.more > share
}

// excess returns how many bytes are missing for a waiter, at most 0 if it can have its memory
// or will when the holds that were cut off have left.
func (m *memory) excess(w *waiter) int64 {
	limit := m.large
	if w.small() {
		limit = m.size
	}
	return m.used + w.more - limit
}

// give charges a waiter's memory to it if there is enough, and reports whether there was.
func (m *memory) give(w *waiter) bool {
	if !m.entitled(w) || m.excess(w) > 0 {
		return false
	}
	m.used += w.more
	w.bytes += w.more
	w.charge(w.more)
	return true
}

// grant gives free memory to the waiters, the poorest first. It stops at the first one that needs more
// than is left, and makes room for it. Small ones do not wait for a large one.
func (m *memory) grant() {
	for _, onlySmall := range [...]bool{false, true} {
		for {
			w := m.poorest(onlySmall)
			if w == nil {
				break
			}
			if !m.give(w) {
				m.makeRoom(w)
				break
			}
			m.remove(w)
			close(w.granted)
		}
	}
}

// poorest returns the waiter for whom holds were cut off, or else the one whose owner and network
// would hold least, the oldest among equals; nil if nobody waits within the share of the owner.
func (m *memory) poorest(onlySmall bool) (poorest *waiter) {
	if next := m.turn(); next != nil && !onlySmall {
		return next
	}
	for _, w := range m.waiting {
		if !m.entitled(w) || onlySmall && !w.small() {
			continue
		}
		if poorest == nil || w.isPoorer(poorest) {
			poorest = w
		}
	}
	return poorest
}

// turn returns the waiter for whom holds were cut off; nil if there is none.
func (m *memory) turn() *waiter {
	if m.next != nil && !m.entitled(m.next) {
		m.next = nil
	}
	return m.next
}

// entitled reports whether a waiter may have its memory when there is some.
func (m *memory) entitled(w *waiter) bool { return !w.cut && !m.exceedsShare(w) }

// makeRoom cuts off holds for a waiter, if enough can be cut off for it and it is not somebody
// else's turn.
func (m *memory) makeRoom(w *waiter) {
	next := m.turn()
	if next != nil && next != w || !m.entitled(w) || m.excess(w) <= 0 || !slices.Contains(m.waiting, w) {
		return
	}
	var doomed []*Hold
	for now := m.now(); m.excess(w) > m.leaving; {
		h := m.worst(w, now)
		if h == nil {
			for _, h := range doomed {
				m.spare(h)
			}
			if m.next == w { // small holds took what was cut off for it
				m.next = nil
			}
			return
		}
		m.doom(h)
		doomed = append(doomed, h)
	}
	m.next = w
	for _, h := range doomed {
		h.disconnect()
	}
}

// doom counts what a hold has as leaving.
func (m *memory) doom(h *Hold) {
	h.cut = true
	h.charge(-h.bytes)
	m.leaving += h.bytes
}

// spare undoes doom.
func (m *memory) spare(h *Hold) {
	h.cut = false
	h.charge(h.bytes)
	m.leaving -= h.bytes
}

// worst returns the hold to cut off for a waiter; nil if there is none. The owner or
// network of the hold has more than the waiter's would have, or more than it has and a
// client that is too slow. Of several, the one loses that has most and takes most time for a byte.
func (m *memory) worst(w *waiter, now int64) (worst *Hold) {
	var most float64
	for h := range m.holds {
		waited, moved := h.waitedUntil(now), h.moved.Load()
		if h.cut || h.bytes == 0 || waited < patience {
			continue
		}
		slow := waited-time.Second > time.Duration(moved)*time.Second/pace
		level, least := h.against(w.Hold)
		if level <= least || level <= least+w.more && !slow {
			continue
		}
		if cost := float64(level) * waited.Seconds() / float64(moved+pace); cost > most {
			worst, most = h, cost
		}
	}
	return worst
}

// release closes the accounts of a hold and grants what it leaves. The caller does not hold
// mu.
func (m *memory) release(h *Hold) (cut bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= h.bytes
	if h.cut {
		m.leaving -= h.bytes
	} else {
		h.charge(-h.bytes)
	}
	for i, a := range h.accounts {
		if a == nil {
			continue
		}
		if a.holds--; a.holds == 0 {
			delete(m.accounts, a.party)
		}
		h.accounts[i] = nil
	}
	h.bytes = 0
	delete(m.holds, h)
	if len(m.waiting) > 0 {
		m.grant()
	}
	return h.cut
}
