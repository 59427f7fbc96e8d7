package account

import "fmt"

// SetPassword returns the user with another password, in PHC form. It ends all
// sessions.
func (u User) SetPassword(phc string) User {
	u.PasswordHash = phc
	return u.EndSessions()
}

// EndSessions returns the user in a new epoch. A request under way may store
// its session again after it was deleted; the epoch ends that session too.
func (u User) EndSessions() User {
	u.Epoch++
	return u
}

// SetAdmin returns the user with or without the rights of an administrator. It
// fails with ErrLastAdmin if otherAdmins, the administrators besides the user
// who are not disabled, is 0 and none would be left.
func (u User) SetAdmin(admin bool, otherAdmins int) (User, error) {
	if !admin {
		if err := u.CheckSpared(otherAdmins); err != nil {
			return u, err
		}
	}
	u.Admin = admin
	return u, nil
}

// Disable returns the user disabled at now, which ends all sessions. It fails
// as SetAdmin does. A disabled user stays as they are.
func (u User) Disable(now int64, otherAdmins int) (User, error) {
	if u.Disabled() {
		return u, nil
	}
	if err := u.CheckSpared(otherAdmins); err != nil {
		return u, err
	}
	u.DisabledAt = now
	return u.EndSessions(), nil
}

// Enable undoes Disable.
func (u User) Enable() User {
	u.DisabledAt = 0
	return u
}

// CheckSpared returns ErrLastAdmin if the user is the only administrator who is
// not disabled.
func (u User) CheckSpared(otherAdmins int) error {
	if u.Admin && !u.Disabled() && otherAdmins == 0 {
		return ErrLastAdmin
	}
	return nil
}

// CheckNewKey returns an error if the user, who has so many keys that are not
// revoked, may not get another: it wraps ErrNotFound if the user is disabled,
// and ErrTooManyKeys.
func (u User) CheckNewKey(keys int) error {
	switch {
	case u.Disabled():
		return fmt.Errorf("user %s is disabled: %w", u.ID, ErrNotFound)
	case keys >= MaxKeys:
		return fmt.Errorf("user %s has %d: %w", u.ID, keys, ErrTooManyKeys)
	}
	return nil
}
