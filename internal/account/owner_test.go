package account_test

import (
	"testing"

	"gamedex/internal/account"
)

// TestOwnerLimits checks that the active keys of a user count, each with its own
// limits or the default ones, and that a key which was revoked for a new one no
// longer counts when the new one is first used.
func TestOwnerLimits(t *testing.T) {
	s := newKeys()
	c := newCache(s)
	of := func(user string, minute int) (account.Key, string) {
		k, token := s.create(t, "a")
		k.UserID, k.LimitMinute = user, minute
		s.put(k)
		return k, token
	}
	check := func(when, user string, minute, day int) {
		t.Helper()
		if m, d := c.OwnerLimits(user, 30, 1000); m != minute || d != day {
			t.Errorf("%s: %s may spend %d and %d, want %d and %d", when, user, m, d, minute, day)
		}
	}
	use := func(token string) {
		t.Helper()
		if _, err := c.Find(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	check("before any key", "ann", 0, 0)
	first, token := of("ann", 0)
	use(token)
	check("a key", "ann", 30, 1000)
	_, bobs := of("bob", 0)
	use(bobs)
	suspended, _ := of("ann", 7)
	must(t, c.Refresh(t.Context()))
	check("two keys", "ann", 37, 2000)
	suspended.SuspendedAt = now()
	s.put(suspended)
	s.put(first.Revoke(now()))
	_, token = of("ann", 5)
	use(token)
	check("revoked and made again", "ann", 5, 1000)
	expired, _ := of("ann", 0)
	expired.ExpiresAt = now() - 1
	s.put(expired)
	must(t, c.Refresh(t.Context()))
	check("with an expired one", "ann", 5, 1000)
	check("another user", "bob", 30, 1000)
	check("nobody", "", 0, 0)
}
