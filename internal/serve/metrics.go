package serve

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests. Labels are only routes and statuses: with paths or
// keys, clients could create any number of time series. Create it with
// [NewMetrics].
type Metrics struct {
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge

	// found caches the series: at most routes times statuses. The map is never
	// changed, only replaced.
	found   atomic.Pointer[map[outcomeOf]series]
	finding sync.Mutex // held to replace found
}

// outcomeOf is the key of a series.
type outcomeOf struct {
	route   string
	status  int
	aborted bool
}

// series counts the requests of one route with the same outcome.
type series struct {
	requests prometheus.Counter
	latency  prometheus.Observer
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
	m.found.Store(&map[outcomeOf]series{})
	err := errors.Join(registry.Register(m.requests), registry.Register(m.latency), registry.Register(m.inFlight))
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Metrics) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

func (m *Metrics) end(x *exchange, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	s := m.series(x)
	s.requests.Inc()
	s.latency.Observe(took.Seconds())
}

// series returns the series of a request. Finding it by its labels each time would
// cost more than the counting.
func (m *Metrics) series(x *exchange) series {
	of := outcomeOf{x.Route, x.status, x.aborted}
	if s, ok := (*m.found.Load())[of]; ok {
		return s
	}
	m.finding.Lock()
	defer m.finding.Unlock()
	s := series{
		requests: m.requests.WithLabelValues(x.route(), x.outcome()),
		latency:  m.latency.WithLabelValues(x.route()),
	}
	found := maps.Clone(*m.found.Load())
	found[of] = s
	m.found.Store(&found)
	return s
}
