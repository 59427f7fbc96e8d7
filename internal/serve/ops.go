package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strconv"
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
// answers, because a restart fixes nothing that /readyz reports.
//
// One profile is made at a time, of at most a minute. Over a loopback address, the
// Host must be one too. Otherwise a page in a browser on this machine could read the
// answers through a domain name that resolves to loopback.
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
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, http.StatusOK, "/metrics\n/livez\n/readyz\n/debug/pprof/")
	})
	running := make(chan struct{}, 1)
	profile := func(pattern string, handle http.HandlerFunc) { mux.HandleFunc(pattern, boundProfile(running, handle)) }
	profile("/debug/pprof/", pprof.Index)
	profile("/debug/pprof/cmdline", pprof.Cmdline)
	profile("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	profile("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if foreignHost(r) {
			writeText(w, http.StatusForbidden, "the Host of a request to a loopback address must be localhost or a loopback address")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

const maxProfileSeconds = 60

// boundProfile returns a handler that makes a profile if none is running.
func boundProfile(running chan struct{}, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := r.FormValue("seconds")
		if seconds, err := strconv.ParseFloat(text, 64); text != "" && (err != nil || !(seconds >= 0 && seconds <= maxProfileSeconds)) {
			writeText(w, http.StatusBadRequest, fmt.Sprintf("seconds %.40q: must be a number from 0 to %d", text, maxProfileSeconds))
			return
		}
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
			handle(w, r)
		default:
			writeText(w, http.StatusServiceUnavailable, "another profile is being made; try again when it has ended")
		}
	}
}

// foreignHost reports whether a request came to a loopback address with the name of
// another machine.
func foreignHost(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	if at, err := netip.ParseAddrPort(local.String()); err != nil || !at.Addr().Unmap().IsLoopback() {
		return false
	}
	return !IsLoopback((&url.URL{Host: r.Host}).Hostname())
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
