package search_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/search"
	"gamedex/internal/testing/searchquality"
)

var update = flag.Bool("update", false, "write the golden files")

const qualityFiles = "testdata/quality"

// TestQuality compares the results of the judged queries with the numbers on
// file: a change of ranking changes results.txt. For the held-out half only
// numbers are written.
func TestQuality(t *testing.T) {
	set, err := searchquality.Load(os.DirFS(qualityFiles))
	if err != nil {
		t.Fatal(err)
	}
	report := searchquality.Evaluate(set, finder(t, set))
	golden(t, "results.txt", report.Table())
	golden(t, "misses-tune.txt", report.Misses(searchquality.Tune))
}

// finder searches the index as the API does.
func finder(t *testing.T, set *searchquality.Set) searchquality.Find {
	var docs []search.Doc
	for _, c := range set.Cards {
		docs = append(docs, c.Doc())
	}
	x := index(t, docs)
	return func(text string, limit int) (cards []int) {
		q := search.Query{Text: text, Limit: limit, Typos: true, Scripts: true}
		hits, total := x.Find(q, nil)
		if total == 0 {
			hits, _ = x.FindRelaxed(q, nil)
		}
		for _, h := range hits {
			cards = append(cards, int(h.Doc))
		}
		return cards
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(qualityFiles, name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run the test with -update to rewrite it (-want +got):\n%s", name, diff)
	}
}
