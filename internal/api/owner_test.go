package api_test

import (
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/quota"
)

// TestNewKeysGiveNoMoreRequests checks that an owner who revokes a used key gets
// nothing from another one, and that the headers of a key keep its own limit.
func TestNewKeysGiveNoMoreRequests(t *testing.T) {
	w := newWorld(t, func(_ *world, c *api.Config) { c.Limits = quota.Limits{Minute: 3, Day: 100} })
	ann := account.Draft{Name: "of ann", UserID: "usr_ann"}
	first, used := w.newKey(ann)
	for range 3 {
		w.get("/account/me", bearer(used)).want(200)
	}
	w.get("/account/me", bearer(used)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"key"`).is("error.details.limit", "3")
	w.changeKey(first.Revoke(w.now.Load()))
	second, fresh := w.newKey(ann)
	w.get("/account/me", bearer(fresh)).code(429, "RATE_LIMIT_EXCEEDED").
		is("error.details.scope", `"owner"`).is("error.details.limit", "3").is("error.details.retryAfter", "48").
		limit("Limit-Minute", "3").limit("Remaining-Minute", "0").limit("Remaining-Day", "97")
	w.get("/catalog/prices?ids=a", bearer(fresh)).code(429, "rate_limit_minute").is("error.details.scope", `"owner"`)

	// The owner may spend the limits of both keys, but what the first one had used still counts.
	_, third := w.newKey(ann)
	w.get("/account/usage", bearer(third)).want(200).is("data.minute.limit", "3").is("data.minute.used", "1").
		is("data.minute.remaining", "2").is("meta.rateLimit.remaining", "2").is("data.day.remaining", "99")
	w.get("/account/me", bearer(fresh)).want(200)
	// A refusal by the owner's limits is charged to nobody.
	second.LimitMinute = 1
	w.changeKey(second)
	for range 5 {
		w.get("/account/me", bearer(third)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"owner"`)
	}
	second.LimitMinute = 100
	w.changeKey(second)
	w.get("/account/usage", bearer(third)).want(200).is("data.minute.used", "2").is("data.minute.remaining", "1")

	// A day counts before a minute, and the next minute begins with what is left of the day.
	w.now.Add(60_000)
	second.LimitDay = 1
	w.changeKey(second)
	w.get("/account/me", bearer(fresh)).code(429, "RATE_LIMIT_EXCEEDED").is("error.details.scope", `"key"`)

	// Other owners and keys without one do not notice.
	_, other := w.newKey(account.Draft{Name: "of bob", UserID: "usr_bob"})
	w.get("/account/me", bearer(other)).want(200).limit("Remaining-Minute", "2")
	w.get("/account/me").want(200).limit("Remaining-Minute", "2")
}

// limit fails the test if the header X-RateLimit-name is not want.
func (r reply) limit(name, want string) reply {
	r.t.Helper()
	if got := r.header.Get("X-RateLimit-" + name); got != want {
		r.t.Errorf("X-RateLimit-%s is %s, want %s", name, got, want)
	}
	return r
}
