package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// The limits of ids in one bulk request.
const (
	maxIDs         = 1000
	maxEditionsIDs = 200 // with include=editions
)

// bulkRequest is one request for bulk prices. Its memory is reused.
type bulkRequest struct {
	sent   params.Games
	answer bulk.Answer
}

func newBulkRequest() any {
	return &bulkRequest{sent: params.NewGames("include", "currency", "lang", "changedSince")}
}

func (br *bulkRequest) reset() {
	br.sent.Reset()
	br.answer.Reset()
}

func (a *API) releaseBulk(br *bulkRequest) {
	br.reset()
	a.bulkRequests.Put(br)
}

// prices answers GET and POST /catalog/prices. It reads the body before it takes
// anything else from the pools: a client that sends it slowly holds only that.
func (rq *request) prices() error {
	body, err := rq.takeBody()
	if err != nil {
		return err
	}
	br := rq.api.bulkRequests.Get().(*bulkRequest)
	defer rq.api.releaseBulk(br)
	br.sent.KeepLists(rq.api.lists)
	sent, err := br.params(rq.r, body)
	if err != nil {
		return err
	}
	if err := rq.awaitCursor(sent.Since); err != nil {
		return err
	}
	v, err := rq.viewOf(sent.Platform)
	if err != nil {
		return err
	}
	if br.answer.Pages = rq.caller.visitor != nil; !br.answer.Pages {
		br.answer.Cache = rq.api.items
	}
	br.answer.Cursor = bulk.NewCursor(v, wireVersion, rq.now)
	br.answer.Find(v, sent, rq.now, &rq.api.forms)
	out := unavailablePlatforms(v, sent.Platform, br.answer.NotFound())
	// The tag of a long list is expensive, and a POST has none.
	if rq.r.Method != http.MethodPost && rq.unchanged(br.answer.Tag(rq.newTagIn(sent.Language)).Texts(out)) {
		return nil
	}
	return rq.send(br.answer.Size(), http.StatusOK, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,`...)
		br.answer.Encode(b)
		b.Buf = rq.appendBulkMeta(b.Buf, v, br.answer.Cursor, sent.Currency, out)
		b.Buf = append(b.Buf, '}')
	})
}

// params reads the parameters. It returns the first fault in the order of the
// specification's table, and then of the additions: currency, lang and changedSince. The limit of
// ids depends on include, so that is read first.
func (br *bulkRequest) params(r *http.Request, body []byte) (bulk.Params, error) {
	from, fault := br.sent.Source(r, body)
	if fault != nil {
		return bulk.Params{}, fault
	}
	include, includeFault := params.ParseInclude(from.List("include", params.String))
	limit := maxIDs
	if include.Has(bulk.Editions) {
		limit = maxEditionsIDs
	}
	games, err := br.sent.Read(from, limit)
	if f, ok := errors.AsType[*params.Fault](err); ok && f.Constraint == params.Required {
		err = &problem{code: codeIDsRequired}
	}
	if err != nil {
		return bulk.Params{}, err
	}
	currency, currencyFault := params.ParseCurrency(from.List("currency", params.String))
	language, languageFault := params.ParseLanguage(from.List("lang", params.String))
	since, sinceFault := params.ParseSince(from.List("changedSince", params.String))
	if fault := cmp.Or(includeFault, currencyFault, languageFault, sinceFault, from.Rest()); fault != nil {
		return bulk.Params{}, fault
	}
	return bulk.Params{Params: games, Include: include, Currency: currency, Language: language, Since: since}, nil
}

// sinceWait is how long a request waits for the snapshot of its cursor: nodes look for a
// new one twice a second.
const sinceWait = 2 * time.Second

// awaitCursor waits until this node has a snapshot as new as that of a cursor, which may come
// from another node.
func (rq *request) awaitCursor(c *bulk.Cursor) error {
	live := rq.api.cfg.Live
	v := live.View()
	if c == nil || v == nil || !c.IsAfter(v) {
		return nil
	}
	ctx, cancel := context.WithTimeout(rq.r.Context(), sinceWait)
	defer cancel()
	if c.IsAfter(live.Await(ctx, c.Seq)) {
		return &problem{code: codeUnavailable, message: "this node does not have the snapshot of changedSince yet", retryAfter: 1}
	}
	return nil
}

// appendBulkMeta appends meta. to is the currency that was sent, and out names the platforms
// without which ids may not be found.
func (rq *request) appendBulkMeta(dst []byte, v *index.View, c bulk.Cursor, to money.Currency, out []string) []byte {
	dst = wire.AppendString(append(dst, `,"meta":{"version":`...), rq.api.cfg.Version)
	dst = wire.AppendString(append(dst, `,"requestId":`...), rq.w.Header().Get(requestIDHeader))
	dst = append(dst, ',')
	dst = rq.appendMetaMembers(dst)
	dst = append(dst, `,"exchangeRates":`...)
	if v.Rates.IsZero() {
		dst = append(dst, `null`...)
	} else {
		dst = wire.AppendString(append(dst, `{"base":`...), string(v.Rates.Base()))
		dst = wire.AppendTimestamp(append(dst, `,"updatedAt":`...), v.Rates.UpdatedAt())
		dst = append(dst, '}')
	}
	dst = append(appendNoRate(dst, v, to), `,"cursor":"`...)
	dst = append(c.Append(dst), '"')
	return appendIndexMeta(dst, v, out)
}
