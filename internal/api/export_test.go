package api

import (
	"net/http"

	"gamedex/internal/api/respond"
	"gamedex/internal/index"
)

// BulkEncoder encodes plain bulk answers without the request around them.
type BulkEncoder struct {
	of   *API
	br   *bulkRequest
	r    *http.Request
	body respond.Body
}

// NewBulkEncoder returns an encoder for the view's active regions.
func NewBulkEncoder(of *API) *BulkEncoder {
	return &BulkEncoder{of: of, br: newBulkRequest().(*bulkRequest), r: new(http.Request)}
}

// Answer does what the handler does for a request, without the middleware
// stack, as plain text.
func (e *BulkEncoder) Answer(v *index.View, now int64, r *http.Request, w http.ResponseWriter) error {
	e.br.reset()
	body, err := readBody(r)
	if err != nil {
		return err
	}
	params, err := e.br.params(r, body)
	if err != nil {
		return err
	}
	e.br.answer.Find(v, params, now, &e.of.forms)
	return e.body.Send(respond.Holder{Pool: e.of.keys.pool, Owner: "encoder"}, w, e.r, http.StatusOK, e.br.answer.Encode)
}

// WireVersion is that of cursors.
const WireVersion = wireVersion
