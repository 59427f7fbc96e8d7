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
	hold respond.Hold
}

// NewBulkEncoder returns an encoder for the view's active regions.
func NewBulkEncoder(of *API) *BulkEncoder {
	return &BulkEncoder{of: of, br: newBulkRequest().(*bulkRequest), r: new(http.Request)}
}

// Answer does what the handler does for a request, without the middleware
// stack, as plain text.
func (e *BulkEncoder) Answer(v *index.View, now int64, r *http.Request, w http.ResponseWriter) error {
	e.br.reset()
	body, err := readBody(r, r.Body)
	if err != nil {
		return err
	}
	params, err := e.br.params(r, body)
	if err != nil {
		return err
	}
	e.br.answer.Find(v, params, now, &e.of.forms)
	e.hold.Pool, e.hold.Owner, e.hold.W = e.of.keys.pool, "encoder", w
	defer e.hold.Release()
	return e.body.Send(&e.hold, e.r, http.StatusOK, e.br.answer.Size(), e.br.answer.Encode)
}

// Endpoint is a row of the route table.
type Endpoint struct {
	Pattern string // with its prefix: "/api/v1/catalog/games/{gameId}"
	Methods []string
}

// Endpoints returns the route table.
func Endpoints() (list []Endpoint) {
	for _, rt := range routes() {
		list = append(list, Endpoint{rt.path, rt.methods})
	}
	return list
}

// WireVersion is that of cursors.
const WireVersion = wireVersion
