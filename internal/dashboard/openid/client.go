package openid

import (
	"net"
	"net/http"
	"time"
)

const (
	timeout = 10 * time.Second // of one request, and of all of a sign-in
	maxBody = 1 << 20
)

// newClient returns a client that bounds how long a provider takes and how much
// it answers, and that follows no redirect: the request may carry the secret.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: boundedTransport{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: timeout}).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    timeout,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}
}

// boundedTransport makes reading fail after maxBody.
type boundedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	}
	return resp, err
}
