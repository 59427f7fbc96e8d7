package search_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/search"
	"gamedex/internal/search/translit"
	"gamedex/internal/snapshot"
)

const (
	kind    = "search"
	version = 1
)

// index builds docs and opens what was written.
func index(tb rapid.TB, docs []search.Doc) *search.Index {
	tb.Helper()
	return opened(tb, written(tb, docs))
}

func opened(tb rapid.TB, data []byte) *search.Index {
	tb.Helper()
	x, err := search.Open(reopened(tb, data))
	must(tb, err)
	return x
}

func written(tb rapid.TB, docs []search.Doc) []byte {
	tb.Helper()
	return finished(tb, search.NewBuilder(), docs)
}

// finished adds docs to a builder and returns the file.
func finished(tb rapid.TB, b *search.Builder, docs []search.Doc) []byte {
	tb.Helper()
	for _, d := range docs {
		b.Add(d)
	}
	w := snapshot.NewWriter(kind, version)
	must(tb, b.AddTo(w))
	data, err := w.Bytes()
	must(tb, err)
	return data
}

// themes are small vocabularies, one for each run, so that random titles and
// queries meet: words that are near to, begin or hide in one another.
var themes = [][]string{
	strings.Fields("star stars start tsar a the of hal halo hal0 halo2 wich witch witcher witchery switch abba baab"),
	strings.Fields("abcdef abcdefgh abcdefghij bacdefhg bcdefg cdefgh abxxefgh overwatch overwatched overwatch2 abcdef7"),
	strings.Fields("spider-man spiderman spider man s.t.a.l.k.e.r. stalker s t 1.5 15 vii-7 !! - ™"),
	strings.Fields("star craft starcraft starc raft xcraft man2 man 2 ii 2k24 k24 2k 24 h.a.w.k va-11 va11 va ＆ & and a&b + plus g+ 1+2"),
	strings.Fields("40,000 40000 40 000 1,000,000 1,2345 1,234.5 12,34 v1.22 v1 22 40k 40,000x x40,000"),
	strings.Fields("final mortal 1 2 7 8 11 13 18 20 2077 i ii iv v vi vii viii xi xiii xviii xx viiith ps5 wasp5"),
	strings.Fields("ведьмак ведьмаки ведьма ведомак мак ёлка ЕЛКА STAR Wítcher witcher"),
	strings.Fields("grand theft auto v 5 gta gtav gta5 san the last of us part ii tlou tlou2 re re4 resident evil 4 mgs 2025 25"),
	strings.Fields("ゲーム 大冒険 冒険 大冒険7 大冒険・ゲーム ゲームvii 冒険の書大冒険 冒険の書 大冒険の書 7 vii"),
	strings.Split("гта,grand theft auto,grand,v,5,кс,ks,counter strike,х,x,xx,2,дота,dota,ДОТА2", ","),
	strings.Fields("киберпанк cyberpunk сниукзгтл ведьмак vedmak vedmaki dtlmvfr 3 the witcher wither витчер витчир"),
	strings.Fields("metro метро exodus исход iskhod ishod экзодус ехид е a э крид creed кри creed2 асасин assassin assassins"),
}

func theme(t *rapid.T) *rapid.Generator[string] {
	return rapid.SampledFrom(rapid.SampledFrom(themes).Draw(t, "theme"))
}

func title(word *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(word, 0, 5), func(words []string) string { return strings.Join(words, " ") })
}

func document(word *rapid.Generator[string]) *rapid.Generator[search.Doc] {
	return rapid.Custom(func(t *rapid.T) search.Doc {
		names := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) search.Name {
			return search.Name{Text: title(word).Draw(t, "text"), Shown: rapid.SampledFrom([]uint16{0, 1, 2, 3, search.NotOwn}).Draw(t, "shown")}
		}), 0, 3)
		return search.Doc{Group: rapid.Uint8Range(0, 2).Draw(t, "group"), Names: names.Draw(t, "names")}
	})
}

// mistype changes up to three places of a word and may cut its end off.
func mistype(t *rapid.T, word string) string {
	runes := []rune(word)
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(runes)).Draw(t, "at")
		switch kind := rapid.IntRange(0, 3).Draw(t, "edit"); {
		case kind == 0:
			runes = append(runes[:at:at], append([]rune{'x'}, runes[at:]...)...)
		case at == len(runes):
		case kind == 1:
			runes = append(runes[:at:at], runes[at+1:]...)
		case kind == 2:
			runes[at] = rapid.SampledFrom([]rune("esм7険")).Draw(t, "rune")
		case at > 0:
			runes[at-1], runes[at] = runes[at], runes[at-1]
		}
	}
	return string(runes[:rapid.IntRange(len(runes)/2, len(runes)).Draw(t, "cut")])
}

