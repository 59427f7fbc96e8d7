package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/serve"
)

func TestOps(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "sample_total", Help: "x"}))
	reasons := []string{"no listings yet: gamedex import FILE, or restart serve with --demo"}
	var warnings []string
	url, _ := start(t, serve.Config{
		Handler:      serve.Ops(registry, func() []string { return reasons }, func() []string { return warnings }),
		WriteTimeout: 5 * time.Minute,
	})
	tests := []struct {
		path   string
		status int
		body   string // a part of it
	}{
		{"/metrics", 200, "sample_total 0"},
		{"/livez", 200, "alive\n"},
		{"/", 200, "/metrics\n/livez\n/readyz\n/debug/pprof/\n"},
		{"/readyz", 503, "not ready\nno listings yet: gamedex import FILE, or restart serve with --demo\n"},
		{"/debug/pprof/", 200, "goroutine"},
		{"/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"/debug/pprof/cmdline", 200, "serve.test"},
		{"/debug/pprof/trace?seconds=0.01", 200, "trace"},
		{"/other", 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			status, body := get(t, url+tt.path)
			if status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("got %d %.200q, want %d with %q", status, body, tt.status, tt.body)
			}
		})
	}
	reasons = nil
	if status, body := get(t, url+"/readyz"); status != http.StatusOK || body != "ready\n" {
		t.Errorf("without reasons: %d %q", status, body)
	}
	warnings = []string{"log lines are dropped"}
	if status, body := get(t, url+"/readyz"); status != http.StatusOK || body != "ready\nlog lines are dropped\n" {
		t.Errorf("with a warning: %d %q", status, body)
	}
}

// TestOpsAreGuarded checks that profiles are bounded, and that a name which points
// to this machine does not lead to them.
func TestOpsAreGuarded(t *testing.T) {
	none := func() []string { return nil }
	url, _ := start(t, serve.Config{Handler: serve.Ops(prometheus.NewRegistry(), none, none)})
	for path, want := range map[string]int{
		"/debug/pprof/profile?seconds=61": 400, "/debug/pprof/trace?seconds=1e9": 400, "/debug/pprof/heap?seconds=NaN": 400,
		"/debug/pprof/trace?seconds=-1": 400, "/debug/pprof/trace?seconds=0.01": 200,
	} {
		if status, body := get(t, url+path); status != want {
			t.Errorf("%s: %d %.200q, want %d", path, status, body, want)
		}
	}
	for host, want := range map[string]int{"evil.example": 403, "evil.example:8081": 403, "192.0.2.1": 403, "localhost:1": 200, "LOCALHOST": 200, "127.0.0.1": 200, "[::1]:8081": 200} {
		r, err := http.NewRequest("GET", url+"/livez", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %s: status %d, want %d", host, resp.StatusCode, want)
		}
	}
}
