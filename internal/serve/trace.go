package serve

import (
	"context"
	"net/http"
	"regexp"
	"strings"
)

// traceFields are version, trace id, parent id and flags of a traceparent header, and
// what a later version adds.
var traceFields = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// traceparent returns the W3C trace context of a request, in version 00; "" if there is
// no valid one. Of a later version it takes what version 00 has.
func traceparent(h http.Header) string {
	sent := h["Traceparent"]
	if len(sent) != 1 {
		return ""
	}
	fields := traceFields.FindStringSubmatch(sent[0])
	if fields == nil {
		return ""
	}
	version, trace, parent, flags, more := fields[1], fields[2], fields[3], fields[4], fields[5]
	switch {
	case version == "ff", version == "00" && more != "", strings.Trim(trace, "0") == "", strings.Trim(parent, "0") == "":
		return ""
	case version == "00":
		return sent[0]
	}
	sampled := "00"
	if strings.ContainsAny(flags[1:], "13579bdf") {
		sampled = "01"
	}
	return "00-" + trace + "-" + parent + "-" + sampled
}

type traceKey struct{}

// Traceparent returns the W3C trace context of the request with this context, for the
// header traceparent of requests that are made on behalf of it; "" if it has none.
func Traceparent(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}
