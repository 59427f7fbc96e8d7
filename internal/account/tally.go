package account

import (
	"container/list"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// TryWindow is a window of tries that several processes count together.
type TryWindow struct {
	Name  string // which shows neither addresses nor accounts
	Limit int
	Span  time.Duration // from the first try
}

// SharedTries counts tries for several processes, by one clock. After an error the
// caller has to count alone.
type SharedTries interface {
	// TakeTry counts a try in all windows if all have room, and returns 0. Otherwise
	// it counts none and returns how long to wait.
	TakeTry(windows []TryWindow) (retryAfter time.Duration, err error)
	// DropTries takes n tries off each window, down to none.
	DropTries(windows []TryWindow, n int) error
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

// addTries adds n tries. A negative n removes tries, down to none.
func (b bucket) addTries(n int, now int64) {
	w := b.at(now)
	w.tries += n
	b.tally.setWindow(b.key, w, now)
}

// takeTry counts a try in every bucket if all allow it. Otherwise it counts
// none and returns how long to wait.
func takeTry(buckets []bucket, now int64) time.Duration {
	var wait time.Duration
	for _, b := range buckets {
		if w := b.at(now); w.tries >= b.rule.limit {
			wait = max(wait, time.Duration(w.until-now)*time.Millisecond)
		}
	}
	if wait > 0 {
		return wait
	}
	for _, b := range buckets {
		b.addTries(1, now)
	}
	return 0
}
