package subjects

import (
	"context"
	"fmt"
	"time"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/search"
)

// searchEngines are compared in this order.
var searchEngines = []struct {
	name  string
	start func(context.Context, *harness.Run, []sample.Title) (*alternatives.SearchEngine, error)
}{
	{searchOurs, startOurSearch}, {"bleve", alternatives.StartBleve}, {"Xapian", alternatives.StartXapian}, {"SQLite FTS5", alternatives.StartFTS5},
}

const searchOurs = "ours"

// measureSearch measures search by title without HTTP, at two sizes and for five
// kinds of queries.
func measureSearch(ctx context.Context, r *harness.Run) (report.Section, error) {
	s := report.Section{
		Title: "Search in the process",
		Intro: fmt.Sprintf("%d queries of each kind, one at a time, the ten best results. A query is a hit if the results are as expected: for exact the title comes first; "+
			"for the other kinds one of the ten has the word (both words, a word with that prefix). A typo is one edit (replace, drop, add or swap) in a word of 6 letters or more. "+
			"Ours treats all queries alike: all words, the last one as a prefix too, typos if that finds nothing, ranked in the order of the API's contract, with the exact total. "+
			"Its file has precomputed top results of the most frequent prefixes. "+
			"The others do less: each runs the cheapest query for the kind (bleve: terms, a prefix, a fuzzy term of distance 1; Xapian: its parser with AND, with partial, "+
			"or with its spelling suggestion) and ranks by its own score. bleve counts all matches; Xapian stops when it has the best ten. bleve's index is built offline as one segment and "+
			"mapped into memory; Xapian's has no positions, and its times are measured inside its process. SQLite's FTS5 is shown for information.", sample.QueriesPerKind),
		Tried: "Already in use: bit sets of frequent terms, and precomputed results of pairs of words and of prefixes. In a profile of queries with Russian words, ranking the names that match " +
			"takes 75 % of the time; about half of that seems to be waiting for memory.",
	}
	for _, cards := range harness.Pick(r, []int{10_000, 20_000}, []int{100_000, 400_000}) {
		if err := measureSearchSize(ctx, r, cards, &s); err != nil {
			return s, fmt.Errorf("%d titles: %w", cards, err)
		}
	}
	return s, nil
}

func measureSearchSize(ctx context.Context, r *harness.Run, cards int, s *report.Section) error {
	docs := sample.New(r.Seed, cards).Titles()
	indexes := report.Table{Caption: fmt.Sprintf("%d titles, the indexes:", cards), Head: []string{"", "built in ms", "bytes"}}
	var engines []*alternatives.SearchEngine
	for _, e := range searchEngines {
		x, err := e.start(ctx, r, docs)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		engines = append(engines, x)
		indexes.Rows = append(indexes.Rows, []string{e.name, report.Number(x.Built.Seconds() * 1000), fmt.Sprint(x.Bytes)})
		r.Logf("  %s indexed %d titles in %v", e.name, cards, x.Built.Round(time.Millisecond))
	}
	for k, kind := range sample.QueryKinds {
		queries := sample.DrawQueries(kind, docs, r.Rng(uint64(40+k)))
		var candidates []harness.Candidate
		for i, e := range searchEngines {
			candidates = append(candidates, harness.Candidate{Name: e.name, Round: func(context.Context) (harness.Values, error) {
				return runQueries(engines[i], kind, queries, docs)
			}})
		}
		results, err := r.Rounds(ctx, candidates...)
		if err != nil {
			return err
		}
		s.Goals = append(s.Goals, searchGoals(fmt.Sprintf("%s, %d titles", kind, cards), results)...)
		s.Tables = append(s.Tables, report.Compare(fmt.Sprintf("%d titles, %s:", cards, kind), results, searchOurs, harness.P50, harness.P99, harness.HitRate))
	}
	s.Tables = append(s.Tables, indexes)
	for _, x := range engines {
		if err := x.Close(); err != nil {
			return err
		}
	}
	return nil
}

func startOurSearch(_ context.Context, _ *harness.Run, docs []sample.Title) (*alternatives.SearchEngine, error) {
	began := time.Now()
	list := make([]search.Doc, len(docs))
	for i, d := range docs {
		list[i].Names = []search.Name{{Text: d.Name}}
		if d.Russian != "" {
			list[i].Names = append(list[i].Names, search.Name{Text: d.Russian, Shown: 1})
		}
	}
	x, err := newTitleIndex(list)
	if err != nil {
		return nil, err
	}
	return &alternatives.SearchEngine{
		Bytes: int64(x.bytes), Built: time.Since(began), Close: func() error { return nil },
		Search: func(_ sample.QueryKind, text string) (time.Duration, []int, error) {
			began := time.Now()
			found := x.find(text, alternatives.SearchLimit)
			return time.Since(began), found, nil
		},
	}, nil
}

func runQueries(e *alternatives.SearchEngine, kind sample.QueryKind, queries []sample.Query, docs []sample.Title) (harness.Values, error) {
	took, hits := make([]time.Duration, len(queries)), 0
	for i, q := range queries {
		d, found, err := e.Search(kind, q.Text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.Text, err)
		}
		took[i] = d
		if q.IsHit(docs, found) {
			hits++
		}
	}
	v := harness.Percentiles(took)
	v[harness.HitRate] = float64(hits) / float64(len(queries))
	return v, nil
}

// searchGoals returns a goal for each competitor: our p50 and p99 must be better, and
// our hit rate as good.
func searchGoals(what string, results *harness.Results) []report.Goal {
	var list []report.Goal
	for _, other := range []string{"bleve", "Xapian"} {
		faster := func(what string, m harness.Metric) report.Goal {
			return report.Goal{What: what, Limit: 3, Stretch: 8, Unit: "x", Figure: results.Ratio(m, other, searchOurs)}
		}
		list = append(list, report.Goal{What: what + ": " + other + " / ours, and our hit rate minus theirs", All: []report.Goal{
			faster("p50", harness.P50), faster("p99", harness.P99),
			{What: "hits", Limit: -0.01, Figure: results.Difference(harness.HitRate, searchOurs, other)},
		}})
	}
	return list
}
