package judged

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/bench/titleindex"
	"gamedex/internal/search"
	"gamedex/internal/search/quality"
)

// Subject compares the answers to the judged queries.
func Subject() lab.Subject { return lab.Subject{Name: "quality", Measure: run} }

// starts are the searches that are compared.
var starts = []struct {
	name  string
	start func(context.Context, *lab.Lab, *quality.Set) (quality.Find, error)
}{{"ours", startOurs}, {"bleve", startBleve}, {"SQLite FTS5", startFTS5}}

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	set, err := quality.Load(os.DirFS(filepath.Join(l.Root, "internal/search/testdata/quality")))
	if err != nil {
		return report.Section{}, err
	}
	reports := map[string]*quality.Report{}
	for _, s := range starts {
		find, err := s.start(ctx, l, set)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", s.name, err)
		}
		reports[s.name] = quality.Evaluate(set, find)
	}
	return section(set, reports), nil
}

func startOurs(_ context.Context, _ *lab.Lab, set *quality.Set) (quality.Find, error) {
	var docs []search.Doc
	for _, c := range set.Cards {
		docs = append(docs, c.Doc())
	}
	x, err := titleindex.Build(docs)
	if err != nil {
		return nil, err
	}
	return x.Find, nil
}

func section(set *quality.Set, reports map[string]*quality.Report) report.Section {
	held := func(name string) quality.Score { return reports[name].Score("", quality.Held) }
	goal := func(what string, limit, got float64) report.Goal {
		return report.Goal{What: what, Limit: limit, Figure: measure.Figure{Median: got, Low: got, High: got}}
	}
	s := report.Section{
		Title: "Search quality",
		Intro: fmt.Sprintf("%d judged queries over %d cards, half for tuning our ranking and half for knowing (the goals are about that one). "+
			"Equally good answers come in the order of types and popularity, in all engines. bleve has every word as it is, as a beginning (the last one) and mistyped, "+
			"case and accents folded, a whole title and its beginning counting most, and any of the words if all find nothing; FTS5 has accents removed, the last word as a beginning, "+
			"and trigrams if that finds nothing.", len(set.Queries), len(set.Cards)),
		Goals: []report.Goal{
			goal("recall@1 on the untouched half", 0.90, held("ours").Recall1()),
			goal("recall@5 on the untouched half", 0.98, held("ours").Recall5()),
		},
		Tables: []report.Table{halves(reports), classes(set, reports)},
	}
	for _, other := range []string{"bleve", "SQLite FTS5"} {
		s.Goals = append(s.Goals,
			goal("recall@1 better than "+other+"'s, by", smallest, held("ours").Recall1()-held(other).Recall1()),
			goal("recall@5 better than "+other+"'s, by", smallest, held("ours").Recall5()-held(other).Recall5()))
	}
	return s
}

// smallest is the least lead that is one: less than a query of the list.
const smallest = 0.001

func halves(reports map[string]*quality.Report) report.Table {
	t := report.Table{Head: []string{"", "half", "queries", "MRR", "recall@1", "recall@5", "empty"}}
	for _, s := range starts {
		for _, half := range []quality.Half{quality.Tune, quality.Held} {
			score := reports[s.name].Score("", half)
			t.Rows = append(t.Rows, []string{s.name, string(half), fmt.Sprint(score.Queries),
				share(score.MRR()), share(score.Recall1()), share(score.Recall5()), fmt.Sprint(score.Empty)})
		}
	}
	return t
}

// classes shows the untouched half by class: recall@1 / recall@5.
func classes(set *quality.Set, reports map[string]*quality.Report) report.Table {
	t := report.Table{Caption: "By class, untouched half, recall@1 / recall@5:", Head: []string{"class", "queries"}}
	for _, s := range starts {
		t.Head = append(t.Head, s.name)
	}
	seen := map[string]bool{}
	for _, q := range set.Queries {
		if seen[q.Class] {
			continue
		}
		seen[q.Class] = true
		row := []string{q.Class, fmt.Sprint(reports["ours"].Score(q.Class, quality.Held).Queries)}
		for _, s := range starts {
			score := reports[s.name].Score(q.Class, quality.Held)
			row = append(row, share(score.Recall1())+" / "+share(score.Recall5()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func share(v float64) string { return fmt.Sprintf("%.3f", v) }
