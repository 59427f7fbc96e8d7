package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/pricehistory"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

const requestIDHeader = "X-Request-Id"

// request is one request. It passes the checks in the order of the interface: path, method,
// key, limits and permission; then, in the handlers, content type, size and parameters.
type request struct {
	api    *API
	w      http.ResponseWriter
	r      *http.Request
	record *serve.Record
	caller caller
	route  *route
	param  string // the path parameter
	now    int64  // Unix milliseconds; the same for the whole answer

	hold    respond.Hold   // its memory
	key     account.Key    // of a person: what people may do
	windows quota.Decision // after this request
	out     respond.Body

	// Memory that later requests reuse.
	query params.Query
	hits  []index.Hit // of a search
	tag   respond.Tag
}

const tagSize = 1024 // bytes; fits ten search results

// release clears rq, so that the next request sees nothing of this one and no old index
// stays in memory.
func (rq *request) release() {
	rq.query.Reset()
	clear(rq.hits)
	*rq = request{query: rq.query, hits: rq.hits, tag: rq.tag}
}

// serve answers the request, or returns why it cannot. Unknown paths and methods
// need no key and are not counted; a known key still gets the rate-limit headers.
func (rq *request) serve() error {
	rq.now = rq.api.cfg.Clock().UnixMilli()
	rq.hold.Pool, rq.hold.W = rq.caller.pool, rq.w
	h, cors := rq.w.Header(), origins(rq.api.cfg.CORSOrigins)
	respond.SetType(h)
	cors.allow(h, rq.r)
	rq.route, rq.param = rq.api.findRoute(rq.r.URL)
	if rq.route == nil {
		if cors.preflight(rq.r) { // else the page could not read the 404
			rq.answerOptions(anyMethod)
			return nil
		}
		rq.showLimits()
		return &problem{code: codeNotFound}
	}
	rq.record.Route, rq.record.Quiet = rq.route.path, rq.route.needs == 0
	if rq.r.Method == http.MethodOptions {
		rq.answerOptions(rq.route.allow)
		return nil
	}
	if !slices.Contains(rq.route.methods, rq.r.Method) {
		h["Allow"] = rq.route.allow
		if rq.route.needs != 0 {
			rq.showLimits()
		}
		return &problem{code: codeMethodNotAllowed}
	}
	if rq.route.needs == 0 {
		return rq.route.handle(rq)
	}
	return rq.serveKeyed()
}

// serveKeyed does the part of serve that needs a key. A request that passes the
// limits is counted, even if its handler panics.
func (rq *request) serveKeyed() error {
	if err := rq.findKey(); err != nil {
		return err
	}
	if err := rq.spend(); err != nil {
		return err
	}
	rq.hold.Owner, rq.hold.Network = cmp.Or(rq.key.UserID, rq.key.ID), rq.api.cfg.Network(rq.r)
	defer func() {
		rq.record.CutOff = rq.hold.Release()
		status := rq.out.Status
		if status == 0 { // the handler panicked
			status = http.StatusInternalServerError
		}
		rq.countUsage(quota.OutcomeOf(status))
	}()
	var err error
	if rq.key.Permissions.Has(rq.route.needs) {
		err = rq.route.handle(rq)
	} else {
		err = &problem{code: codePermission, message: "this API key lacks the permission " + rq.route.needs.String()}
	}
	if err != nil {
		rq.sendError(err)
	}
	return nil
}

// sendError writes an error. If a part of the answer is already sent, it closes the
// connection.
func (rq *request) sendError(err error) {
	p := rq.route.problemOf(err)
	// If the client is gone, the failure is not the server's.
	ours := p.code.status >= http.StatusInternalServerError && p.cause != nil && rq.r.Context().Err() == nil
	if ours && rq.api.cfg.Failed != nil {
		rq.api.cfg.Failed(rq.w.Header().Get(requestIDHeader), p)
	}
	if rq.out.Status != 0 {
		panic(http.ErrAbortHandler)
	}
	rq.out.Status = p.code.status
	drain(rq.w, rq.r)
	writeError(rq.w, p)
}

// countUsage adds the request to the usage history of the key.
func (rq *request) countUsage(outcome quota.Outcome) {
	if rq.caller.usage != nil {
		rq.caller.usage.Add(rq.key.ID, rq.route.pattern, outcome, rq.now)
	}
}

// view returns the newest index. The whole request is answered from it.
func (rq *request) view() (*index.View, error) {
	if v := rq.api.cfg.Live.View(); v != nil {
		return v, nil
	}
	return nil, &problem{code: codeUnavailable, message: "no prices yet; ask the operator", retryAfter: retryUnavailable}
}

