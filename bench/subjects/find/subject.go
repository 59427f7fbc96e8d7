package find

import (
	"context"
	"fmt"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/bench/sample"
)

// Subject compares the engines.
func Subject() lab.Subject { return lab.Subject{Name: "search", Measure: run} }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	s := report.Section{
		Title: "Search in the process",
		Intro: fmt.Sprintf("%d queries of each kind, one at a time, the ten best. A hit: for exact the title comes first; for the others, the wanted word "+
			"(both words, a word that begins so) is in one of the ten. A typo is one edit (replaced, dropped, added, swapped) in a word of 6 letters or more. "+
			"Ours has one way for every query: all words, the last one as a beginning too, typos if that finds nothing, ranked by the contract's order, with the exact total; "+
			"its file has the best of the most frequent beginnings ready. "+
			"The others do less: each gets the cheapest query that the kind needs (bleve: terms, a prefix, a fuzzy term of distance 1; Xapian: its parser with AND, with partial, "+
			"or with its spelling suggestion) and ranks by its own score. bleve counts all matches, Xapian stops when it knows the ten. bleve's index is made by its offline builder, one segment, "+
			"mapped; Xapian's is without positions, and its times are taken inside its process. SQLite's FTS5 is there for information.", perKind),
	}
	for _, cards := range lab.Pick(l, []int{10_000, 20_000}, []int{100_000, 400_000}) {
		if err := size(ctx, l, cards, &s); err != nil {
			return s, fmt.Errorf("%d titles: %w", cards, err)
		}
	}
	return s, nil
}

// size measures all engines on one number of titles.
func size(ctx context.Context, l *lab.Lab, cards int, s *report.Section) error {
	docs := titles(sample.New(l.Seed, cards))
	engines := map[string]engine{}
	made := report.Table{Caption: fmt.Sprintf("%d titles, the indexes:", cards), Head: []string{"", "built in ms", "bytes"}}
	for _, e := range starts {
		x, err := e.start(ctx, l, docs)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		engines[e.name] = x
		made.Rows = append(made.Rows, []string{e.name, report.Number(x.building().Seconds() * 1000), fmt.Sprint(x.size())})
		l.Logf("  %s has %d titles after %v", e.name, cards, x.building().Round(time.Millisecond))
	}
	for k, kind := range kinds {
		questions := draw(kind, docs, l.Rng(uint64(40+k)))
		runs, err := l.Rounds(ctx, candidates(kind, questions, docs, engines)...)
		if err != nil {
			return err
		}
		s.Goals = append(s.Goals, goals(fmt.Sprintf("%s, %d titles", kind, cards), runs)...)
		s.Tables = append(s.Tables, report.Compare(fmt.Sprintf("%d titles, %s:", cards, kind), runs, ours, measure.P50, measure.P99, measure.HitRate))
	}
	s.Tables = append(s.Tables, made)
	for _, x := range engines {
		if err := x.close(); err != nil {
			return err
		}
	}
	return nil
}

func candidates(kind string, questions []question, docs []title, engines map[string]engine) []measure.Candidate {
	var list []measure.Candidate
	for _, e := range starts {
		list = append(list, measure.Candidate{Name: e.name, Round: func(context.Context) (measure.Sample, error) {
			return ask(engines[e.name], kind, questions, docs)
		}})
	}
	return list
}

func ask(e engine, kind string, questions []question, docs []title) (measure.Sample, error) {
	took, hits := make([]time.Duration, len(questions)), 0
	for i, q := range questions {
		d, found, err := e.ask(kind, q.text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.text, err)
		}
		took[i] = d
		if q.hit(docs, found) {
			hits++
		}
	}
	s := measure.Times(took)
	s[measure.HitRate] = float64(hits) / float64(len(questions))
	return s, nil
}

// goals are one for each rival: half of what is asked, and nearly all, must be
// answered that much faster, and no fewer of them well.
func goals(of string, runs measure.Runs) []report.Goal {
	var list []report.Goal
	for _, other := range []string{"bleve", "Xapian"} {
		faster := func(what string, m measure.Metric) report.Goal {
			return report.Goal{What: what, Limit: 3, Stretch: 8, Unit: "x", Figure: runs.Ratio(m, other, ours)}
		}
		list = append(list, report.Goal{What: of + ": " + other + " / ours, and our hit rate less theirs", All: []report.Goal{
			faster("p50", measure.P50), faster("p99", measure.P99),
			{What: "hits", Limit: -0.01, Figure: runs.Difference(measure.HitRate, ours, other)},
		}})
	}
	return list
}
