package merge_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// TestRealCatalogCases covers cases of real catalogs, by name.
func TestRealCatalogCases(t *testing.T) {
	checkShapes(t, []shapeTest{
		{"PS4 and PS5 sold apart", []catalog.Listing{
			forge("US", "UP-CUSA1", Name("Star Forge"), Platforms("PS4")), forge("US", "UP-PPSA1", Name("Star Forge"), Platforms("PS5")),
			forge("TR", "EP-CUSA2", Name("Star Forge PS4"), Platforms("PS4")), forge("TR", "EP-PPSA2", Name("Star Forge PS5"), Platforms("PS5")),
		}, []string{"TR:EP-CUSA2 US:UP-CUSA1", "TR:EP-PPSA2 US:UP-PPSA1"}},
		{"PS4 and PS5 as one product", []catalog.Listing{
			forge("US", "UP-PPSA1", Name("Star Forge PS4 & PS5"), Platforms("PS4", "PS5")),
			forge("TR", "EP-PPSA2", Name("Star Forge"), Platforms("PS5", "PS4")),
		}, []string{"TR:EP-PPSA2 US:UP-PPSA1"}},
		{"PS4 and PS5 sold apart in one region, as one product in another", []catalog.Listing{
			forge("US", "UP-CUSA1", Name("Star Forge"), Platforms("PS4")), forge("US", "UP-PPSA1", Name("Star Forge"), Platforms("PS5")),
			forge("TR", "EP-PPSA2", Name("Star Forge"), Platforms("PS4", "PS5")),
		}, []string{"TR:EP-PPSA2 US:UP-PPSA1", "US:UP-CUSA1"}},
		{"a product of unknown platforms counts as the newer one", []catalog.Listing{
			forge("US", "UP-CUSA1", Name("Star Forge"), Platforms("PS4")), forge("US", "UP-PPSA1", Name("Star Forge")),
			forge("TR", "EP-PPSA2", Name("Star Forge"), Platforms("PS5")),
		}, []string{"TR:EP-PPSA2 US:UP-PPSA1", "US:UP-CUSA1"}},
		{"an edition named only in local languages", []catalog.Listing{
			forge("US", "UP-D", Edition("Deluxe Edition")), forge("JP", "JP-D", Edition("デラックスエディション")),
			forge("UA", "EP-D", Edition("Делюкс-видання")), forge("PL", "EP-D", Edition("Edycja Deluxe")),
			forge("TR", "EP-D", Edition("Edycja Deluxe")),
		}, []string{"JP:JP-D", "PL:EP-D TR:EP-D UA:EP-D", "US:UP-D"}},
		{"two games under one family", []catalog.Listing{
			unnamed("US", "UP-V", Name("Grand Theft Auto V (PlayStation®5)")), unnamed("US", "UP-O", Name("Grand Theft Auto Online (PlayStation®5)")),
			unnamed("TR", "EP-V", Name("Grand Theft Auto V")), unnamed("TR", "EP-O", Name("Grand Theft Auto Online")),
			unnamed("PL", "EP-O", Name("Grand Theft Auto Online")),
		}, []string{"PL:EP-O TR:EP-O US:UP-O", "TR:EP-V US:UP-V"}},
		{"two games under one family, one name beginning with the other", []catalog.Listing{
			unnamed("US", "A", Name("Star Forge")), unnamed("TR", "B", Name("Star Forge II")),
		}, []string{"TR:B", "US:A"}},
		{"a family re-used: another game under the old number", []catalog.Listing{
			Console("US", "A", Family("1"), FamilyName("Star Forge"), Name("Star Forge")),
			Console("TR", "B", Family("1"), FamilyName("Dust Runner"), Name("Dust Runner"), On(9)),
			Console("PL", "B", Family("1"), FamilyName("Dust Runner"), Name("Dust Runner"), On(9)),
		}, []string{"PL:B TR:B", "US:A"}},
		{"a family re-grouped: half of the regions know already", []catalog.Listing{
			unnamed("US", "A", Family("2"), Name("Star Forge"), On(9)), unnamed("TR", "A", Name("Star Forge")),
			unnamed("PL", "B", Family("2"), Name("Star Forge"), On(9)), unnamed("IN", "C", Name("Star Forge")),
		}, []string{"IN:C", "PL:B TR:A US:A"}},
		{"many unnamed products in one region", []catalog.Listing{
			forge("JP", "J-000000000000000A"), forge("JP", "J-000000000000000B"), forge("JP", "J-000000000000000C"),
			forge("US", "U-000000000000000B"), forge("TR", "E-000000000000000D"), forge("PL", "SHORT"),
		}, []string{"JP:J-000000000000000A", "JP:J-000000000000000B US:U-000000000000000B", "JP:J-000000000000000C",
			"PL:SHORT", "TR:E-000000000000000D"}},
		{"two products in one region that differ in nothing", []catalog.Listing{
			forge("US", "UP1-0000000000000001"), forge("US", "UP2-0000000000000001"), forge("TR", "UP2-0000000000000001"),
		}, []string{"TR:UP2-0000000000000001 US:UP2-0000000000000001", "US:UP1-0000000000000001"}},
		{"many add-ons on one title id", []catalog.Listing{
			forge("US", "UP1-CUSA1_00-POINTS0000000001", TitleIDs("CUSA1"), Type(catalog.DLC), Name("Star Forge - 100 Points")),
			forge("US", "UP1-CUSA1_00-POINTS0000000002", TitleIDs("CUSA1"), Type(catalog.DLC), Name("Star Forge - 500 Points")),
			forge("US", "UP1-CUSA1_00-POINTS0000000003", TitleIDs("CUSA1"), Type(catalog.DLC)),
			Console("TR", "UP1-CUSA1_00-POINTS0000000003", TitleIDs("CUSA1"), Type(catalog.DLC)),
			Console("TR", "EP1-CUSA1_00-POINTS0000000004", TitleIDs("CUSA1"), Type(catalog.DLC)),
		}, []string{"TR:EP1-CUSA1_00-POINTS0000000004",
			"TR:UP1-CUSA1_00-POINTS0000000003 US:UP1-CUSA1_00-POINTS0000000003",
			"US:UP1-CUSA1_00-POINTS0000000001", "US:UP1-CUSA1_00-POINTS0000000002"}},
		{"a demo on the game's title id", []catalog.Listing{
			forge("US", "UP-G", Name("Star Forge"), TitleIDs("PPSA1")),
			Console("US", "UP-D", Name("Star Forge"), TitleIDs("PPSA1"), Demo()),
			Console("TR", "EP-D", Name("Star Forge"), TitleIDs("PPSA1"), Demo()),
		}, []string{"TR:EP-D US:UP-D", "US:UP-G"}},
		{"a region with only Deluxe", []catalog.Listing{
			forge("US", "UP-S", Name("Star Forge")), forge("US", "UP-D", Name("Star Forge Deluxe")),
			forge("TR", "EP-D", Name("Star Forge Deluxe")),
		}, []string{"TR:EP-D US:UP-D", "US:UP-S"}},
		{"a region with only Deluxe, no family name and no standard edition anywhere", []catalog.Listing{
			unnamed("US", "UP-D", Name("Star Forge Deluxe"), Edition("Deluxe")),
			unnamed("TR", "EP-D", Name("Star Forge Deluxe"), Edition("Deluxe")),
			unnamed("TR", "EP-G", Name("Star Forge Gold"), Edition("Gold")),
		}, []string{"TR:EP-D US:UP-D", "TR:EP-G"}},
	})
}

