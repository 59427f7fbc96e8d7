package sample

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// edits returns all words that are one edit away, by brute force.
func edits(word string) map[string]bool {
	all, r := map[string]bool{}, []rune(word)
	add := func(parts ...[]rune) { all[string(slices.Concat(parts...))] = true }
	for i := range r {
		add(r[:i], r[i+1:])
		if i+1 < len(r) {
			add(r[:i], []rune{r[i+1], r[i]}, r[i+2:])
		}
		for letter := 'a'; letter <= 'z'; letter++ {
			add(r[:i], []rune{letter}, r[i+1:])
			add(r[:i], []rune{letter}, r[i:])
		}
	}
	delete(all, word)
	return all
}

func TestMistypeMakesOneEdit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lengths := map[int]int{}
	for _, word := range []string{"dragon", "aaaaaab", "balloon", "zzyzzxroad"} {
		possible := edits(word)
		for range 2_000 {
			typo := mistype(word, rng)
			if !possible[typo] {
				t.Fatalf("%q became %q", word, typo)
			}
			lengths[len(typo)-len(word)]++
		}
	}
	for _, difference := range []int{-1, 0, 1} {
		if lengths[difference] < 500 {
			t.Errorf("typos differ in length by %v", lengths)
		}
	}
}

func TestDrawQueries(t *testing.T) {
	docs := New(1, 2_000).Titles()
	for _, kind := range QueryKinds {
		drawn := func(seed uint64) (texts []string) {
			for _, q := range DrawQueries(kind, docs, rand.New(rand.NewPCG(seed, 3))) {
				texts = append(texts, q.Text)
			}
			return texts
		}
		first := drawn(1)
		if diff := cmp.Diff(first, drawn(1)); diff != "" {
			t.Errorf("%s: one seed, two lists: %s", kind, diff)
		}
		if cmp.Equal(first, drawn(2)) {
			t.Errorf("%s: two seeds, one list", kind)
		}
		for _, text := range first {
			words := len(strings.Fields(text))
			if kind == TwoWords && words != 2 || (kind == Typo || kind == Prefix || kind == Russian) && words != 1 || text != strings.ToLower(text) {
				t.Errorf("%s: %q", kind, text)
			}
		}
		if len(first) != QueriesPerKind {
			t.Errorf("%s: %d queries", kind, len(first))
		}
	}
}

func TestHits(t *testing.T) {
	docs := []Title{{Name: "Dark Star"}, {Name: "Star Dark II"}, {Name: "Moon", Russian: "Тёмная луна"}}
	for _, c := range []struct {
		name  string
		hit   func([]Title, []int) bool
		found []int
		want  bool
	}{
		{"the title first", firstIs("Dark Star"), []int{0, 1}, true},
		{"the title second", firstIs("Dark Star"), []int{1, 0}, false},
		{"nothing", firstIs("Dark Star"), nil, false},
		{"both words in one title", anyHas("dark", "ii"), []int{2, 1}, true},
		{"words in two titles", anyHas("moon", "ii"), []int{2, 1}, false},
		{"a Russian word", anyHas("луна"), []int{2}, true},
		{"a prefix", anyHasPrefix("mo"), []int{0, 2}, true},
		{"the middle of a word", anyHasPrefix("oon"), []int{0, 2}, false},
	} {
		if got := c.hit(docs, c.found); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
