package merge_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// forge returns a listing of the family "Star Forge".
func forge(region, product string, options ...Option) catalog.Listing {
	return Console(region, product, append([]Option{Family("1"), FamilyName("Star Forge™")}, options...)...)
}

// unnamed returns a listing of a family without a name.
func unnamed(region, product string, options ...Option) catalog.Listing {
	return Console(region, product, append([]Option{Family("1")}, options...)...)
}

// TestJoinedListings covers each sentence of the contract's section on cards
// about which listings are joined.
func TestJoinedListings(t *testing.T) {
	checkShapes(t, []shapeTest{
		{"one product in all regions, whatever else differs", []catalog.Listing{
			Console("TR", "A", Title("Yıldız"), TitleIDs("PPSA1")), Console("PL", "A", Title("Gwiazda"), TitleIDs("CUSA2")),
		}, []string{"PL:A TR:A"}},
		{"other product ids of one family, class and key in different regions", []catalog.Listing{
			forge("US", "UP1", Name("Star Forge")), forge("TR", "EP1", Name("Star Forge")),
		}, []string{"TR:EP1 US:UP1"}},
		{"not in one region", []catalog.Listing{
			forge("US", "UP1", Name("Star Forge")), forge("US", "EP1", Name("Star Forge")),
		}, []string{"US:EP1", "US:UP1"}},
		{"other families never", []catalog.Listing{
			Console("US", "A", Family("1"), Name("Star Forge")), Console("TR", "B", Family("2"), Name("Star Forge")),
		}, []string{"TR:B", "US:A"}},
		{"other platforms never", []catalog.Listing{
			Console("US", "A", Family("1")), PC("US", "A", "star-forge", Family("1")),
		}, []string{"US:A", "US:A"}},
		{"games, editions and bundles are one class", []catalog.Listing{
			forge("US", "A", Name("Star Forge Gold"), Type(catalog.Game)),
			forge("TR", "B", Name("Star Forge Gold"), Type(catalog.EditionType)),
			forge("PL", "C", Name("Star Forge Gold"), Type(catalog.Bundle)),
		}, []string{"PL:C TR:B US:A"}},
		{"add-ons, subscriptions and demos are classes of their own", []catalog.Listing{
			forge("US", "A", Name("Star Forge")),
			forge("TR", "B", Name("Star Forge"), Type(catalog.DLC)),
			forge("PL", "C", Name("Star Forge"), Type(catalog.SeasonPass)),
			forge("IN", "D", Name("Star Forge"), Type(catalog.Subscription)),
			forge("JP", "E", Name("Star Forge"), Demo()),
		}, []string{"IN:D", "JP:E", "PL:C TR:B", "US:A"}},
		{"editions by the rest of the invariant name, not by the shown one", []catalog.Listing{
			forge("US", "A", Name("Star Forge: Deluxe Edition"), Edition("Deluxe Edition")),
			forge("TR", "B", Name("STAR FORGE® - Deluxe Edition"), Edition("Deluxe Sürüm")),
			forge("PL", "C", Name("Star Forge Gold Edition"), Edition("Deluxe Edition")),
		}, []string{"PL:C", "TR:B US:A"}},
		{"platform words, trademark signs and language lists do not count", []catalog.Listing{
			forge("US", "A", Name("Star Forge™ Deluxe Edition PS4™ & PS5™")),
			forge("TR", "B", Name("Star Forge Deluxe Edition (PlayStation®5)")),
			forge("JP", "C", Name("Star Forge Deluxe Edition (English/Japanese Ver.)")),
			forge("TW", "D", Name("Star Forge Deluxe Edition (簡體中文, 韓文, 英文)")),
			forge("HK", "E", Name("Star Forge Deluxe Edition (中英韓文版)")),
		}, []string{"HK:E JP:C TR:B TW:D US:A"}},
		{"standard editions are none", []catalog.Listing{
			forge("US", "A", Name("Star Forge - Standard Edition PS4 & PS5")),
			forge("TR", "B", Name("Star Forge")),
			forge("PL", "C", Name("Star Forge Base Game")),
			forge("IN", "D", Name("Star Forge: Standard")),
		}, []string{"IN:D PL:C TR:B US:A"}},
		{"a name that does not begin with the family name is a key of its own", []catalog.Listing{
			forge("US", "A", Name("Star Forge")),
			forge("TR", "B", Name("Dust Runner")),
			forge("PL", "C", Name("dust runner!")),
			forge("IN", "D", Name("Star Forgery")),
		}, []string{"IN:D", "PL:C TR:B", "US:A"}},
		{"an edition is not a name: the key spaces are apart", []catalog.Listing{
			forge("US", "A", Name("Gold")), forge("TR", "B", Name("Star Forge Gold")),
		}, []string{"TR:B", "US:A"}},
		{"without family name: the shortest name of a game without edition", []catalog.Listing{
			unnamed("US", "A", Name("Star Forge")),
			unnamed("US", "B", Name("Star Forge Deluxe")), unnamed("TR", "C", Edition("Deluxe")),
			unnamed("PL", "D", Name("Star"), Edition("Anniversary")),
			unnamed("IN", "E", Name("Sta"), Type(catalog.DLC)),
		}, []string{"IN:E", "PL:D", "TR:C US:B", "US:A"}},
		{"without invariant name: the edition as shown, folded", []catalog.Listing{
			forge("US", "A", Edition("Deluxe Edition")), forge("TR", "B", Edition("DELUXE EDITION™")),
			forge("PL", "C", Name("Star Forge Deluxe Edition")),
			forge("IN", "D", Edition("Standard")), forge("JP", "E", Name("Star Forge")),
		}, []string{"IN:D JP:E", "PL:C TR:B US:A"}},
		{"by title only if neither has a name or an edition", []catalog.Listing{
			forge("US", "A", Title("Star Forge Deluxe Edition")), forge("TR", "B", Title("Star Forge Deluxe Edition")),
			forge("PL", "C", Name("Star Forge"), Title("Star Forge Deluxe Edition")), forge("IN", "D", Name("Star Forge"), Title("Star Forge")),
		}, []string{"IN:D PL:C", "TR:B US:A"}},
		{"add-ons by name", []catalog.Listing{
			forge("US", "UP-0000000000000001", Type(catalog.DLC), Name("Star Forge - Blue Hat")),
			forge("TR", "EP-0000000000000002", Type(catalog.DLC), Name("Star Forge: Blue Hat (PS4)")),
			forge("PL", "EP-0000000000000003", Type(catalog.DLC), Name("Blue Hat")),
		}, []string{"PL:EP-0000000000000003", "TR:EP-0000000000000002 US:UP-0000000000000001"}},
		{"add-ons without name by product label", []catalog.Listing{
			forge("US", "UP1-CUSA1_00-BLUEHAT000000000", Type(catalog.DLC)),
			forge("TR", "EP2-CUSA2_00-BLUEHAT000000000", Type(catalog.DLC)),
			forge("PL", "EP2-CUSA2_00-REDHAT0000000000", Type(catalog.DLC)),
		}, []string{"PL:EP2-CUSA2_00-REDHAT0000000000", "TR:EP2-CUSA2_00-BLUEHAT000000000 US:UP1-CUSA1_00-BLUEHAT000000000"}},
		{"add-ons without name and label by product id", []catalog.Listing{
			forge("US", "SHORT1", Type(catalog.DLC)), forge("TR", "SHORT2", Type(catalog.DLC)),
		}, []string{"TR:SHORT2", "US:SHORT1"}},
		{"withdrawn listings take no part", []catalog.Listing{
			forge("US", "A", Name("Star Forge")), forge("US", "A", On(3), Withdrawn()),
			forge("TR", "A", Name("Star Forge")), forge("US", "B", On(2), Name("Star Forge")),
		}, []string{"TR:A US:B"}},
		{"a product withdrawn everywhere is in no card", []catalog.Listing{
			forge("US", "A"), forge("US", "A", On(3), Withdrawn()),
		}, nil},
		{"pc: a slug's products are one card, family or not", []catalog.Listing{
			PC("US", "A", "star-forge", Family("1"), Type(catalog.Base)), PC("US", "B", "star-forge", Type(catalog.DLC)),
			PC("TR", "A", "star-forge"), PC("US", "C", "dust-runner", Family("1")),
		}, []string{"TR:A US:A US:B", "US:C"}},
	})
}

