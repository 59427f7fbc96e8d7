package growth

import (
	"context"
	"fmt"
	"net/http"
	"runtime"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/internal/index"
)

// Subject measures each size.
func Subject() lab.Subject { return lab.Subject{Name: "growth", Measure: run} }

// The figures of a size beside its answers.
const (
	importing measure.Metric = "import s"
	building  measure.Metric = "build s"
	opening   measure.Metric = "open ms"
	memory    measure.Metric = "snapshot MB"
	resident  measure.Metric = "serve RSS MB"
)

// p50 is the metric of a kind of question.
func p50(kind string) measure.Metric { return measure.Metric(kind + " p50 µs") }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	all := measure.Collected{}
	var names []string
	var points []int
	for _, cards := range lab.Pick(l, []int{1_000, 5_000, 20_000}, []int{25_000, 100_000, 400_000}) {
		c, err := l.Catalog(ctx, cards, 4)
		if err != nil {
			return report.Section{}, err
		}
		name := fmt.Sprintf("%d cards", c.View.Len())
		s, err := size(ctx, l, c)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", name, err)
		}
		l.Logf("  %s: %v", name, s)
		all.Add(name, s)
		names, points = append(names, name), append(points, c.View.Len())
		l.Drop(c) // the next one is four times as large
	}
	return section(times(l), all.Runs(names...), names, points), nil
}

// size measures one catalog.
func size(ctx context.Context, l *lab.Lab, c *lab.Catalog) (measure.Sample, error) {
	s := measure.Sample{importing: c.Import.Seconds(), building: c.Build.Seconds(), memory: float64(c.View.Size()) / 1e6}
	if err := open(ctx, l, c, s); err != nil {
		return nil, err
	}
	if err := serve(ctx, l, c, s); err != nil {
		return nil, err
	}
	h, err := l.Handler(ctx, c.View)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if s[p50(k.name)], err = ask(h, k.ask(l.Rng(11), h, c), times(l)); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return s, nil
}

// open takes the best of three, each after the garbage is collected.
func open(ctx context.Context, l *lab.Lab, c *lab.Catalog, s measure.Sample) error {
	b, err := c.Blobs(ctx)
	if err != nil {
		return err
	}
	for range 3 {
		runtime.GC()
		took, err := measure.Took(func() error { _, err := index.Open(b.Catalog, b.Prices); return err })
		if err != nil {
			return err
		}
		if best, known := s[opening]; !known || took[measure.Time] < best {
			s[opening] = took[measure.Time]
		}
	}
	return nil
}

// serve looks how much memory a node holds that has just become ready.
func serve(ctx context.Context, l *lab.Lab, c *lab.Catalog, s measure.Sample) error {
	p, err := l.Serve(ctx, c)
	if err != nil {
		return err
	}
	held, err := measure.Resident(p.PID)
	if err != nil {
		return err
	}
	s[resident] = float64(held) / 1e6
	return p.Stop()
}

// times is how often each question counts.
func times(l *lab.Lab) int { return lab.Pick(l, 1, 5) }

// ask gives the median of all questions, asked a few times over.
func ask(h *lab.Handler, requests []*http.Request, times int) (float64, error) {
	var w lab.Discard
	do := func(i int) error { return h.Do(requests[i%len(requests)], &w) }
	if _, err := measure.Latency(len(requests), do); err != nil { // warm
		return 0, err
	}
	s, err := measure.Latency(times*len(requests), do)
	return s[measure.P50], err
}

func section(times int, runs measure.Runs, names []string, points []int) report.Section {
	metrics := []measure.Metric{}
	answers := report.Picture{File: "growth-answers.svg", Title: "Median time of an answer, in the process", XLabel: "cards", YLabel: "µs"}
	for _, k := range kinds {
		metrics = append(metrics, p50(k.name))
		answers.Lines = append(answers.Lines, curve(k.name, runs, p50(k.name), names, points))
	}
	spent := report.Picture{File: "growth-times.svg", Title: "Import, build and open", XLabel: "cards", YLabel: "ms", Lines: []report.Line{
		scaled(curve("import", runs, importing, names, points), 1000),
		scaled(curve("build", runs, building, names, points), 1000),
		curve("open", runs, opening, names, points),
	}}
	held := report.Picture{File: "growth-memory.svg", Title: "Memory", XLabel: "cards", YLabel: "MB", Lines: []report.Line{
		curve("snapshot", runs, memory, names, points),
		curve("whole node", runs, resident, names, points),
	}}
	return report.Section{
		Title: "Growth",
		Intro: fmt.Sprintf("Four regions. Questions as in the other subjects, in this process, one at a time, through the whole stack of handlers "+
			"(front, key, limits, API): %d of a kind, once to warm and then %d times. Each size is imported, built and served once, the best of three openings counts; "+
			"a build is the program's own, from starting it to the published snapshot; the node's memory is that of a process that has just become ready.", asking, times),
		Tables:   []report.Table{report.Parts("", runs, append(metrics, importing, building, opening, memory, resident)...)},
		Pictures: []report.Picture{answers, spent, held},
	}
}

func curve(name string, runs measure.Runs, m measure.Metric, names []string, points []int) report.Line {
	line := report.Line{Name: name}
	for i, n := range names {
		if f, ok := runs.Of(n, m); ok {
			line.Points = append(line.Points, report.Point{X: float64(points[i]), Y: f.Median})
		}
	}
	return line
}

func scaled(l report.Line, by float64) report.Line {
	for i := range l.Points {
		l.Points[i].Y *= by
	}
	return l
}
