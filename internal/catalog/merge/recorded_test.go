package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/golden"
)

// everywhere returns listings in several regions, with a title in each.
func everywhere(product, titles string, options ...Option) []catalog.Listing {
	var lines []catalog.Listing
	for place := range strings.SplitSeq(titles, "|") {
		region, title, _ := strings.Cut(place, " ")
		lines = append(lines, Console(region, product, append(slices.Clip(options), Title(title))...))
	}
	return lines
}

// recorded are listings of real games as the console store describes them,
// reduced to the facts that the merge reads.
func recorded() []catalog.Listing {
	fc := []Option{Family("10011898"), FamilyName("EA SPORTS FC™ 26")}
	of := func(family []Option, more ...Option) []Option { return append(slices.Clip(family), more...) }
	diablo := []Option{Family("231761"), FamilyName("Diablo® IV")}
	gta := []Option{Family("201930"), FamilyName("Grand Theft Auto V (PlayStation®5)")}
	ghost := []Option{Family("235227")}
	xcom := []Option{Family("216773")}
	return slices.Concat(
		everywhere("UP0006-PPSA27360_00-26STANDARDBUNDLE", "US EA SPORTS FC™ 26 Standard Edition PS4 & PS5",
			of(fc, Name("EA SPORTS FC™ 26 Standard Edition PS4 & PS5"), Platforms("PS4", "PS5"))...),
		everywhere("EP0006-PPSA27361_00-26STANDARDBUNDLE", "TR EA SPORTS FC™ 26 Standard Sürüm PS4 ve PS5|PL EA SPORTS FC™ 26 Edycja Standardowa PS4 i PS5",
			of(fc, Name("EA SPORTS FC™ 26 Standard Edition PS4 & PS5"), Platforms("PS4", "PS5"))...),
		everywhere("UP0006-PPSA27360_00-26ULTIMATEBUNDLE", "US EA SPORTS FC™ 26 Ultimate Edition PS4 & PS5",
			of(fc, Name("EA SPORTS FC™ 26 Ultimate Edition PS4 & PS5"), Edition("Ultimate Edition"), Platforms("PS4", "PS5"))...),
		everywhere("EP0006-PPSA27361_00-26ULTIMATEBUNDLE", "TR EA SPORTS FC™ 26 Ultimate Sürümü|PL EA SPORTS FC™ 26 Edycja Ultimate PS4 & PS5",
			of(fc, Name("EA SPORTS FC™ 26 Ultimate Edition PS4 & PS5"), Edition("Ultimate Edition"), Platforms("PS4", "PS5"))...),
		everywhere("UP0006-CUSA52342_00-26ULTIMATEBUNDLE", "US EA SPORTS FC™ 26 Ultimate Edition PS4 & PS5",
			of(fc, Name("EA SPORTS FC™ 26 Ultimate Edition PS4 & PS5"), Edition("Ultimate Edition"), Platforms("PS4"))...),
		everywhere("UP0006-CUSA52342_00-FP06040000000000", "US EA SPORTS FC™ 26 - FC Points 2800",
			of(fc, Name("EA SPORTS FC™ 26 - FC Points 2800"), Type(catalog.DLC))...),
		everywhere("EP0006-CUSA52342_00-FP06040000000000", "TR EA SPORTS FC™ 26 - FC Points 2800",
			of(fc, Name("EA SPORTS FC™ 26 - FC Points 2800"), Type(catalog.DLC))...),
		everywhere("UP0006-CUSA52342_00-FP06050000000000", "US EA SPORTS FC™ 26 - FC Points 5900",
			of(fc, Name("EA SPORTS FC™ 26 - FC Points 5900"), Type(catalog.DLC))...),

		everywhere("UP0002-PPSA02442_00-DIVBASEGAME00000", "TW 《暗黑破壞神® IV》- 標準版 (簡體中文, 韓文, 英文, 繁體中文, 日文)|US Diablo® IV - Standard Edition",
			of(diablo, Name("Diablo® IV - Standard Edition"), Platforms("PS4", "PS5"))...),
		everywhere("EP0002-PPSA02443_00-DIVBASEGAME00000", "UA Diablo® IV - Стандартне видання",
			of(diablo, Name("Diablo® IV - Standard Edition"), Platforms("PS4", "PS5"))...),
		everywhere("UP0002-PPSA02442_00-DIVLOHCOMBO00000", "TW 《暗黑破壞神® IV：憎恨時代合輯》 (簡體中文, 韓文, 英文, 繁體中文, 日文)",
			of(diablo, Name("Diablo® IV: Age of Hatred Collection"), Edition("暗黑破壞神 IV + 憎恨之軀 + 憎恨之王組合包"), Type(catalog.Bundle), Platforms("PS4", "PS5"))...),
		everywhere("EP0002-PPSA02443_00-DIVLOHCOMBO00000", "UA Diablo® IV: Age of Hatred Collection",
			of(diablo, Name("Diablo® IV: Age of Hatred Collection"), Type(catalog.Bundle), Platforms("PS4", "PS5"))...),
		everywhere("UP0002-PPSA02442_00-D4LOHSTANDARD000", "TW 《暗黑破壞神® IV：憎恨之王™》標準版 (中英韓文版)|US Diablo® IV: Lord of Hatred™ - Standard Edition",
			of(diablo, Name("Diablo® IV: Lord of Hatred™ - Standard Edition"), Type(catalog.DLC))...),
		everywhere("UP0002-PPSA02442_00-D4LOHDELUXE00000", "TW 《暗黑破壞神® IV：憎恨之王™》豪華版 (中英韓文版)",
			of(diablo, Name("Diablo® IV: Lord of Hatred™ - Deluxe Edition"), Type(catalog.DLC))...),

		everywhere("UP1004-PPSA03420_00-GTAOSTANDALONE01", "US Grand Theft Auto Online (PlayStation®5)",
			of(gta, Name("Grand Theft Auto Online (PlayStation®5)"), Type(catalog.Bundle), Platforms("PS5"))...),
		everywhere("UP1004-PPSA03420_00-GTAVPS5STANDARD0", "US Grand Theft Auto V (PlayStation®5)",
			of(gta, Name("Grand Theft Auto V (PlayStation®5)"), Platforms("PS5"))...),
		everywhere("UP1004-PPSA03420_00-GTAVPS5CASHPACK4", "US GTA Online: Great White Shark Cash Card (PS5™)",
			of(gta, Name("GTA Online: Great White Shark Cash Card (PS5™)"), Type(catalog.DLC))...),
		everywhere("UP1004-CUSA00419_00-GTAVCASHPACK000D", "US GTA Online: Great White Shark Cash Card (PS4™)",
			of(gta, Name("GTA Online: Great White Shark Cash Card (PS4™)"), Type(catalog.DLC))...),

		everywhere("HP9000-PPSA03210_00-GHOSTDIRECTORPS5", "HK Ghost of Tsushima 导演剪辑版 (泰语, 日语, 韩语)", of(ghost, Platforms("PS4", "PS5"))...),
		everywhere("HP9000-CUSA16972_00-GHOSTDIRECTORPS4", "HK Ghost of Tsushima 导演剪辑版 (泰语, 日语, 韩语)", of(ghost, Platforms("PS4"))...),
		everywhere("HP9000-PPSA05033_00-GHOSTDCPS5PSPLUS", "HK Ghost of Tsushima 导演剪辑版 (PlayStation Plus)", of(ghost, Platforms("PS4", "PS5"))...),
		everywhere("EP9000-PPSA03208_00-GHOSTDIRECTORPS5", "TR Ghost of Tsushima DIRECTOR'S CUT", of(ghost, Platforms("PS4", "PS5"))...),

		everywhere("UP1001-CUSA04552_00-ASIAPLACEHOLDER0", "HK XCOM 2 (中英韩文版)", of(xcom, Platforms("PS4"))...),
		everywhere("UP1001-CUSA04552_00-ASIA000000000012", "HK XCOM® 2 典藏合集 (中英韩文版)", of(xcom, Platforms("PS4"))...),
		everywhere("HP0177-CUSA01917_00-RYUZEROCHINAT100", "HK 人中之龙０　誓约的场所　体验版 (中文版)", Family("203727"), Demo(), Platforms("PS4")),
		everywhere("HP0177-CUSA01887_00-RYUZEROCHINA0100", "HK 人中之龙０　誓约的场所 (中文版)", Family("203727"), Platforms("PS4")),
	)
}

