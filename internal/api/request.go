package api

import (
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/api/respond"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

const requestIDHeader = "X-Request-Id"

// request is one request on its way through the checks, whose order is the
// interface's: path, method, key, limits, permission, and then, in the
// handlers, content type and size, parameters, work.
type request struct {
	api    *API
	w      http.ResponseWriter
	r      *http.Request
	record *serve.Record
	route  *route
	param  string // the path parameter
	now    int64  // Unix milliseconds; one moment for the whole answer

	key     account.Key
	windows quota.Decision // after this request

	space
}

// space is the memory of a request that later ones use again.
type space struct {
	out   respond.Body
	read  params
	pairs []pair      // of the query string
	hits  []index.Hit // of a search
	tag   respond.Tag
}

const (
	keptPairs = 32   // a longer query string's are not kept
	tagSize   = 1024 // bytes; fits ten search results
)

func newRequest() any { return &request{space: space{tag: make(respond.Tag, 0, tagSize)}} }

// begin makes rq the request of r, whose answer goes to w.
func (rq *request) begin(a *API, w http.ResponseWriter, r *http.Request) {
	rq.api, rq.w, rq.r = a, w, r
	rq.record = serve.RecordFrom(r.Context())
}

// end empties rq. Nothing of a request may be seen by the next one, nor keep an
// old index from being closed.
func (rq *request) end() {
	clear(rq.pairs)
	clear(rq.hits)
	kept := space{pairs: rq.pairs, hits: rq.hits, tag: rq.tag}
	if cap(kept.pairs) > keptPairs {
		kept.pairs = nil
	}
	*rq = request{space: kept}
}

// serve answers the request, or says why not.
func (rq *request) serve() error {
	rq.now = rq.api.cfg.Clock().UnixMilli()
	respond.SetType(rq.w.Header())
	rq.route, rq.param = rq.api.find(rq.r.URL)
	if rq.route == nil {
		return &problem{code: codeNotFound}
	}
	rq.record.Route, rq.record.Quiet = rq.route.path, rq.route.needs == 0
	rq.cors()
	if rq.r.Method == http.MethodOptions {
		return rq.options()
	}
	if !rq.route.takes(rq.r.Method) {
		rq.w.Header()["Allow"] = rq.route.allow
		return &problem{code: codeMethodNotAllowed}
	}
	if rq.route.needs == 0 {
		return rq.route.handle(rq)
	}
	return rq.serveKeyed()
}

// serveKeyed is serve from the key on. What passes the limits is counted,
// whatever becomes of it, a panic included.
func (rq *request) serveKeyed() error {
	if err := rq.findKey(); err != nil {
		return err
	}
	if err := rq.spend(); err != nil {
		return err
	}
	defer rq.count()
	err := rq.permitted()
	if err == nil {
		err = rq.route.handle(rq)
	}
	if err != nil {
		rq.fail(err)
	}
	return nil
}

// fail writes the answer to a request that went wrong. If a part of the good
// answer is out already, the connection is all that can still be cut.
func (rq *request) fail(err error) {
	p := problemOf(err)
	rq.report(p)
	if rq.out.Status != 0 {
		panic(http.ErrAbortHandler)
	}
	rq.out.Status = p.code.status
	drain(rq.w, rq.r)
	writeError(rq.w, p)
}

// report tells of what went wrong on this side. A client that is gone made its
// own failures.
func (rq *request) report(p *problem) {
	ours := p.code.status >= http.StatusInternalServerError && p.cause != nil && rq.r.Context().Err() == nil
	if ours && rq.api.cfg.Failed != nil {
		rq.api.cfg.Failed(rq.w.Header().Get(requestIDHeader), p)
	}
}

// count records the answer in the usage of the key. A status that nobody has
// decided means a panic.
func (rq *request) count() {
	status := rq.out.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	rq.api.cfg.Usage.Add(rq.key.ID, rq.route.pattern, quota.OutcomeOf(status), rq.now)
}

// permitted checks the permission of the key, after the limits.
func (rq *request) permitted() error {
	if rq.key.Permissions.Has(rq.route.needs) {
		return nil
	}
	return &problem{code: codePermission, message: "this API key lacks the permission " + rq.route.needs.String()}
}

// view takes the newest index. The whole request is answered from it.
func (rq *request) view() (*index.View, error) {
	if v := rq.api.cfg.Live.View(); v != nil {
		return v, nil
	}
	return nil, &problem{code: codeUnavailable, message: rq.api.cfg.NoListings, retryAfter: retryUnavailable}
}

// retryUnavailable is how many seconds a client should wait for what is about
// to come: an index, a table of rates, a database.
const retryUnavailable = 5

// params reads the query string. Handlers take the parameters in the order of
// the specification's tables.
func (rq *request) params() *params {
	rq.pairs = appendQuery(rq.pairs[:0], rq.r.URL.RawQuery)
	rq.read = params{pairs: rq.pairs}
	return &rq.read
}

// options answers OPTIONS: what the path takes.
func (rq *request) options() error {
	h := rq.w.Header()
	h.Del("Content-Type")
	h["Allow"] = rq.route.allow
	respond.SetNoStore(h)
	if rq.api.cfg.CORSOrigin != "" {
		h["Access-Control-Allow-Methods"] = rq.route.allow
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, X-Api-Key, X-Request-Id")
		h.Set("Access-Control-Max-Age", "86400")
	}
	rq.out.Status = http.StatusNoContent
	rq.w.WriteHeader(http.StatusNoContent)
	return nil
}

// cors lets pages of the configured origin read the answer and its headers.
func (rq *request) cors() {
	if rq.api.cfg.CORSOrigin == "" {
		return
	}
	h := rq.w.Header()
	h.Set("Access-Control-Allow-Origin", rq.api.cfg.CORSOrigin)
	h.Set("Access-Control-Expose-Headers", exposed)
	if rq.api.cfg.CORSOrigin != "*" {
		h.Add("Vary", "Origin")
	}
}
