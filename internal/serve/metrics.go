package serve

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests. Labels are only routes and statuses: with paths or
// keys, clients could create any number of time series. Create it with
// [NewMetrics].
type Metrics struct {
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// NewMetrics registers the metrics: gamedex_http_requests_total
// (route, code: the status or "aborted"), gamedex_http_request_seconds (route)
// and gamedex_http_in_flight. It fails if they are already registered.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gamedex_http_requests_total",
			Help: "Requests answered, by route pattern and status.",
		}, []string{"route", "code"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gamedex_http_request_seconds",
			Help:    "Time from the request's header to the end of its answer, by route pattern.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gamedex_http_in_flight",
			Help: "Requests being answered now.",
		}),
	}
	err := errors.Join(registry.Register(m.requests), registry.Register(m.latency), registry.Register(m.inFlight))
	if err != nil {
		return nil, err
	}
	return m, nil
}
