package webhook

import (
	"net/http"
	"testing"
)

// NewTestClient returns a client whose requests receive answers.
func NewTestClient(receive func(*http.Request) (*http.Response, error)) *Client {
	return &Client{agent: "gamedex/test", http: &http.Client{Transport: roundTrip(receive)}}
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
