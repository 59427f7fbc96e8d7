package find

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/sample"
	"gamedex/bench/titleindex"
	"gamedex/internal/search"
)

// edits are all words that one edit makes of a word, by trying.
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

func TestATypoIsOneEdit(t *testing.T) {
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

func TestQuestionsAreSeededAndOfTheirKind(t *testing.T) {
	docs := titles(sample.New(1, 2_000))
	for _, kind := range kinds {
		drawn := func(seed uint64) (texts []string) {
			for _, q := range draw(kind, docs, rand.New(rand.NewPCG(seed, 3))) {
				texts = append(texts, q.text)
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
			if kind == "two words" && words != 2 || (kind == "typo" || kind == "prefix" || kind == "Russian") && words != 1 || text != strings.ToLower(text) {
				t.Errorf("%s: %q", kind, text)
			}
		}
		if len(first) != perKind {
			t.Errorf("%s: %d questions", kind, len(first))
		}
	}
}

func TestHits(t *testing.T) {
	docs := []title{{own: "Dark Star"}, {own: "Star Dark II"}, {own: "Moon", russian: "Тёмная луна"}}
	for _, c := range []struct {
		name  string
		hit   func([]title, []int) bool
		found []int
		want  bool
	}{
		{"the title first", firstIs("Dark Star"), []int{0, 1}, true},
		{"the title second", firstIs("Dark Star"), []int{1, 0}, false},
		{"nothing", firstIs("Dark Star"), nil, false},
		{"both words in one title", tenHave("dark", "ii"), []int{2, 1}, true},
		{"words in two titles", tenHave("moon", "ii"), []int{2, 1}, false},
		{"a Russian word", tenHave("луна"), []int{2}, true},
		{"a beginning", tenBegin("mo"), []int{0, 2}, true},
		{"the middle of a word", tenBegin("oon"), []int{0, 2}, false},
	} {
		if got := c.hit(docs, c.found); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What is asked can be answered: our index finds nearly all of it.
func TestQuestionsHaveAnswers(t *testing.T) {
	docs := titles(sample.New(1, 1_000))
	list := make([]search.Doc, len(docs))
	for i, d := range docs {
		list[i].Names = []search.Name{{Text: d.own}, {Text: d.russian}}
	}
	x, err := titleindex.Build(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		hits := 0
		for _, q := range draw(kind, docs, rand.New(rand.NewPCG(1, 4))) {
			if q.hit(docs, x.Find(q.text, limit)) {
				hits++
			}
		}
		if hits < perKind*95/100 {
			t.Errorf("%s: %d of %d found", kind, hits, perKind)
		}
	}
}
