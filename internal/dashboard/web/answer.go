package web

import (
	"net/http"

	"gamedex/internal/serve"
)

// Answer is the answer of a handler in memory.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // its beginning, if Size is larger
	Size   int    // of the whole body

	keep int
}

// Call sends a request to a handler of this process and returns the answer, with at most
// keep bytes of its body. The answer has the request id that the context of the request
// carries.
func Call(h http.Handler, r *http.Request, keep int) *Answer {
	a := &Answer{Header: http.Header{"X-Request-Id": {serve.RecordFrom(r.Context()).RequestID}}, keep: keep}
	h.ServeHTTP(answering{a}, r)
	return a
}

// answering is the http.ResponseWriter of an Answer.
type answering struct{ *Answer }

// Header implements http.ResponseWriter.
func (a answering) Header() http.Header { return a.Answer.Header }

// WriteHeader keeps the first status.
func (a answering) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write implements http.ResponseWriter.
func (a answering) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.Size += len(b)
	a.Body = append(a.Body, b[:min(len(b), a.keep-len(a.Body))]...)
	return len(b), nil
}
