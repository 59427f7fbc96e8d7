package account

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Reasons why the database refuses a change. Repositories wrap them.
var (
	ErrNotFound    = errors.New("not found") // there is no such id
	ErrEmailTaken  = errors.New("another user has this email address")
	ErrLastAdmin   = errors.New("there is no other administrator")
	ErrLinkGone    = errors.New("the link was used, has expired or never existed")
	ErrTooManyKeys = errors.New("too many keys")

	ErrTooManyNewKeys = errors.New("too many new keys")
)

// Keys is the keys in the database, as a [Cache] needs them.
type Keys interface {
	// FindKeyByHash returns the key whose token has this hash; found is false
	// if there is none. An error means that the lookup failed.
	FindKeyByHash(ctx context.Context, hash [32]byte) (k Key, found bool, err error)

	// KeysSince returns every key that changed after since, in any order, and the
	// newest mark; it must not miss a change up to that. KeysSince(ctx, Mark{})
	// returns all keys, revoked ones too. If since is of another epoch, KeysSince
	// returns no keys.
	KeysSince(ctx context.Context, since Mark) (keys []Key, upTo Mark, err error)

	// SaveKeyUses moves LastUsedAt of the given keys forward, never back. That
	// is not a change of a key: the change counter does not rise.
	SaveKeyUses(ctx context.Context, uses []KeyUse) error
}

// Mark is how far the changes of keys were read. The zero Mark is before all of them.
type Mark struct {
	Epoch  string // of the database; with another one, the same number may stand for other data
	Change int64  // number of the last change
}

// KeyUse is the time at which a key was last used.
type KeyUse struct {
	KeyID string
	At    int64
}

const (
	lookupTimeout  = 5 * time.Second // a busy machine answers late
	lookupsAtOnce  = 8               // in the database
	lookupsWaiting = 256             // callers, including those; further ones are refused
	refusalsKept   = 4096
	refusalMillis  = 2000
)

// findKey returns the key with this hash in the database, ErrUnknown, or a wrapped
// ErrUnavailable. It limits the number of queries, so that guessing tokens cannot overload
// the database.
func (c *Cache) findKey(ctx context.Context, hash [32]byte) (Key, error) {
	c.refusing.Lock()
	refused := c.now() < c.refused[hash]
	c.refusing.Unlock()
	if refused {
		return Key{}, ErrUnknown
	}
	select {
	case c.waiting <- struct{}{}:
		defer func() { <-c.waiting }()
	default:
		return Key{}, fmt.Errorf("%w: %d lookups are waiting", ErrUnavailable, lookupsWaiting)
	}
	// All callers with this hash share the lookup: it must not end with the
	// first of them.
	flight := c.lookups.DoChan(string(hash[:]), func() (any, error) {
		return c.findByHash(context.WithoutCancel(ctx), hash)
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

// findByHash makes one lookup within lookupTimeout, including the wait for its turn.
func (c *Cache) findByHash(ctx context.Context, hash [32]byte) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-ctx.Done():
		return Key{}, fmt.Errorf("%w: no turn within %v", ErrUnavailable, lookupTimeout)
	}
	k, found, err := c.stored.FindKeyByHash(ctx, hash)
	if err != nil {
		return Key{}, errors.Join(ErrUnavailable, fmt.Errorf("find key by hash: %w", err))
	}
	if found {
		return k, nil
	}
	c.refusing.Lock()
	defer c.refusing.Unlock()
	if len(c.refused) >= refusalsKept {
		clear(c.refused)
	}
	c.refused[hash] = c.now() + refusalMillis
	return Key{}, ErrUnknown
}
