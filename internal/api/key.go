package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// visitors is the owner of the answers to people without an account.
const visitors = "visitors"

// caller is the kind of client that a request comes from: one with a key, or a person who
// looks at the catalog in the dashboard.
type caller struct {
	person  string            // the user's id; empty for requests with a key
	limits  quota.Limits      // of a person, or of keys that have no limits of their own
	counter quota.Counter     // nil: requests are not counted
	usage   *quota.Usage      // nil for people: they have no usage history
	pool    *respond.Pool     // for the answers
	visitor *overview.Visitor // nil: the answer is not for a page
	owned   *account.Key      // of a person, who sends no token for it; nil: none
}

// Person returns a handler that answers the catalog requests of a signed-in person, as it
// answers clients. It reads no key, counts against [Config].PersonLimits, and leaves the
// request's log record to the page that calls it.
func (a *API) Person(userID string) http.Handler {
	c := a.people
	c.person = userID
	return a.inProcess(c)
}

// Pages returns a handler like that of [API.Person], whose answers have what pages show in
// addition: the versions of a game, their prices, since when prices stand, and more about former
// cards. It does not count the requests of visitors without an account: the pages do.
func (a *API) Pages(visitor overview.Visitor) http.Handler {
	c := a.people
	c.person, c.visitor = visitor.UserID, &visitor
	if c.person == "" {
		c.person, c.counter = visitors, nil
	}
	return a.inProcess(c)
}

// KeyOwner returns a handler that answers the requests about webhooks that the owner of a key sends from pages: as if
// they had the key, whose state is checked, but counted as those of the owner.
func (a *API) KeyOwner(k account.Key) http.Handler {
	c := a.people
	c.person = k.UserID
	k.Permissions &= account.WriteWebhooks
	k.UserID, k.LimitMinute, k.LimitDay = "", 0, 0 // the limits are those of a person
	c.owned = &k
	return a.inProcess(c)
}

func (a *API) inProcess(c caller) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.answer(w, r, c, new(serve.Record))
	})
}

// Catalog returns what pages show of the catalog as a whole; nil before there is one.
func (a *API) Catalog() *overview.Catalog {
	v := a.cfg.Live.View()
	if v == nil {
		return nil
	}
	c := a.overview.Load()
	if c == nil || !c.Describes(v) {
		c = overview.New(v)
		a.overview.Store(c)
	}
	return c
}

// FormMemory waits for memory for a form that an owner sends to the pages, from the pool of
// answers to people. It fails if none is free within a second. A client that sends the form
// slowly can be cut off for others. The caller calls release when it has answered the form.
func (a *API) FormMemory(w http.ResponseWriter, r *http.Request, owner string, bytes int64) (release func() (cut bool), err error) {
	hold := &respond.Hold{Pool: a.people.pool, Owner: owner, Network: a.cfg.Network(r), W: w}
	if err := hold.Take(r.Context(), bytes); err != nil {
		hold.Release()
		return nil, err
	}
	r.Body = hold.Body(r.Body)
	return hold.Release, nil
}

// findKey finds the key of the request and checks its state. The answer to a key that is
// revoked, suspended or expired has the rate-limit headers, but is not counted.
func (rq *request) findKey() error {
	if k := rq.caller.owned; k != nil {
		rq.key = *k
		return rq.checkKey()
	}
	if rq.caller.person != "" {
		rq.key = account.Key{ID: rq.caller.person, Permissions: account.ReadCatalog}
		return nil
	}
	token := sentToken(rq.r.Header)
	if token == "" {
		return &problem{code: rq.route.codes.keyMissing}
	}
	key, err := rq.api.cfg.Keys.Find(rq.r.Context(), token)
	switch {
	case errors.Is(err, account.ErrMalformed), errors.Is(err, account.ErrUnknown):
		return &problem{code: rq.route.codes.keyInvalid, message: codeKeyInvalid.message, cause: err}
	case err != nil:
		return unavailable("the key cannot be looked up right now", err)
	}
	rq.key = key
	rq.record.KeyID = key.ID
	return rq.checkKey()
}

