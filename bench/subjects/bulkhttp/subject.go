package bulkhttp

import (
	"context"
	"fmt"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
)

const (
	oursPlain  = "gamedex, POST"
	nginxPlain = "nginx, static file, POST"
	oursGzip   = "gamedex, gzip"
	nginxGzip  = "nginx, gzip 1 on the fly"
	intro      = "POST of 1000 random ids, 4 regions, %d different sets, %d cards; answers of %.0f bytes on average. " +
		"nginx serves the answers that gamedex gave before, from its open files, with a worker for each core and 256 KB buffers; " +
		"it reads no ids and computes nothing."
)

// Plain compares answers without a coding.
func Plain() lab.Subject {
	return lab.Subject{Name: "http-plain", Measure: func(ctx context.Context, l *lab.Lab) (report.Section, error) {
		return compare(ctx, l, plainCandidates, plainSection)
	}}
}

// Gzip compares compressed answers.
func Gzip() lab.Subject {
	return lab.Subject{Name: "http-gzip", Measure: func(ctx context.Context, l *lab.Lab) (report.Section, error) {
		return compare(ctx, l, gzipCandidates, gzipSection)
	}}
}

// side is one row of a comparison.
type side struct {
	name        string
	connections int
	method      string // of nginx; "" is us
	location    string // of nginx
	coding      string
}

var (
	plainCandidates = []side{
		{oursPlain, 8, "", "", "identity"},
		{nginxPlain, 8, "POST", "plain", "identity"},
		{"nginx, static file, GET", 8, "GET", "plain", "identity"},
		{"nginx, static file, GET, sendfile", 8, "GET", "sendfile", "identity"},
		{"gamedex, POST, one connection", 1, "", "", "identity"},
		{"nginx, static file, POST, one connection", 1, "POST", "plain", "identity"},
	}
	gzipCandidates = []side{
		{oursGzip, 8, "", "", "gzip"},
		{nginxGzip, 8, "POST", "gzip", "gzip"},
		{"gamedex, zstd", 8, "", "", "zstd"},
		{"nginx, gzip_static, level 6 made before", 8, "POST", "static", "gzip"},
		{"gamedex, gzip, one connection", 1, "", "", "gzip"},
		{"nginx, gzip 1 on the fly, one connection", 1, "POST", "gzip", "gzip"},
	}
)

func compare(ctx context.Context, l *lab.Lab, sides []side, section func(*world, measure.Runs) report.Section) (report.Section, error) {
	w, err := newWorld(ctx, l)
	defer w.stop()
	if err != nil {
		return report.Section{}, err
	}
	if err := w.check(ctx); err != nil {
		return report.Section{}, fmt.Errorf("the sides do not answer the same: %w", err)
	}
	var candidates []measure.Candidate
	for _, s := range sides {
		c, err := l.Wrk(ctx, s.name, w.load(s))
		if err != nil {
			return report.Section{}, err
		}
		candidates = append(candidates, c)
	}
	runs, err := l.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return section(w, runs), nil
}

// load is what a side is asked, in the same order on all.
func (w *world) load(s side) lab.Load {
	load := lab.Load{URL: w.ours.URL, Connections: s.connections, Servers: []*lab.Process{w.ours.Process}}
	if s.method != "" {
		load.URL, load.Servers = w.nginx.URL, []*lab.Process{w.nginx.Process}
	}
	for n, r := range w.requests {
		if s.method != "" {
			r = fileOf(r, n, s.method, s.location)
		}
		load.Requests = append(load.Requests, coded(r, s.coding))
	}
	return load
}

func (w *world) questions() float64 { return float64(len(w.requests)) }

func (w *world) intro() string {
	return fmt.Sprintf(intro, len(w.requests), w.cards, w.size.plain/w.questions())
}

func plainSection(w *world, runs measure.Runs) report.Section {
	return report.Section{
		Title: "Bulk prices over HTTP, plain",
		Intro: w.intro(),
		Goals: []report.Goal{{
			What: "requests/s against nginx", Limit: 0.30, Stretch: 0.45, Unit: "x", Figure: runs.Ratio(measure.Rate, oursPlain, nginxPlain),
			Or: &report.Goal{What: "its CPU", AtMost: true, Limit: 4, Unit: "x", Figure: runs.Ratio(measure.CPU, oursPlain, nginxPlain)},
		}},
		Tables: []report.Table{
			report.Compare("8 connections, but where it says one; ratios are to "+nginxPlain+".", runs, nginxPlain, metrics...),
		},
		Notes: []string{ratioAlone(runs, "gamedex, POST, one connection", "nginx, static file, POST, one connection")},
	}
}

func gzipSection(w *world, runs measure.Runs) report.Section {
	ratio := func(m measure.Metric) measure.Figure { return runs.Ratio(m, oursGzip, nginxGzip) }
	bytes := w.size.gzip / w.size.nginx
	return report.Section{
		Title: "Bulk prices over HTTP, gzip",
		Intro: w.intro(),
		Goals: []report.Goal{
			{What: "requests/s against nginx", Limit: 2.5, Stretch: 4, Unit: "x", Figure: ratio(measure.Rate)},
			{What: "CPU against nginx", AtMost: true, Limit: 0.4, Unit: "x", Figure: ratio(measure.CPU)},
			{What: "bytes against nginx", AtMost: true, Limit: 1, Unit: "x", Figure: measure.Figure{Median: bytes, Low: bytes, High: bytes}},
		},
		Tables: []report.Table{
			report.Compare("8 connections, but where it says one; ratios are to "+nginxGzip+".", runs, nginxGzip, metrics...),
			w.sizeTable(),
		},
		Notes: []string{ratioAlone(runs, "gamedex, gzip, one connection", "nginx, gzip 1 on the fly, one connection")},
	}
}

var metrics = []measure.Metric{measure.CPU, measure.Rate, measure.P50, measure.P99}

// ratioAlone is the sentence about one connection.
func ratioAlone(runs measure.Runs, ours, other string) string {
	rate, cpu := runs.Ratio(measure.Rate, ours, other), runs.Ratio(measure.CPU, ours, other)
	return fmt.Sprintf("With one connection gamedex gives %s times the requests/s of nginx, at %s times its CPU.",
		report.Shown(rate), report.Shown(cpu))
}

func (w *world) sizeTable() report.Table {
	t := report.Table{Caption: "Bytes of a body, the mean of all sets.", Head: []string{"", "bytes", "of plain", "of nginx gzip 1"}}
	for _, row := range []struct {
		name string
		sum  float64
	}{
		{"plain", w.size.plain}, {oursGzip, w.size.gzip}, {"gamedex, zstd", w.size.zstd},
		{nginxGzip, w.size.nginx}, {"gzip 6, made before", w.size.static},
	} {
		t.Rows = append(t.Rows, []string{
			row.name, report.Number(row.sum / w.questions()), report.Number(row.sum / w.size.plain), report.Number(row.sum / w.size.nginx),
		})
	}
	return t
}
