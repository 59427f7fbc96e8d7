package merge_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// TestNothingInCommon covers products of one family and key that are sold in
// different regions: they share a card only if they have a name or a label in common.
func TestNothingInCommon(t *testing.T) {
	const gold, standard, other = "-000000GOLDFORGE", "-00000000000BASE", "-0000000000OTHER"
	checkShapes(t, []shapeTest{
		{"neither edition, name nor label", []catalog.Listing{
			unnamed("US", "UP"+gold, Title("Star Forge Gold"), TitleIDs("PPSA1")), unnamed("TR", "EP"+standard, Title("Star Forge"), TitleIDs("PPSA1")),
		}, []string{"TR:EP" + standard, "US:UP" + gold}},
		{"the same, where the family has a name", []catalog.Listing{
			forge("US", "UP"+gold), forge("TR", "EP"+standard),
		}, []string{"TR:EP" + standard, "US:UP" + gold}},
		{"short ids have no label", []catalog.Listing{unnamed("US", "A"), unnamed("TR", "B")}, []string{"TR:B", "US:A"}},
		{"the label", []catalog.Listing{unnamed("US", "UP"+gold), unnamed("TR", "EP"+gold), unnamed("PL", "EP"+standard)},
			[]string{"PL:EP" + standard, "TR:EP" + gold + " US:UP" + gold}},
		{"the edition", []catalog.Listing{
			unnamed("US", "UP"+gold, Edition("Gold")), unnamed("TR", "EP"+other, Edition("GOLD™")),
		}, []string{"TR:EP" + other + " US:UP" + gold}},
		{"the standard edition, if both name it", []catalog.Listing{
			unnamed("US", "UP"+standard, Edition("Standard Edition")), unnamed("TR", "EP"+other, Edition("Base Game")),
			unnamed("PL", "EP"+gold),
		}, []string{"PL:EP" + gold, "TR:EP" + other + " US:UP" + standard}},
		{"the name of the standard edition, and the standard edition as shown", []catalog.Listing{
			forge("US", "UP"+standard, Name("Star Forge")), forge("TR", "EP"+other, Edition("Standard")), forge("PL", "EP"+gold),
		}, []string{"PL:EP" + gold, "TR:EP" + other + " US:UP" + standard}},
		{"a name, but not of the family", []catalog.Listing{
			unnamed("US", "UP"+gold, Name("Star Forge Gold"), Type(catalog.Bundle)),
			unnamed("TR", "EP"+other, Name("STAR FORGE: Gold"), Type(catalog.Bundle)),
			unnamed("PL", "EP"+standard, Name("Star Forge Silver"), Type(catalog.Bundle)),
		}, []string{"PL:EP" + standard, "TR:EP" + other + " US:UP" + gold}},
		{"a name on one side only", []catalog.Listing{
			forge("US", "UP"+standard, Name("Star Forge")), forge("TR", "EP"+gold),
		}, []string{"TR:EP" + gold, "US:UP" + standard}},
		{"a third product that has a name in common with one, and a label with the other", []catalog.Listing{
			forge("US", "UP"+standard, Name("Star Forge")), forge("TR", "EP"+other), forge("PL", "PP"+other, Name("Star Forge")),
		}, []string{"PL:PP" + other + " TR:EP" + other + " US:UP" + standard}},
		{"the third is withdrawn: what its listing said of the label stays true", []catalog.Listing{
			forge("US", "UP"+standard, Name("Star Forge")), forge("TR", "EP"+other), forge("PL", "PP"+other, Name("Star Forge")),
			forge("PL", "PP"+other, Name("Star Forge"), On(3), Withdrawn()),
		}, []string{"TR:EP" + other + " US:UP" + standard}},
		{"the third is the other's rival on the PS4", []catalog.Listing{
			forge("US", "UP"+standard, Name("Star Forge"), Platforms("PS5")), forge("TR", "EP"+other, Platforms("PS5")),
			forge("US", "PP"+other, Name("Star Forge"), Platforms("PS4")),
		}, []string{"TR:EP" + other, "US:PP" + other, "US:UP" + standard}},
		{"demos", []catalog.Listing{unnamed("US", "UP"+gold, Demo()), unnamed("TR", "EP"+standard, Demo()), unnamed("PL", "EP"+gold, Demo())},
			[]string{"PL:EP" + gold + " US:UP" + gold, "TR:EP" + standard}},
	})
}