func query(word *rapid.Generator[string]) *rapid.Generator[search.Query] {
	return rapid.Custom(func(t *rapid.T) search.Query {
		words := rapid.SliceOfN(word, 0, 4).Draw(t, "words")
		if len(words) > 0 && rapid.Bool().Draw(t, "mistyped") {
			at := rapid.IntRange(0, len(words)-1).Draw(t, "mistyped word")
			words[at] = mistype(t, words[at])
		}
		return search.Query{
			Text:   strings.Join(words, " "),
			Groups: rapid.Uint8Range(0, 7).Draw(t, "groups"),
			Limit:  rapid.IntRange(-1, 8).Draw(t, "limit"),
			Offset: rapid.IntRange(-1, 8).Draw(t, "offset"),
			Typos:  rapid.Bool().Draw(t, "typos"),
		}
	})
}

// TestAgainstOracle checks the main property of the package: hits, order, shown
// titles and totals equal those of the naive implementation.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := theme(t)
		docs := rapid.SliceOfN(document(word), 0, 12).Draw(t, "docs")
		x := index(t, docs)
		x.FindFrequent(rapid.IntRange(1, 4).Draw(t, "frequent"))
		naive := newOracle(docs)
		for _, q := range rapid.SliceOfN(query(word), 1, 12).Draw(t, "queries") {
			naive.compare(t, x, q)
		}
	})
}

// TestCorrectedQuery checks that a query that was corrected finds what the corrected one
// finds. With other spaces, and without some words, the corrected one may find more:
// parts of a word are no acronyms, and titles with other numbers than a year are left out.
func TestCorrectedQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := theme(t)
		x := index(t, rapid.SliceOfN(document(word), 0, 12).Draw(t, "docs"))
		for _, q := range rapid.SliceOfN(query(word), 1, 12).Draw(t, "queries") {
			q.Limit, q.Offset, q.Scripts, q.Drop = 99, 0, true, rapid.Bool().Draw(t, "drop")
			if rapid.Bool().Draw(t, "other layout") {
				q.Text = strings.Join(append(translit.Layouts(q.Text), q.Text)[:1], "")
			}
			hits, total, c := x.Find(q, nil)
			if c.Changes == 0 {
				continue
			}
			again := q
			again.Text = c.Query
			other, otherTotal, _ := x.Find(again, nil)
			if c.Changes&(search.Spaces|search.Dropped) == 0 && c.Changes != search.Layout|search.Sound {
				if diff := cmp.Diff(hits, other); diff != "" || total != otherTotal {
					t.Fatalf("%+v by %v finds %d, %q finds %d (-corrected +again):\n%s", q, c.Changes.Names(), total, c.Query, otherTotal, diff)
				}
			} else if otherTotal == 0 {
				t.Fatalf("%+v by %v finds %d, %q finds nothing", q, c.Changes.Names(), total, c.Query)
			}
		}
	})
}

// TestTyposAgainstOracle has so many similar words that the delete dictionary
// is large: matches are found by the right deletes and not by chance.
func TestTyposAgainstOracle(t *testing.T) {
	seeds := uint64(1)
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		seeds = 3
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		docs := make([]search.Doc, 150)
		for i := range docs {
			word := make([]byte, 5+rng.IntN(7))
			for at := range word {
				word[at] = "abcdefghijk"[rng.IntN(11)]
			}
			if i%10 == 0 {
				word = append(word, '7')
			}
			docs[i].Names = []search.Name{{Text: string(word)}}
		}
		x := index(t, docs)
		naive := newOracle(docs)
		for range 300 {
			text := docs[rng.IntN(len(docs))].Names[0].Text
			text = text[:max(4, len(text)-rng.IntN(4))]
			for range 1 + rng.IntN(2) {
				text = mistake(rng, text)
			}
			q := search.Query{Text: text, Limit: 20, Typos: true}
			naive.compare(t, x, q)
		}
	}
}

// TestBuildIsDeterministic checks that equal documents have equal bytes, which
// makes snapshots addressable by content.
func TestBuildIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := theme(t)
		docs := rapid.SliceOfN(document(word), 0, 12).Draw(t, "docs")
		first, second := written(t, docs), written(t, docs)
		if !bytes.Equal(first, second) {
			t.Fatal("two builds differ")
		}
	})
}

// must ends a test that cannot go on.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
