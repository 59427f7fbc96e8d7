package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	lookupTimeout  = time.Second
	lookupsAtOnce  = 8   // running in the store
	lookupsWaiting = 256 // callers, running ones included; more are turned away
	refusalsKept   = 4096
	refusalMillis  = 2000
)

type findFunc func(ctx context.Context, hash [32]byte) (Key, bool, error)

// lookups asks the store for keys that are not known, within bounds: guessing
// tokens must not keep the store from its work.
type lookups struct {
	query    findFunc
	now      func() int64
	flights  singleflight.Group
	running  chan struct{}
	waiting  chan struct{}
	refusals refusals
}

func newLookups(find findFunc, now func() int64) *lookups {
	return &lookups{
		query: find, now: now,
		running: make(chan struct{}, lookupsAtOnce),
		waiting: make(chan struct{}, lookupsWaiting),
	}
}

// find returns the key with this hash, ErrUnknown, or a wrapped ErrUnavailable.
func (l *lookups) find(ctx context.Context, hash [32]byte) (Key, error) {
	if l.refusals.holds(hash, l.now()) {
		return Key{}, ErrUnknown
	}
	select {
	case l.waiting <- struct{}{}:
		defer func() { <-l.waiting }()
	default:
		return Key{}, fmt.Errorf("%w: %d lookups are waiting", ErrUnavailable, lookupsWaiting)
	}
	// The lookup belongs to all who wait for it: it does not end with the first.
	flight := l.flights.DoChan(string(hash[:]), func() (any, error) {
		return l.ask(context.WithoutCancel(ctx), hash)
	})
	select {
	case <-ctx.Done():
		return Key{}, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case r := <-flight:
		if r.Err != nil {
			return Key{}, r.Err
		}
		return r.Val.(Key), nil
	}
}

// ask makes one lookup, waiting included, within a second.
func (l *lookups) ask(ctx context.Context, hash [32]byte) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	select {
	case l.running <- struct{}{}:
		defer func() { <-l.running }()
	case <-ctx.Done():
		return Key{}, fmt.Errorf("%w: no turn within %v", ErrUnavailable, lookupTimeout)
	}
	k, found, err := l.query(ctx, hash)
	switch {
	case err != nil:
		return Key{}, errors.Join(ErrUnavailable, fmt.Errorf("find key by hash: %w", err))
	case !found:
		l.refusals.add(hash, l.now()+refusalMillis)
		return Key{}, ErrUnknown
	}
	return k, nil
}

// refusals remembers hashes that no key has, the last few thousand of them.
type refusals struct {
	mu    sync.Mutex
	until map[[32]byte]int64
	order [][32]byte // a ring of what is in until, oldest at next
	next  int
}

func (r *refusals) holds(hash [32]byte, now int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now < r.until[hash]
}

func (r *refusals) add(hash [32]byte, until int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = make(map[[32]byte]int64)
	}
	if _, again := r.until[hash]; !again {
		r.place(hash)
	}
	r.until[hash] = until
}

// place puts hash into the ring; where the ring is full, the oldest goes.
func (r *refusals) place(hash [32]byte) {
	if len(r.order) < refusalsKept {
		r.order = append(r.order, hash)
		return
	}
	delete(r.until, r.order[r.next])
	r.order[r.next] = hash
	r.next = (r.next + 1) % refusalsKept
}
