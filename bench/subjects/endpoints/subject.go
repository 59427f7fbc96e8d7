package endpoints

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/bench/typed"
)

const (
	connections = 16
	questions   = 4096 // different requests of each kind

	bare    = "bare handler"
	search  = "search"
	suggest = "suggest"
	card    = "card"
	bleve   = "bleve, search"
)

// Subject compares search, suggest and card with a bare handler, and search
// with bleve.
func Subject() lab.Subject {
	return lab.Subject{Name: "endpoints", Measure: measureEndpoints}
}

func measureEndpoints(ctx context.Context, l *lab.Lab) (report.Section, error) {
	w, err := newWorld(ctx, l)
	defer w.stop()
	if err != nil {
		return report.Section{}, err
	}
	hits, err := w.check(ctx)
	if err != nil {
		return report.Section{}, fmt.Errorf("the sides do not answer the same: %w", err)
	}
	runs, err := w.rounds(ctx, l)
	if err != nil {
		return report.Section{}, err
	}
	return section(w.cards, hits, runs), nil
}

// world is the three servers and what they are asked.
type world struct {
	cards   int
	texts   []string
	ours    *lab.Service
	bare    *lab.Stand
	bleve   *lab.Stand
	started []*lab.Process
	paths   map[string][]string // of ours, by name of the candidate
}

// newWorld starts everything. What it returns has to be stopped, with an error
// too.
func newWorld(ctx context.Context, l *lab.Lab) (*world, error) {
	w := &world{}
	c, err := l.Catalog(ctx, lab.Pick(l, 20_000, 100_000), 4)
	if err != nil {
		return w, err
	}
	rng := l.Rng(21)
	w.cards, w.texts = c.View.Len(), typed.Texts(rng, c.View, questions)
	w.paths = map[string][]string{
		search:  withText(api+"/catalog/search", w.texts),
		suggest: withText(api+"/catalog/suggest", w.texts),
		card:    cardPaths(rng, c.View, questions),
	}
	if w.ours, err = l.Serve(ctx, c); err != nil {
		return w, err
	}
	w.started = append(w.started, w.ours.Process)
	if err := w.startBare(ctx, l, c, `{"ok":true,"data":{"id":"7Q2M9XKD"}}`); err != nil {
		return w, err
	}
	return w, w.startBleve(ctx, l, c)
}

// startBare has the catalog in memory, too: it collects garbage as we do.
func (w *world) startBare(ctx context.Context, l *lab.Lab, c *lab.Catalog, body string) error {
	file := filepath.Join(l.Dir, "bare.json")
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		return err
	}
	var err error
	if w.bare, err = l.Stand(ctx, "bare", file, c.Snapshots()); err == nil {
		w.started = append(w.started, w.bare.Process)
	}
	return err
}

func (w *world) startBleve(ctx context.Context, l *lab.Lab, c *lab.Catalog) error {
	dir, err := os.MkdirTemp(l.Dir, "bleve-")
	if err != nil {
		return err
	}
	if w.bleve, err = l.Stand(ctx, "bleve", c.Snapshots(), filepath.Join(dir, "index")); err == nil {
		w.started = append(w.started, w.bleve.Process)
	}
	return err
}

func (w *world) stop() {
	for _, p := range w.started {
		p.Stop()
	}
}

// rounds loads all of them. The bare handler and bleve get the same requests as
// search, with the key that they do not look at.
func (w *world) rounds(ctx context.Context, l *lab.Lab) (measure.Runs, error) {
	var candidates []measure.Candidate
	for _, side := range []struct {
		name, url string
		process   *lab.Process
		paths     []string
	}{
		{bare, w.bare.URL, w.bare.Process, w.paths[search]},
		{search, w.ours.URL, w.ours.Process, w.paths[search]},
		{suggest, w.ours.URL, w.ours.Process, w.paths[suggest]},
		{card, w.ours.URL, w.ours.Process, w.paths[card]},
		{bleve, w.bleve.URL, w.bleve.Process, withText("/search", w.texts)},
	} {
		c, err := l.Wrk(ctx, side.name, lab.Load{
			URL: side.url, Requests: asking(side.paths, w.ours.Keys), Connections: connections, Servers: []*lab.Process{side.process},
		})
		if err != nil {
			return measure.Runs{}, err
		}
		candidates = append(candidates, c)
	}
	return l.Rounds(ctx, candidates...)
}

func section(cards int, hits float64, runs measure.Runs) report.Section {
	cpu := func(name string) measure.Figure { return runs.Ratio(measure.CPU, name, bare) }
	theirs := runs.Ratio(measure.CPU, bleve, search)
	return report.Section{
		Title: "Search, suggest and card over HTTP",
		Intro: fmt.Sprintf("%d cards, %d connections, %d different questions: for every second one two words of a title, for the others "+
			"the first two to five letters of a word; suggest is asked the same; cards at random. The bare handler is net/http in a process of its own "+
			"with the same catalog in memory, writing 36 ready bytes. bleve has all titles in one segment, mapped, and the same rules (all words, the last one as a beginning, whole words first); "+
			"it finds as many as we do, and its handler encodes the same ten cards, ready in structs, with encoding/json. "+
			"An answer has %.1f results on average.", cards, connections, questions, hits),
		Goals: []report.Goal{
			{What: "search: CPU against a bare handler", AtMost: true, Limit: 8, Stretch: 5, Unit: "x", Figure: cpu(search)},
			{What: "suggest: CPU against a bare handler", AtMost: true, Limit: 4, Stretch: 2.5, Unit: "x", Figure: cpu(suggest)},
			{What: "card: CPU against a bare handler", AtMost: true, Limit: 2.5, Stretch: 1.8, Unit: "x", Figure: cpu(card)},
			{What: "search: requests/s against bleve", Limit: 10, Stretch: 20, Unit: "x", Figure: runs.Ratio(measure.Rate, search, bleve)},
		},
		Tables: []report.Table{report.Compare("Ratios are to the bare handler.", runs, bare,
			measure.CPU, measure.Rate, measure.P50, measure.P99, measure.Bytes)},
		Notes: []string{fmt.Sprintf("bleve's handler uses %s times the CPU of ours. It ranks by bleve's score alone, without the contract's order "+
			"(exact title, its beginning, words in order), knows no typos and no accents, and reads numerals in one script only.",
			report.Shown(theirs))},
	}
}
