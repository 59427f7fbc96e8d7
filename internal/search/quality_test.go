package search_test

import (
	"os"
	"testing"

	"gamedex/internal/search"
	"gamedex/internal/testing/golden"
	"gamedex/internal/testing/searchquality"
)

const qualityFiles = "testdata/quality"

// TestQuality compares the results of the judged queries with the numbers on
// file: a change of ranking changes results.txt. For the held-out half only
// numbers are written.
func TestQuality(t *testing.T) {
	set, err := searchquality.Load(os.DirFS(qualityFiles))
	must(t, err)
	report := searchquality.Evaluate(set, finder(t, set))
	golden.Check(t, qualityFiles+"/results.txt", report.Table())
	golden.Check(t, qualityFiles+"/misses-tune.txt", report.Misses(searchquality.Tune))
}

// finder searches the index as the API does.
func finder(t *testing.T, set *searchquality.Set) searchquality.Find {
	var docs []search.Doc
	for _, c := range set.Cards {
		docs = append(docs, c.Doc())
	}
	x := index(t, docs)
	return func(text string, limit int) (cards []int) {
		hits, _, _ := x.Find(search.Query{Text: text, Limit: limit, Typos: true, Scripts: true, Drop: true}, nil)
		for _, h := range hits {
			cards = append(cards, int(h.Doc))
		}
		return cards
	}
}
