package main

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const mega = 1e6

// scraped are the metrics of a process that are drawn.
var scraped = []struct {
	panel int
	name  string
	unit  float64
}{
	{resident, "process_resident_memory_bytes", mega},
	// The next collection begins at twice what the last one has left.
	{heap, "go_memstats_next_gc_bytes", 2 * mega},
	{descriptors, "process_open_fds", 1},
	{goroutines, "go_goroutines", 1},
}

// sample measures until ctx ends.
func (s *soak) sample(ctx context.Context) {
	var took []time.Duration
	minutes := 0
	paced(ctx, s.interval, func(int) {
		at := time.Since(s.began).Minutes()
		for _, n := range s.nodes {
			s.scrape(n, at)
		}
		for _, name := range slices.Sorted(maps.Keys(s.disk)) {
			bytes, err := s.disk[name](ctx)
			if err == nil {
				s.curves.add(disk, name, at, float64(bytes)/mega)
			} else if ctx.Err() == nil {
				s.book.fail("size of %s: %v", name, err)
			}
		}
		took = append(took, s.book.times()...)
		if int(at) > minutes && len(took) > 0 {
			minutes = int(at)
			slices.Sort(took)
			for _, q := range []struct {
				name  string
				share float64
			}{{"p50", 0.5}, {"p99", 0.99}} {
				s.curves.add(answers, q.name, at, float64(took[int(q.share*float64(len(took)-1))].Microseconds())/1000)
			}
			took = took[:0]
		}
	})
}

// totals are counters of processes that the summary shows.
var totals = map[string]string{
	"gamedex_builds_total":                 "snapshots published",
	"gamedex_sweep_runs_total":             "sweeps",
	"gamedex_collect_requests_total":       "requests to the stores",
	"gamedex_counters_own_decisions_total": "requests counted without the counter server",
}

// scrape reads the metrics of a node, unless it is being replaced.
func (s *soak) scrape(n *node, minute float64) {
	if !n.take() {
		return
	}
	defer n.done()
	text, err := n.fetch("/metrics")
	if err != nil {
		if !n.killed.Load() && n.up.Load() {
			s.book.fail("/metrics: %v", err)
		}
		return
	}
	s.happened("scrapes of /metrics", 1)
	sums := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ = strings.Cut(name, "{")
		if v, err := strconv.ParseFloat(value[strings.LastIndexByte(value, ' ')+1:], 64); err == nil {
			sums[name] += v
		}
	}
	for _, m := range scraped {
		s.curves.add(m.panel, n.name, minute, sums[m.name]/m.unit)
	}
	for name, what := range totals {
		s.countUp(n, name, what, sums[name])
	}
}

// countUp adds what a counter of a node has grown by since the last sample.
func (s *soak) countUp(n *node, name, what string, value float64) {
	grown := value - s.past[n.name+name]
	if grown < 0 { // another process has begun
		grown = value
	}
	s.past[n.name+name] = value
	s.happened(what, int(grown))
	if name == "gamedex_counters_own_decisions_total" && grown > 0 {
		s.book.countedAlone(int(grown), time.Now(), s.interval)
	}
}

// size returns a function that adds up the files below the folders, and the files, that a
// pattern names.
func size(pattern string) func(context.Context) (int64, error) {
	return func(context.Context) (total int64, err error) {
		found, err := filepath.Glob(pattern)
		for _, path := range found {
			err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return skipGone(err)
				}
				info, err := d.Info()
				if err == nil {
					total += info.Size()
				}
				return skipGone(err)
			})
			if err != nil {
				return total, err
			}
		}
		return total, err
	}
}

// skipGone ignores that a file was deleted meanwhile.
func skipGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// databaseSize returns the size of the PostgreSQL database.
func (s *soak) databaseSize(ctx context.Context) (bytes int64, err error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, err
}
