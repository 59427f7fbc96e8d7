package api

import (
	"hash/maphash"
	"net/http"

	"gamedex/internal/index"
)

// BulkEncoder encodes plain bulk answers without the request around them.
type BulkEncoder struct {
	p *pricing
	a answer
}

// NewBulkEncoder gives an encoder for the view's active regions.
func NewBulkEncoder(of *API) *BulkEncoder {
	return &BulkEncoder{p: newPricing(maphash.MakeSeed()), a: answer{rq: &request{api: of}, code: identity}}
}

// Resolve finds the cards of the ids.
func (e *BulkEncoder) Resolve(v *index.View, now int64, ids []string) {
	e.p.reset()
	for _, id := range ids {
		e.p.wanted.add(id)
	}
	e.p.resolve(v, e.a.rq.api.framesOf(v.Snapshot), now)
}

// Encode writes the answer about the cards that were resolved to w.
func (e *BulkEncoder) Encode(w http.ResponseWriter) error {
	e.a.rq.w, e.a.to, e.a.err, e.a.buf = w, w, nil, e.a.buf[:0]
	e.p.encode(&e.a)
	e.a.flush()
	return e.a.err
}

// Answer does all that the handler does for a request beside the stack around
// it, as plain text.
func (e *BulkEncoder) Answer(v *index.View, now int64, r *http.Request, w http.ResponseWriter) error {
	e.p.reset()
	body, err := readBody(r)
	if err != nil {
		return err
	}
	from, err := e.p.source(r, body)
	if err != nil {
		return err
	}
	if err := e.p.parse(from); err != nil {
		return err
	}
	e.p.resolve(v, e.a.rq.api.framesOf(v.Snapshot), now)
	return e.Encode(w)
}
