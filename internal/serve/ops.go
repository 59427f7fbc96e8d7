package serve

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Ops returns the handler for operators and their tools, for a separate listener
// that the public cannot reach: /metrics, /livez, /readyz and /debug/pprof.
//
// Ready returns the reasons why the process cannot do its work yet, each with what
// to do about it, or none if it is ready. Warnings returns what is wrong although it
// is ready; /readyz shows that too. /livez is 200 as long as the process
// answers: a restart fixes nothing that /readyz reports.
func Ops(metrics prometheus.Gatherer, ready, warnings func() []string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, http.StatusOK, "alive")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		status, lines := http.StatusOK, []string{"ready"}
		if reasons := ready(); len(reasons) > 0 {
			status, lines = http.StatusServiceUnavailable, append([]string{"not ready"}, reasons...)
		}
		writeText(w, status, strings.Join(append(lines, warnings()...), "\n"))
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
