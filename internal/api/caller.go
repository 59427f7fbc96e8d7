package api

import (
	"net/http"

	"gamedex/internal/api/respond"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// personMemory bounds the bytes of all answers to people that are in progress.
const personMemory = 64 << 20

// caller is on whose behalf a request is answered: a key, or a signed-in person
// who looks at the catalog in the dashboard.
type caller struct {
	person  string       // the user's id; empty for requests that bring a key
	limits  quota.Limits // of a person, or of keys that have no limits of their own
	counter quota.Counter
	usage   Usage         // nil for people: they have no usage history
	pool    *respond.Pool // for the answers
}

// Person returns a handler that answers catalog requests on behalf of a
// signed-in person instead of a key: it reads no token, counts against
// [Config].PersonLimits, and leaves the request's record in the log to the page
// that asks.
func (a *API) Person(userID string) http.Handler {
	c := a.people
	c.person = userID
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.answer(w, r, c, new(serve.Record))
	})
}