// TestDivisions covers the criteria by which a conflict is divided, in order.
func TestDivisions(t *testing.T) {
	unlike := func(region, product, name string, platforms ...string) catalog.Listing {
		return unnamed(region, product, Name(name), Edition("Gold"), Platforms(platforms...))
	}
	tests := []struct {
		name  string
		lines []catalog.Listing
		want  map[string][]merge.Division
	}{
		{"platforms first", []catalog.Listing{
			unlike("US", "A-00000000000000001", "Star", "PS4"), unlike("US", "B-00000000000000002", "Forge", "PS5"),
		}, map[string][]merge.Division{
			"A-00000000000000001": {{By: merge.ByPlatforms, Value: "PS4 only"}},
			"B-00000000000000002": {{By: merge.ByPlatforms, Value: "with PS5"}},
		}},
		{"then the invariant name", []catalog.Listing{
			unlike("US", "A-00000000000000001", "Star", "PS5"), unlike("US", "B-00000000000000002", "Forge Gold", "PS5"),
		}, map[string][]merge.Division{
			"A-00000000000000001": {{By: merge.ByName, Value: "star"}},
			"B-00000000000000002": {{By: merge.ByName, Value: "forge"}},
		}},
		{"then the product label", []catalog.Listing{
			unlike("US", "A-00000000000000001", "Star"), unlike("US", "B-00000000000000002", "STAR"),
		}, map[string][]merge.Division{
			"A-00000000000000001": {{By: merge.ByLabel, Value: "0000000000000001"}},
			"B-00000000000000002": {{By: merge.ByLabel, Value: "0000000000000002"}},
		}},
		{"then the product id", []catalog.Listing{
			unlike("US", "A-00000000000000001", "Star"), unlike("US", "B-00000000000000001", "STAR"),
		}, map[string][]merge.Division{
			"A-00000000000000001": {{By: merge.ByProduct, Value: "A-00000000000000001"}},
			"B-00000000000000001": {{By: merge.ByProduct, Value: "B-00000000000000001"}},
		}},
		{"a part is divided again", []catalog.Listing{
			unlike("US", "A-00000000000000001", "Star", "PS4"), unlike("US", "B-00000000000000002", "Star", "PS5"),
			unlike("US", "C-00000000000000003", "Star", "PS5"),
		}, map[string][]merge.Division{
			"A-00000000000000001": {{By: merge.ByPlatforms, Value: "PS4 only"}},
			"B-00000000000000002": {{By: merge.ByPlatforms, Value: "with PS5"}, {By: merge.ByLabel, Value: "0000000000000002"}},
			"C-00000000000000003": {{By: merge.ByPlatforms, Value: "with PS5"}, {By: merge.ByLabel, Value: "0000000000000003"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries := Entries(tt.lines...)
			got := map[string][]merge.Division{}
			for _, g := range merge.Merge(entries, override.Set{}) {
				got[entries[g.Entries[0]].Product] = g.Divisions
			}
			if d := diff(tt.want, got); d != "" {
				t.Errorf("divisions (-want +got):\n%s", d)
			}
		})
	}
}
