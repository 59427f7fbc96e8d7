package api

import (
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
)

// value is a parameter's value as the client sent it, in JSON; empty if it was
// not sent.
type value string

// textValue returns the value of a query parameter.
func textValue(s string) value { return value(wire.AppendString(nil, s)) }

// paramDetails describes an invalid parameter.
type paramDetails struct {
	field      string
	value      value
	constraint string
}

func (d paramDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"field":`...)
	dst = wire.AppendString(dst, d.field)
	dst = append(dst, `,"value":`...)
	if d.value == "" {
		dst = append(dst, `null`...)
	}
	dst = append(dst, d.value...)
	dst = append(dst, `,"constraint":`...)
	dst = wire.AppendString(dst, d.constraint)
	return append(dst, '}')
}

// invalid returns the problem of a parameter that violates a constraint.
func invalid(field string, v value, constraint string) *problem {
	message := "parameter " + field + " violates the constraint " + constraint
	if constraint == constraintRequired {
		message = "parameter " + field + " is required"
	}
	return &problem{code: codeInvalidParams, message: message, details: paramDetails{field, v, constraint}}
}

// gameDetails is the id that no card has, as it was sent, and the ids of the
// cards that have its listings now.
type gameDetails struct {
	gameID     string
	successors []string
}

func (d gameDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"gameId":`...)
	dst = wire.AppendString(dst, d.gameID)
	if len(d.successors) > 0 {
		dst = append(dst, `,"successors":`...)
		dst = wire.AppendStrings(dst, d.successors)
	}
	return append(dst, '}')
}

// expiryDetails is when a key expired.
type expiryDetails struct{ expiresAt int64 }

func (d expiryDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"expiresAt":`...)
	dst = wire.AppendMoment(dst, d.expiresAt)
	return append(dst, '}')
}

// limitDetails describes the limit that is used up.
type limitDetails struct {
	limit      int
	resetAt    int64
	retryAfter int // seconds
}

func (d limitDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"limit":`...)
	dst = wire.AppendInt(dst, int64(d.limit))
	dst = append(dst, `,"resetAt":`...)
	dst = wire.AppendMoment(dst, d.resetAt)
	dst = append(dst, `,"retryAfter":`...)
	dst = wire.AppendInt(dst, int64(d.retryAfter))
	return append(dst, '}')
}

// upstreamDetails names the store that has not been read yet.
type upstreamDetails struct {
	platform   catalog.Platform
	retryAfter int // seconds
}

func (d upstreamDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"service":`...)
	dst = wire.AppendString(dst, d.platform.String())
	dst = append(dst, `,"retryAfter":`...)
	dst = wire.AppendInt(dst, int64(d.retryAfter))
	return append(dst, '}')
}

// tooMany is the members beside the error of a bulk request with too many ids.
type tooMany struct{ limit, received int }

func (d tooMany) appendMembers(dst []byte) []byte {
	dst = append(dst, `,"limit":`...)
	dst = wire.AppendInt(dst, int64(d.limit))
	dst = append(dst, `,"received":`...)
	return wire.AppendInt(dst, int64(d.received))
}
