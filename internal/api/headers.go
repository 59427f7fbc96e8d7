package api

import (
	"net/http"
	"strconv"
	"strings"

	"gamedex/internal/quota"
)

// Headers are set under their canonical names, past Header.Set, and those that
// are always the same share one value. Nobody may change a value in place;
// Header.Add and Header.Set do not.
var (
	jsonType = []string{"application/json; charset=utf-8"}
	noSniff  = []string{"nosniff"}

	noStore     = []string{"no-store"}
	revalidated = []string{"private, no-cache"}

	varyCoding = []string{"Accept-Encoding"}
	varyAll    = []string{"Accept-Encoding, Authorization, X-Api-Key"}
)

// first gives the first value of a header, "" if there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// setCommonHeaders sets what every answer carries.
func setCommonHeaders(h http.Header) {
	h["Content-Type"] = jsonType
	h["X-Content-Type-Options"] = noSniff
}

// setLength announces how long the answer is.
func (rq *request) setLength(n int) {
	rq.w.Header()["Content-Length"] = []string{strconv.Itoa(n)}
}

// setCaching says how long the answer may be kept. Only tagged ones may be,
// and are asked for again each time.
func (rq *request) setCaching() {
	h := rq.w.Header()
	caching, vary := noStore, varyCoding
	if len(h["Etag"]) > 0 {
		caching, vary = revalidated, varyAll
	}
	h["Cache-Control"] = caching
	if origin := h["Vary"]; len(origin) > 0 { // of cors
		vary = append(origin[:len(origin):len(origin)], vary...)
	}
	h["Vary"] = vary
}

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
	return append(appendInt(append(dst, name...), int64(n)), lineEnd...)
}

func appendResetLine(dst []byte, name string, at int64) []byte {
	return append(appendBareMoment(append(dst, name...), at), lineEnd...)
}
