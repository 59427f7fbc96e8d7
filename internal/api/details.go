package api

import (
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
)

// value is a parameter's value as the client sent it, kept as the JSON that
// shows it; empty stands for an absent one and is shown as null.
type value string

// textValue is the value of a query parameter.
func textValue(s string) value { return value(wire.AppendString(nil, s)) }

// paramDetails says which parameter is wrong, and how.
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

// invalid is the problem of one parameter that breaks one constraint.
func invalid(field string, v value, constraint string) *problem {
	message := "parameter " + field + " must keep to " + constraint
	if constraint == constraintRequired {
		message = "parameter " + field + " is required"
	}
	return &problem{code: codeInvalidParams, message: message, details: paramDetails{field, v, constraint}}
}

// gameDetails names the id that no card has, as it was sent, and the cards
// that its listings live in now.
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

// expiryDetails says when a key's validity ended.
type expiryDetails struct{ expiresAt int64 }

func (d expiryDetails) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"expiresAt":`...)
	dst = wire.AppendMoment(dst, d.expiresAt)
	return append(dst, '}')
}

// limitDetails describes the window that is exhausted.
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

// upstreamDetails names the store that has not answered.
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

// tooMany stands beside the error of a bulk request with too many ids.
type tooMany struct{ limit, received int }

func (d tooMany) appendMembers(dst []byte) []byte {
	dst = append(dst, `,"limit":`...)
	dst = wire.AppendInt(dst, int64(d.limit))
	dst = append(dst, `,"received":`...)
	return wire.AppendInt(dst, int64(d.received))
}
