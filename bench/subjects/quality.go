package subjects

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/search"
	"gamedex/internal/testing/searchquality"
)

// qualitySearches are compared in this order.
var qualitySearches = []struct {
	name  string
	start func(context.Context, *harness.Run, *searchquality.Set) (searchquality.Find, error)
}{{"ours", startOurQuality}, {"bleve", alternatives.BleveQuality}, {"SQLite FTS5", alternatives.FTS5Quality}}

// measureQuality measures how well search finds what people mean, with the judged
// queries of internal/search. The ranking was tuned on one half of them; the goals
// are about the other half.
func measureQuality(ctx context.Context, r *harness.Run) (report.Section, error) {
	set, err := searchquality.Load(os.DirFS(filepath.Join(r.Root, "internal/search/testdata/quality")))
	if err != nil {
		return report.Section{}, err
	}
	reports := map[string]*searchquality.Report{}
	for _, s := range qualitySearches {
		find, err := s.start(ctx, r, set)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", s.name, err)
		}
		reports[s.name] = searchquality.Evaluate(set, find)
	}
	return qualitySection(set, reports), nil
}

func startOurQuality(_ context.Context, _ *harness.Run, set *searchquality.Set) (searchquality.Find, error) {
	var docs []search.Doc
	for _, c := range set.Cards {
		docs = append(docs, c.Doc())
	}
	x, err := newTitleIndex(docs)
	if err != nil {
		return nil, err
	}
	return x.find, nil
}

func qualitySection(set *searchquality.Set, reports map[string]*searchquality.Report) report.Section {
	held := func(name string) searchquality.Score { return reports[name].Score("", searchquality.Held) }
	goal := func(what string, limit, got float64) report.Goal {
		return report.Goal{What: what, Limit: limit, Figure: harness.Exactly(got)}
	}
	s := report.Section{
		Title: "Search quality",
		Intro: fmt.Sprintf("%d judged queries over %d cards. Our ranking was tuned on one half; the goals are about the other, untouched half. "+
			"All engines order equally good results by type and popularity. bleve folds case and accents, and searches every word as it is, with typos, and the last one as a prefix; "+
			"titles that equal the query or start with it rank highest, and if no title has all words, those with any of them are found. FTS5 removes accents, takes the last word as a prefix, "+
			"and searches trigrams if that finds nothing.", len(set.Queries), len(set.Cards)),
		Goals: []report.Goal{
			goal("recall@1 on the untouched half", 0.90, held("ours").Recall1()),
			goal("recall@5 on the untouched half", 0.98, held("ours").Recall5()),
		},
		Tables: []report.Table{scoresByHalf(reports), scoresByClass(set, reports)},
	}
	for _, other := range []string{"bleve", "SQLite FTS5"} {
		s.Goals = append(s.Goals,
			goal("recall@1 minus "+other+"'s", smallestLead, held("ours").Recall1()-held(other).Recall1()),
			goal("recall@5 minus "+other+"'s", smallestLead, held("ours").Recall5()-held(other).Recall5()))
	}
	return s
}

// smallestLead is less than what one query adds to recall.
const smallestLead = 0.001

func scoresByHalf(reports map[string]*searchquality.Report) report.Table {
	t := report.Table{Head: []string{"", "half", "queries", "MRR", "recall@1", "recall@5", "empty"}}
	for _, s := range qualitySearches {
		for _, half := range []searchquality.Half{searchquality.Tune, searchquality.Held} {
			score := reports[s.name].Score("", half)
			t.Rows = append(t.Rows, []string{s.name, string(half), fmt.Sprint(score.Queries),
				threeDigits(score.MRR()), threeDigits(score.Recall1()), threeDigits(score.Recall5()), fmt.Sprint(score.Empty)})
		}
	}
	return t
}

func scoresByClass(set *searchquality.Set, reports map[string]*searchquality.Report) report.Table {
	t := report.Table{Caption: "By class, untouched half, recall@1 / recall@5:", Head: []string{"class", "queries"}}
	for _, s := range qualitySearches {
		t.Head = append(t.Head, s.name)
	}
	seen := map[string]bool{}
	for _, q := range set.Queries {
		if seen[q.Class] {
			continue
		}
		seen[q.Class] = true
		row := []string{q.Class, fmt.Sprint(reports["ours"].Score(q.Class, searchquality.Held).Queries)}
		for _, s := range qualitySearches {
			score := reports[s.name].Score(q.Class, searchquality.Held)
			row = append(row, threeDigits(score.Recall1())+" / "+threeDigits(score.Recall5()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func threeDigits(v float64) string { return fmt.Sprintf("%.3f", v) }