func (rq *request) checkKey() error {
	var refused *problem
	switch rq.key.Status(rq.now) {
	case account.StatusRevoked:
		refused = &problem{code: codeKeyRevoked}
	case account.StatusSuspended:
		refused = suspended(rq.key.SuspendReason)
	case account.StatusExpired:
		details := wire.AppendTimestamp([]byte(`{"expiresAt":`), rq.key.ExpiresAt)
		refused = &problem{code: codeKeyExpired, details: append(details, '}')}
	default:
		return nil
	}
	rq.lookLimits()
	return refused
}

// suspended returns the problem of a suspended key. Its owner reads the reason, if
// there is one.
func suspended(reason string) *problem {
	if reason == "" {
		return &problem{code: codeKeySuspended}
	}
	details := wire.AppendString([]byte(`{"reason":`), reason)
	return &problem{code: codeKeySuspended, message: codeKeySuspended.message + ": " + reason, details: append(details, '}')}
}

// lookLimits sets the rate-limit headers of the key. It does not count the request.
func (rq *request) lookLimits() {
	if windows, err := rq.caller.counter.Look(rq.r.Context(), rq.counted(), rq.limits(), rq.owner(), rq.now); err == nil {
		setLimitHeaders(rq.w.Header(), windows)
	}
}

// showLimits sets the rate-limit headers of an answer that needs no key and is not
// counted, if the request has a known key.
func (rq *request) showLimits() {
	token := sentToken(rq.r.Header)
	if token == "" || rq.caller.person != "" {
		return
	}
	if key, err := rq.api.cfg.Keys.Find(rq.r.Context(), token); err == nil {
		rq.key, rq.record.KeyID = key, key.ID
		rq.lookLimits()
	}
}

// sentToken returns the token of a request, "" if there is none. The header
// x-api-key counts only if Authorization is absent or of another scheme.
func sentToken(h http.Header) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return strings.TrimSpace(h.Get("X-Api-Key"))
}

// counted returns the id that the request counts against.
func (rq *request) counted() string { return cmp.Or(rq.caller.person, rq.key.ID) }

// limits returns the limits of the key, which may be the default ones.
func (rq *request) limits() quota.Limits {
	l := rq.caller.limits
	return quota.Limits{Minute: cmp.Or(rq.key.LimitMinute, l.Minute), Day: cmp.Or(rq.key.LimitDay, l.Day)}
}

// owner returns who the key belongs to. All their keys together may make as many
// requests as the limits of the active ones allow.
func (rq *request) owner() quota.Owner {
	o := quota.Owner{ID: rq.key.UserID}
	if o.ID != "" {
		l := rq.caller.limits
		o.Limits.Minute, o.Limits.Day = rq.api.cfg.Keys.OwnerLimits(o.ID, l.Minute, l.Day)
	}
	return o
}

// spend counts the request against the limits of the key and of its owner, or
// refuses it.
func (rq *request) spend() error {
	if rq.caller.counter == nil {
		return nil
	}
	windows, err := rq.caller.counter.Take(rq.r.Context(), rq.counted(), rq.limits(), rq.owner(), rq.now)
	if err != nil {
		return unavailable("the limits cannot be checked right now", err)
	}
	rq.windows = windows
	setLimitHeaders(rq.w.Header(), windows)
	if windows.Allowed {
		return nil
	}
	rq.countUsage(quota.OutcomeRefused)
	code, window := rq.route.codes.minute, "minute"
	if windows.Exhausted == quota.ExhaustedDay {
		code, window = rq.route.codes.day, "day"
	}
	w, scope, used := windows.Window(), "key", "used"
	if windows.ByOwner {
		scope, used = "owner", "used by all keys of the owner"
	}
	details := wire.AppendString([]byte(`{"window":`), window)
	details = wire.AppendInt(append(details, `,"limit":`...), int64(w.Limit))
	details = wire.AppendTimestamp(append(details, `,"resetAt":`...), w.ResetAt)
	details = wire.AppendInt(append(details, `,"retryAfter":`...), int64(windows.RetryAfter))
	details = wire.AppendString(append(details, `,"scope":`...), scope)
	return &problem{
		code:       code,
		message:    fmt.Sprintf("%d requests per %s %s; retry in %d s", w.Limit, window, used, windows.RetryAfter),
		details:    append(details, '}'),
		retryAfter: windows.RetryAfter,
	}
}

