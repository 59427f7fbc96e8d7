package subjects

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
)

const growthRequests = 400 // different ones of each kind

// The metrics of a catalog besides its answers.
const (
	growthImport   harness.Metric = "import s"
	growthBuild    harness.Metric = "build s"
	growthOpen     harness.Metric = "open ms"
	growthSnapshot harness.Metric = "snapshot MB"
	growthRSS      harness.Metric = "serve RSS MB"
)

// growthKinds are the kinds of requests, in the order of the table.
var growthKinds = []string{"search", "suggest", "card", "prices of 1000"}

func growthP50(kind string) harness.Metric { return harness.Metric(kind + " p50 µs") }

// measureGrowth measures how times and memory grow with the catalog.
func measureGrowth(ctx context.Context, r *harness.Run) (report.Section, error) {
	results := harness.NewResults()
	var cards []int
	for _, n := range harness.Pick(r, []int{1_000, 5_000, 20_000}, []int{25_000, 100_000, 400_000}) {
		c, err := r.Catalog(ctx, harness.Shape{Cards: n, Regions: 4})
		if err != nil {
			return report.Section{}, err
		}
		name := fmt.Sprintf("%d cards", n)
		v, err := measureGrowthSize(ctx, r, c)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", name, err)
		}
		r.Logf("  %s: %v", name, v)
		results.Add(name, v)
		cards = append(cards, n)
		r.Drop(c) // the next one is four times as large
	}
	return growthSection(r, results, cards), nil
}

func measureGrowthSize(ctx context.Context, r *harness.Run, c *harness.Catalog) (harness.Values, error) {
	v := harness.Values{growthImport: c.Import.Seconds(), growthBuild: c.Build.Seconds(), growthSnapshot: float64(c.View.Size()) / 1e6}
	b, err := harness.ReadSnapshot(ctx, c.Snapshots())
	if err != nil {
		return nil, err
	}
	for range 3 { // the best of three counts
		runtime.GC()
		took, err := harness.Milliseconds(func() error { _, err := b.Open(); return err })
		if err != nil {
			return nil, err
		}
		if best, ok := v[growthOpen]; !ok || took < best {
			v[growthOpen] = took
		}
	}
	p, err := r.Serve(ctx, c)
	if err != nil {
		return nil, err
	}
	resident, err := harness.Resident(p.PID)
	if err != nil {
		return nil, err
	}
	v[growthRSS] = float64(resident) / 1e6
	if err := p.Stop(); err != nil {
		return nil, err
	}
	h, err := harness.NewHandler(ctx, c.View)
	if err != nil {
		return nil, err
	}
	for _, kind := range growthKinds {
		requests := makeGrowthRequests(r, h, c, kind)
		var w harness.ResponseWriter
		do := func(i int) error { return h.Do(requests[i%len(requests)], &w) }
		if _, err := harness.Latency(len(requests), do); err != nil { // warm up
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		latency, err := harness.Latency(growthRepeats(r)*len(requests), do)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		v[growthP50(kind)] = latency[harness.P50]
	}
	return v, nil
}

func growthRepeats(r *harness.Run) int { return harness.Pick(r, 1, 5) }

func makeGrowthRequests(r *harness.Run, h *harness.Handler, c *harness.Catalog, kind string) []*http.Request {
	var list []*http.Request
	rng := r.Rng(11)
	switch kind {
	case "search", "suggest":
		for _, text := range sample.TypedQueries(rng, c.View, growthRequests) {
			list = append(list, h.Get("/catalog/"+kind+"?q="+url.QueryEscape(text)))
		}
	case "card":
		for range growthRequests {
			list = append(list, h.Get(harness.CardPath(c.View.Card(rng.IntN(c.View.Len())))))
		}
	default:
		for _, ids := range c.RandomIDs(rng, growthRequests, bulkIDs) {
			list = append(list, h.Prices(ids, nil))
		}
	}
	return list
}

func growthSection(r *harness.Run, results *harness.Results, cards []int) report.Section {
	// curve returns a metric by number of cards.
	curve := func(name string, m harness.Metric, scale float64) report.Line {
		line := report.Line{Name: name}
		for i, candidate := range results.Names {
			if f, ok := results.Of(candidate, m); ok {
				line.Points = append(line.Points, report.Point{X: float64(cards[i]), Y: f.Median * scale})
			}
		}
		return line
	}
	var metrics []harness.Metric
	answers := report.Picture{File: "growth-answers.svg", Title: "Median time of an answer, in the process", XLabel: "cards", YLabel: "µs"}
	for _, kind := range growthKinds {
		metrics = append(metrics, growthP50(kind))
		answers.Lines = append(answers.Lines, curve(kind, growthP50(kind), 1))
	}
	return report.Section{
		Title: "Growth",
		Intro: fmt.Sprintf("Four regions. The same kinds of requests as in the other subjects, one at a time, in this process and through the whole chain of handlers "+
			"(front, key, limits, API): %d different ones of each kind, once to warm up and then %d times. Each catalog is imported, built and served once; opening is the best of three. "+
			"A build is the program's, from its start to the published snapshot. RSS is that of a process that has just become ready.", growthRequests, growthRepeats(r)),
		Tables: []report.Table{report.Medians("", results, append(metrics, growthImport, growthBuild, growthOpen, growthSnapshot, growthRSS)...)},
		Pictures: []report.Picture{
			answers,
			{File: "growth-times.svg", Title: "Import, build and open", XLabel: "cards", YLabel: "ms", Lines: []report.Line{
				curve("import", growthImport, 1000), curve("build", growthBuild, 1000), curve("open", growthOpen, 1),
			}},
			{File: "growth-memory.svg", Title: "Memory", XLabel: "cards", YLabel: "MB", Lines: []report.Line{
				curve("snapshot", growthSnapshot, 1), curve("whole node", growthRSS, 1),
			}},
		},
	}
}
