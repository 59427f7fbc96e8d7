package account_test

import (
	"errors"
	"testing"

	"gamedex/internal/account"
)

func TestKeyChanges(t *testing.T) {
	const now = 100
	active := account.Key{ID: "key_1"}
	expired := account.Key{ID: "key_1", ExpiresAt: 50}
	revoked := account.Key{ID: "key_1", RevokedAt: 20}
	suspended := account.Key{ID: "key_1", SuspendedAt: 30, SuspendReason: "abuse"}
	withUser := account.Key{ID: "key_1", SuspendedAt: 30, SuspendReason: account.SuspendedWithUser}

	revoke := func(k account.Key) (account.Key, error) { return k.Revoke(now), nil }
	suspend := func(k account.Key) (account.Key, error) { return k.Suspend(now, "spam") }
	resume := func(k account.Key) (account.Key, error) { return k.Resume(false) }
	resumeDisabled := func(k account.Key) (account.Key, error) { return k.Resume(true) }
	disable := func(k account.Key) (account.Key, error) { return k.DisableWithUser(now), nil }
	enable := func(k account.Key) (account.Key, error) { return k.EnableWithUser(), nil }
	tests := []struct {
		name   string
		change func(account.Key) (account.Key, error)
		key    account.Key
		want   account.Key
		fails  bool
	}{
		{"revoke", revoke, active, account.Key{ID: "key_1", RevokedAt: now}, false},
		{"revoke a suspended key", revoke, suspended, account.Key{ID: "key_1", SuspendedAt: 30, SuspendReason: "abuse", RevokedAt: now}, false},
		{"revoke again", revoke, revoked, revoked, false},
		{"suspend", suspend, active, account.Key{ID: "key_1", SuspendedAt: now, SuspendReason: "spam"}, false},
		{"suspend again: another reason", suspend, suspended, account.Key{ID: "key_1", SuspendedAt: 30, SuspendReason: "spam"}, false},
		{"suspend a revoked key", suspend, revoked, revoked, true},
		{"resume", resume, suspended, active, false},
		{"resume an active key", resume, active, active, false},
		{"resume a revoked key", resume, revoked, revoked, true},
		{"resume the key of a disabled user", resumeDisabled, suspended, withUser, false},
		{"resume the active key of a disabled user", resumeDisabled, active, active, false},
		{"the user is disabled", disable, active, account.Key{ID: "key_1", SuspendedAt: now, SuspendReason: account.SuspendedWithUser}, false},
		{"the user is disabled, the key suspended", disable, suspended, suspended, false},
		{"the user is disabled, the key expired", disable, expired, expired, false},
		{"the user is enabled", enable, withUser, active, false},
		{"the user is enabled, the key suspended for abuse", enable, suspended, suspended, false},
	}
	for _, tt := range tests {
		got, err := tt.change(tt.key)
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestUserChanges(t *testing.T) {
	const now = 100
	user := account.User{ID: "usr_1", Epoch: 3}
	admin := account.User{ID: "usr_1", Epoch: 3, Admin: true}
	disabled := account.User{ID: "usr_1", Epoch: 3, Admin: true, DisabledAt: 50}
	makeAdmin := func(others int) func(account.User) (account.User, error) {
		return func(u account.User) (account.User, error) { return u.SetAdmin(true, others) }
	}
	dismiss := func(others int) func(account.User) (account.User, error) {
		return func(u account.User) (account.User, error) { return u.SetAdmin(false, others) }
	}
	disable := func(others int) func(account.User) (account.User, error) {
		return func(u account.User) (account.User, error) { return u.Disable(now, others) }
	}
	tests := []struct {
		name   string
		change func(account.User) (account.User, error)
		user   account.User
		want   account.User
		err    error
	}{
		{"a password ends the sessions", func(u account.User) (account.User, error) { return u.SetPassword("phc"), nil }, user,
			account.User{ID: "usr_1", PasswordHash: "phc", Epoch: 4}, nil},
		{"make an administrator", makeAdmin(0), user, admin, nil},
		{"remove one of two administrators", dismiss(1), admin, user, nil},
		{"remove the last administrator", dismiss(0), admin, admin, account.ErrLastAdmin},
		{"remove the rights of a user without them", dismiss(0), user, user, nil},
		{"remove the rights of a disabled user", dismiss(0), disabled, account.User{ID: "usr_1", Epoch: 3, DisabledAt: 50}, nil},
		{"disable", disable(0), user, account.User{ID: "usr_1", Epoch: 4, DisabledAt: now}, nil},
		{"disable again", disable(0), disabled, disabled, nil},
		{"disable the last administrator", disable(0), admin, admin, account.ErrLastAdmin},
		{"enable", func(u account.User) (account.User, error) { return u.Enable(), nil }, disabled, admin, nil},
	}
	for _, tt := range tests {
		got, err := tt.change(tt.user)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestCheckNewKey(t *testing.T) {
	tests := []struct {
		user         account.User
		keys, lately int
		want         error
	}{
		{account.User{}, account.MaxKeys - 1, account.MaxNewKeys - 1, nil},
		{account.User{}, account.MaxKeys, 0, account.ErrTooManyKeys},
		{account.User{}, 0, account.MaxNewKeys, account.ErrTooManyNewKeys},
		{account.User{DisabledAt: 1}, 0, 0, account.ErrNotFound},
	}
	for _, tt := range tests {
		if err := tt.user.CheckNewKey(tt.keys, tt.lately); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("user %+v with %d keys, %d of them new: %v, want %v", tt.user, tt.keys, tt.lately, err, tt.want)
		}
	}
}
