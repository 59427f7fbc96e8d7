package search_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// writtenPrecomputing is written, but precomputes results for more or fewer
// words.
func writtenPrecomputing(tb rapid.TB, docs []search.Doc, above, most int) []byte {
	tb.Helper()
	b := search.NewBuilder()
	b.Precompute(above, most)
	return finished(tb, b, docs)
}

func indexPrecomputing(tb rapid.TB, docs []search.Doc, above, most int) *search.Index {
	tb.Helper()
	return opened(tb, writtenPrecomputing(tb, docs, above, most))
}

// TestPrecomputedAgainstOracle precomputes results that default indexes of so few documents
// would not, and too few hits for some pages.
func TestPrecomputedAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := theme(t)
		docs := rapid.SliceOfN(document(word), 0, 12).Draw(t, "docs")
		x := indexPrecomputing(t, docs, rapid.IntRange(0, 4).Draw(t, "above"), rapid.IntRange(0, 4).Draw(t, "most"))
		naive := newOracle(docs)
		for _, q := range rapid.SliceOfN(query(word), 1, 12).Draw(t, "queries") {
			naive.compare(t, x, q)
		}
	})
}

// TestPrecomputedWithSigns searches with signs, which change the order of names with precomputed
// results: those with signs come first, and acronyms no longer do.
func TestPrecomputedWithSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 5))
	used := 0
	for range 150 {
		docs := make([]search.Doc, 24)
		for i := range docs {
			docs[i].Group = uint8(rng.IntN(2))
			for n := range 1 + rng.IntN(2) {
				words := make([]string, 1+rng.IntN(3)*rng.IntN(2))
				for j := range words {
					words[j] = []string{"dead", "dead!", "dead", "ds", "deads", "2", "ii", "space", "the"}[rng.IntN(9)]
				}
				docs[i].Names = append(docs[i].Names, search.Name{Text: strings.Join(words, " "), Shown: []uint16{uint16(n), search.NotOwn}[rng.IntN(2)]})
			}
		}
		x, naive := indexPrecomputing(t, docs, 3, 1+rng.IntN(12)), newOracle(docs)
		for _, text := range []string{"dead!", "d!", "déad", "ds.", "s!", "2!", "ii!", "dead space!", "the dead!"} {
			q := search.Query{Text: text, Groups: uint8(rng.IntN(4)), Limit: rng.IntN(6), Offset: rng.IntN(3)}
			if naive.compare(t, x, q); x.HasPrecomputed(q) {
				used++
			}
		}
	}
	if used < 300 {
		t.Errorf("%d precomputed results were used, want at least 300", used)
	}
}

// TestPrecomputedAreUsed searches for words whose key is made differently when
// results are precomputed and when they are looked up.
func TestPrecomputedAreUsed(t *testing.T) {
	x := indexPrecomputing(t, titled("Seven VII", "VII Seven", "7 Seven", "Sevens", "VIII", "77", "ゲームseven"), 1, 9)
	for _, text := range []string{"s", "seve", "seven", "v", "vii", "7", "S.E.", "Seven!"} {
		if q := (search.Query{Text: text, Limit: 9}); x.HasPrecomputed(q) != (text != "S.E.") {
			t.Errorf("%q: precomputed %v", text, x.HasPrecomputed(q))
		}
	}
}

func TestPrecomputedPairs(t *testing.T) {
	x := indexPrecomputing(t, titled("Dead Space", "Space of the Dead", "Dead Island", "The Space", "Deadly Space"), 1, 9)
	for text, want := range map[string]bool{"dead space": true, "Space Dead": true, "the space": true, "dead spa": false, "space deadly": false, "dead dead": false} {
		q := search.Query{Text: text, Limit: 9}
		if got := x.HasPrecomputed(q); got != want {
			t.Errorf("%q: precomputed %v", text, got)
		}
	}
}

