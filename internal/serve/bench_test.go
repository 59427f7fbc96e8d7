package serve_test

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/serve"
)

// BenchmarkFront measures what Front adds to a request: subtract the time of
// "bare".
func BenchmarkFront(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).Route = "/x"
		w.Write([]byte("hello"))
	})
	front := &serve.Front{
		Next: handler, Log: slog.New(slog.DiscardHandler),
		Metrics: serve.NewMetrics(prometheus.NewRegistry()), Rand: rand.Reader, Now: time.Now,
	}
	for name, h := range map[string]http.Handler{"bare": handler, "front": front} {
		b.Run(name, func(b *testing.B) {
			r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				w.Body.Reset()
				h.ServeHTTP(w, r)
			}
		})
	}
}
