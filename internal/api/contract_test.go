package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract is a transport that holds every answer against the API reference
// and against what all answers have in common.
type contract struct {
	t    testing.TB
	doc  *openapi3.T
	next http.RoundTripper
}

func newContract(t testing.TB) *contract {
	t.Helper()
	// Without keep-alives each test ends with its connections.
	next := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	return &contract{t, document(t), next}
}

// RoundTrip implements http.RoundTripper.
func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	c.check(sent, resp, body)
	return resp, nil
}

func (c *contract) check(r *http.Request, resp *http.Response, body []byte) {
	c.t.Helper()
	name := r.Method + " " + r.URL.RequestURI()
	if resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		c.t.Errorf("%s: lacks X-Request-Id or X-Content-Type-Options: %v", name, resp.Header)
	}
	if r.Method == http.MethodHead || resp.StatusCode == http.StatusNotModified || resp.StatusCode == http.StatusNoContent {
		if len(body) > 0 {
			c.t.Errorf("%s: %d has a body", name, resp.StatusCode)
		}
		return
	}
	plain, err := decoded(resp.Header.Get("Content-Encoding"), body)
	if err != nil {
		c.t.Errorf("%s: %v", name, err)
		return
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
		c.t.Errorf("%s: Content-Type %q", name, kind)
	}
	if err := c.validate(r, resp, plain); err != nil {
		c.t.Errorf("%s: %d breaks the reference: %v\n%.2000s", name, resp.StatusCode, err, plain)
	}
}

// validate finds the documented response and holds the answer against it.
// Unknown paths and wrong methods have no operation; their responses stand
// among the components.
func (c *contract) validate(r *http.Request, resp *http.Response, body []byte) error {
	op := c.operation(r)
	if op == nil {
		name := "NotFound"
		if resp.StatusCode == http.StatusMethodNotAllowed {
			name = "MethodNotAllowed"
		}
		op = openapi3.NewOperation()
		op.Responses = openapi3.NewResponses(openapi3.WithStatus(resp.StatusCode, c.doc.Components.Responses[name]))
	}
	route := &routers.Route{Spec: c.doc, Operation: op}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// operation is the document's entry for a request, nil if it has none.
func (c *contract) operation(r *http.Request) *openapi3.Operation {
	sent := strings.Split(r.URL.Path, "/") // as it was sent, see world.do
	for path, item := range c.doc.Paths.Map() {
		segments := strings.Split("/api/v1"+path, "/")
		if slices.EqualFunc(segments, sent, func(want, got string) bool {
			if decoded, err := url.PathUnescape(got); err == nil {
				got = decoded
			}
			return want == got || strings.HasPrefix(want, "{") && got != ""
		}) {
			return item.GetOperation(r.Method)
		}
	}
	return nil
}
