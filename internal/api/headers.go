package api

import (
	"net/http"
	"strings"

	"gamedex/internal/api/wire"
	"gamedex/internal/quota"
)

// exposed are the headers that a page of another origin may read.
const exposed = "X-RateLimit-Limit-Minute, X-RateLimit-Remaining-Minute, X-RateLimit-Reset-Minute, " +
	"X-RateLimit-Limit-Day, X-RateLimit-Remaining-Day, X-RateLimit-Reset-Day, ETag, Retry-After, X-Request-Id"

// lineWriter is a response that takes header lines as they go out; nil if this
// one does not.
type lineWriter interface{ HeaderLines() *[]byte }

// setLimitHeaders sets the rate-limit headers, as lines if that can be: six
// more headers would double what all headers cost.
func setLimitHeaders(w http.ResponseWriter, d quota.Decision) {
	if lw, ok := w.(lineWriter); ok {
		if lines := lw.HeaderLines(); lines != nil {
			*lines = appendLimitLines((*lines)[:0], d)
			return
		}
	}
	h := w.Header()
	for line := range strings.Lines(string(appendLimitLines(nil, d))) {
		name, value, _ := strings.Cut(line, ": ")
		h[name] = []string{strings.TrimSuffix(value, lineEnd)}
	}
}

const lineEnd = "\r\n"

// appendLimitLines appends the six lines, in the order in which net/http would
// write them. Their names have exactly these capitals, which Header.Set would
// change.
func appendLimitLines(dst []byte, d quota.Decision) []byte {
	dst = appendCountLine(dst, "X-RateLimit-Limit-Day: ", d.Day.Limit)
	dst = appendCountLine(dst, "X-RateLimit-Limit-Minute: ", d.Minute.Limit)
	dst = appendCountLine(dst, "X-RateLimit-Remaining-Day: ", d.Day.Remaining)
	dst = appendCountLine(dst, "X-RateLimit-Remaining-Minute: ", d.Minute.Remaining)
	dst = appendResetLine(dst, "X-RateLimit-Reset-Day: ", d.Day.ResetAt)
	return appendResetLine(dst, "X-RateLimit-Reset-Minute: ", d.Minute.ResetAt)
}

func appendCountLine(dst []byte, name string, n int) []byte {
	return append(wire.AppendInt(append(dst, name...), int64(n)), lineEnd...)
}

func appendResetLine(dst []byte, name string, at int64) []byte {
	return append(wire.AppendBareMoment(append(dst, name...), at), lineEnd...)
}
