package acronym

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/fold"
)

// numerals are the alternate numerals that the tests need.
func numerals(word string) string {
	return map[string]string{"v": "5", "5": "v", "ii": "2", "2": "ii", "4": "iv", "iv": "4"}[word]
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ title, want string }{
		{"grand theft auto v", "gta:0+3 gtav:0+4 gta5:0+4"},
		{"the last of us part ii", "tlo:0+3 tlou:0+4 tlouii:0+6 tlou2:0+6 tloup:0+5 tloupii:0+6 tloup2:0+6 lou:1+3 louii:1+5 lou2:1+5 loup:1+4 loupii:1+5 loup2:1+5"},
		{"resident evil 4", "re:0+2 re4:0+3 reiv:0+3"},
		{"need for speed heat", "nfs:0+3 nfsh:0+4"},
		{"7 days to die", "7dtd:0+4"},
		{"f1 25", "2025:1+1"},
		{"fifa 2015", "15:1+1"},
		{"cyberpunk 2077", "cp:0+1 cp2077:0+2 cb2077:0+2"},
		{"doom", ""},
		{"", ""},
	} {
		var got []string
		for _, a := range Of(strings.Fields(tt.title), 0, numerals) {
			got = append(got, a.Text+":"+string(rune('0'+a.At))+"+"+string(rune('0'+a.Words)))
		}
		for _, want := range strings.Fields(tt.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %s", tt.title, got, want)
			}
		}
		if tt.want == "" && got != nil {
			t.Errorf("%q: %q, want none", tt.title, got)
		}
	}
}

func TestBounds(t *testing.T) {
	var words []string
	for range 200 {
		words = append(words, "final", "fantasy", "5")
	}
	found := Of(words, 0, numerals)
	if len(found) > maxOfOne {
		t.Errorf("%d acronyms", len(found))
	}
	for _, a := range found {
		if a.Words > MaxWords || len(a.Text) > MaxText {
			t.Errorf("%+v", a)
		}
	}
}

// TestTable checks that the table is large enough, folded, and has no line twice.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	acronyms := map[string]bool{}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		short, words, ok := strings.Cut(line, " = ")
		if !ok || seen[line] || fold.Fold(short) != short || fold.Fold(words) != words || strings.Contains(short, " ") {
			t.Errorf("line %q: want one folded acronym = folded words, once", line)
		}
		seen[line], acronyms[short] = true, true
	}
	if len(acronyms) < 120 {
		t.Errorf("%d acronyms, want 120", len(acronyms))
	}
}

func TestArticles(t *testing.T) {
	var got []bool
	for _, w := range []string{"the", "a", "an", "of"} {
		got = append(got, IsArticle(w))
	}
	if diff := cmp.Diff([]bool{true, true, true, false}, got); diff != "" {
		t.Error(diff)
	}
}
