package account

import "context"

// Store is what a [Cache] needs of the database.
type Store interface {
	// FindKeyByHash returns the key whose token has this hash; found is false
	// if there is none. An error means that nobody knows.
	FindKeyByHash(ctx context.Context, hash [32]byte) (k Key, found bool, err error)

	// KeysSince returns every key changed after the change counter stood at
	// seq, in any order, and where it stands now; everything up to there must
	// be in the answer. KeysSince(ctx, 0) is all keys, revoked ones included.
	KeysSince(ctx context.Context, seq int64) (keys []Key, upTo int64, err error)

	// SaveKeyUses moves LastUsedAt of the given keys forward, never back. It
	// is not a change of a key: the change counter stays.
	SaveKeyUses(ctx context.Context, uses []KeyUse) error
}

// KeyUse says when a key was last presented.
type KeyUse struct {
	KeyID string
	At    int64
}
