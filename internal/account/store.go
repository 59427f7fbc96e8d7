package account

import (
	"context"
	"errors"
)

// Reasons why a store refuses a change. Stores wrap them.
var (
	ErrNotFound    = errors.New("not found") // there is no such id
	ErrEmailTaken  = errors.New("another user has this email address")
	ErrLastAdmin   = errors.New("there is no other administrator")
	ErrLinkGone    = errors.New("the link was used, has expired or never existed")
	ErrTooManyKeys = errors.New("too many keys")

	ErrTooManyNewKeys = errors.New("too many new keys")
)

// Store is the part of the database that a [Cache] needs.
type Store interface {
	// FindKeyByHash returns the key whose token has this hash; found is false
	// if there is none. An error means that the lookup failed.
	FindKeyByHash(ctx context.Context, hash [32]byte) (k Key, found bool, err error)

	// KeysSince returns every key that changed after the change counter was
	// seq, in any order, and the counter's new value; it must not miss a change
	// up to that value. KeysSince(ctx, 0) returns all keys, revoked ones too.
	KeysSince(ctx context.Context, seq int64) (keys []Key, upTo int64, err error)

	// SaveKeyUses moves LastUsedAt of the given keys forward, never back. That
	// is not a change of a key: the change counter does not rise.
	SaveKeyUses(ctx context.Context, uses []KeyUse) error
}

// KeyUse is the time at which a key was last used.
type KeyUse struct {
	KeyID string
	At    int64
}
