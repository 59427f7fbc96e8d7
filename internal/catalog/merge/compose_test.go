package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// TestCardFacts checks that facts come from the first active region (UA, TR,
// PL, IN) that has them, then from the others alphabetically; some are unions.
func TestCardFacts(t *testing.T) {
	card := cardOf(t, "A",
		Console("DE", "A", Family("1"), Title("Sternschmiede"), Name("Star Forge DE"), Members("M1"), StoreURL("https://x.example/de/A"),
			Platforms("PS4"), TitleIDs("CUSA1"), Popularity(9), Prose(catalog.Prose{Cover: "de", Logo: "de"}), On(1)),
		Console("AT", "A", Family("1"), Title("Sternschmiede"), Members("M2"), Prose(catalog.Prose{Logo: "at", Developer: "at"}), On(2)),
		Console("PL", "A", Family("1"), Title("Gwiezdna kuźnia"), StoreURL("https://x.example/pl/A"),
			Prose(catalog.Prose{Description: "pl", Cover: "pl"}), On(3)),
		Console("TR", "A", Family("1"), Title("Yıldız Ocağı"), Platforms("PS5", "PS4"), TitleIDs("PPSA2", "CUSA1"), Popularity(2),
			Prose(catalog.Prose{Description: "tr"}), On(4)),
	)
	want := catalog.Card{
		ID: card.ID, Platform: catalog.ConsoleStore, Class: catalog.GameClass, Type: catalog.Game, Family: "1",
		Title: "Yıldız Ocağı", InvariantName: "Star Forge DE", Titles: []string{"Yıldız Ocağı", "Gwiezdna kuźnia", "Sternschmiede", "Star Forge DE"},
		Names: []catalog.Name{
			{Text: "Yıldız Ocağı"}, {Text: "Gwiezdna kuźnia", Shown: 1}, {Text: "Sternschmiede", Shown: 2},
			{Text: "Star Forge DE", Shown: 3},
		},
		Texts:     []catalog.Texts{{Language: "en", Title: "Star Forge DE"}},
		Platforms: []string{"PS4", "PS5"}, TitleIDs: []string{"CUSA1", "PPSA2"}, Popularity: 9, FirstSeen: Day(1),
		Prose:    catalog.ProseChoice{Description: 4, Cover: 3, Logo: 2, Developer: 2},
		StoreURL: "https://x.example/pl/A", Members: []string{"M2"},
		Rows: []uint32{1, 0, 2, 3}, // AT, DE, PL, TR
	}
	if d := diff(want, card); d != "" {
		t.Errorf("card (-want +got):\n%s", d)
	}
}

func TestWithdrawnListingsOnlyCountForAge(t *testing.T) {
	card := cardOf(t, "A",
		Console("UA", "A", Title("Old"), Popularity(9), TitleIDs("T1"), On(1)), Console("UA", "A", On(3), Withdrawn()),
		Console("TR", "A", Title("New"), Popularity(1), On(2)),
	)
	if card.Title != "New" || card.Popularity != 1 || card.TitleIDs != nil || len(card.Rows) != 1 || card.FirstSeen != Day(1) {
		t.Errorf("card has title %q, popularity %g, title ids %q, rows %d, first seen %v", card.Title, card.Popularity, card.TitleIDs,
			card.Rows, card.FirstSeen.Time())
	}
}

func TestServed(t *testing.T) {
	entries := Entries(Console("US", "A", Title("x")), Console("TR", "B"), Console("TR", "C"), Console("TR", "C", On(2), Withdrawn()),
		Console("US", "C"))
	want := map[string]bool{"A": false, "B": true, "C": false}
	for _, g := range merge.Merge(entries, override.Set{}) {
		product := entries[g.Entries[0]].Product
		if got := g.Served(entries, Regions("UA", "TR")); got != want[product] {
			t.Errorf("card of %s served: %v, want %v", product, got, want[product])
		}
	}
}

