package enginetest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/internal/testing/enginetest"
)

func TestWebProxy(t *testing.T) {
	enginetest.Need(t, "haproxy")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "asked by ", r.Header.Get("X-Forwarded-For"))
	}))
	t.Cleanup(server.Close)
	h := enginetest.NewWebProxy(t, "haproxy", func(addr, _ string) string {
		return fmt.Sprintf(`defaults
    mode http
    timeout connect 10s
    timeout client 10s
    timeout server 10s
listen site
    bind %s
    option forwardfor
    server one %s
`, addr, strings.TrimPrefix(server.URL, "http://"))
	})
	res, err := http.Get("http://" + h.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "asked by 127.0.0.1" {
		t.Errorf("%d %s %v", res.StatusCode, body, err)
	}
}
