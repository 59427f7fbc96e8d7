package titleindex_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/titleindex"
	"gamedex/internal/search"
)

func TestFind(t *testing.T) {
	var docs []search.Doc
	for _, title := range []string{"Dark Forgery", "Star Forge", "Moonlight"} {
		docs = append(docs, search.Doc{Names: []search.Name{{Text: title}}})
	}
	x, err := titleindex.Build(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []int
	}{{"star forge", []int{1}}, {"moonl", []int{2}}, {"moonligth", []int{2}}, {"nothing", []int{}}} {
		if got := x.Find(c.text, 10); !cmp.Equal(got, c.want) {
			t.Errorf("Find(%q) = %v, want %v", c.text, got, c.want)
		}
	}
	if x.Size() == 0 {
		t.Error("an index takes no bytes")
	}
}
