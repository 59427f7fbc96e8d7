package api

import (
	"net/http"
	"slices"
	"strings"

	"gamedex/internal/api/respond"
)

// origins are those whose pages may call the API: none, some, or "*" for all.
type origins []string

// exposed are the headers that a page of another origin may read.
var exposed = strings.Join(limitHeaders[:], ", ") + ", ETag, Retry-After, " + requestIDHeader

// allow sets the headers with which a page of another origin may read the answer.
// An origin that is not among them sees the first one, and the browser says so.
func (o origins) allow(h http.Header, r *http.Request) {
	if len(o) == 0 {
		return
	}
	h.Set("Access-Control-Expose-Headers", exposed)
	if slices.Contains(o, "*") {
		h.Set("Access-Control-Allow-Origin", "*")
		return
	}
	allowed := o[0]
	if sent := r.Header.Get("Origin"); slices.Contains(o, sent) {
		allowed = sent
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	h.Add("Vary", "Origin")
}

// preflight reports whether a browser asks whether a page may send a request.
func (o origins) preflight(r *http.Request) bool {
	return len(o) > 0 && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// anyMethod is the value of Allow for a path that is unknown.
var anyMethod = []string{"GET, HEAD, POST, OPTIONS"}

// answerOptions answers OPTIONS with the methods of a path.
func (rq *request) answerOptions(allow []string) {
	h := rq.w.Header()
	h.Del("Content-Type")
	h["Allow"] = allow
	respond.SetNoStore(h)
	if len(rq.api.cfg.CORSOrigins) > 0 {
		h["Access-Control-Allow-Methods"] = allow
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, X-Api-Key, X-Request-Id")
		h.Set("Access-Control-Max-Age", "86400")
	}
	rq.out.Status = http.StatusNoContent
	rq.w.WriteHeader(http.StatusNoContent)
}
