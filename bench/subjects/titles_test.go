package subjects

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/alternatives"
	"gamedex/bench/sample"
	"gamedex/internal/search"
)

func TestTitleIndex(t *testing.T) {
	var docs []search.Doc
	for _, title := range []string{"Dark Forgery", "Star Forge", "Moonlight"} {
		docs = append(docs, search.Doc{Names: []search.Name{{Text: title}}})
	}
	x, err := newTitleIndex(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []int
	}{{"star forge", []int{1}}, {"moonl", []int{2}}, {"moonligth", []int{2}}, {"nothing", []int{}}} {
		if got := x.find(c.text, 10); !cmp.Equal(got, c.want) {
			t.Errorf("find(%q) = %v, want %v", c.text, got, c.want)
		}
	}
	if x.bytes == 0 {
		t.Error("the index has no bytes")
	}
}

// TestQueriesHaveResults checks that our index finds nearly all expected results.
func TestQueriesHaveResults(t *testing.T) {
	docs := sample.New(1, 1_000).Titles()
	list := make([]search.Doc, len(docs))
	for i, d := range docs {
		list[i].Names = []search.Name{{Text: d.Name}, {Text: d.Russian}}
	}
	x, err := newTitleIndex(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range sample.QueryKinds {
		hits := 0
		for _, q := range sample.DrawQueries(kind, docs, rand.New(rand.NewPCG(1, 4))) {
			if q.IsHit(docs, x.find(q.Text, alternatives.SearchLimit)) {
				hits++
			}
		}
		if hits < sample.QueriesPerKind*95/100 {
			t.Errorf("%s: %d of %d found", kind, hits, sample.QueriesPerKind)
		}
	}
}