// TestMostListingsDecide checks which facts a product has if its listings
// disagree.
func TestMostListingsDecide(t *testing.T) {
	checkShapes(t, []shapeTest{
		{"class: two of three say add-on", []catalog.Listing{
			forge("US", "A", Name("Hat"), Type(catalog.DLC)), forge("TR", "A", Name("Hat"), Type(catalog.DLC)),
			forge("PL", "A", Name("Hat")), forge("IN", "B", Name("Hat"), Type(catalog.DLC)),
		}, []string{"IN:B PL:A TR:A US:A"}},
		{"invariant name: two of three; an absent one has no vote", []catalog.Listing{
			forge("US", "A", Name("Star Forge Gold")), forge("TR", "A", Name("Star Forge GOLD™")),
			forge("PL", "A", Name("Star Forge")), forge("IN", "A"), forge("JP", "A"), forge("DE", "A"),
			forge("KZ", "B", Name("Star Forge Gold")),
		}, []string{"DE:A IN:A JP:A KZ:B PL:A TR:A US:A"}},
		{"invariant name: a tie goes to the smallest", []catalog.Listing{
			forge("US", "A", Name("Star Forge Silver")), forge("TR", "A", Name("Star Forge Gold")),
			forge("KZ", "B", Name("Star Forge Gold")), forge("DE", "C", Name("Star Forge Silver")),
		}, []string{"DE:C", "KZ:B TR:A US:A"}},
		{"edition", []catalog.Listing{
			forge("US", "A", Edition("Gold")), forge("TR", "A", Edition("Gold")), forge("PL", "A", Edition("Złota")),
			forge("KZ", "B", Edition("Gold")),
		}, []string{"KZ:B PL:A TR:A US:A"}},
		{"family: the one observed last", []catalog.Listing{
			Console("US", "A", Family("1"), Name("Star Forge"), On(1)), Console("TR", "A", Family("1"), Name("Star Forge"), On(1)), Console("PL", "A", Family("2"), Name("Star Forge"), On(2)),
			Console("KZ", "B", Family("2"), Name("Star Forge")), Console("DE", "C", Family("1"), Name("Star Forge")),
		}, []string{"DE:C", "KZ:B PL:A TR:A US:A"}},
		{"family: ties go to the smallest", []catalog.Listing{
			Console("US", "A", Family("2"), Name("Star Forge")), Console("TR", "A", Family("1"), Name("Star Forge")), Console("KZ", "B", Family("1"), Name("Star Forge")),
			Console("DE", "C", Family("2"), Name("Star Forge")),
		}, []string{"DE:C", "KZ:B TR:A US:A"}},
		{"platforms: the union", []catalog.Listing{
			forge("US", "A", Platforms("PS4")), forge("TR", "A", Platforms("PS5")),
			forge("US", "B", Platforms("PS4")), forge("KZ", "B"), forge("TR", "C", Platforms("PS5")), forge("IN", "C"),
		}, []string{"IN:C TR:C", "KZ:B US:B", "TR:A US:A"}},
	})
}

