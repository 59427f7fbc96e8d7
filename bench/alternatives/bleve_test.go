package alternatives

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/sample"
)

func TestBleveFind(t *testing.T) {
	x, err := BuildBleve(filepath.Join(t.TempDir(), "index"), [][]string{
		{"Dark Forgery"}, {"Star Forge"}, {"Forge of the Stars", "Звёздная кузница"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, c := range []struct {
		text  string
		total int
		first []int
	}{
		{"forge", 3, []int{1}},
		{"forge star", 2, nil},
		{"звёздная кузн", 1, []int{2}},
		{"FORGE st", 2, nil},
		{"nothing", 0, nil},
	} {
		best, total, err := x.Find(t.Context(), c.text, 10)
		if err != nil || total != c.total || len(best) != total {
			t.Errorf("Find(%q) = %v, %d, %v; want %d", c.text, best, total, err, c.total)
			continue
		}
		if c.first != nil && !cmp.Equal(best[:min(1, total)], c.first) {
			t.Errorf("Find(%q) = %v; want %v first", c.text, best, c.first)
		}
	}
}

func TestBleveQueryKinds(t *testing.T) {
	x, err := BuildBleve(filepath.Join(t.TempDir(), "index"), [][]string{{"Dark Forgery"}, {"Star Forge"}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, c := range []struct {
		kind sample.QueryKind
		text string
		want []int
	}{
		{sample.Exact, "star forge", []int{1}},
		{sample.TwoWords, "forgery dark", []int{0}},
		{sample.Prefix, "forger", []int{0}},
		{sample.Typo, "forke", []int{1}},
		{sample.Typo, "frogery", []int{0}},
	} {
		if best, _, err := x.search(t.Context(), kindQuery(c.kind, c.text), 10); err != nil || !cmp.Equal(best, c.want) {
			t.Errorf("%s %q: %v, %v; want %v", c.kind, c.text, best, err, c.want)
		}
	}
}
