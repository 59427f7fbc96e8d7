package upstream_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"gamedex/internal/upstream"
)

// TestNewError checks that an error about an answer names the address and keeps
// the cause.
func TestNewError(t *testing.T) {
	cause := errors.New("no data")
	for address, want := range map[string][2]string{ // host, text
		"https://store.example:81/op":            {"store.example:81", "https://store.example:81/op: broken answer: no data"},
		"https://store.example/op?key=secret#at": {"store.example", "https://store.example/op: broken answer: no data"},
		"https://\x7fsecret":                     {"", "request: broken answer: no data"},
	} {
		err := upstream.NewError(upstream.Broken, address, cause)
		if err.Kind != upstream.Broken || err.Host != want[0] || err.Error() != want[1] || !errors.Is(err, cause) {
			t.Errorf("%q: host %q, %v; want %q, %s", address, err.Host, err, want[0], want[1])
		}
	}
}

func TestErrorsHideTheQuery(t *testing.T) {
	for _, status := range []int{403, 404, 400, 429, 500} {
		var log bytes.Buffer
		c, url := serve(t, answer{status: status}.ServeHTTP, func(cfg *upstream.Config, _ *upstream.Host) {
			cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		_, err := c.Get(t.Context(), upstream.Request{URL: url + "/latest?app_id=secret"})
		if err == nil || strings.Contains(err.Error()+log.String(), "secret") {
			t.Errorf("%d: error %v, log %s", status, err, &log)
		}
		if want := url + "/latest"; !strings.Contains(err.Error(), want) {
			t.Errorf("%d: error %q does not name %s", status, err, want)
		}
	}
}
