package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/catalog/titles"
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
		forge("KZ", "A", Locale("ru-KZ"), about("4")), forge("TR", "A", Locale("tr"), Also("ru", "x"), about("5")), forge("PL", "A", about("6")),
	)
	want := []string{"en: Title of A | description 2", "ru: Title of A", "tr: Title of A | description 5"}
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
			card := merge.Compose(&groups[0], entries, Regions("UA"), nil)
			if d := diff(want, textsOf(card.Texts)); d != "" {
				t.Errorf("%s, %q (-want +got):\n%s", lines[0].Platform, *edition, d)
			}
		}
	}
}

// drawLocalized draws listings of a few products in many languages.
func drawLocalized(t *rapid.T) Table {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	tags := []string{"", "en", "en-US", "EN-gb", "uk", "uk-UA", "ru-KZ", "zh", "zh-TW", "zh-Hant-HK", "und", "xx"}
	words := []string{"Star", "Star Gold", "Star – Gold Edition", "Зоря", "Зоря Золота", "星"}
	var s Listings
	for range rapid.IntRange(1, 12).Draw(t, "listings") {
		options := []Option{Locale(pick("locale", tags...)), Title(pick("title", words...)), Edition(pick("edition", "", "Gold", "Золота", "Standard")),
			Name(pick("name", "", "Star", "Star Gold")), FamilyName(pick("family name", "", "Star")), Family("1"), TitleIDs("T1"),
			Type(rapid.SampledFrom([]catalog.Type{catalog.Game, catalog.Base, catalog.Bundle, catalog.DLC}).Draw(t, "type"))}
		if rapid.Bool().Draw(t, "described") {
			options = append(options, Prose(catalog.Prose{Description: "d"}))
		}
		if rapid.IntRange(0, 5).Draw(t, "demo") == 0 {
			options = append(options, Demo())
		}
		further := map[string]bool{}
		for range rapid.IntRange(0, 2).Draw(t, "further titles") {
			if tag := pick("further locale", tags[1:]...); !further[tag] {
				further[tag] = true
				options = append(options, Also(tag, pick("further title", words...)))
			}
		}
		region, product := pick("region", "UA", "TR", "DE", "US"), pick("product", "A", "B")
		if rapid.Bool().Draw(t, "pc") {
			s.Apply(PC(region, product, "star", options...))
		} else {
			s.Apply(Console(region, product, options...))
		}
	}
	return s.Table()
}

// wantTexts are the texts in one language by a plain reading of the contract, section 12.
// rows are the listings that may have them, and remainder is the edition in the invariant
// name.
func wantTexts(rows []catalog.Entry, active []catalog.Region, l catalog.Language, edition, remainder string, keepsTitle, fixed bool, fields []catalog.ProseFields) (catalog.Texts, bool) {
	order := func(e catalog.Entry) string {
		if i := slices.Index(active, e.Region); i >= 0 {
			return fmt.Sprint(i)
		}
		return "z" + e.Region.String()
	}
	slices.SortFunc(rows, func(a, b catalog.Entry) int { return strings.Compare(order(a), order(b)) })
	is := func(locale string) bool {
		got, err := catalog.ParseLanguage(locale)
		return err == nil && got == l
	}
	text := catalog.Texts{Language: l, EditionName: edition}
	for _, e := range rows {
		if text.Description == 0 && is(e.Locale) && slices.Contains(active, e.Region) && fields[e.Prose]&catalog.HasDescription != 0 {
			text.Description = e.Prose
		}
	}
	finish := func(e catalog.Entry, title, locale, own string) (catalog.Texts, bool) {
		name := own
		if name == "" || l == "en" && remainder != "" {
			name = remainder
		}
		if fixed {
			name = edition
		}
		text.Title = title
		if edition == "" || name == "" {
			return text, true
		}
		text.EditionName = name
		if !keepsTitle {
			shown := e.Facts.Edition
			if shown == "" && edition != "Demo" {
				shown = remainder
			}
			language, _, _ := strings.Cut(strings.ToLower(locale), "-")
			text.Title = titles.WithEdition(title, language, name, []string{name, shown})
		}
		return text, true
	}
	for _, e := range rows {
		if own := e.Facts.Edition; is(e.Locale) {
			if own == "Standard" {
				own = ""
			}
			return finish(e, e.Facts.Title, e.Locale, own)
		}
	}
	for _, e := range rows {
		for _, further := range e.Facts.Titles {
			if is(further.Locale) {
				return finish(e, further.Title, further.Locale, "")
			}
		}
	}
	for _, e := range rows {
		if l == "en" && e.Facts.InvariantName != "" {
			return finish(e, e.Facts.InvariantName, "en", "")
		}
	}
	return catalog.Texts{}, false
}

// TestTextsAgreeWithThePlainReading compares the texts of random cards and offers in every
// language with a plain reading of the rules.
func TestTextsAgreeWithThePlainReading(t *testing.T) {
	active := Regions("UA", "TR")
	languages := []catalog.Language{"en", "ru", "uk", "zh-Hans", "zh-Hant"}
	rapid.Check(t, func(t *rapid.T) {
		table := drawLocalized(t)
		at := func(rows []uint32) (list []catalog.Entry) {
			for _, i := range rows {
				list = append(list, table.Entries[i])
			}
			return list
		}
		for _, g := range merge.Merge(table.Entries, override.Set{}) {
			card := merge.Compose(&g, table.Entries, active, table.Fields)
			rows := at(card.Rows)
			for _, o := range card.Offers {
				if o.ID == card.Lead {
					rows = at(o.Rows)
				}
			}
			keeps, fixed := card.Class == catalog.AddOnClass || card.Type == catalog.Bundle, card.Class == catalog.DemoClass
			var want []catalog.Texts
			for _, l := range languages {
				if text, ok := wantTexts(rows, active, l, card.EditionName, g.Remainder, keeps, fixed, table.Fields); ok {
					want = append(want, text)
				}
			}
			if d := diff(textsOf(want), textsOf(card.Texts)); d != "" {
				t.Fatalf("card %q (-want +got):\n%s", card.Title, d)
			}
			for _, o := range card.Offers {
				var want []catalog.Texts
				for _, l := range languages {
					if text, ok := wantTexts(at(o.Rows), active, l, o.Edition, "", true, false, table.Fields); ok {
						text.Description = 0
						want = append(want, text)
					}
				}
				if d := diff(textsOf(want), textsOf(o.Texts)); d != "" {
					t.Fatalf("offer %q (-want +got):\n%s", o.ID, d)
				}
			}
		}
	})
}