// TestCardEdition checks type, edition and title of a card.
func TestCardEdition(t *testing.T) {
	tests := []struct {
		name    string
		lines   []catalog.Listing
		typ     catalog.Type
		edition string
		title   string
	}{
		{"standard", []catalog.Listing{forge("TR", "A", Title("Star Forge"))}, catalog.Game, "", "Star Forge"},
		{"a game with an edition name is an edition", []catalog.Listing{
			forge("TR", "A", Title("Star Forge Deluxe Edition"), Edition("Deluxe Edition")),
		}, catalog.EditionType, "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"a bundle stays one and keeps the store's title", []catalog.Listing{
			forge("TR", "A", Title("Star Forge Deluxe Edition"), Edition("Deluxe Edition"), Type(catalog.Bundle)),
		}, catalog.Bundle, "Deluxe Edition", "Star Forge Deluxe Edition"},
		{"a bundle without an edition of its own", []catalog.Listing{
			forge("TR", "A", Title("Star Forge: Moon Collection"), Name("Star Forge: Moon Collection"), Type(catalog.Bundle)),
		}, catalog.Bundle, "Moon Collection", "Star Forge: Moon Collection"},
		{"a bundle of two games", []catalog.Listing{
			forge("TR", "A", Title("Star Forge + Moon Base Bundle"), Name("Star Forge + Moon Base Bundle"), Type(catalog.Bundle)),
		}, catalog.Bundle, "", "Star Forge + Moon Base Bundle"},
		{"two games that a store does not call a bundle", []catalog.Listing{
			forge("TR", "A", Title("Star Forge™ and Moon Base"), Name("Star Forge™ and Moon Base")),
		}, catalog.Game, "", "Star Forge™ and Moon Base"},
		{"two games, the second with the name of the edition", []catalog.Listing{
			forge("TR", "A", Title("Star Forge & Gold Edition"), Edition("Gold Edition")),
		}, catalog.EditionType, "Gold Edition", "Star Forge & Gold Edition"},
		{"two games, an edition as the listing shows it", []catalog.Listing{
			forge("TR", "A", Title("Star Forge & Moon Farm Collection"), Edition("Collection"), Name("Star Forge & Moon Farm Collection")),
		}, catalog.EditionType, "Collection", "Star Forge & Moon Farm - Collection"},
		{"two games, what only the invariant name has", []catalog.Listing{
			forge("TR", "A", Title("Star Forge & Moon Farm Collection"), Name("Star Forge & Moon Farm Collection")),
		}, catalog.Game, "", "Star Forge & Moon Farm Collection"},
		{"a year", []catalog.Listing{forge("TR", "A", Title("Star Forge (2005)"), Name("Star Forge (2005)"))}, catalog.Game, "", "Star Forge (2005)"},
		{"a new version", []catalog.Listing{forge("TR", "A", Title("Star Forge Remastered"), Name("Star Forge: Remastered"))},
			catalog.Game, "", "Star Forge Remastered"},
		{"an edition of a new version", []catalog.Listing{
			forge("TR", "A", Title("Star Forge Remastered Deluxe Edition"), Name("Star Forge Remastered Deluxe Edition")),
		}, catalog.EditionType, "Deluxe Edition", "Star Forge Remastered - Deluxe Edition"},
		{"an edition before the year", []catalog.Listing{
			forge("TR", "A", Title("Star Forge: Gold Edition (2005) PS5"), Name("Star Forge: Gold Edition (2005)")),
		}, catalog.EditionType, "Gold Edition", "Star Forge (2005) PS5 - Gold Edition"},
		{"an edition that the store calls by a year", []catalog.Listing{
			forge("TR", "A", Title("Star Forge 2005"), Edition("2005"), Name("Star Forge 2005")),
		}, catalog.EditionType, "2005", "Star Forge - 2005"},
		{"the most specific type of any region", []catalog.Listing{
			forge("TR", "A", Title("x")), forge("DE", "A", Title("x"), Type(catalog.Bundle)), forge("AT", "A", Type(catalog.EditionType)),
		}, catalog.Bundle, "", "x"},
		{"season pass over dlc", []catalog.Listing{
			forge("TR", "A", Title("x"), Type(catalog.DLC)), forge("DE", "A", Title("x"), Type(catalog.SeasonPass)),
		}, catalog.SeasonPass, "", "x"},
		{"the edition of the first active region that has one", []catalog.Listing{
			forge("DE", "A", Name("Star Forge Deluxe"), Edition("Luxus")), forge("UA", "A", Name("Star Forge Deluxe"), Title("Star Forge")),
			forge("PL", "A", Name("Star Forge Deluxe"), Edition("Edycja Deluxe")), forge("TR", "A", Edition("Deluxe Sürüm")),
		}, catalog.EditionType, "Deluxe Sürüm", "Star Forge - Deluxe Sürüm"},
		{"else the rest of the invariant name, as written", []catalog.Listing{
			forge("DE", "A", Name("Star Forge™: Déluxe Edition PS4 & PS5"), Edition("Luxus")), forge("UA", "A", Title("Star Forge")),
		}, catalog.EditionType, "Déluxe Edition", "Star Forge - Déluxe Edition"},
		{"else the edition of another region", []catalog.Listing{
			forge("DE", "A", Edition("Luxus")), forge("AT", "A", Edition("Nobel")), forge("UA", "A", Title("Star Forge")),
		}, catalog.EditionType, "Nobel", "Star Forge - Nobel"},
		{"a name of its own is no edition", []catalog.Listing{
			forge("UA", "A", Title("Dust Runner"), Name("Dust Runner")),
		}, catalog.Game, "", "Dust Runner"},
		{"a standard edition is none", []catalog.Listing{
			forge("UA", "A", Title("Star Forge"), Name("Star Forge Standard Edition"), Edition("Standard Edition (PS5)")),
		}, catalog.Game, "", "Star Forge"},
		{"an add-on keeps the store's title", []catalog.Listing{
			forge("UA", "A", Title("Star Forge: Hat Deluxe"), Edition("Deluxe"), Type(catalog.DLC)),
		}, catalog.DLC, "Deluxe", "Star Forge: Hat Deluxe"},
		{"a demo", []catalog.Listing{
			forge("UA", "A", Title("Star Forge Demo"), Demo(), Type(catalog.Bundle)),
		}, catalog.Game, "Demo", "Star Forge - Demo"},
		{"a demo in another language", []catalog.Listing{
			forge("UA", "A", Title("Зоряна кузня"), Demo()),
		}, catalog.Game, "Demo", "Зоряна кузня - Demo"},
		{"a demo with a subtitle", []catalog.Listing{
			forge("UA", "A", Title("Star Forge Sketchbook - DEMO"), Name("Star Forge Sketchbook - DEMO"), Demo()),
		}, catalog.Game, "Demo", "Star Forge Sketchbook - Demo"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			card := cardOf(t, "A", tt.lines...)
			if card.Type != tt.typ || card.EditionName != tt.edition || card.Title != tt.title {
				t.Errorf("card is %s %q, edition %q; want %s %q, %q", card.Type, card.Title, card.EditionName, tt.typ, tt.title, tt.edition)
			}
		})
	}
}