// TestTitleInCommon covers products that name neither edition nor invariant name: equal
// titles join them, in one family and class.
func TestTitleInCommon(t *testing.T) {
	csv := func(region, product, title string, options ...Option) catalog.Listing {
		return unnamed(region, product, append([]Option{Title(title)}, options...)...)
	}
	dlc := Type(catalog.DLC)
	checkShapes(t, []shapeTest{
		{"as written", []catalog.Listing{csv("PL", "A", "Star Forge"), csv("TR", "B", "Star Forge"), csv("IN", "C", "Star Forge")},
			[]string{"IN:C PL:A TR:B"}},
		{"trademark signs, case, accents, platform words, language lists and the standard edition", []catalog.Listing{
			csv("PL", "A", "Star Forge™ PS4 & PS5"), csv("TR", "B", "STAR FÓRGE (PlayStation®5)"), csv("JP", "C", "Star Forge (English/Japanese Ver.)"),
			csv("IN", "D", "Star Forge - Standard Edition"),
		}, []string{"IN:D JP:C PL:A TR:B"}},
		{"other titles stay apart", []catalog.Listing{
			csv("PL", "A", "Gwiezdna kuźnia"), csv("TR", "B", "Star Forge"), csv("IN", "C", "Star Forge Gold"),
		}, []string{"IN:C", "PL:A", "TR:B"}},
		{"a chain through a product with two titles", []catalog.Listing{
			csv("PL", "A", "Gwiezdna kuźnia"), csv("UA", "B", "Star Forge"), csv("KZ", "B", "Gwiezdna kuźnia"), csv("TR", "C", "Star Forge"),
		}, []string{"KZ:B PL:A TR:C UA:B"}},
		{"other families never", []catalog.Listing{csv("PL", "A", "Star Forge"), csv("TR", "B", "Star Forge", Family("2"))},
			[]string{"PL:A", "TR:B"}},
		{"without a family never", []catalog.Listing{csv("PL", "A", "Star Forge", Family("")), csv("TR", "B", "Star Forge", Family(""))},
			[]string{"PL:A", "TR:B"}},
		{"other classes never", []catalog.Listing{csv("PL", "A", "Star Forge"), csv("TR", "B", "Star Forge", dlc), csv("IN", "C", "Star Forge", Demo())},
			[]string{"IN:C", "PL:A", "TR:B"}},
		{"an edition or a name on one side", []catalog.Listing{
			csv("PL", "A", "Star Forge"), csv("TR", "B", "Star Forge", Edition("Gold")), csv("IN", "C", "Star Forge", Name("Star Forge")),
			csv("JP", "D", "Star Forge", Edition("Standard Edition (PS5)")),
		}, []string{"IN:C JP:D", "PL:A", "TR:B"}},
		{"two on sale in one region, by platform", []catalog.Listing{
			csv("PL", "A", "Star Forge", Platforms("PS4")), csv("PL", "B", "Star Forge", Platforms("PS5")),
			csv("TR", "C", "Star Forge", Platforms("PS4")), csv("TR", "D", "Star Forge", Platforms("PS5")),
		}, []string{"PL:A TR:C", "PL:B TR:D"}},
		{"two on sale in one region, by the platform that titles name", []catalog.Listing{
			csv("PL", "A", "Star Forge PS4"), csv("PL", "B", "Star Forge PS5"), csv("TR", "C", "Star Forge (PS4™)"), csv("TR", "D", "Star Forge"),
		}, []string{"PL:A TR:C", "PL:B TR:D"}},
		{"two on sale in one region that differ in nothing", []catalog.Listing{
			csv("PL", "A-00000000000000001", "Star Forge"), csv("PL", "B-00000000000000002", "Star Forge"), csv("TR", "C-00000000000000002", "Star Forge"),
		}, []string{"PL:A-00000000000000001", "PL:B-00000000000000002 TR:C-00000000000000002"}},
		{"add-ons", []catalog.Listing{
			csv("PL", "A-0000000000000HAT1", "Star Forge - Hat", dlc), csv("TR", "B-0000000000000HAT2", "Star Forge: Hat PS5", dlc),
			csv("IN", "C-0000000000000HAT2", "Kapelusz", dlc), csv("PL", "D-00000000000COINS", "Star Forge - Coins", dlc), csv("TR", "E", "Star Forge - Coins", dlc),
			csv("TR", "F", "Star Forge - Hat", Type(catalog.Subscription)),
		}, []string{"IN:C-0000000000000HAT2 PL:A-0000000000000HAT1 TR:B-0000000000000HAT2", "PL:D-00000000000COINS TR:E", "TR:F"}},
		{"add-ons on sale in one region", []catalog.Listing{
			csv("PL", "A", "Star Forge - Hat", dlc), csv("PL", "B", "Star Forge - Hat", dlc), csv("TR", "C", "Star Forge - Hat", dlc, Name("Hat")),
		}, []string{"PL:A", "PL:B", "TR:C"}},
		{"titles without letters", []catalog.Listing{csv("PL", "A", "™"), csv("TR", "B", "™")}, []string{"PL:A", "TR:B"}},
	})
}

