package apitest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Transport returns a transport that sends requests with next and fails t for
// every answer that breaks the reference. next must not decode content codings
// (http.Transport.DisableCompression).
func (ref Reference) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return &transport{ref, t, next}
}

type transport struct {
	reference Reference
	t         testing.TB
	next      http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := tr.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // it was read to its end
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err := tr.reference.check(r, resp, body); err != nil {
		tr.t.Errorf("%s %s: %d: %v", r.Method, r.URL.RequestURI(), resp.StatusCode, err)
	}
	return resp, nil
}