func TestMissingFamily(t *testing.T) {
	star := func(region, product string, options ...Option) catalog.Listing {
		return Console(region, product, append(options, Name("Star Forge"))...)
	}
	checkShapes(t, []shapeTest{
		{"that of a listing of the same product", []catalog.Listing{
			star("US", "A"), star("TR", "A", Family("1")), star("PL", "B", Family("1")),
		}, []string{"PL:B TR:A US:A"}},
		{"the only family with one of its title ids", []catalog.Listing{
			star("US", "A", TitleIDs("PPSA1", "PPSA9")), star("PL", "B", Family("1"), TitleIDs("PPSA1_00")),
		}, []string{"PL:B US:A"}},
		{"two families with its title ids are none", []catalog.Listing{
			star("US", "A", TitleIDs("PPSA1")), star("PL", "B", Family("1"), TitleIDs("PPSA1")),
			star("KZ", "C", Family("2"), TitleIDs("PPSA1")),
		}, []string{"KZ:C", "PL:B", "US:A"}},
		{"nor are two families by two title ids", []catalog.Listing{
			star("US", "A", TitleIDs("PPSA1", "PPSA2")), star("PL", "B", Family("1"), TitleIDs("PPSA1")),
			star("KZ", "C", Family("2"), TitleIDs("PPSA2")),
		}, []string{"KZ:C", "PL:B", "US:A"}},
		{"a title id joins nothing by itself", []catalog.Listing{
			star("US", "A", TitleIDs("PPSA1")), star("PL", "B", TitleIDs("PPSA1")),
		}, []string{"PL:B", "US:A"}},
		{"else the product itself", []catalog.Listing{
			star("US", "A"), star("TR", "A"), star("PL", "B"),
		}, []string{"PL:B", "TR:A US:A"}},
		{"a withdrawn listing gives no family", []catalog.Listing{
			star("US", "A"), star("TR", "A", Family("1")), star("TR", "A", On(2), Withdrawn()),
			star("PL", "B", Family("1")),
		}, []string{"PL:B", "US:A"}},
	})
}

func TestOverrides(t *testing.T) {
	lines := []catalog.Listing{
		forge("US", "A", Name("Star Forge")), forge("TR", "B", Name("Star Forge")),
	}
	tests := []struct {
		name string
		o    override.Rule
		want []string
	}{
		{"none", override.Rule{}, []string{"TR:B US:A"}},
		{"family", override.Rule{Product: "A", Family: new("2")}, []string{"TR:B", "US:A"}},
		{"no family", override.Rule{Product: "A", Family: new("")}, []string{"TR:B", "US:A"}},
		{"edition", override.Rule{Product: "A", Edition: new("Gold")}, []string{"TR:B", "US:A"}},
		{"standard edition", override.Rule{Product: "A", Edition: new("Standard")}, []string{"TR:B US:A"}},
		{"type", override.Rule{Product: "A", Type: new(catalog.DLC)}, []string{"TR:B", "US:A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Platform = catalog.ConsoleStore
			got := shape(Entries(lines...), tt.o)
			if d := diff(tt.want, got); d != "" {
				t.Errorf("cards (-want +got):\n%s", d)
			}
		})
	}
}
