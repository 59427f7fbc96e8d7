package account

import (
	"fmt"
	"slices"
)

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

// Status is the state of a key at one time, as the API calls it.
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

// Revoke returns the key revoked at now. A revoked key does not change.
func (k Key) Revoke(now int64) Key {
	if k.RevokedAt == 0 {
		k.RevokedAt = now
	}
	return k
}

// Suspend returns the key suspended at now. For a suspended key it changes only the
// reason; a revoked key is an error.
func (k Key) Suspend(now int64, reason string) (Key, error) {
	if err := k.checkNotRevoked(); err != nil {
		return k, err
	}
	if k.SuspendedAt == 0 {
		k.SuspendedAt = now
	}
	k.SuspendReason = reason
	return k, nil
}

// Resume returns the key active again. The key of a disabled user stays
// suspended until the user is enabled; a revoked key is an error.
func (k Key) Resume(userDisabled bool) (Key, error) {
	if err := k.checkNotRevoked(); err != nil {
		return k, err
	}
	switch {
	case k.SuspendedAt == 0:
	case userDisabled:
		k.SuspendReason = SuspendedWithUser
	default:
		k.SuspendedAt, k.SuspendReason = 0, ""
	}
	return k, nil
}

func (k Key) checkNotRevoked() error {
	if k.RevokedAt != 0 {
		return fmt.Errorf("key %s is revoked permanently: create a new one", k.ID)
	}
	return nil
}

// DisableWithUser returns an active key suspended because its user is disabled
// at now. Other keys stay as they are.
func (k Key) DisableWithUser(now int64) Key {
	if k.Status(now) == StatusActive {
		k.SuspendedAt, k.SuspendReason = now, SuspendedWithUser
	}
	return k
}

// EnableWithUser undoes DisableWithUser.
func (k Key) EnableWithUser() Key {
	if k.RevokedAt == 0 && k.SuspendReason == SuspendedWithUser {
		k.SuspendedAt, k.SuspendReason = 0, ""
	}
	return k
}
