package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

// findKey finds the key of the request and checks its state. A known key that
// does not work still gets the rate-limit headers; the request is not counted.
func (rq *request) findKey() error {
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
	if refused := keyProblem(key, rq.now); refused != nil {
		windows, err := rq.caller.counter.Look(rq.r.Context(), key.ID, rq.limits(), rq.now)
		if err == nil {
			setLimitHeaders(rq.w.Header(), windows)
		}
		return refused
	}
	return nil
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

// keyProblem returns why a key does not work, nil if it works.
func keyProblem(k account.Key, now int64) error {
	switch k.Status(now) {
	case account.StatusRevoked:
		return &problem{code: codeKeyRevoked}
	case account.StatusSuspended:
		return &problem{code: codeKeySuspended}
	case account.StatusExpired:
		return &problem{code: codeKeyExpired, details: expiryDetails{k.ExpiresAt}}
	}
	return nil
}

// limits returns the limits of the key, which may be the default ones.
func (rq *request) limits() quota.Limits {
	l := rq.caller.limits
	if rq.key.LimitMinute > 0 {
		l.Minute = rq.key.LimitMinute
	}
	if rq.key.LimitDay > 0 {
		l.Day = rq.key.LimitDay
	}
	return l
}

// spend counts the request against both limits, or refuses it.
func (rq *request) spend() error {
	windows, err := rq.caller.counter.Take(rq.r.Context(), rq.key.ID, rq.limits(), rq.now)
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
	w := windows.Window()
	return &problem{
		code:       code,
		message:    fmt.Sprintf("%d requests per %s used; retry in %d s", w.Limit, window, windows.RetryAfter),
		details:    limitDetails{w.Limit, w.ResetAt, windows.RetryAfter},
		retryAfter: windows.RetryAfter,
	}
}

func unavailable(message string, cause error) *problem {
	return &problem{code: codeUnavailable, message: message, retryAfter: retryUnavailable, cause: cause}
}
