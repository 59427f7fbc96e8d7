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
	lookupsAtOnce  = 8   // in the store
	lookupsWaiting = 256 // callers, including those; further ones are refused
	refusalsKept   = 4096
	refusalMillis  = 2000
)

type findFunc func(ctx context.Context, hash [32]byte) (Key, bool, error)

// lookups finds unknown keys in the store. It limits the number of queries, so
// that guessing tokens cannot overload the store.
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

// findKey returns the key with this hash, ErrUnknown, or a wrapped
// ErrUnavailable.
func (l *lookups) findKey(ctx context.Context, hash [32]byte) (Key, error) {
	if l.refusals.contains(hash, l.now()) {
		return Key{}, ErrUnknown
	}
	select {
	case l.waiting <- struct{}{}:
		defer func() { <-l.waiting }()
	default:
		return Key{}, fmt.Errorf("%w: %d lookups are waiting", ErrUnavailable, lookupsWaiting)
	}
	// All callers with this hash share the lookup: it must not end with the
	// first of them.
	flight := l.flights.DoChan(string(hash[:]), func() (any, error) {
		return l.queryStore(context.WithoutCancel(ctx), hash)
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

// queryStore makes one lookup within a second, including the wait for its turn.
func (l *lookups) queryStore(ctx context.Context, hash [32]byte) (Key, error) {
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
		l.refusals.addHash(hash, l.now()+refusalMillis)
		return Key{}, ErrUnknown
	}
	return k, nil
}

// refusals holds the last few thousand hashes that no key has.
type refusals struct {
	mu    sync.Mutex
	until map[[32]byte]int64
	order [][32]byte // a ring of the keys of until, the oldest at next
	next  int
}

func (r *refusals) contains(hash [32]byte, now int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now < r.until[hash]
}

func (r *refusals) addHash(hash [32]byte, until int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = make(map[[32]byte]int64)
	}
	if _, again := r.until[hash]; !again {
		if len(r.order) < refusalsKept {
			r.order = append(r.order, hash)
		} else { // replace the oldest
			delete(r.until, r.order[r.next])
			r.order[r.next] = hash
			r.next = (r.next + 1) % refusalsKept
		}
	}
	r.until[hash] = until
}
