package bleveindex_test

import (
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/google/go-cmp/cmp"

	"gamedex/bench/bleveindex"
)

func TestFind(t *testing.T) {
	x, err := bleveindex.Build(filepath.Join(t.TempDir(), "index"), [][]string{
		{"Dark Forgery"}, {"Star Forge"}, {"Forge of the Stars", "Звёздная кузница"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, c := range []struct {
		text   string
		prefix bool
		total  int
		first  []int
	}{
		{"forge", false, 2, []int{1}},
		{"forge", true, 3, []int{1}},
		{"forge star", true, 2, nil},
		{"FORGE star", false, 1, []int{1}},
		{"звёздная кузн", true, 1, []int{2}},
		{"nothing", true, 0, nil},
	} {
		best, total, err := x.Find(t.Context(), c.text, c.prefix, 10)
		if err != nil || total != c.total || len(best) != total {
			t.Errorf("Find(%q, %v) = %v, %d, %v; want %d", c.text, c.prefix, best, total, err, c.total)
			continue
		}
		if c.first != nil && !cmp.Equal(best[:min(1, total)], c.first) {
			t.Errorf("Find(%q, %v) = %v; want %v first", c.text, c.prefix, best, c.first)
		}
	}
}

func TestQueries(t *testing.T) {
	x, err := bleveindex.Build(filepath.Join(t.TempDir(), "index"), [][]string{{"Dark Forgery"}, {"Star Forge"}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, c := range []struct {
		name  string
		query query.Query
		want  []int
	}{
		{"word", bleveindex.Word("forge"), []int{1}},
		{"beginning", bleveindex.Beginning("forgery"), []int{0}},
		{"replaced", bleveindex.Mistyped("forke"), []int{1}},
		{"swapped", bleveindex.Mistyped("frogery"), []int{0}},
		{"all", bleveindex.All(bleveindex.Beginning("for"), bleveindex.Word("dark")), []int{0}},
	} {
		if best, _, err := x.Search(t.Context(), c.query, 10); err != nil || !cmp.Equal(best, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, best, err, c.want)
		}
	}
}
