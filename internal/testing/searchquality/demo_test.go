package searchquality_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/demo"
	"gamedex/internal/testing/golden"
)

const files = "../../search/testdata/quality"

// TestDemo checks that demo.txt is the sample catalog as a builder composes it
// for all its regions.
func TestDemo(t *testing.T) {
	var lines []string
	for _, c := range demoCards(t) {
		fields := []string{fmt.Sprintf("%s %g", c.Type, c.Popularity)}
		for _, n := range c.Names {
			if n.Shown == catalog.NotOwn {
				n.Text = "offer: " + n.Text
			}
			fields = append(fields, n.Text)
		}
		lines = append(lines, strings.Join(fields, " | ")+"\n")
	}
	slices.Sort(lines)
	golden.Check(t, files+"/demo.txt", strings.Join(lines, ""))
}

func demoCards(t *testing.T) []catalog.Card {
	t.Helper()
	sample, err := demo.New()
	if err != nil {
		t.Fatal(err)
	}
	var entries []catalog.Entry
	active := []catalog.Region{catalog.MustRegion("US")}
	for l := range sample.Listings("https://sample.example", 1_760_000_000_000) {
		entries = append(entries, catalog.Entry{
			Product: l.Product, Locale: l.Locale, Facts: &l.Facts, Price: l.Price,
			Popularity: l.Popularity, Platform: l.Platform, Region: l.Region,
		})
		if !slices.Contains(active, l.Region) {
			active = append(active, l.Region)
		}
	}
	groups := merge.Merge(entries, override.Set{})
	return merge.Compose(groups, entries, active, make([]catalog.ProseFields, 1))
}