// TestTitlesTellCardsApart checks that a game, its years and new versions, and bundles with
// it are cards with different titles, all of them variants by family and class.
func TestTitlesTellCardsApart(t *testing.T) {
	var lines []catalog.Listing
	for i, name := range []string{
		"Star Forge", "Star Forge (2005)", "Star Forge 2019", "Star Forge HD", "Star Forge Remastered", "Star Forge: Remake",
		"Star Forge + Moon Base", "Star Forge + Moon Base Bundle", "Star Forge x Dust Runner", "Star Forge / Dust Runner / Moon Base",
		"Star Forge & Dust", "Star Forge and Moon", "Star Forge Gold", "Star Forge HD Gold", "Star Forge Gold (2005)",
	} {
		lines = append(lines, forge("TR", fmt.Sprint("P", i), Name(name), Title(name)), forge("UA", fmt.Sprint("P", i), Name(name), Title(name)))
	}
	entries := Entries(lines...)
	seen := map[string]bool{}
	for _, g := range merge.Merge(entries, override.Set{}) {
		card := merge.Compose([]merge.Group{g}, entries, Regions("TR", "UA"), nil)[0]
		want := ""
		if strings.Contains(card.InvariantName, "Gold") {
			want = "Gold"
		}
		if seen[card.Title] || card.EditionName != want || card.Class != catalog.GameClass || card.Family != "1" || len(card.Rows) != 2 ||
			want == "" && card.Title != card.InvariantName {
			t.Errorf("%q is shown as %q, edition %q, %d rows", card.InvariantName, card.Title, card.EditionName, len(card.Rows))
		}
		seen[card.Title] = true
	}
	if len(seen) != len(lines)/2 {
		t.Errorf("%d cards, want %d", len(seen), len(lines)/2)
	}
}