// Review the golden file by hand when it changes.
func TestRecordedGames(t *testing.T) {
	var s Listings
	s.Apply(recorded()...)
	table := s.Table()
	var blocks []string
	for _, g := range merge.Merge(table.Entries, override.Set{}) {
		card := merge.Compose([]merge.Group{g}, table.Entries, Regions("UA", "TR", "PL", "IN"), table.Fields)[0]
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s %q", card.Family, card.Type, card.Title)
		if card.EditionName != "" {
			fmt.Fprintf(&b, ", edition %q", card.EditionName)
		}
		fmt.Fprintf(&b, " %v\n", card.Platforms)
		for _, i := range card.Rows {
			fmt.Fprintf(&b, "    %s %s\n", table.Entries[i].Region, table.Entries[i].Product)
		}
		blocks = append(blocks, b.String())
	}
	golden.Check(t, "testdata/recorded.golden", strings.Join(sorted(blocks), ""))
}

func TestExplain(t *testing.T) {
	entries := Entries(append(recorded(),
		Console("PL", "EP0006-CUSA52343_00-26ULTIMATEBUNDLE", TitleIDs("CUSA1")),
		forge("US", "UP-A", Name("Star Forge Gold"), TitleIDs("CUSA1")), forge("TR", "UP-A", Edition("Gold")),
		forge("PL", "UP-A", On(2)), forge("PL", "UP-A", On(3), Withdrawn()),
		PC("TR", "0f1e2d", "star-forge", Type(catalog.Base), Locale("tr-TR"), Also("en", "The Forge")), PC("TR", "0f1e2e", "star-forge", Type(catalog.DLC)),
	)...)
	gold := "Gold"
	overrides := override.New(override.Rule{
		Platform: catalog.ConsoleStore, Product: "EP0006-CUSA52343_00-26ULTIMATEBUNDLE", Edition: &gold,
	})
	var b strings.Builder
	for _, id := range []string{
		"UP0006-PPSA27360_00-26ULTIMATEBUNDLE", "UP0006-CUSA52342_00-26ULTIMATEBUNDLE", "UP1004-PPSA03420_00-GTAOSTANDALONE01",
		"HP9000-PPSA05033_00-GHOSTDCPS5PSPLUS", "EP0006-CUSA52342_00-FP06040000000000", "EP0006-CUSA52343_00-26ULTIMATEBUNDLE",
		"UP-A", "STAR-FORGE",
	} {
		fmt.Fprintf(&b, "$ explain %s\n", id)
		for _, x := range merge.Explain(entries, overrides, nil, catalog.DefaultRegions(), id) {
			fmt.Fprintln(&b, x.Text)
		}
	}
	golden.Check(t, "testdata/explain.golden", b.String())
	for _, x := range merge.Explain(entries, overrides, nil, catalog.DefaultRegions(), "UP-A") {
		again := merge.Explain(entries, overrides, nil, catalog.DefaultRegions(), strings.ToLower(x.ID))
		if len(again) != 1 || again[0].Text != x.Text || !strings.HasPrefix(x.Text, x.ID+" ") {
			t.Errorf("explaining %s in lower case gives %v", x.ID, again)
		}
	}
	if got := merge.Explain(entries, overrides, nil, catalog.DefaultRegions(), "NOBODY"); got != nil {
		t.Errorf("explained an id that does not exist: %v", got)
	}
}
