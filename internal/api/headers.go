package api

import (
	"net/http"
	"strconv"

	"gamedex/internal/api/wire"
	"gamedex/internal/quota"
)

// exposed are the headers that a page of another origin may read.
const exposed = "X-RateLimit-Limit-Minute, X-RateLimit-Remaining-Minute, X-RateLimit-Reset-Minute, " +
	"X-RateLimit-Limit-Day, X-RateLimit-Remaining-Day, X-RateLimit-Reset-Day, ETag, Retry-After, X-Request-Id"

// limitHeaders have exactly these capitals, which Header.Set would change.
var limitHeaders = [...]string{
	"X-RateLimit-Limit-Minute", "X-RateLimit-Remaining-Minute", "X-RateLimit-Reset-Minute",
	"X-RateLimit-Limit-Day", "X-RateLimit-Remaining-Day", "X-RateLimit-Reset-Day",
}

func setLimitHeaders(h http.Header, d quota.Decision) {
	values := make([]string, 0, len(limitHeaders))
	for _, w := range []quota.Window{d.Minute, d.Day} {
		reset := wire.AppendBareMoment(make([]byte, 0, 32), w.ResetAt)
		values = append(values, strconv.Itoa(w.Limit), strconv.Itoa(w.Remaining), string(reset))
	}
	for i, name := range limitHeaders {
		h[name] = values[i : i+1 : i+1]
	}
}
