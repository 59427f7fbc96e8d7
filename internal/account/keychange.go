package account

import "fmt"

// Revoke returns the key revoked at now. A revoked key stays as it is.
func (k Key) Revoke(now int64) Key {
	if k.RevokedAt == 0 {
		k.RevokedAt = now
	}
	return k
}

// Suspend returns the key suspended at now. A key that is suspended already
// only gets the new reason; a revoked one is an error.
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
		return fmt.Errorf("key %s is revoked for good: create a new one", k.ID)
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
