package subjects

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
