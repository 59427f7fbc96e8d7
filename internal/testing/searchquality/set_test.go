package searchquality_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/search"
	"gamedex/internal/testing/searchquality"
)

const (
	sampleTitles = `# a comment
50 | Doom 3 | ru: Дум 3
dlc 90 | Doom 3: Resurrection of Evil
`
	sampleDemo = "game 80.5 | Doom | ja: ドゥーム\nedition 99 | Doom - Deluxe Edition | offer: Doom Soundtrack\ngame 80.5 | Doom\n"
)

func sampleFiles(titles, demo, queries string) fstest.MapFS {
	return fstest.MapFS{
		"titles.txt":  {Data: []byte(titles)},
		"demo.txt":    {Data: []byte(demo)},
		"queries.txt": {Data: []byte(queries)},
	}
}

func TestLoad(t *testing.T) {
	set, err := searchquality.Load(sampleFiles(sampleTitles, sampleDemo, "[exact]\ntune | doom | Doom\nheld | дум 3 | Doom 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &searchquality.Set{
		Cards: []searchquality.Card{
			{Type: "game", Popularity: 80.5, Names: []string{"Doom", "ドゥーム"}},
			{Type: "game", Popularity: 80.5, Names: []string{"Doom"}},
			{Type: "game", Popularity: 50, Names: []string{"Doom 3", "Дум 3"}},
			{Type: "edition", Popularity: 99, Names: []string{"Doom - Deluxe Edition"}, Offers: []string{"Doom Soundtrack"}},
			{Type: "dlc", Popularity: 90, Names: []string{"Doom 3: Resurrection of Evil"}},
		},
		Queries: []searchquality.Query{
			{Class: "exact", Half: searchquality.Tune, Text: "doom", Wanted: []int{0, 1}},
			{Class: "exact", Half: searchquality.Held, Text: "дум 3", Wanted: []int{2}},
		},
	}
	if diff := cmp.Diff(want, set); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	for card, doc := range map[int]search.Doc{
		2: {Names: []search.Name{{Text: "Doom 3"}, {Text: "Дум 3", Shown: 1}}},
		3: {Names: []search.Name{{Text: "Doom - Deluxe Edition"}, {Text: "Doom Soundtrack", Shown: search.NotOwn}}},
	} {
		if diff := cmp.Diff(doc, set.Cards[card].Doc()); diff != "" {
			t.Errorf("document %d (-want +got):\n%s", card, diff)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, titles, queries, want string }{
		{"title without popularity", "Doom | Дум\n", "", `titles.txt line 1: popularity ["Doom"]`},
		{"unknown type", "\ntoy 5 | Doom\n", "", `titles.txt line 2: type "toy"`},
		{"two numbers", "game 5 6 | Doom\n", "", `popularity ["game" "5" "6"]`},
		{"no title", "5\n", "", "none of them empty"},
		{"empty name", "5 | Doom |\n", "", "none of them empty"},
		{"unknown half", "5 | Doom\n", "best | doom | Doom\n", "queries.txt line 1"},
		{"nothing wanted", "5 | Doom\n", "tune | doom\n", "queries.txt line 1"},
		{"empty query", "5 | Doom\n", "tune | | Doom\n", "empty or a duplicate"},
		{"a query twice", "5 | Doom\n", "tune | doom | Doom\nheld | doom | Doom\n", "line 2: query \"doom\""},
		{"unknown title", "5 | Doom\n", "tune | doom | doom\n", `wants "doom"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := searchquality.Load(sampleFiles(tt.titles, "", tt.queries))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := searchquality.Load(fstest.MapFS{}); err == nil {
		t.Error("no files: no error")
	}
}

// TestList checks that the list is large enough, that its halves are even in
// every class, and that no title appears twice.
func TestList(t *testing.T) {
	set, err := searchquality.Load(os.DirFS(files))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Queries) < 400 || len(set.Cards) < 2500 {
		t.Errorf("%d queries over %d cards", len(set.Queries), len(set.Cards))
	}
	balance := map[string]int{}
	for _, q := range set.Queries {
		balance[q.Class]++
		if q.Half == searchquality.Held {
			balance[q.Class] -= 2
		}
	}
	for class, n := range balance {
		if n < -1 || n > 1 {
			t.Errorf("class %q: one half has %d more than the other", class, n)
		}
	}
	text, err := os.ReadFile(files + "/titles.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, "|"); len(fields) > 1 {
			title := strings.ToLower(strings.TrimSpace(fields[1])) // those that differ in a sign are judged, too
			if other := known[title]; other != "" {
				t.Errorf("twice:\n%s%s", other, line)
			}
			known[title] = line
		}
	}
}

func TestReport(t *testing.T) {
	set, err := searchquality.Load(sampleFiles(sampleTitles, sampleDemo, `
[exact]
tune | doom | Doom
tune | doom 3 | Doom 3
held | doom three | Doom 3
[other]
held | heretic | Doom 3
`))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]int{"doom": {1, 0}, "doom 3": {4, 2}, "doom three": {0, 0, 3, 3, 4, 2}}
	report := searchquality.Evaluate(set, func(text string, limit int) []int {
		if limit != searchquality.Depth {
			t.Errorf("limit %d", limit)
		}
		return answers[text]
	})
	want := `class  half  queries  MRR    recall@1  recall@3  recall@5  empty
exact  tune  2        0.750  0.500     1.000     1.000     0
exact  held  1        0.167  0.000     0.000     0.000     0
other  tune  0        0.000  0.000     0.000     0.000     0
other  held  1        0.000  0.000     0.000     0.000     1
all    tune  2        0.750  0.500     1.000     1.000     0
all    held  2        0.083  0.000     0.000     0.000     1
`
	if diff := cmp.Diff(want, report.Table()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	misses := `exact: doom 3
  wanted at 2: Doom 3
  came: Doom 3: Resurrection of Evil | Doom 3
`
	if diff := cmp.Diff(misses, report.Misses(searchquality.Tune)); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
}
