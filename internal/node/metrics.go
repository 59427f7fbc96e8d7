package node

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"gamedex/internal/build"
	"gamedex/internal/serve"
)

// nodeMetrics are the numbers of one process beside those of its requests.
type nodeMetrics struct {
	registry *prometheus.Registry
	http     *serve.Metrics
	builds   prometheus.Counter
	buildDur *prometheus.GaugeVec
	listings prometheus.Gauge
	upstream upstreamMetrics
}

func newMetrics(registry *prometheus.Registry, n *node) (*nodeMetrics, error) {
	m := &nodeMetrics{
		registry: registry,
		builds: prometheus.NewCounter(prometheus.CounterOpts{Name: "gamedex_builds_total",
			Help: "Snapshots that this process published."}),
		buildDur: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "gamedex_build_seconds",
			Help: "Duration of the last build, by step."}, []string{"step"}),
		listings: prometheus.NewGauge(prometheus.GaugeOpts{Name: "gamedex_listings",
			Help: "Listings in the last build, withdrawn ones included."}),
		upstream: newUpstreamMetrics(),
	}
	var err error
	if m.http, err = serve.NewMetrics(registry); err != nil {
		return nil, err
	}
	return m, errors.Join(
		registry.Register(collectors.NewGoCollector()),
		registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
		registry.Register(m.builds), registry.Register(m.buildDur), registry.Register(m.listings),
		registry.Register(&viewMetrics{n}), registry.Register(&savedMetrics{n}),
		registry.Register(m.upstream.requests), registry.Register(m.upstream.seconds), registry.Register(m.upstream.runs),
		registry.Register(&sweepMetrics{n}),
	)
}

// built takes in what a builder reports.
func (m *nodeMetrics) built(r build.Report) {
	m.builds.Inc()
	m.listings.Set(float64(r.Listings))
	for step, took := range map[string]time.Duration{"read": r.Read, "merge": r.Merge, "index": r.Index, "write": r.Write, "all": r.All} {
		m.buildDur.WithLabelValues(step).Set(took.Seconds())
	}
}

// viewMetrics tells of the snapshot that is served, at the moment of a scrape.
type viewMetrics struct{ n *node }

var (
	indexBuilt = prometheus.NewDesc("gamedex_index_built_timestamp_seconds", "When the served snapshot was built.", nil, nil)
	indexAge   = prometheus.NewDesc("gamedex_index_age_seconds", "Age of the served snapshot.", nil, nil)
	indexBytes = prometheus.NewDesc("gamedex_index_bytes", "Size of the served snapshot in memory.", nil, nil)
	indexCards = prometheus.NewDesc("gamedex_index_cards", "Cards in the served snapshot.", nil, nil)
	indexSeq   = prometheus.NewDesc("gamedex_manifest_seq", "Number of the manifest in force.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*viewMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{indexBuilt, indexAge, indexBytes, indexCards, indexSeq} {
		ch <- d
	}
}

// Collect implements prometheus.Collector; before the first snapshot there is
// nothing to tell.
func (m *viewMetrics) Collect(ch chan<- prometheus.Metric) {
	view := m.n.live.View()
	if view == nil {
		return
	}
	ch <- gauge(indexBuilt, float64(view.IndexBuiltAt)/1000)
	ch <- gauge(indexAge, float64(m.n.nowMillis()-view.IndexBuiltAt)/1000)
	ch <- gauge(indexBytes, float64(view.Size()))
	ch <- gauge(indexCards, float64(view.Len()))
	ch <- gauge(indexSeq, float64(view.Seq))
}

// savedMetrics tells what all imports ever did, whichever process they ran in:
// the database counts.
type savedMetrics struct{ n *node }

var savedTotal = prometheus.NewDesc("gamedex_imported_listings_total",
	"Listings given to the database since it was made, by what became of them.", []string{"effect"}, nil)

// Describe implements prometheus.Collector.
func (*savedMetrics) Describe(ch chan<- *prometheus.Desc) { ch <- savedTotal }

// scrapeTimeout bounds what a scrape asks of the database.
const scrapeTimeout = 2 * time.Second

// Collect implements prometheus.Collector; without the database the metric is
// left out of the scrape.
func (m *savedMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	saved, err := m.n.DB.Listings.SavedTotals(ctx)
	if err != nil {
		m.n.Log.Warn("import counts not available", "error", err)
		return
	}
	for effect, count := range map[string]int{"new": saved.New, "changed": saved.Changed,
		"unchanged": saved.Unchanged, "older": saved.Older} {
		ch <- prometheus.MustNewConstMetric(savedTotal, prometheus.CounterValue, float64(count), effect)
	}
}
