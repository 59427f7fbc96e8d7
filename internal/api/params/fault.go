package params

import (
	"cmp"
	"strings"

	"gamedex/internal/api/wire"
)

// The constraints that take no argument. The others are minLength:n, maxLength:n,
// min:n, max:n and enum:a,b,c.
const (
	Required = "required"
	Encoding = "encoding"
	JSON     = "json"
	String   = "string"
	Array    = "array"
	Integer  = "integer"
	Boolean  = "boolean"
	Country  = "country"
	Number   = "number"
	Date     = "date"
	Duration = "duration"
	Currency = "currency"
	Cursor   = "cursor"
	Language = "language"

	OneRegion = "oneRegion"
)

// Fault is a parameter that violates a constraint.
type Fault struct {
	Field      string
	Sent       Value
	Constraint string
	Reason     string // what is wrong and where, or what to send, if the constraint does not say it
}

// advice says for constraints what to send instead.
var advice = map[string]string{
	Currency: "an ISO 4217 code in use, such as EUR",
	Language: "a language tag (BCP 47) such as en, uk or pt-BR",
	Cursor:   "nextCursor of an answer to the same filters and sort, or none for the first page",
	Date:     "an RFC 3339 time such as 2026-11-20T07:00:00Z, or a date such as 2026-11-20",
	Duration: "a whole number of minutes, hours or days, such as 90m, 48h or 7d, at most 3650d",
	Number:   "dollars with at most two decimals, such as 19.99",
	Country:  "the codes of countries, such as UA or UKR",
	Encoding: "valid UTF-8, percent-encoded in addresses, and no halves of surrogate pairs in JSON",
	JSON:     "one JSON object",
	String:   "a string",
	Array:    "an array of strings",
	Integer:  "a whole number",
	Boolean:  "true or false",
}

// Error implements error. Clients see the text.
func (f *Fault) Error() string {
	text := "parameter " + f.Field + " violates the constraint " + f.Constraint
	kind, limit, _ := strings.Cut(f.Constraint, ":")
	switch {
	case f.Reason != "":
		return text + ": " + f.Reason
	case f.Constraint == Required:
		return "parameter " + f.Field + " is required"
	case f.Constraint == OneRegion:
		return text + ": name one country in regions"
	case advice[f.Constraint] != "":
		return text + ": send " + advice[f.Constraint]
	case kind == "minLength":
		return text + ": send at least " + limit + " characters"
	case kind == "enum":
		return text + ": send one of " + strings.ReplaceAll(limit, ",", ", ")
	}
	return text
}

// Append appends the members that say what is wrong with a parameter.
func (f *Fault) Append(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `"field":`...), f.Field)
	dst = append(append(dst, `,"value":`...), cmp.Or(f.Sent, "null")...)
	return wire.AppendString(append(dst, `,"constraint":`...), f.Constraint)
}

// Value is a parameter's value as the client sent it, in JSON; empty if it was
// not sent.
type Value string

// Bounded returns the value, or null if it is too long to be repeated in an answer.
func (v Value) Bounded() Value {
	if len(v) > maxEcho {
		return "null"
	}
	return v
}

// textValue returns the value of a query parameter.
func textValue(s string) Value { return Value(wire.AppendString(nil, s)) }