// TestTitleLanguage checks that the words for "edition" are those of the listing's
// locale, or else of its region.
func TestTitleLanguage(t *testing.T) {
	for _, tt := range []struct{ locale, title, edition, want string }{
		{"de-DE", "Star Forge Deluxe-Ausgabe", "Deluxe", "Star Forge - Deluxe"},
		{"en-US", "Star Forge Deluxe-Ausgabe", "Deluxe", "Star Forge Deluxe-Ausgabe - Deluxe"},
		{"zh-Hant-TW", "《星際鍛造》終極版 (中英韓文版)", "終極版", "《星際鍛造》 (中英韓文版) - 終極版"},
		{"", "Yıldız Ocağı Deluxe Sürümü", "Deluxe", "Yıldız Ocağı - Deluxe"}, // Turkey's language
	} {
		card := cardOf(t, "A", forge("TR", "A", Locale(tt.locale), Title(tt.title), Edition(tt.edition)))
		if card.Title != tt.want {
			t.Errorf("%s: title = %q, want %q", tt.locale, card.Title, tt.want)
		}
	}
}

// TestTitlesAndNames checks which titles find a card, and which one is shown.
func TestTitlesAndNames(t *testing.T) {
	card := cardOf(t, "A",
		forge("TR", "A", Locale("tr"), Title("Yıldız Ocağı Deluxe"), Edition("Deluxe"), Name("SF Deluxe™"),
			Also("en", "Star Forge: Deluxe"), Also("ru", "Звёздная кузня")),
		forge("PL", "A", Locale("pl"), Title("YILDIZ OCAGI deluxe"), Name("SF Deluxe")),
		forge("DE", "A", Locale("de"), Title("Sternschmiede Deluxe Edition"), Edition("Deluxe Edition")),
	)
	wantTitles := []string{"Yıldız Ocağı - Deluxe", "Star Forge - Deluxe", "Звёздная кузня - Deluxe", "Sternschmiede - Deluxe", "SF - Deluxe"}
	wantNames := []catalog.Name{
		{Text: "Yıldız Ocağı - Deluxe", Shown: 0}, {Text: "Star Forge - Deluxe", Shown: 1},
		{Text: "Звёздная кузня - Deluxe", Shown: 2}, {Text: "Звёздная кузня", Shown: 2},
		{Text: "Sternschmiede - Deluxe", Shown: 3}, {Text: "Sternschmiede Deluxe Edition", Shown: 3},
		{Text: "SF - Deluxe", Shown: 4},
	}
	if d := diff(wantTitles, card.Titles); d != "" {
		t.Errorf("titles (-want +got):\n%s", d)
	}
	if d := diff(wantNames, card.Names); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}
