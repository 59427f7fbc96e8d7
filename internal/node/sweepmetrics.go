package node

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
)

// upstreamMetrics count the requests that this process sent to stores and
// providers, and its runs of sweeps.
type upstreamMetrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	runs     *prometheus.CounterVec
}

func newUpstreamMetrics() upstreamMetrics {
	return upstreamMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gamedex_collect_requests_total",
			Help: "Requests to stores and providers of exchange rates, by what came of them."}, []string{"host", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gamedex_collect_request_seconds",
			Help: "Duration of requests to stores and providers of exchange rates.", Buckets: prometheus.DefBuckets}, []string{"host"}),
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gamedex_sweep_runs_total",
			Help: "Runs of sweeps in this process, by how they ended."}, []string{"platform", "kind", "outcome"}),
	}
}

func (m upstreamMetrics) observe(host, outcome string, took time.Duration) {
	m.requests.WithLabelValues(host, outcome).Inc()
	m.seconds.WithLabelValues(host).Observe(took.Seconds())
}

func (m upstreamMetrics) ran(e collect.Event) {
	scope := e.Summary.Scope
	m.runs.WithLabelValues(scope.Platform.String(), scope.Kind.String(), string(e.Outcome)).Inc()
}

// sweepMetrics tells how collection stands, whichever process does it, at the
// moment of a scrape.
type sweepMetrics struct{ n *node }

var (
	sweepLabels    = []string{"platform", "region", "kind"}
	sweepCompleted = prometheus.NewDesc("gamedex_sweep_completed_timestamp_seconds", "End of the last complete sweep.", sweepLabels, nil)
	sweepFailed    = prometheus.NewDesc("gamedex_sweep_failed", "1 if the last sweep could not be completed, or withdrew nothing for safety.", sweepLabels, nil)
	sweepPending   = prometheus.NewDesc("gamedex_sweep_pending_items", "Games and products that are to be read.", sweepLabels, nil)
	sweepHeldBack  = prometheus.NewDesc("gamedex_sweep_held_back", "Listings that the last sweep would have withdrawn, had they not been too many at once.", sweepLabels, nil)
	stoppedUntil   = prometheus.NewDesc("gamedex_collect_stopped_until_timestamp_seconds", "When a store that refused requests may be asked again; 0: it may be asked.", []string{"platform"}, nil)
	listingSeen    = prometheus.NewDesc("gamedex_listing_seen_timestamp_seconds", "When the listings of a region were last seen: the oldest of them, and the median.", []string{"platform", "region", "which"}, nil)
	doubtfulPrices = prometheus.NewDesc("gamedex_doubtful_prices", "Prices in a region that are stored as doubtful.", []string{"platform", "region"}, nil)
	ratesUpdated   = prometheus.NewDesc("gamedex_rates_updated_timestamp_seconds", "The provider's time of the exchange rates in force.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*sweepMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sweepCompleted, sweepFailed, sweepPending, sweepHeldBack, stoppedUntil,
		listingSeen, doubtfulPrices, ratesUpdated} {
		ch <- d
	}
}

// Collect implements prometheus.Collector; what cannot be read is left out of
// the scrape.
func (m *sweepMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	if err := m.sweeps(ctx, ch); err != nil {
		m.n.Log.Warn("collection metrics not available", "error", err)
	}
	m.published(ch)
}

func (m *sweepMetrics) sweeps(ctx context.Context, ch chan<- prometheus.Metric) error {
	collections, err := m.n.DB.Sweeps.Collections(ctx)
	if err != nil || len(collections) == 0 {
		return err
	}
	for _, c := range collections {
		ch <- gauge(stoppedUntil, seconds(c.StoppedUntil), c.Platform.String())
	}
	sweeps, err := m.n.DB.Sweeps.Sweeps(ctx, catalog.Millis(m.n.nowMillis()))
	if err != nil {
		return err
	}
	for _, s := range sweeps {
		labels := []string{s.Scope.Platform.String(), s.Scope.Region.String(), s.Scope.Kind.String()}
		failed := 0.0
		if s.Failed {
			failed = 1
		}
		ch <- gauge(sweepCompleted, seconds(s.Completed), labels...)
		ch <- gauge(sweepFailed, failed, labels...)
		ch <- gauge(sweepPending, float64(s.Pending), labels...)
		ch <- gauge(sweepHeldBack, float64(s.HeldBack), labels...)
	}
	return nil
}

// published tells what the manifest in force says: all nodes say the same.
func (m *sweepMetrics) published(ch chan<- prometheus.Metric) {
	view := m.n.live.View()
	if view == nil {
		return
	}
	for _, p := range view.Platforms {
		for _, f := range p.Freshness {
			platform, region := f.Platform.String(), f.Region.String()
			ch <- gauge(listingSeen, seconds(f.OldestSeen), platform, region, "oldest")
			ch <- gauge(listingSeen, seconds(f.MedianSeen), platform, region, "median")
			ch <- gauge(doubtfulPrices, float64(f.Doubtful), platform, region)
		}
	}
	if !view.Rates.IsZero() {
		ch <- gauge(ratesUpdated, float64(view.Rates.UpdatedAt())/1000)
	}
}

func gauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func seconds(at catalog.Millis) float64 { return float64(at) / 1000 }
