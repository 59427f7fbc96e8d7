package account

import (
	"container/list"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/netip"
	"sync"
	"time"
)

const (
	quarter = 15 * 60_000 // milliseconds
	hour    = 60 * 60_000
)

// Throttle limits failed sign-ins without locking out the owner of an account.
//
//	a try ─┬─ from a known browser ──► (email)      10 in 15 minutes
//	       └─ from elsewhere ───┬────► address      20 in 15 minutes
//	                            ├────► email, address 5 in 15 minutes
//	                            └────► email        50 in an hour
//
// Only failures count. A browser is known to an account if somebody signed in
// to that account with it before. The tries of known browsers have a separate
// bucket that nobody else can fill: the owner can sign in while others guess,
// from ten thousand addresses or from the owner's own. It makes no difference
// whether an account exists.
//
// An address is an IPv4 address or the /64 network of an IPv6 address. A window
// begins with its first try, so a span across two windows may have up to twice
// the number of failures. A bucket that is dropped to save memory starts again
// from 0; filling 20,000 others takes more tries than that allows.
//
// Tries that other processes count too are those of all of them. While they cannot be
// counted together, the throttle goes on with those that it has seen itself.
//
// All times are Unix milliseconds. A Throttle is safe for concurrent use. Create
// it with [NewThrottle].
type Throttle struct {
	shared SharedTries // nil: this process counts alone

	mu        sync.Mutex
	known     *tally // by email
	addresses *tally
	pairs     *tally // by email and address
	emails    *tally
	others    *tally // of Allow
}

// NewThrottle returns a throttle without any tries, which counts together with other
// processes; if shared is nil, it counts alone.
func NewThrottle(shared SharedTries) *Throttle {
	return &Throttle{
		shared: shared,
		known:  newTally("known"), addresses: newTally("address"), pairs: newTally("pair"), emails: newTally("email"), others: newTally("other"),
	}
}

// Admit returns 0 if a password may be tried for email, which must be as
// [ParseEmail] returns it, or how long to wait. An admitted try counts as a
// failure until [Throttle.Succeeded] or [Throttle.GiveBack] is called with the
// same email, address and known, so that concurrent tries cannot exceed the
// limit. Refused tries do not count, so they do not prolong the wait.
func (t *Throttle) Admit(email string, addr netip.Addr, known bool, now int64) (retryAfter time.Duration) {
	return t.take(t.buckets(email, addr, known), now)
}

// Succeeded records that an admitted try had the right password: the try no
// longer counts, nor do earlier failures with the same email and address.
func (t *Throttle) Succeeded(email string, addr netip.Addr, known bool, now int64) {
	t.GiveBack(email, addr, known, now)
	t.drop([]bucket{t.pair(email, Network(addr))}, math.MaxInt32, now)
}

// GiveBack records that the password of an admitted try was not checked, as
// after [ErrBusy]: the try no longer counts.
func (t *Throttle) GiveBack(email string, addr netip.Addr, known bool, now int64) {
	t.drop(t.buckets(email, addr, known), 1, now)
}

// Allow limits anything else that an address may do limit times in a window: it
// counts the try and returns 0, or returns how long to wait and does not count
// it. Each what is counted separately, and should always have the same limit and
// window.
func (t *Throttle) Allow(what string, addr netip.Addr, limit int, window time.Duration, now int64) (retryAfter time.Duration) {
	return t.take(t.otherBucket(what, addr, limit, window), now)
}

// Undo records that a try which Allow counted no longer counts. The arguments are
// those of Allow.
func (t *Throttle) Undo(what string, addr netip.Addr, limit int, window time.Duration, now int64) {
	t.drop(t.otherBucket(what, addr, limit, window), 1, now)
}

// otherBucket returns the bucket in which Allow counts.
func (t *Throttle) otherBucket(what string, addr netip.Addr, limit int, window time.Duration) []bucket {
	return []bucket{{t.others, rule{limit, window.Milliseconds()}, keyOf(what, Network(addr))}}
}

// buckets returns the buckets in which a try counts.
func (t *Throttle) buckets(email string, addr netip.Addr, known bool) []bucket {
	if known {
		return []bucket{{t.known, rule{10, quarter}, keyOf(email)}}
	}
	from := Network(addr)
	return []bucket{
		{t.addresses, rule{20, quarter}, keyOf(from)},
		t.pair(email, from),
		{t.emails, rule{50, hour}, keyOf(email)},
	}
}

// pair returns the bucket of an account and a network.
func (t *Throttle) pair(email, from string) bucket {
	return bucket{t.pairs, rule{5, quarter}, keyOf(email, from)}
}

