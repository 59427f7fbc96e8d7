package sample_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

func TestTypedQueries(t *testing.T) {
	var listings []catalog.Listing
	for l := range sample.New(1, 300).Listings(1) {
		listings = append(listings, *l)
	}
	v, err := harness.BuildView(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	titles := &strings.Builder{}
	for i := range v.Len() {
		titles.WriteString(" " + v.Card(i).Title())
	}
	texts := func(seed uint64) []string { return sample.TypedQueries(rand.New(rand.NewPCG(seed, 1)), v, 200) }
	list := texts(1)
	if diff := cmp.Diff(list, texts(1)); diff != "" || cmp.Equal(list, texts(2)) {
		t.Errorf("the queries do not depend on the seed: %s", diff)
	}
	for i, text := range list {
		words := strings.Fields(text)
		for _, w := range words {
			if !strings.Contains(titles.String(), " "+w) || strings.Trim(w, "IVX0123456789") == "" {
				t.Errorf("%q: no word has this prefix, or it is a numeral", w)
			}
		}
		if n := len([]rune(text)); i%2 == 0 && len(words) != 2 || i%2 == 1 && (len(words) != 1 || n < 2 || n > 5) {
			t.Errorf("query %d is %q", i, text)
		}
	}
}
