package node

import (
	"cmp"
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/quota/shared"
	"gamedex/internal/serve"
	"gamedex/internal/sweep"
)

// nodeMetrics are the metrics of one process, except those of its requests.
type nodeMetrics struct {
	registry *prometheus.Registry
	http     *serve.Metrics
	builds   prometheus.Counter
	buildDur *prometheus.GaugeVec
	listings prometheus.Gauge

	// Requests to stores and rate providers, and runs of sweeps.
	upstreamRequests *prometheus.CounterVec
	upstreamSeconds  *prometheus.HistogramVec
	sweepRuns        *prometheus.CounterVec
	webhookTries     *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry, n *node) *nodeMetrics {
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &scraped{n})
	auto := promauto.With(registry)
	return &nodeMetrics{
		registry: registry, http: serve.NewMetrics(registry),
		builds: auto.NewCounter(prometheus.CounterOpts{Name: "gamedex_builds_total",
			Help: "Snapshots that this process published; a standby has none."}),
		buildDur: auto.NewGaugeVec(prometheus.GaugeOpts{Name: "gamedex_build_seconds",
			Help: "Duration of this process's last build, by step; all is their sum."}, []string{"step"}),
		listings: auto.NewGauge(prometheus.GaugeOpts{Name: "gamedex_listings",
			Help: "Listings in the last build, withdrawn ones included."}),
		upstreamRequests: auto.NewCounterVec(prometheus.CounterOpts{Name: "gamedex_collect_requests_total",
			Help: "Attempts of this process to read from stores and providers of exchange rates, by outcome."}, []string{"host", "outcome"}),
		upstreamSeconds: auto.NewHistogramVec(prometheus.HistogramOpts{Name: "gamedex_collect_request_seconds",
			Help: "Duration of requests to stores and providers of exchange rates.", Buckets: prometheus.DefBuckets}, []string{"host"}),
		sweepRuns: auto.NewCounterVec(prometheus.CounterOpts{Name: "gamedex_sweep_runs_total",
			Help: "Runs of sweeps in this process, by outcome: swept completely, read the items that were due, gave way to a more urgent sweep, failed, or ended with the process."}, []string{"platform", "kind", "outcome"}),
		webhookTries: auto.NewCounterVec(prometheus.CounterOpts{Name: "gamedex_webhook_tries_total",
			Help: "Tries of this process to deliver messages of webhooks, by outcome: delivered, failed, or off if the webhook was turned off after it."}, []string{"outcome"}),
	}
}

// observeBuild records a build's report.
func (m *nodeMetrics) observeBuild(r builder.Report) {
	m.builds.Inc()
	m.listings.Set(float64(r.Listings))
	for step, took := range map[string]time.Duration{"read": r.Read, "merge": r.Merge, "index": r.Index, "write": r.Write, "all": r.All} {
		m.buildDur.WithLabelValues(step).Set(took.Seconds())
	}
}

func (m *nodeMetrics) observeRequest(host, outcome string, took time.Duration) {
	m.upstreamRequests.WithLabelValues(host, outcome).Inc()
	m.upstreamSeconds.WithLabelValues(host).Observe(took.Seconds())
}

func (m *nodeMetrics) observeSweep(e collect.Event) {
	scope := e.Summary.Scope
	m.sweepRuns.WithLabelValues(scope.Platform.String(), scope.Kind.String(), string(e.Outcome)).Inc()
}

// scraped are the metrics that are read at each scrape: of this process, from the snapshot, and, by
// builders alone, from the database.
type scraped struct{ n *node }

// scrapeTimeout bounds the queries of a scrape.
const scrapeTimeout = 2 * time.Second

