package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/internal/serve"
)

func TestTraceparent(t *testing.T) {
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	const plain = "00-" + trace + "-" + parent + "-01"
	tests := []struct {
		name string
		sent []string
		want string
	}{
		{"none", nil, ""},
		{"plain", []string{plain}, plain},
		{"not sampled", []string{"00-" + trace + "-" + parent + "-00"}, "00-" + trace + "-" + parent + "-00"},
		{"further flags", []string{"00-" + trace + "-" + parent + "-03"}, "00-" + trace + "-" + parent + "-03"},
		{"a later version", []string{"01-" + trace + "-" + parent + "-03"}, plain},
		{"a later version with more fields", []string{"cc-" + trace + "-" + parent + "-02-what the future brings"}, "00-" + trace + "-" + parent + "-00"},
		{"a later version with more flags", []string{"01-" + trace + "-" + parent + "-010"}, ""},
		{"more fields", []string{plain + "-00"}, ""},
		{"the forbidden version", []string{"ff-" + trace + "-" + parent + "-01"}, ""},
		{"twice", []string{plain, plain}, ""},
		{"empty", []string{""}, ""},
		{"no trace id", []string{"00-" + strings.Repeat("0", 32) + "-" + parent + "-01"}, ""},
		{"no parent id", []string{"00-" + trace + "-0000000000000000-01"}, ""},
		{"capitals", []string{strings.ToUpper(plain)}, ""},
		{"other letters", []string{"00-" + trace[:31] + "g-" + parent + "-01"}, ""},
		{"a short trace id", []string{"00-" + trace[1:] + "-" + parent + "-01"}, ""},
		{"no flags", []string{"00-" + trace + "-" + parent}, ""},
		{"a line break would split a log", []string{plain + "\n"}, ""},
		{"a line break in a later version", []string{"01-" + trace + "-" + parent + "-01-\nx"}, ""},
		{"a space", []string{" " + plain}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen string
			f, log := front(func(_ http.ResponseWriter, r *http.Request) { seen = serve.Traceparent(r.Context()) })
			req := httptest.NewRequest("GET", "/", nil)
			if tt.sent != nil {
				req.Header["Traceparent"] = tt.sent
			}
			f.ServeHTTP(httptest.NewRecorder(), req)
			if seen != tt.want {
				t.Errorf("the handler has %q, want %q", seen, tt.want)
			}
			logged, _ := lines(t, log)[0]["traceparent"].(string)
			if logged != tt.want {
				t.Errorf("the log has %q, want %q", logged, tt.want)
			}
		})
	}
	if got := serve.Traceparent(context.Background()); got != "" {
		t.Errorf("outside a request: %q", got)
	}
}