// TestManyAgainstOracle has words in so many titles that candidates are narrowed down before
// they are looked into, with frequent terms and without: the documents of the other oracles
// are too few for the set of names with other terms (chooseSets).
func TestManyAgainstOracle(t *testing.T) {
	for n, theme := range themes {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		text := func(longest int) string {
			var list []string
			for range 1 + rng.IntN(longest) {
				list = append(list, theme[rng.IntN(min(len(theme), 8))])
			}
			return strings.Join(list, " ")
		}
		docs := make([]search.Doc, 600)
		for i := range docs {
			docs[i] = search.Doc{Group: uint8(i % 2), Names: []search.Name{{Text: text(6), Shown: uint16(i % 3)}}}
		}
		x, naive := index(t, docs), newOracle(docs)
		for i := range 8 {
			if i == 4 {
				if x.FindFrequent(200); x.Frequent() < 2 {
					t.Errorf("%d frequent terms", x.Frequent())
				}
			}
			naive.compare(t, x, search.Query{Text: text(3), Groups: uint8(i % 3), Limit: 5, Offset: 5 * (i % 2), Typos: true})
		}
	}
}

// TestFrequentAndOtherTerms has a prefix of a frequent term and of others before and behind it.
func TestFrequentAndOtherTerms(t *testing.T) {
	lines := slices.Concat(slices.Repeat([]string{"alpha begin"}, 260), slices.Repeat([]string{"alpha beg", "alpha bet"}, 20),
		slices.Repeat([]string{"begin"}, 100), []string{"alpha", "alpha gamma"})
	x := index(t, titled(lines...))
	if x.FindFrequent(200); x.Frequent() != 2 {
		t.Fatalf("%d frequent terms, want alpha and begin", x.Frequent())
	}
	if _, total, _ := x.Find(search.Query{Text: "alpha be"}, nil); total != 300 {
		t.Errorf("%d documents, want 300", total)
	}
}

// TestFindAllocates one string, the folded query, and nothing else.
func TestFindAllocates(t *testing.T) {
	docs := catalog(2000)
	find := index(t, docs).Unpooled()
	hits := make([]search.Hit, 0, 10)
	for _, kind := range kinds {
		if kind == "Russian" || (kind == "joined" || kind == "split") {
			continue // folding needs more, and so does each reading with other word boundaries
		}
		for _, q := range makeQueries(docs, kind)[:20] {
			if n := testing.AllocsPerRun(10, func() { hits, _ = find(q, hits[:0]) }); n > 1 {
				t.Errorf("%s %q: %v allocations, want at most 1", kind, q.Text, n)
			}
		}
	}
}

// TestPrecomputedDamage changes what only an index with precomputed results has.
func TestPrecomputedDamage(t *testing.T) {
	data := writtenPrecomputing(t, damageSample(), 0, 2)
	set := func(at int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = v; return b }
	}
	const row, total, end = 32, 24, 28
	for _, tt := range []struct {
		name, section, damaged string
		change                 func([]byte) []byte
	}{
		{"not whole rows", "search/kept", "", func(b []byte) []byte { return b[:len(b)-4] }},
		{"half a hit", "search/kept-hits", "", func(b []byte) []byte { return b[:len(b)-4] }},
		{"a hit too few", "search/kept-hits", "search/kept", func(b []byte) []byte { return b[:len(b)-8] }},
		{"a hit too many", "search/kept-hits", "", func(b []byte) []byte { return append(b, make([]byte, 8)...) }},
		{"results not sorted", "search/kept", "", set(0, 99)},
		{"a result twice", "search/kept", "", func(b []byte) []byte { copy(b[row:row+total], b); return b }},
		{"group above 7", "search/kept", "", set(20, 8)},
		{"another group", "search/kept", "search/kept-hits", set(20, 1)},
		{"more than all documents", "search/kept", "", set(total, 5)},
		{"fewer than its hits", "search/kept", "", set(total, 0)},
		{"hits that fall", "search/kept", "", set(row+end, 0)},
		{"hits that are not there", "search/kept", "", set(end+3, 0x7f)},
		{"no such rank", "search/kept-hits", "", set(6, 0xff)},
		{"more than a rank", "search/kept-hits", "", set(7, 1)},
		{"no such document", "search/kept-hits", "", set(2, 4)},
		{"hits not sorted", "search/kept-hits", "", func(b []byte) []byte { copy(b[16:24], b[8:16]); return b }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.damaged == "" {
				tt.damaged = tt.section
			}
			_, err := search.Open(rewritten(t, data, tt.section, tt.change))
			wantDamage(t, err, tt.damaged)
		})
	}
}

func wantDamage(t *testing.T, err error, section string) {
	t.Helper()
	if damage, ok := err.(*snapshot.DamageError); !ok || damage.Section != section {
		t.Fatalf("Open: %v, want damage in %s", err, section)
	}
}