// take counts a try in every bucket if all allow it, and returns 0. Otherwise it counts
// none and returns how long to wait.
func (t *Throttle) take(buckets []bucket, now int64) (wait time.Duration) {
	if t.shared != nil {
		if wait, err := t.shared.CountTries(tryWindows(buckets), 1); err == nil {
			if wait == 0 {
				t.add(buckets, 1, now) // for when the others cannot be asked
			}
			return wait
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range buckets {
		if w := b.at(now); w.tries >= b.rule.limit {
			wait = max(wait, time.Duration(w.until-now)*time.Millisecond)
		}
	}
	if wait == 0 {
		addTries(buckets, 1, now)
	}
	return wait
}

// drop takes n tries off every bucket, down to none.
func (t *Throttle) drop(buckets []bucket, n int, now int64) {
	if t.shared != nil {
		_, _ = t.shared.CountTries(tryWindows(buckets), -n) // without the others, too many tries count
	}
	t.add(buckets, -n, now)
}

func (t *Throttle) add(buckets []bucket, n int, now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	addTries(buckets, n, now)
}

// Network returns what counts as one address: a client with an IPv6 address
// usually has all of its /64.
func Network(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if net, err := addr.Prefix(64); err == nil {
			return net.String()
		}
	}
	return addr.String()
}

// TryWindow is a window of tries that several processes count together.
type TryWindow struct {
	Name  string // which shows neither addresses nor accounts
	Limit int
	Span  time.Duration // from the first try
}

// SharedTries counts tries for several processes, by one clock. After an error the
// caller has to count alone.
type SharedTries interface {
	// CountTries counts n tries in all windows if all have room, and returns 0. Otherwise
	// it counts none and returns how long to wait. It takes -n tries off each window, down to none.
	CountTries(windows []TryWindow, n int) (retryAfter time.Duration, err error)
}

// maxTallied is the maximum number of windows in a tally.
const maxTallied = 20_000

// rule allows limit tries in a span of milliseconds.
type rule struct {
	limit int
	span  int64
}

// window counts tries from the first one until a time. The zero value has
// ended.
type window struct {
	until int64
	tries int
}

// tallyKey is a hash of what tries have in common. A hash bounds the memory and
// does not reveal addresses.
type tallyKey [32]byte

// keyOf hashes each part with its length, so that different lists have
// different keys.
func keyOf(parts ...string) tallyKey {
	var text []byte
	for _, p := range parts {
		text = binary.AppendUvarint(text, uint64(len(p)))
		text = append(text, p...)
	}
	return sha256.Sum256(text)
}

// tally holds the windows of one kind, at most maxTallied. It drops the oldest
// first, because they end first.
type tally struct {
	name    string
	windows map[tallyKey]*list.Element // of *tallied
	order   *list.List                 // by their start, the oldest in front
}

type tallied struct {
	key tallyKey
	window
}

func newTally(name string) *tally {
	return &tally{name: name, windows: make(map[tallyKey]*list.Element), order: list.New()}
}

// setWindow replaces the window of k, or drops it if it has no tries.
func (t *tally) setWindow(k tallyKey, w window, now int64) {
	e := t.windows[k]
	if w.tries <= 0 {
		t.drop(e)
		return
	}
	if e != nil && e.Value.(*tallied).until == w.until {
		e.Value.(*tallied).window = w
		return
	}
	t.drop(e)
	t.windows[k] = t.order.PushBack(&tallied{k, w})
	// Drop windows that have ended, and the oldest if there are too many.
	for e := t.order.Front(); e != nil; e = t.order.Front() {
		if t.order.Len() <= maxTallied && now < e.Value.(*tallied).until {
			return
		}
		t.drop(e)
	}
}

func (t *tally) drop(e *list.Element) {
	if e != nil {
		delete(t.windows, e.Value.(*tallied).key)
		t.order.Remove(e)
	}
}

// bucket is one window of a tally with its rule.
type bucket struct {
	tally *tally
	rule  rule
	key   tallyKey
}

// tryWindows returns the buckets as they are shared.
func tryWindows(buckets []bucket) []TryWindow {
	list := make([]TryWindow, len(buckets))
	for i, b := range buckets {
		list[i] = TryWindow{b.tally.name + ":" + base64.RawURLEncoding.EncodeToString(b.key[:]), b.rule.limit, time.Duration(b.rule.span) * time.Millisecond}
	}
	return list
}

// at returns the bucket's window as of now: an empty one if it has ended, or if
// the clock was set back by more than the span, so that a wrong clock locks
// nobody out for long. A now that is slightly older than the window's first try
// comes from a concurrent request and counts.
func (b bucket) at(now int64) window {
	var w window
	if e := b.tally.windows[b.key]; e != nil {
		w = e.Value.(*tallied).window
	}
	if now >= w.until || now < w.until-2*b.rule.span {
		return window{until: now + b.rule.span}
	}
	return w
}

// addTries adds n tries to every bucket. A negative n removes tries, down to none.
func addTries(buckets []bucket, n int, now int64) {
	for _, b := range buckets {
		w := b.at(now)
		w.tries += n
		b.tally.setWindow(b.key, w, now)
	}
}