var (
	indexBuilt  = prometheus.NewDesc("gamedex_index_built_timestamp_seconds", "When the served snapshot was built.", nil, nil)
	indexAge    = prometheus.NewDesc("gamedex_index_age_seconds", "Age of the served snapshot. It grows as long as nothing changes.", nil, nil)
	indexBytes  = prometheus.NewDesc("gamedex_index_bytes", "Size of the served snapshot in memory.", nil, nil)
	indexCards  = prometheus.NewDesc("gamedex_index_cards", "Cards in the served snapshot.", nil, nil)
	keysAge     = prometheus.NewDesc("gamedex_keys_age_seconds", "Time since the database was last asked for changes of keys. While it does not answer, revocations wait.", nil, nil)
	indexSeq    = prometheus.NewDesc("gamedex_manifest_seq", "Number of the manifest that is served. A process that stays behind cannot read the bucket.", nil, nil)
	damagedFile = prometheus.NewDesc("gamedex_damaged_file", "1 if this process cannot use a file of the bucket, because it is missing or damaged; the label names it, and is empty otherwise.", []string{"file"}, nil)
	savedTotal  = prometheus.NewDesc("gamedex_imported_listings_total",
		"Listings that imports and sweeps passed to the database since it was created, by effect; older ones were ignored.", []string{"effect"}, nil)

	sweepLabels    = []string{"platform", "region", "kind"}
	sweepCompleted = prometheus.NewDesc("gamedex_sweep_completed_timestamp_seconds", "End of the last complete sweep.", sweepLabels, nil)
	sweepFailed    = prometheus.NewDesc("gamedex_sweep_failed", "1 if the last sweep could not be completed, or withdrew nothing for safety.", sweepLabels, nil)
	sweepPending   = prometheus.NewDesc("gamedex_sweep_pending_items", "Games and products waiting to be read; 10000: that many or more.", sweepLabels, nil)
	sweepHeldBack  = prometheus.NewDesc("gamedex_sweep_held_back", "Listings that the last sweep did not withdraw, or prices that it did not remove, because they were too many at once.", sweepLabels, nil)
	stoppedUntil   = prometheus.NewDesc("gamedex_collect_stopped_until_timestamp_seconds", "Until when requests to a store that refused one are stopped; 0: not stopped.", []string{"platform"}, nil)
	listingSeen    = prometheus.NewDesc("gamedex_listing_seen_timestamp_seconds", "When the listings of a region were last seen: the oldest of them, and the median.", []string{"platform", "region", "which"}, nil)
	doubtfulPrices = prometheus.NewDesc("gamedex_doubtful_prices", "Prices in a region that are stored as doubtful.", []string{"platform", "region"}, nil)
	clockSkew      = prometheus.NewDesc("gamedex_clock_skew_seconds", "How far the clock of this process is at least ahead of the database's (negative: behind); 0 with SQLite.", nil, nil)
	liveNodes      = prometheus.NewDesc("gamedex_nodes", "Processes that serve from the database, by role.", []string{"role"}, nil)
	disagreements  = prometheus.NewDesc("gamedex_settings_disagreements", "Settings that should be the same on all nodes, but are not. The epoch of the database counts as one.", nil, nil)
	conditionFails = prometheus.NewDesc("gamedex_condition_failed", "1 while something that this process needs is not as it should be: /readyz says what.", []string{"condition"}, nil)
	linesDropped   = prometheus.NewDesc("gamedex_log_lines_dropped_total", "Log lines that were dropped because nothing read the log fast enough.", nil, nil)
	bulkItems      = prometheus.NewDesc("gamedex_bulk_items_total", "Games in answers of bulk prices, by whether their encoded prices were in the cache.", []string{"cache"}, nil)

	// Of counters that nodes share; in memory they are 0.
	countersAlone  = prometheus.NewDesc("gamedex_counters_alone", "1 while this process counts requests alone because the counter server does not answer.", nil, nil)
	countersSkew   = prometheus.NewDesc("gamedex_counters_clock_skew_seconds", "How far the clock of this process is at least ahead of the counter server's (negative: behind).", nil, nil)
	counterOutages = prometheus.NewDesc("gamedex_counters_outages_total", "How often this process had to begin counting requests alone.", nil, nil)
	ownDecisions   = prometheus.NewDesc("gamedex_counters_own_decisions_total", "Requests and sign-ins that this process decided alone, during an outage or because two calls took longer than 50 ms each.", nil, nil)

	ratesUpdated = prometheus.NewDesc("gamedex_rates_updated_timestamp_seconds", "The provider's time of the current exchange rates.", nil, nil)
)

