package account

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// maxTallied is how many windows a tally remembers.
const maxTallied = 20_000

// rule allows so many tries in a span of milliseconds.
type rule struct {
	limit int
	span  int64
}

// window counts tries from the first one until a moment. The zero value is
// over.
type window struct {
	until int64
	tries int
}

// at returns w as it stands at now: an empty one if w is over, or the clock was
// set back by more than the span, so that a wrong clock stops nobody for long.
// A now that is only a little older than the window's first try comes from a
// request that ran beside it, and counts.
func (w window) at(now int64, r rule) window {
	if now >= w.until || now < w.until-2*r.span {
		return window{until: now + r.span}
	}
	return w
}

// wait is how long there are no more tries in a window that is not over.
func (w window) wait(now int64, r rule) time.Duration {
	if w.tries < r.limit {
		return 0
	}
	return time.Duration(w.until-now) * time.Millisecond
}

// tallyKey is a hash of what tries have in common: long texts take no memory,
// and nobody's address can be read from it.
type tallyKey [32]byte

// keyOf hashes each part with its length, so that no two lists are alike.
func keyOf(parts ...string) tallyKey {
	var text []byte
	for _, p := range parts {
		text = binary.AppendUvarint(text, uint64(len(p)))
		text = append(text, p...)
	}
	return sha256.Sum256(text)
}

// tally holds the windows of one kind, at most maxTallied. The oldest go first;
// they have the least left to say.
type tally struct {
	windows map[tallyKey]*list.Element // of *tallied
	order   *list.List                 // as they began, the oldest in front
}

type tallied struct {
	key tallyKey
	window
}

func newTally() *tally {
	return &tally{windows: make(map[tallyKey]*list.Element), order: list.New()}
}

func (t *tally) get(k tallyKey) window {
	if e := t.windows[k]; e != nil {
		return e.Value.(*tallied).window
	}
	return window{}
}

// set replaces the window of k. One without tries need not be remembered.
func (t *tally) set(k tallyKey, w window, now int64) {
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
	t.forget(now)
}

// forget drops windows from the front: those that are over, and as many as
// there are too many.
func (t *tally) forget(now int64) {
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

// bucket is one window of a tally with the rule that holds for it.
type bucket struct {
	tally *tally
	rule  rule
	key   tallyKey
}

func (b bucket) at(now int64) window { return b.tally.get(b.key).at(now, b.rule) }

// add adds n tries, or takes them away, as far as there are any.
func (b bucket) add(n int, now int64) {
	w := b.at(now)
	w.tries += n
	b.tally.set(b.key, w, now)
}

// take counts a try in every bucket if all have room for it; else in none, and
// returns how long to wait.
func take(buckets []bucket, now int64) time.Duration {
	var wait time.Duration
	for _, b := range buckets {
		wait = max(wait, b.at(now).wait(now, b.rule))
	}
	if wait > 0 {
		return wait
	}
	for _, b := range buckets {
		b.add(1, now)
	}
	return 0
}