// checkedView returns the newest index, or the first fault of the parameters.
func (rq *request) checkedView(q *params.Query) (*index.View, error) {
	if err := q.Err(); err != nil {
		return nil, err
	}
	return rq.view()
}

// forPages returns what the answer has in addition if it is for a page; nil otherwise. Other
// versions of a game are in the store and on the devices of a filter. The caller calls release when
// the answer is sent.
func (rq *request) forPages(v *index.View, l catalog.Language, filter lists.Filter) (extra *cards.ForPages, release func()) {
	visitor := rq.caller.visitor
	if visitor == nil {
		return nil, func() {}
	}
	br := rq.api.bulkRequests.Get().(*bulkRequest)
	br.answer.Begin(v, visitor.Currency, l, rq.now, &rq.api.forms)
	extra = &cards.ForPages{Country: visitor.Country, Languages: visitor.Languages, Prices: &br.answer}
	if filter.Platform != 0 || len(filter.Devices) > 0 {
		extra.Versions = lists.Filter{Platform: filter.Platform, Devices: filter.Devices}.Select(v.Snapshot)
	}
	return extra, func() { rq.api.releaseBulk(br) }
}

// params begins to read the query string. Handlers read the parameters in the
// order of the specification's tables.
func (rq *request) params() *params.Query {
	rq.query.Parse(rq.r.URL.RawQuery)
	return &rq.query
}

// wireVersion changes when the encoding of answers changes, so that old entity tags no
// longer match.
const wireVersion = 4

// newTagIn returns the start of an entity tag for an answer of this route in a language, "" for
// none, in memory of the request.
func (rq *request) newTagIn(l catalog.Language) respond.Tag {
	route := rq.route.pattern
	if l != "" {
		route += "?lang=" + string(l)
	}
	return rq.tag[:0].Number(wireVersion).Text(route)
}

// unchanged sets the entity tag of the answer, and answers 304 and returns true
// if the client has it. Only GET answers of tagged routes have one.
func (rq *request) unchanged(t respond.Tag) bool {
	if !rq.route.tagged || rq.r.Method == http.MethodPost || !respond.NotModified(rq.w, rq.r, t) {
		return false
	}
	rq.out.Status = http.StatusNotModified
	return true
}

// send answers with a status and what encode appends, probably about size bytes; 0: not known.
func (rq *request) send(size, status int, encode func(*respond.Body)) error {
	if err := rq.out.Send(&rq.hold, rq.r, status, size, encode); err != nil {
		return noMemory(err)
	}
	return nil
}

// largestRequest is the most that one request reserves.
const largestRequest = 2*maxBody + pricehistory.Memory

// reserve waits for memory besides the answer, until the request ends. It counts against the
// owner of the key, or the key if it has none.
func (rq *request) reserve(bytes int64) error {
	if err := rq.hold.Take(rq.r.Context(), bytes); err != nil {
		return noMemory(err)
	}
	return nil
}

// noMemory returns the problem of a request that found no memory in time.
func noMemory(err error) error {
	if errors.Is(err, respond.ErrOwnerMemory) {
		return unavailable("too many of your own answers are in progress: read them faster, or request fewer at a time", nil)
	}
	return unavailable("too many large answers are in progress", err)
}

// sendData answers 200 with data, which encode appends, inside the envelope.
func (rq *request) sendData(encode func(*respond.Body)) error {
	return rq.sendEnvelope(http.StatusOK, nil, encode)
}

// sendEnvelope is sendData with a status and further members of meta: JSON with a comma before
// each.
func (rq *request) sendEnvelope(status int, meta []byte, encode func(*respond.Body)) error {
	return rq.send(0, status, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,"data":`...)
		encode(b)
		b.Buf = append(b.Buf, `,"meta":{`...)
		b.Buf = rq.appendMetaMembers(b.Buf)
		b.Buf = append(b.Buf, meta...)
		b.Buf = append(b.Buf, `}}`...)
	})
}

// appendMetaMembers appends the members of meta that every answer to a key has: the time
// of the answer, and the window of the minute after this request.
func (rq *request) appendMetaMembers(dst []byte) []byte {
	dst = wire.AppendTimestamp(append(dst, `"timestamp":`...), rq.now)
	dst = wire.AppendInt(append(dst, `,"rateLimit":{"limit":`...), int64(rq.windows.Minute.Limit))
	dst = wire.AppendInt(append(dst, `,"remaining":`...), int64(rq.windows.Minute.Remaining))
	dst = wire.AppendTimestamp(append(dst, `,"resetAt":`...), rq.windows.Minute.ResetAt)
	return append(dst, '}')
}