// limitHeaders have exactly these capitals, which Header.Set would change.
var limitHeaders = [...]string{
	"X-RateLimit-Limit-Minute", "X-RateLimit-Remaining-Minute", "X-RateLimit-Reset-Minute",
	"X-RateLimit-Limit-Day", "X-RateLimit-Remaining-Day", "X-RateLimit-Reset-Day",
}

func setLimitHeaders(h http.Header, d quota.Decision) {
	values := make([]string, 0, len(limitHeaders))
	for _, w := range []quota.Window{d.Minute, d.Day} {
		reset := wire.AppendBareTimestamp(make([]byte, 0, 32), w.ResetAt)
		values = append(values, strconv.Itoa(w.Limit), strconv.Itoa(w.Remaining), string(reset))
	}
	for i, name := range limitHeaders {
		h[name] = values[i : i+1 : i+1]
	}
}

// me answers GET /account/me with the record of the calling key.
func (rq *request) me() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	return rq.sendData(func(b *respond.Body) {
		k := rq.key
		dst := wire.AppendString(append(b.Buf, `{"keyId":`...), k.ID)
		dst = wire.AppendString(append(dst, `,"name":`...), k.Name)
		dst = wire.AppendString(append(dst, `,"status":`...), string(k.Status(rq.now)))
		dst = wire.AppendTimestamp(append(dst, `,"createdAt":`...), k.CreatedAt)
		dst = wire.AppendTimestampOrNull(append(dst, `,"expiresAt":`...), k.ExpiresAt)
		dst = wire.AppendTimestamp(append(dst, `,"lastUsedAt":`...), rq.now) // by this request
		dst = wire.AppendStrings(append(dst, `,"permissions":`...), k.Permissions.List())
		b.Buf = append(dst, '}')
	})
}

// databaseTimeout is how long a request waits for a database that does not answer.
const databaseTimeout = 5 * time.Second

func (rq *request) databaseContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(rq.r.Context(), databaseTimeout)
}

// usage answers GET /account/usage. All counts include this request, which enters
// the history only when it is answered.
func (rq *request) usage() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	ctx, cancel := rq.databaseContext()
	defer cancel()
	past, err := rq.api.cfg.Usage.History(ctx, rq.key.ID, rq.now)
	if err != nil {
		return unavailable("the usage history cannot be read right now", err)
	}
	return rq.sendData(func(b *respond.Body) {
		dst := append(b.Buf, `{"minute":`...)
		dst = appendWindow(dst, rq.windows.Minute)
		dst = append(dst, `,"day":`...)
		dst = appendWindow(dst, rq.windows.Day)
		dst = wire.AppendInt(append(dst, `,"history":{"last24h":`...), past.Last24h+1)
		dst = wire.AppendInt(append(dst, `,"last7d":`...), past.Last7d+1)
		dst = wire.AppendInt(append(dst, `,"last30d":`...), past.Last30d+1)
		b.Buf = append(dst, `}}`...)
	})
}

func appendWindow(dst []byte, w quota.Window) []byte {
	dst = wire.AppendInt(append(dst, `{"limit":`...), int64(w.Limit))
	dst = wire.AppendInt(append(dst, `,"used":`...), int64(w.Used))
	dst = wire.AppendInt(append(dst, `,"remaining":`...), int64(w.Remaining))
	dst = wire.AppendTimestamp(append(dst, `,"resetAt":`...), w.ResetAt)
	return append(dst, '}')
}
