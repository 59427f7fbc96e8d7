package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// shape describes which listings are one card: "TR:A PL:B" for each, sorted.
func shape(entries []catalog.Entry, overrides ...override.Rule) []string {
	var cards []string
	for _, g := range merge.Merge(entries, override.New(overrides...)) {
		cards = append(cards, listingsOf(&g, entries))
	}
	slices.Sort(cards)
	return cards
}

func listingsOf(g *merge.Group, entries []catalog.Entry) string {
	var listings []string
	for _, i := range g.Entries {
		listings = append(listings, entries[i].Region.String()+":"+entries[i].Product)
	}
	return strings.Join(listings, " ")
}

// shapeTest is a case of checkShapes: lines, and the shape of their cards.
type shapeTest struct {
	name  string
	lines []catalog.Listing
	want  []string
}

func checkShapes(t *testing.T, tests []shapeTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, shape(Entries(tt.lines...))); diff != "" {
				t.Errorf("cards (-want +got):\n%s", diff)
			}
		})
	}
}

// ids returns the id of the card of each product. A product in two cards has
// both ids.
func ids(entries []catalog.Entry) map[string]string {
	ids := map[string]string{}
	for _, g := range merge.Merge(entries, override.Set{}) {
		for _, i := range g.Entries {
			p := entries[i].Product
			if !strings.Contains(ids[p], g.ID) {
				ids[p] += g.ID
			}
		}
	}
	return ids
}

// cardOf composes the card of a product for Ukraine, Turkey, Poland and India.
func cardOf(t *testing.T, product string, lines ...catalog.Listing) catalog.Card {
	t.Helper()
	var s Listings
	s.Apply(lines...)
	table := s.Table()
	for _, g := range merge.Merge(table.Entries, override.Set{}) {
		if slices.ContainsFunc(g.Entries, func(i uint32) bool { return table.Entries[i].Product == product }) {
			return merge.Compose([]merge.Group{g}, table.Entries, Regions("UA", "TR", "PL", "IN"), table.Fields)[0]
		}
	}
	t.Fatalf("no card holds %s", product)
	return catalog.Card{}
}

func diff(want, got any) string { return cmp.Diff(want, got) }

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
