package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/api/respond"
)

// prefix is the version part of every path.
const prefix = "/api/v1"

// route is one row of the route table.
type route struct {
	pattern  string // under prefix; a segment in braces is a parameter
	methods  []string
	needs    account.Permissions // 0: public, needs no key
	codes    *family
	tagged   bool // GET answers carry an ETag
	handle   func(*request) error
	path     string // with its prefix
	segments []string
	allow    []string // the value of Allow
}

// routes returns the route table. A path that is not in it is 404, a method that
// is not in it 405.
func routes() []route {
	get := []string{http.MethodGet, http.MethodHead}
	both := []string{http.MethodGet, http.MethodHead, http.MethodPost}
	table := []route{
		{pattern: "/health", methods: get, handle: (*request).health},
		{pattern: "/account/me", methods: get, needs: account.ReadAccount, handle: (*request).me},
		{pattern: "/account/usage", methods: get, needs: account.ReadAccount, handle: (*request).usage},
		{pattern: "/account/webhooks", methods: both, needs: account.WriteWebhooks, handle: withWebhooks((*request).webhooks)},
		{pattern: "/account/webhooks/{webhookId}", methods: []string{http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodDelete}, needs: account.WriteWebhooks, handle: withWebhooks((*request).webhook)},
		{pattern: "/account/webhooks/{webhookId}/ping", methods: []string{http.MethodPost}, needs: account.WriteWebhooks, handle: withWebhooks((*request).pingWebhook)},
		{pattern: "/account/webhooks/{webhookId}/tries", methods: get, needs: account.WriteWebhooks, handle: withWebhooks((*request).webhookTries)},
		{pattern: "/catalog/exchange-rates", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).exchangeRates},
		{pattern: "/catalog/platforms", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).platforms},
		{pattern: "/catalog/search", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).search},
		{pattern: "/catalog/suggest", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).suggest},
		{pattern: "/catalog/resolve", methods: []string{http.MethodPost}, needs: account.ReadCatalog, handle: (*request).resolve},
		{pattern: "/catalog/games/{gameId}", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).consoleCard},
		{pattern: "/catalog/pcstore/games/{slug}", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).pcCard},
		{pattern: "/catalog/prices", methods: both, needs: account.ReadCatalog, tagged: true, handle: (*request).prices, codes: bulkFamily},
		{pattern: "/catalog/browse", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).browse},
		{pattern: "/catalog/deals", methods: get, needs: account.ReadCatalog, tagged: true, handle: (*request).deals},
		{pattern: "/catalog/history", methods: both, needs: account.ReadCatalog, tagged: true, handle: (*request).history},
	}
	for i := range table {
		rt := &table[i]
		rt.path = prefix + rt.pattern
		rt.segments = strings.Split(rt.path, "/")
		rt.allow = []string{strings.Join(append(rt.methods[:len(rt.methods):len(rt.methods)], http.MethodOptions), ", ")}
		if rt.codes == nil {
			rt.codes = upperFamily
		}
	}
	return table
}

// findRoute returns the route of a path, nil if there is none, and the parameter
// in the path. Segments are decoded one by one before they are compared, so that an
// encoded slash does not separate segments.
func (a *API) findRoute(u *url.URL) (rt *route, param string) {
	if rt := a.plainRoutes[u.Path]; rt != nil && u.RawPath == "" {
		return rt, ""
	}
	segments := strings.Split(u.Path, "/")
	if u.RawPath != "" {
		segments = strings.Split(u.RawPath, "/")
		for i, s := range segments {
			if decoded, err := url.PathUnescape(s); err == nil {
				segments[i] = decoded
			}
		}
	}
	for i := range a.routes {
		if param, ok := a.routes[i].match(segments); ok {
			return &a.routes[i], param
		}
	}
	return nil, ""
}

func (rt *route) match(segments []string) (param string, ok bool) {
	if len(segments) != len(rt.segments) {
		return "", false
	}
	for i, want := range rt.segments {
		switch {
		case strings.HasPrefix(want, "{") && segments[i] != "":
			param = segments[i]
		case want != segments[i]:
			return "", false
		}
	}
	return param, true
}

// origins are those whose pages may call the API: none, some, or "*" for all.
type origins []string

// exposed are the headers that a page of another origin may read.
var exposed = strings.Join(limitHeaders[:], ", ") + ", ETag, Retry-After, " + requestIDHeader

// allow sets the headers that let a page of another origin read the answer. For an origin
// that is not allowed it names the first one that is, which browsers show in their error.
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
var anyMethod = []string{"GET, HEAD, POST, PATCH, DELETE, OPTIONS"}

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
