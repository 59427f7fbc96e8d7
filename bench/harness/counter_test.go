package harness_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCounterPassesRequestsOn(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.String()) // to the test, which reads it
	}))
	defer server.Close()
	c, err := newRun(t).CountRequests(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		if n := c.Count(); n != i {
			t.Errorf("%d requests counted, want %d", n, i)
		}
		res, err := http.Get(c.URL + "/bucket/a%2Fb?list-type=2")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if want := strings.TrimPrefix(c.URL, "http://") + "/bucket/a%2Fb?list-type=2"; err != nil || string(body) != want {
			t.Errorf("the server got %q, %v, want %q", body, err, want)
		}
	}
}
