package webhook

import "net/http"

// NewTestClient returns a client whose requests receive answers.
func NewTestClient(receive func(*http.Request) (*http.Response, error)) *Client {
	return &Client{agent: "gamedex/test", http: &http.Client{Transport: roundTrip(receive)}}
}
