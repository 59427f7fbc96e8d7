package merge_test

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
	. "gamedex/internal/testing/catalogtest"
)

// TestGameIDsAreFixed fixes published ids. Changing this test breaks every
// stored id, requires raising MergeVersion, and belongs in the change log.
func TestGameIDsAreFixed(t *testing.T) {
	entries := Entries(
		forge("US", "STANDARD", Name("Star Forge"), Platforms("PS4")), forge("US", "PS5", Name("Star Forge"), Platforms("PS5"), On(2)),
		forge("US", "DELUXE", Name("Star Forge Deluxe")), forge("US", "OWN", Name("Dust Runner")),
		forge("US", "ADDON", Type(catalog.DLC), Name("Hat")), forge("US", "DEMO", Demo()),
		Console("US", "ALONE"), Console("US", "DERIVED", Family("2"), Name("Sun")), Console("US", "SHOWN", Family("3"), Edition("Gold")),
	)
	want := map[string]string{
		"STANDARD": "V0AH0YDP", "PS5": "G6Z832B7", "DELUXE": "NEXTHWN0", "OWN": "SFXP4AJF", "ADDON": "BSEG9R8Y",
		"DEMO": "8D3S2QSV", "ALONE": "8AJVGZQ9", "DERIVED": "GHY73MDS", "SHOWN": "Q9YJ8MMV",
	}
	if d := diff(want, ids(entries)); d != "" {
		t.Errorf("ids (-want +got):\n%s", d)
	}
}

// TestGameIDDoesNotDependOn checks what does not change an id.
func TestGameIDDoesNotDependOn(t *testing.T) {
	base := forge("US", "UP-A", Name("Star Forge Deluxe"), Title("Star Forge Deluxe"), Platforms("PS5"))
	want := ids(Entries(base))["UP-A"]
	tests := []struct {
		name string
		line catalog.Listing
	}{
		{"region", forge("TR", "UP-A", Name("Star Forge Deluxe"))},
		{"product id", forge("US", "EP-B", Name("Star Forge Deluxe"))},
		{"title", forge("US", "UP-A", Name("Star Forge Deluxe"), Title("Yıldız Ocağı"))},
		{"spelling of the name", forge("US", "UP-A", Name("STAR FORGE® – Deluxe (PS5)"))},
		{"title id", forge("US", "UP-A", Name("Star Forge Deluxe"), TitleIDs("PPSA1"))},
		{"price", forge("US", "UP-A", Name("Star Forge Deluxe"), Price("USD", 6999))},
		{"type within the class", forge("US", "UP-A", Name("Star Forge Deluxe"), Type(catalog.Bundle))},
		{"platforms, while nothing conflicts", forge("US", "UP-A", Name("Star Forge Deluxe"), Platforms("PS4"))},
		{"time", forge("US", "UP-A", Name("Star Forge Deluxe"), On(300))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(Entries(tt.line))[tt.line.Product]; got != want {
				t.Errorf("id = %s, want %s", got, want)
			}
		})
	}
}

// TestGameIDDependsOn checks what changes an id.
func TestGameIDDependsOn(t *testing.T) {
	lines := map[string]catalog.Listing{
		"base":    Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Star Forge")),
		"family":  Console("US", "A", Family("2"), FamilyName("Star Forge"), Name("Star Forge")),
		"class":   Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Star Forge"), Type(catalog.DLC)),
		"edition": Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Star Forge Gold")),
		"own":     Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Gold")),
		"demo":    Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Star Forge"), Demo()),
		"none":    Console("US", "A"),
	}
	seen := map[string]string{}
	for name, line := range lines {
		id := ids(Entries(line))["A"]
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s both have id %s", name, other, id)
		}
		seen[id] = name
	}
}

