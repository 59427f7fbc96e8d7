package merge_test

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// textsOf returns the texts of a card as lines: "en: title | edition".
func textsOf(list []catalog.Texts) []string {
	var lines []string
	for _, t := range list {
		line := string(t.Language) + ": " + t.Title
		if t.EditionName != "" {
			line += " | " + t.EditionName
		}
		if t.Description != 0 {
			line += fmt.Sprintf(" | description %d", t.Description)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestTexts checks titles and editions by language. UA, TR, PL and IN are active.
func TestTexts(t *testing.T) {
	deluxe := Name("Star Forge Deluxe Edition")
	for _, tt := range []struct {
		name  string
		lines []catalog.Listing
		want  []string
	}{
		{"the first active region, then the others alphabetically", []catalog.Listing{
			forge("US", "A", Locale("en-US"), Title("Star Forge US")), forge("IN", "A", Locale("en-IN"), Title("Star Forge IN")),
			forge("KZ", "A", Locale("ru-KZ"), Title("Звёздная кузня KZ")), forge("BY", "A", Locale("ru"), Title("Звёздная кузня BY")),
		}, []string{"en: Star Forge IN", "ru: Звёздная кузня BY"}},
		{"a listing's own title before a further title of any region", []catalog.Listing{
			forge("UA", "A", Name("Star Forge"), Locale("uk-UA"), Title("Зоряна кузня"), Also("ru-UA", "Кузня звёзд"), Also("de", "Sternschmiede")),
			forge("KZ", "A", Locale("ru-KZ"), Title("Звёздная кузня")),
		}, []string{"de: Sternschmiede", "en: Star Forge", "ru: Звёздная кузня", "uk: Зоряна кузня"}},
		{"the invariant name in English, if no listing has a title in it", []catalog.Listing{
			forge("UA", "A", Locale("uk"), Title("Зоряна кузня")), forge("PL", "A", Locale("pl"), Title("Kuźnia"), Also("en-PL", "The Star Forge")),
		}, []string{"en: The Star Forge", "pl: Kuźnia", "uk: Зоряна кузня"}},
		{"an edition of the same listing", []catalog.Listing{
			forge("UA", "A", deluxe, Locale("uk"), Title("Зоряна кузня: Видання Делюкс"), Edition("Видання Делюкс")),
			forge("PL", "A", deluxe, Locale("pl"), Title("Kuźnia gwiazd – Edycja Deluxe"), Edition("Edycja Deluxe")),
		}, []string{"en: Star Forge - Deluxe Edition | Deluxe Edition", "pl: Kuźnia gwiazd - Edycja Deluxe | Edycja Deluxe",
			"uk: Зоряна кузня - Видання Делюкс | Видання Делюкс"}},
		{"the edition of the invariant name in English: a listing may show the region's", []catalog.Listing{
			forge("TR", "A", deluxe, Locale("en-TR"), Title("Star Forge – Deluxe Sürümü"), Edition("Deluxe Sürümü")),
		}, []string{"en: Star Forge - Deluxe Edition | Deluxe Edition"}},
		{"what remains of the invariant name, where the listing names no edition", []catalog.Listing{
			forge("UA", "A", deluxe, Locale("uk"), Title("Зоряна кузня"), Edition("Видання Делюкс")),
			forge("PL", "A", deluxe, Locale("pl"), Title("Kuźnia gwiazd (Deluxe Edition)"), Also("ja", "スターフォージ Deluxe Edition")),
		}, []string{"en: Star Forge - Deluxe Edition | Deluxe Edition", "ja: スターフォージ - Deluxe Edition | Deluxe Edition",
			"pl: Kuźnia gwiazd - Deluxe Edition | Deluxe Edition", "uk: Зоряна кузня - Видання Делюкс | Видання Делюкс"}},
		{"the title as the store writes it, where no edition is known in its language", []catalog.Listing{
			unnamed("UA", "A", Locale("uk"), Title("Зоряна кузня"), Edition("Видання Делюкс"), Also("ru", "Звёздная кузня. Делюкс")),
			unnamed("US", "A", Locale("en-US"), Title("Star Forge Deluxe")),
		}, []string{"en: Star Forge Deluxe | Видання Делюкс", "ru: Звёздная кузня. Делюкс | Видання Делюкс", "uk: Зоряна кузня - Видання Делюкс | Видання Делюкс"}},
		{"Chinese by script", []catalog.Listing{
			forge("HK", "A", Locale("zh-hans-hk"), Title("星锻")), forge("TW", "A", Locale("zh-TW"), Title("星鍛")), forge("CN", "A", Locale("zh"), Title("星锻 CN")),
		}, []string{"zh-Hans: 星锻 CN", "zh-Hant: 星鍛"}},
		{"no locale, no language", []catalog.Listing{
			unnamed("UA", "A", Title("Зоряна кузня")), unnamed("TR", "A", Locale("und"), Title("x")), unnamed("PL", "A", Locale("xx-PL"), Title("y")),
		}, nil},
		{"an add-on keeps the store's title", []catalog.Listing{
			forge("PL", "A", Type(catalog.DLC), Name("Hat"), Locale("pl"), Title("Kapelusz Deluxe"), Edition("Deluxe")),
		}, []string{"en: Hat | Deluxe", "pl: Kapelusz Deluxe | Deluxe"}},
		{"a demo is called Demo", []catalog.Listing{
			forge("UA", "A", Name("Star Forge"), Locale("uk"), Title("Зоряна кузня Demo"), Demo(), Edition("Демо")),
		}, []string{"en: Star Forge - Demo | Demo", "uk: Зоряна кузня - Demo | Demo"}},
		{"of a PC card its main offer", []catalog.Listing{
			offer("UA", "base", catalog.Base, Locale("uk"), Title("Кузня"), Edition("Стандарт+")), offer("TR", "base", catalog.Base, Locale("tr"), Title("Ocak")),
			offer("US", "gold", catalog.EditionType, Locale("en"), Title("Forge Gold"), Edition("Gold")),
		}, []string{"tr: Ocak", "uk: Кузня"}},
		{"of a PC card that is an edition", []catalog.Listing{
			offer("UA", "gold", catalog.EditionType, Locale("uk"), Title("Кузня Золота"), Edition("Золота")),
			offer("US", "gold", catalog.EditionType, Locale("en"), Title("Forge Gold"), Edition("Gold")),
		}, []string{"en: Forge - Gold | Gold", "uk: Кузня - Золота | Золота"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := diff(tt.want, textsOf(cardOf(t, tt.lines[0].Product, tt.lines...).Texts)); d != "" {
				t.Errorf("texts (-want +got):\n%s", d)
			}
		})
	}
}

// TestDescriptions checks that a description comes from the first active region whose
// listing is in the language.
func TestDescriptions(t *testing.T) {
	about := func(text string) Option { return Prose(catalog.Prose{Description: text}) }
	card := cardOf(t, "A",
		forge("US", "A", Locale("en-US"), about("1")), forge("IN", "A", Locale("en-IN"), about("2")), forge("UA", "A", Locale("en-UA"), Prose(catalog.Prose{Cover: "c"})),
		forge("KZ", "A", Locale("ru-KZ"), about("4")), forge("TR", "A", Locale("tr"), Also("ru", "x"), about("5")), forge("PL", "A", Locale("en-PL"), about("6")),
	)
	want := []string{"en: Title of A | description 6", "ru: Title of A", "tr: Title of A | description 5"}
	if d := diff(want, textsOf(card.Texts)); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
}

func TestOverriddenEditionInEveryLanguage(t *testing.T) {
	gold, none := "Gold", "Standard"
	for edition, want := range map[*string][]string{
		&gold: {"en: Star Forge - Gold | Gold", "uk: Кузня - Gold | Gold"}, &none: {"en: Star Forge Deluxe", "uk: Кузня Делюкс"},
	} {
		for _, lines := range [][]catalog.Listing{
			{forge("UA", "A", Locale("uk"), Title("Кузня Делюкс"), Edition("Делюкс")), forge("US", "A", Locale("en"), Title("Star Forge Deluxe"), Edition("Deluxe"))},
			{offer("UA", "A", catalog.EditionType, Locale("uk"), Title("Кузня Делюкс"), Edition("Делюкс")),
				offer("US", "A", catalog.EditionType, Locale("en"), Title("Star Forge Deluxe"), Edition("Deluxe"))},
		} {
			entries := Entries(lines...)
			groups := merge.Merge(entries, override.New(override.Rule{Platform: lines[0].Platform, Product: "A", Edition: edition}))
			card := merge.Compose(groups[:1], entries, Regions("UA"), nil)[0]
			if d := diff(want, textsOf(card.Texts)); d != "" || !card.Pinned || card.Title != card.Texts[1].Title {
				t.Errorf("%s, %q: %q, pinned %t (-want +got):\n%s", lines[0].Platform, *edition, card.Title, card.Pinned, d)
			}
		}
	}
}

// TestOfferTexts checks that an offer keeps the store's titles, with its edition by language.
func TestOfferTexts(t *testing.T) {
	gold := "Gold"
	lines := []catalog.Listing{
		offer("US", "gold", catalog.EditionType, Locale("en"), Title("Forge Gold"), Edition("Gold"), Also("ru", "Кузня Золотая")),
		offer("DE", "gold", catalog.EditionType, Locale("uk"), Title("Кузня DE"), Edition("DE")),
		offer("UA", "gold", catalog.EditionType, Locale("uk"), Title("Кузня Золота"), Edition("Золота")),
	}
	for edition, want := range map[*string][]string{
		nil:   {"en: Forge Gold | Gold", "ru: Кузня Золотая | Золота", "uk: Кузня Золота | Золота"},
		&gold: {"en: Forge Gold | Gold", "ru: Кузня Золотая | Gold", "uk: Кузня Золота | Gold"},
	} {
		entries := Entries(lines...)
		groups := merge.Merge(entries, override.New(override.Rule{Platform: catalog.PCStore, Product: "gold", Edition: edition}))
		card := merge.Compose(groups[:1], entries, Regions("UA"), nil)[0]
		if d := diff(want, textsOf(card.Offers[0].Texts)); d != "" {
			t.Errorf("offer with the edition %v (-want +got):\n%s", edition, d)
		}
	}
}
