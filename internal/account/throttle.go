package account

import (
	"net/netip"
	"sync"
	"time"
)

const (
	quarter = 15 * 60_000 // milliseconds
	hour    = 60 * 60_000
)

// Throttle stops those who guess passwords, and not those who know them.
//
//	a try ─┬─ from a known browser ──► (email)      10 in 15 minutes
//	       └─ from elsewhere ───┬────► address      20 in 15 minutes
//	                            ├────► email, address 5 in 15 minutes
//	                            └────► email        50 in an hour
//
// Failures are counted, successes are not. A browser is known to an account if
// somebody signed in to that account with it before. Its tries have a bucket of
// their own that nobody else can fill, so the owner gets in while others try,
// from ten thousand addresses or from behind his own. Whether an account exists
// makes no difference.
//
// An address is an IPv4 address or the /64 network of an IPv6 one. A window
// begins with its first try, so at worst twice the number fails in a time of
// its length that spans two. A bucket that was forgotten for want of memory
// begins anew; that takes 20,000 others, more tries than it gives back.
//
// All times are Unix milliseconds. A Throttle may be used from any goroutine.
// Create it with [NewThrottle].
type Throttle struct {
	mu        sync.Mutex
	known     *tally // by email
	addresses *tally
	pairs     *tally // by email and address
	emails    *tally
	others    *tally // of Allow
}

// NewThrottle returns a throttle that has seen no tries.
func NewThrottle() *Throttle {
	return &Throttle{
		known: newTally(), addresses: newTally(), pairs: newTally(), emails: newTally(), others: newTally(),
	}
}

// Admit returns 0 if a password may be tried for email, as [ParseEmail] returns
// it; else for how long not. A try that may be made counts as a failure until
// [Throttle.Succeeded] or [Throttle.GiveBack] is called with the same email,
// address and known, so that tries made at once do not all pass. Refused tries
// do not count: waiting helps, whatever others do meanwhile.
func (t *Throttle) Admit(email string, addr netip.Addr, known bool, now int64) (retryAfter time.Duration) {
	buckets := t.buckets(email, addr, known)
	t.mu.Lock()
	defer t.mu.Unlock()
	return take(buckets, now)
}

// Succeeded says that an admitted try had the right password. It no longer
// counts, nor do the failures before it with the same email and address.
func (t *Throttle) Succeeded(email string, addr netip.Addr, known bool, now int64) {
	buckets := t.buckets(email, addr, known)
	pair := keyOf(email, network(addr))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range buckets {
		b.add(-1, now)
	}
	t.pairs.set(pair, window{}, now)
}

// GiveBack says that of an admitted try nobody learnt whether the password was
// right, as after [ErrBusy]. It no longer counts.
func (t *Throttle) GiveBack(email string, addr netip.Addr, known bool, now int64) {
	buckets := t.buckets(email, addr, known)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range buckets {
		b.add(-1, now)
	}
}

// Allow counts a try of anything else that an address may do so many times in a
// window, and returns 0; or for how long it may not be done, and then it does
// not count. Each what counts apart, and should always come with the same limit
// and window.
func (t *Throttle) Allow(what string, addr netip.Addr, limit int, window time.Duration, now int64) (retryAfter time.Duration) {
	b := bucket{t.others, rule{limit, window.Milliseconds()}, keyOf(what, network(addr))}
	t.mu.Lock()
	defer t.mu.Unlock()
	return take([]bucket{b}, now)
}

// buckets returns those that bind a try.
func (t *Throttle) buckets(email string, addr netip.Addr, known bool) []bucket {
	if known {
		return []bucket{{t.known, rule{10, quarter}, keyOf(email)}}
	}
	from := network(addr)
	return []bucket{
		{t.addresses, rule{20, quarter}, keyOf(from)},
		{t.pairs, rule{5, quarter}, keyOf(email, from)},
		{t.emails, rule{50, hour}, keyOf(email)},
	}
}

// network returns what counts as one address: whoever has an IPv6 address
// usually has all of its /64.
func network(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if net, err := addr.Prefix(64); err == nil {
			return net.String()
		}
	}
	return addr.String()
}
