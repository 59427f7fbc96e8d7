package account

import (
	"context"
	"errors"
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
