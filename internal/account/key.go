package account

import "slices"

// Key is the stored record of one API key. It never holds the token.
type Key struct {
	ID            string // "key_" and 26 sortable characters
	Hash          [32]byte
	Prefix        string // first characters of the token, for display: "gdx_Ab12"
	Name          string // the label given at creation
	UserID        string // the owner; "": none
	CreatedAt     int64
	ExpiresAt     int64 // 0: never
	LastUsedAt    int64 // 0: not used yet
	RevokedAt     int64 // 0: not revoked
	SuspendedAt   int64 // 0: not suspended
	SuspendReason string
	Permissions   Permissions
	LimitMinute   int // requests a minute; 0: the default
	LimitDay      int // requests a UTC day; 0: the default
}

// Status is the state of a key at one moment, as the API calls it.
type Status string

// The states of a key. Only an active key works.
const (
	StatusActive    Status = "active"
	StatusExpired   Status = "expired"
	StatusRevoked   Status = "revoked"
	StatusSuspended Status = "suspended"
)

// Status returns the key's state at now. If several apply, it returns the first
// of revoked, suspended, expired. A key is expired from the millisecond ExpiresAt
// on.
func (k Key) Status(now int64) Status {
	switch {
	case k.RevokedAt != 0:
		return StatusRevoked
	case k.SuspendedAt != 0:
		return StatusSuspended
	case k.ExpiresAt != 0 && now >= k.ExpiresAt:
		return StatusExpired
	}
	return StatusActive
}

// Unrevoked returns the keys that were not revoked.
func Unrevoked(keys []Key) []Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.RevokedAt != 0 })
}
