package api

import (
	"cmp"
	"fmt"
	"net/http"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
)

// The limits of ids in one bulk request.
const (
	maxIDs         = 1000
	maxEditionsIDs = 200 // with include=editions
)

// bulkRequest is one request for bulk prices. Its memory is reused.
type bulkRequest struct {
	body   *params.Object
	query  params.Query
	ids    params.IDList
	answer bulk.Answer
}

func newBulkRequest() any {
	return &bulkRequest{body: params.NewObject("ids", "platform", "regions", "include")}
}

func (br *bulkRequest) reset() {
	br.body.Reset()
	br.query.Reset()
	br.ids.Reset()
	br.answer.Reset()
}

// prices answers GET and POST /catalog/prices. It reads the body before it takes
// anything else from the pools: a client that sends it slowly holds only that.
func (rq *request) prices() error {
	var body []byte
	if rq.r.Method == http.MethodPost {
		release, err := rq.holder().Reserve(rq.r.Context(), bodyMemory(rq.r))
		if err != nil {
			return noMemory(err)
		}
		defer release()
		if body, err = readBody(rq.r); err != nil {
			return err
		}
	}
	br := rq.api.bulkRequests.Get().(*bulkRequest)
	defer func() {
		br.reset()
		rq.api.bulkRequests.Put(br)
	}()
	sent, err := br.params(rq.r, body)
	if err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	if sent.Platform != 0 && !v.Serves(sent.Platform) {
		return upstream(sent.Platform)
	}
	br.answer.Find(v, sent, rq.now)
	var out []string
	if br.answer.NotFound() > 0 {
		out = unavailablePlatforms(v, sent.Platform)
	}
	// The tag of a long list is expensive, and a POST has none.
	if rq.r.Method != http.MethodPost && rq.unchanged(br.answer.Tag(rq.newTag()).Texts(out)) {
		return nil
	}
	return rq.send(http.StatusOK, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,`...)
		br.answer.Encode(b)
		b.Buf = rq.appendBulkMeta(b.Buf, v, out)
		b.Buf = append(b.Buf, '}')
	})
}

// params reads the parameters: those of the body on POST, where the query string
// is ignored, else those of the query string. It returns the first fault in the
// order of the specification's table. The limit of ids depends on include, so
// that is read first.
func (br *bulkRequest) params(r *http.Request, body []byte) (bulk.Params, error) {
	var from params.Source = br.body
	if r.Method != http.MethodPost {
		br.query.Parse(r.URL.RawQuery)
		from = &br.query
	} else if fault := br.body.Parse(body); fault != nil {
		return bulk.Params{}, fault
	}
	include, includeFault := params.ParseInclude(from.List("include", params.String))
	ids := from.List("ids", params.Array)
	if ids.Fault != nil {
		return bulk.Params{}, ids.Fault
	}
	for _, text := range ids.Texts {
		br.ids.Add(text, ids.Array)
	}
	limit := maxIDs
	if include.Has(bulk.Editions) {
		limit = maxEditionsIDs
	}
	switch n := len(br.ids.IDs); {
	case n == 0:
		return bulk.Params{}, &problem{code: codeIDsRequired}
	case n > limit:
		message := fmt.Sprintf("%d ids in one request; at most %d are allowed", n, limit)
		extra := wire.AppendInt([]byte(`,"limit":`), int64(limit))
		extra = wire.AppendInt(append(extra, `,"received":`...), int64(n))
		return bulk.Params{}, &problem{code: codeTooManyIDs, message: message, extra: extra}
	}
	platforms := from.List("platform", params.String)
	first := "" // further values are ignored
	if len(platforms.Texts) > 0 {
		first = platforms.Texts[0]
	}
	platform, platformFault := params.ParsePlatform("platform", first, bulk.AutoPlatform)
	if platforms.Array {
		platformFault = platforms.Invalid(params.String)
	}
	regions, regionsFault := params.ParseRegions(from.List("regions", params.String))
	if fault := cmp.Or(platforms.Fault, platformFault, regionsFault, includeFault, from.Rest()); fault != nil {
		return bulk.Params{}, fault
	}
	return bulk.Params{IDs: br.ids.IDs, Spellings: br.ids.Spellings, Platform: platform, Regions: regions, Include: include}, nil
}

// appendBulkMeta appends meta. out names the platforms without which ids may not
// be found.
func (rq *request) appendBulkMeta(dst []byte, v *index.View, out []string) []byte {
	dst = wire.AppendString(append(dst, `,"meta":{"version":`...), rq.api.cfg.Version)
	dst = wire.AppendString(append(dst, `,"requestId":`...), rq.w.Header().Get(requestIDHeader))
	dst = append(dst, ',')
	dst = rq.appendMetaMembers(dst)
	dst = append(dst, `,"exchangeRates":`...)
	if v.Rates.IsZero() {
		dst = append(dst, `null`...)
	} else {
		dst = wire.AppendString(append(dst, `{"base":`...), string(v.Rates.Base()))
		dst = wire.AppendMoment(append(dst, `,"updatedAt":`...), v.Rates.UpdatedAt())
		dst = append(dst, '}')
	}
	dst = wire.AppendMoment(append(dst, `,"indexBuiltAt":`...), v.IndexBuiltAt)
	if len(out) > 0 {
		dst = wire.AppendStrings(append(dst, `,"unavailable":`...), out)
	}
	return append(dst, '}')
}