// TestOldestOfEqualTitlesKeepsTheID checks that a card that titles join has the id of its
// oldest product, and that a part keeps its id when an older one joins another.
func TestOldestOfEqualTitlesKeepsTheID(t *testing.T) {
	for _, class := range []catalog.Type{catalog.Game, catalog.DLC, catalog.Subscription} {
		lines := []catalog.Listing{
			unnamed("PL", "A-0000000000000001", Title("Star Forge"), Type(class), On(2)),
			unnamed("TR", "B-0000000000000002", Title("Yıldız Ocağı"), Type(class), On(3)),
			unnamed("KZ", "C-0000000000000003", Title("Star Forge"), Type(class), On(4)),
			unnamed("IN", "D-0000000000000004", Title("STAR FORGE"), Type(class), On(5)),
		}
		var s Listings
		s.Apply(lines[:2]...)
		before := ids(s.Table().Entries)
		s.Apply(lines[2:]...)
		after := ids(s.Table().Entries)
		if a := before["A-0000000000000001"]; a == before["B-0000000000000002"] || after["A-0000000000000001"] != a ||
			after["C-0000000000000003"] != a || after["D-0000000000000004"] != a || after["B-0000000000000002"] != before["B-0000000000000002"] {
			t.Errorf("%v: ids were %v and are %v", class, before, after)
		}
	}
}

// TestOperatorsEditionIsAName checks that products join by an edition that the operator
// gives to both.
func TestOperatorsEditionIsAName(t *testing.T) {
	entries := Entries(forge("US", "A", Title("x")), forge("TR", "B", Title("y")), forge("PL", "C", Name("Star Forge")))
	standard := func(product string) override.Rule {
		edition := "Standard"
		return override.Rule{Platform: catalog.ConsoleStore, Product: product, Edition: &edition}
	}
	for _, tt := range []struct {
		overrides []override.Rule
		want      []string
	}{
		{nil, []string{"PL:C", "TR:B", "US:A"}},
		{[]override.Rule{standard("A")}, []string{"PL:C US:A", "TR:B"}},
		{[]override.Rule{standard("A"), standard("B")}, []string{"PL:C TR:B US:A"}},
	} {
		if d := diff(tt.want, shape(entries, tt.overrides...)); d != "" {
			t.Errorf("%d overrides (-want +got):\n%s", len(tt.overrides), d)
		}
	}
}

// TestWhichNamelessProductKeepsTheID checks that the part with the earliest listing
// keeps the id of the undivided group, and that a later product in common moves none.
func TestWhichNamelessProductKeepsTheID(t *testing.T) {
	var s Listings
	s.Apply(forge("US", "A-000000GOLDFORGE", On(2)))
	alone := ids(s.Table().Entries)["A-000000GOLDFORGE"]
	s.Apply(forge("TR", "B-00000000000BASE", On(3)), forge("PL", "C-0000000000OTHER", Name("Star Forge"), On(4)))
	apart := ids(s.Table().Entries)
	if apart["A-000000GOLDFORGE"] != alone || apart["B-00000000000BASE"] == alone || apart["C-0000000000OTHER"] == alone {
		t.Errorf("ids are %v, the first had %s", apart, alone)
	}
	s.Apply(forge("IN", "D-00000000000BASE", Name("Star Forge"), On(5)))
	joined := ids(s.Table().Entries)
	if b := apart["B-00000000000BASE"]; joined["A-000000GOLDFORGE"] != alone || joined["B-00000000000BASE"] != b ||
		joined["C-0000000000OTHER"] != b || joined["D-00000000000BASE"] != b {
		t.Errorf("ids are %v, were %v", joined, apart)
	}
}