// TestWhichProductsKeepTheID checks which products have the id of the first line after
// all lines.
func TestWhichProductsKeepTheID(t *testing.T) {
	ps4, ps5, star := Platforms("PS4"), Platforms("PS5"), Name("Star Forge")
	tests := []struct {
		name  string
		lines []catalog.Listing
		keeps string // the products that have the first line's id in the end
	}{
		{"the part first seen", []catalog.Listing{
			forge("US", "A", star, ps4, On(1)), forge("US", "B", star, ps5, On(2)),
		}, "A"},
		{"ties: the smallest product id", []catalog.Listing{
			forge("US", "B", star, ps4, On(1)), forge("US", "A", star, ps5, On(1)),
		}, "A"},
		{"not who was seen before in another region", []catalog.Listing{
			forge("TR", "C", star, ps5, On(1)), forge("US", "A", star, ps4, On(2)), forge("US", "B", star, ps5, On(3)),
		}, "B C"},
		{"withdrawn in the region of the conflict, but on sale elsewhere", []catalog.Listing{
			forge("US", "A", star, ps4, On(1)), forge("TR", "A", star, ps4, On(3)), forge("US", "B", star, ps5, On(2)), forge("PL", "B", star, ps5, On(4)),
			forge("PL", "A", star, ps4, On(4)), forge("US", "A", star, On(5), Withdrawn()),
		}, "A"},
		{"a part whose first product was withdrawn in another region", []catalog.Listing{
			forge("TR", "C", star, ps5, On(1)), forge("US", "B", star, ps4, On(2)), forge("US", "A", star, ps5, On(3)), forge("TR", "C", star, On(4), Withdrawn()),
		}, "A"},
		{"a product that replaced another of its part", []catalog.Listing{
			forge("US", "A", star, ps4, On(1)), forge("US", "B", star, ps5, On(2)), forge("US", "C", star, ps4, On(3)), forge("US", "A", star, On(4), Withdrawn()),
		}, "C"},
		{"not a product that came when the id had moved on", []catalog.Listing{
			forge("US", "A", star, ps4, On(1)), forge("US", "B", star, ps5, On(2)), forge("US", "A", star, On(3), Withdrawn()), forge("US", "C", star, ps4, On(4)),
		}, "B"},
		{"a line older than all known ones takes it", []catalog.Listing{
			forge("US", "A", star, ps4, On(5)), forge("US", "B", star, ps5, On(6)), forge("US", "B", star, ps5, On(1)),
		}, "B"},
		{"a shorter name does not take it from a longer one", []catalog.Listing{
			unnamed("US", "A", Name("Star Forge Online"), On(1)), unnamed("US", "B", Name("Star Forge"), On(2)),
		}, "A"},
		{"nor from who came after a product without name", []catalog.Listing{
			unnamed("US", "A", On(1)), unnamed("US", "B", Name("Star Forge Online"), On(2)), unnamed("US", "C", Name("Star Forge"), On(3)),
		}, "A"},
		{"an inferred family does not take it, however old", []catalog.Listing{
			forge("US", "A", On(2)), Console("US", "B", TitleIDs("PPSA1"), On(1)), forge("TR", "A", TitleIDs("PPSA1"), On(3)),
		}, "A"},
		{"nor does it lend its age to the part that it joins", []catalog.Listing{
			forge("US", "A", star, ps4, On(2)), forge("US", "B", star, ps5, On(3)), Console("TR", "C", star, ps5, TitleIDs("PPSA1"), On(1)),
			forge("PL", "B", star, ps5, TitleIDs("PPSA1"), On(4)),
		}, "A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := ids(Entries(tt.lines[0]))[tt.lines[0].Product]
			var keep []string
			for product, id := range ids(Entries(tt.lines...)) {
				if id == first {
					keep = append(keep, product)
				}
			}
			if got := strings.Join(sorted(keep), " "); got != tt.keeps {
				t.Errorf("%s keep the id, want %s", got, tt.keeps)
			}
		})
	}
}

// TestPartOfADerivedKeyKeepsItsID checks that the id of a part stays with the
// product that was first in the part, not with the part's position: without a
// family name a new game may move products to other keys.
func TestPartOfADerivedKeyKeepsItsID(t *testing.T) {
	var s Listings
	s.Apply(unnamed("US", "A", Platforms("PS5"), On(1)), unnamed("US", "B", Platforms("PS4"), Name("Star Gold"), On(2)))
	before := ids(s.Table().Entries)
	s.Apply(unnamed("US", "C", Platforms("PS4"), Name("Star"), On(3)))
	after := ids(s.Table().Entries)
	if after["A"] != before["A"] || after["C"] == before["B"] {
		t.Errorf("ids were %v and are %v: C has what was B's", before, after)
	}
}