// Describe implements prometheus.Collector. It describes nothing, so that a scrape
// may omit metrics.
func (*scraped) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. It omits what cannot be read.
func (m *scraped) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	m.sendView(ch)
	lines, _ := m.n.LogsDropped()
	ch <- counter(linesDropped, lines)
	if m.n.items != nil {
		hits, misses := m.n.items()
		ch <- counter(bulkItems, hits, "hit")
		ch <- counter(bulkItems, misses, "miss")
	}
	counters := cmp.Or(m.n.shared, new(shared.Shared))
	ch <- gauge(countersAlone, oneIf(counters.Alone()))
	ch <- gauge(countersSkew, counters.Ahead().Seconds())
	ch <- counter(counterOutages, counters.Outages())
	ch <- counter(ownDecisions, counters.OwnDecisions())
	ch <- gauge(clockSkew, m.n.nodes.Ahead().Seconds())
	file, is := "", 0.0
	for _, name := range m.n.damaged() {
		file, is = name, 1
	}
	ch <- gauge(damagedFile, is, file)
	ch <- gauge(keysAge, float64(m.n.nowMillis()-m.n.keys.AsOf())/1000)
	for name, err := range m.n.watch.All() {
		ch <- gauge(conditionFails, oneIf(err != nil), name)
	}
	if !m.n.Roles.has(roleBuild) {
		return
	}
	for _, role := range []string{roleAPI, roleBuild, roleCollect} {
		ch <- gauge(liveNodes, float64(m.n.nodes.Count(role)), role)
	}
	ch <- gauge(disagreements, float64(len(m.n.nodes.List().Disagreements())))
	saved, err := m.n.DB.Listings.SavedTotals(ctx)
	if err != nil {
		m.n.Log.Warn("import counts not available", "error", err)
	} else {
		ch <- counter(savedTotal, int64(saved.New), "new")
		ch <- counter(savedTotal, int64(saved.Changed), "changed")
		ch <- counter(savedTotal, int64(saved.Unchanged), "unchanged")
		ch <- counter(savedTotal, int64(saved.Older), "older")
	}
	if err := m.sendSweeps(ctx, ch); err != nil {
		m.n.Log.Warn("collection metrics not available", "error", err)
	}
}

func (m *scraped) sendSweeps(ctx context.Context, ch chan<- prometheus.Metric) error {
	collections, err := m.n.DB.Sweeps.Collections(ctx)
	if err != nil || len(collections) == 0 {
		return err
	}
	for _, c := range collections {
		ch <- gauge(stoppedUntil, seconds(c.StoppedUntil), c.Platform.String())
	}
	sweeps, err := m.n.DB.Sweeps.Sweeps(ctx, catalog.Millis(m.n.nowMillis()), sweep.ManyItems)
	if err != nil {
		return err
	}
	for _, s := range sweeps {
		labels := []string{s.Scope.Platform.String(), s.Scope.Region.String(), s.Scope.Kind.String()}
		ch <- gauge(sweepCompleted, seconds(s.Completed), labels...)
		ch <- gauge(sweepFailed, oneIf(s.Failed), labels...)
		ch <- gauge(sweepPending, float64(s.Pending), labels...)
		ch <- gauge(sweepHeldBack, float64(s.HeldBack), labels...)
	}
	return nil
}

// sendView sends the metrics of the served snapshot, if there is one.
func (m *scraped) sendView(ch chan<- prometheus.Metric) {
	view := m.n.live.View()
	if view == nil {
		return
	}
	ch <- gauge(indexBuilt, float64(view.IndexBuiltAt)/1000)
	ch <- gauge(indexAge, float64(m.n.nowMillis()-view.IndexBuiltAt)/1000)
	ch <- gauge(indexBytes, float64(view.Size()))
	ch <- gauge(indexCards, float64(view.Len()))
	ch <- gauge(indexSeq, float64(view.Seq))
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

func counter(d *prometheus.Desc, count int64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(count), labels...)
}

// oneIf returns 1 if a condition holds, otherwise 0.
func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func seconds(at catalog.Millis) float64 { return float64(at) / 1000 }
