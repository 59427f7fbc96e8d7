package api

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
)

// errorCode is one row of the error table: a code of the interface, its status,
// and the message of problems that have none.
type errorCode struct {
	name    string
	status  int
	message string
}

// The error table. The API reference has each code, in this order. Only the bulk price
// endpoint answers with the codes in lower case. TOO_MANY_IDS, TOO_MANY_STEPS,
// TOO_MANY_WEBHOOKS, NOT_FOUND, METHOD_NOT_ALLOWED, PAYLOAD_TOO_LARGE,
// UNSUPPORTED_MEDIA_TYPE and SERVICE_UNAVAILABLE are additions to the specification.
var (
	codeInvalidParams    = &errorCode{"INVALID_PARAMS", http.StatusBadRequest, "a parameter is missing or invalid"}
	codeIDsRequired      = &errorCode{"ids_required", http.StatusBadRequest, "ids is required: send at least one game id"}
	codeTooManyIDs       = &errorCode{"too_many_ids", http.StatusBadRequest, "too many ids in one request"}
	codeTooManyHistories = &errorCode{"TOO_MANY_IDS", http.StatusBadRequest, "too many ids in one request"}
	codeTooManySteps     = &errorCode{"TOO_MANY_STEPS", http.StatusBadRequest, "the answer would have too many steps"}
	codeUnauthorized     = &errorCode{"UNAUTHORIZED", http.StatusUnauthorized, "an API key is required: send Authorization: Bearer <API_KEY>"}
	codeKeyMissing       = &errorCode{"api_key_missing", http.StatusUnauthorized, "an API key is required: send Authorization: Bearer <API_KEY>"}
	codeKeyInvalid       = &errorCode{"api_key_invalid", http.StatusUnauthorized, "this API key is malformed or unknown"}
	codeKeyExpired       = &errorCode{"KEY_EXPIRED", http.StatusForbidden, "this API key has expired"}
	codeKeyRevoked       = &errorCode{"KEY_REVOKED", http.StatusForbidden, "this API key was revoked"}
	codeKeySuspended     = &errorCode{"KEY_SUSPENDED", http.StatusForbidden, "this API key is suspended"}
	codePermission       = &errorCode{"INSUFFICIENT_PERMISSIONS", http.StatusForbidden, "this API key lacks the permission for this endpoint"}
	codeTooManyWebhooks  = &errorCode{"TOO_MANY_WEBHOOKS", http.StatusConflict, "there are too many webhooks"}
	codeGameNotFound     = &errorCode{"GAME_NOT_FOUND", http.StatusNotFound, "no such game in the active regions"}
	codeNotFound         = &errorCode{"NOT_FOUND", http.StatusNotFound, "no such path; the API reference lists the endpoints"}
	codeMethodNotAllowed = &errorCode{"METHOD_NOT_ALLOWED", http.StatusMethodNotAllowed, "this path does not support this method"}
	codePayloadTooLarge  = &errorCode{"PAYLOAD_TOO_LARGE", http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB"}
	codeUnsupportedMedia = &errorCode{"UNSUPPORTED_MEDIA_TYPE", http.StatusUnsupportedMediaType, "the body must be application/json without a content encoding"}
	codeRateLimit        = &errorCode{"RATE_LIMIT_EXCEEDED", http.StatusTooManyRequests, "the requests of this minute or day are used"}
	codeRateLimitMinute  = &errorCode{"rate_limit_minute", http.StatusTooManyRequests, "the requests of this minute are used"}
	codeRateLimitDay     = &errorCode{"rate_limit_day", http.StatusTooManyRequests, "the requests of this day are used"}
	codeInternal         = &errorCode{"INTERNAL_ERROR", http.StatusInternalServerError, "the service failed unexpectedly; the request id identifies the failure in its log"}
	codeUpstream         = &errorCode{"UPSTREAM_ERROR", http.StatusServiceUnavailable, "the store behind this platform has not been read yet"}
	codeUnavailable      = &errorCode{"SERVICE_UNAVAILABLE", http.StatusServiceUnavailable, "the service cannot answer this right now"}
)

// family holds the codes that differ between the bulk price endpoint and all
// others.
type family struct {
	keyMissing, keyInvalid, minute, day *errorCode
	tooManyIDs                          *errorCode
}

// The families: codes in upper case, and those of bulk prices.
var (
	upperFamily = &family{codeUnauthorized, codeUnauthorized, codeRateLimit, codeRateLimit, codeTooManyHistories}
	bulkFamily  = &family{codeKeyMissing, codeKeyInvalid, codeRateLimitMinute, codeRateLimitDay, codeTooManyIDs}
)

// problem is an error as the client sees it. Handlers return it, and [writeError] writes
// it.
type problem struct {
	code       *errorCode
	message    string // instead of the table's message, if not empty
	details    []byte // the object error.details in JSON; nil: none
	extra      []byte // members after error, each after a comma
	retryAfter int    // seconds, for the Retry-After header; 0: none
	cause      error
}

// Error returns the text for logs; clients never see it.
func (p *problem) Error() string {
	if p.cause != nil {
		return p.code.name + ": " + p.cause.Error()
	}
	return p.code.name
}

func (p *problem) Unwrap() error { return p.cause }

// writeError writes an error body. It is the only function that does.
func writeError(w http.ResponseWriter, p *problem) {
	h := w.Header()
	for _, name := range [...]string{"Etag", "Content-Encoding", "Content-Length"} {
		delete(h, name) // a handler may have set it before it failed
	}
	respond.SetType(h)
	respond.SetNoStore(h)
	if p.code.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	body := append([]byte(nil), `{"ok":false,"error":{"code":`...)
	body = wire.AppendString(body, p.code.name)
	body = wire.AppendString(append(body, `,"message":`...), cmp.Or(p.message, p.code.message))
	if p.details != nil {
		body = append(append(body, `,"details":`...), p.details...)
	}
	if p.code == codeInternal {
		body = wire.AppendString(append(body, `,"requestId":`...), h.Get(requestIDHeader))
	}
	body = append(append(append(body, '}'), p.extra...), '}')
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.code.status)
	// If this fails, the client is gone.
	_, _ = w.Write(body)
}

// problemOf returns the problem that an error is for the clients of a route.
func (rt *route) problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if f, ok := errors.AsType[*params.Fault](err); ok {
		return invalid(f)
	}
	if e, ok := errors.AsType[*params.TooManyError](err); ok {
		return tooMany(rt.codes.tooManyIDs, e.Text, e.Limit, e.Received)
	}
	return &problem{code: codeInternal, cause: err}
}

// tooMany returns the problem of a request that exceeds a limit of the answer.
func tooMany(code *errorCode, message string, limit, received int) *problem {
	extra := wire.AppendInt([]byte(`,"limit":`), int64(limit))
	extra = wire.AppendInt(append(extra, `,"received":`...), int64(received))
	return &problem{code: code, message: message, extra: extra}
}

// invalid returns the problem of a parameter that violates a constraint.
func invalid(f *params.Fault) *problem {
	return &problem{code: codeInvalidParams, message: f.Error(), details: append(f.Append([]byte{'{'}), '}')}
}

// retryUnavailable is how many seconds a client should wait for an index, a table
// of rates or a database.
const retryUnavailable = 5

// unavailable returns the problem of a request that the service cannot answer for now.
func unavailable(message string, cause error) *problem {
	return &problem{code: codeUnavailable, message: message, retryAfter: retryUnavailable, cause: cause}
}
