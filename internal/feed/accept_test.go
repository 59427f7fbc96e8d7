package feed_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// TestReaderCompletes checks that two forms of a listing are read as the same value.
func TestReaderCompletes(t *testing.T) {
	tests := []struct{ name, given, means string }{
		{"region in lower case", console(`"region":"tr"`), console(``)},
		{"region as alpha-3", console(`"region":"TUR"`), console(``)},
		{"slug and aliases in upper case", pc(`"slug":"STAR-Forge","aliases":["SF"]`), pc(`"aliases":["sf"]`)},
		{"slug and alias with white space and home", pc(`"slug":" star-forge\t","aliases":["SF/home"]`), pc(`"aliases":["sf"]`)},
		{"slug in NFD", pc(`"slug":"CITROE\u0308N_ds.3"`), pc(`"slug":"citroën_ds.3"`)},
		{"type defaults to game", console(``), console(`"type":"game"`)},
		{"edition Standard", console(`"edition":"Standard"`), console(``)},
		{"edition Standard Edition", console(`"edition":"STANDARD edition"`), console(``)},
		{"edition Base Game", console(`"edition":" Base Game "`), console(``)},
		{"edition null", console(`"edition":null`), console(``)},
		{"edition empty", console(`"edition":""`), console(``)},
		{"empty strings are absent", console(`"family":"","demo":"","popularity":"","price":"","genres":"","titles":""`), console(``)},
		{"nulls are absent", console(`"family":null,"demo":null,"popularity":null,"price":null,"genres":null,"rating":null`), console(``)},
		{"empty lists and objects are absent", console(`"genres":[],"titles":{},"rating":{},"images":{}`), console(``)},
		{"empty entries are absent", console(`"genres":["",null,"RPG"],"titles":{"ru":"","en":"A","de":null}`), console(`"genres":["RPG"],"titles":{"en":"A"}`)},
		{"titles are sorted", console(`"titles":{"ru":"A","en":"B"}`), console(`"titles":{"en":"B","ru":"A"}`)},
		{"unknown fields are ignored", console(`"vat":{"rate":[1,{"a":null}]}`), console(``)},
		{"escapes", console(`"family":"\u0041\n\/\ud83d\ude00"`), console(`"family":"A\u000a/😀"`)},
		{"white space", " { \"platform\" : \"consolestore\" ,\t\"region\":\"TR\",\"product\":\"P1\",\"title\":\"Star Forge\",\"observedAt\":\"2026-11-20T03:00:00Z\" } ", console(``)},
		{"time with an offset", console(`"observedAt":"2026-11-20T06:00:00+03:00"`), console(``)},
		{"time below the millisecond", console(`"observedAt":"2026-11-20T03:00:00.0009Z"`), console(``)},
		{"current without base", price(`"currency":"TRY","current":100`), price(`"currency":"TRY","base":100,"current":100`)},
		{"a percentage without base is ignored", price(`"currency":"TRY","current":100,"discountPercent":50`), price(`"currency":"TRY","base":100,"current":100`)},
		{"currency in lower case", price(`"currency":"try","current":100`), price(`"currency":"TRY","current":100`)},
		{"percentage computed", price(`"currency":"TRY","base":300,"current":100`), price(`"currency":"TRY","base":300,"current":100,"discountPercent":67`)},
		{"a null percentage is computed", price(`"currency":"TRY","base":300,"current":0,"discountPercent":null`), price(`"currency":"TRY","base":300,"current":0,"discountPercent":100`)},
		{"minus zero", console(`"popularity":-0,"price":{"currency":"TRY","current":-0}`), price(`"currency":"TRY","current":0`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(read(t, tt.means), read(t, tt.given)); diff != "" {
				t.Errorf("%s\nis not read like\n%s\n%s", tt.given, tt.means, diff)
			}
		})
	}
}

// TestReaderAccepts checks that values just inside the bounds are accepted.
func TestReaderAccepts(t *testing.T) {
	tests := []struct{ name, line string }{
		{"product of 128 bytes", console(`"product":"` + strings.Repeat("x", 128) + `"`)},
		{"slug of 128 bytes", pc(`"slug":"` + strings.Repeat("x", 128) + `"`)},
		{"slug that begins with a digit", pc(`"slug":"7-days"`)},
		{"slug with all characters", pc(`"slug":"-.baldurs_gate-ведьмак-３"`)},
		{"title of 500 code points", console(`"title":"` + strings.Repeat("😀", 500) + `"`)},
		{"edition of 4096 bytes", console(`"edition":"` + strings.Repeat("x", 4096) + `"`)},
		{"description of 64 KiB", console(`"description":"` + strings.Repeat("x", 64<<10) + `"`)},
		{"URL of 2048 bytes", console(`"storeUrl":"https://` + strings.Repeat("x", 2040) + `"`)},
		{"URL in upper case", console(`"storeUrl":"HTTP://STORE.EXAMPLE/A B"`)},
		{"200 entries", console(`"genres":` + listOf(200, `"RPG"`))},
		{"200 titles", console(`"titles":` + manyTitles(200))},
		{"price of 10^13", price(`"currency":"TRY","base":10000000000000`)},
		{"ten minutes ahead", console(`"observedAt":"2026-11-20T04:10:00Z"`)},
		{"times that equal observedAt", console(`"firstSeenAt":"2026-11-20T03:00:00Z","pricedAt":"2026-11-20T03:00:00Z"`)},
		{"base on pcstore", pc(`"type":"base"`)},
		{"withdrawn with its key only", line(`"platform":"pcstore","region":"TR","product":"P1"`, `"withdrawn":true`)},
		{"long locale", console(`"locale":"zh-Hant-TW-x-abcdefgh"`)},
		{"leap day", console(`"releaseDate":"2024-02-29"`)},
		{"text price without currency", price(`"currentText":"Free"`)},
		{"a currency that has ended since", console(`"price":{"currency":"BGN","current":4999},"observedAt":"2025-11-20T00:00:00Z"`)},
		{"only a base text", price(`"baseText":"10"`)},
		{"the deepest allowed nesting", console(`"more":` + strings.Repeat("[", 99) + strings.Repeat("]", 99))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { read(t, tt.line) })
	}
}

// TestReaderNormalizesNegativeZero checks that a negative zero is read as zero, because
// their bits differ in comparisons.
func TestReaderNormalizesNegativeZero(t *testing.T) {
	if l := read(t, console(`"popularity":-0.0`)); math.Signbit(l.Popularity) {
		t.Error("popularity is -0")
	}
}

func TestReaderPrices(t *testing.T) {
	tests := []struct {
		name, members string
		want          catalog.Price
	}{
		{"a subscriber's price without base gets none", `"currency":"TRY","current":500,"subscription":true`,
			catalog.Price{Currency: "TRY", Base: money.None, Current: 500, DiscountPercent: catalog.NoPercent, Subscription: true}},
		{"equal numbers are not a discount", `"currency":"TRY","base":500,"current":500`,
			catalog.Price{Currency: "TRY", Base: 500, Current: 500, DiscountPercent: catalog.NoPercent}},
		{"the given percentage stays", `"currency":"TRY","base":500,"current":100,"discountPercent":79`,
			catalog.Price{Currency: "TRY", Base: 500, Current: 100, DiscountPercent: 79}},
		{"base alone", `"currency":"TRY","base":500`,
			catalog.Price{Currency: "TRY", Base: 500, Current: money.None, DiscountPercent: catalog.NoPercent}},
		{"a trial", `"currency":"TRY","current":0,"trial":true`,
			catalog.Price{Currency: "TRY", DiscountPercent: catalog.NoPercent, Trial: true}},
		{"text", `"currentText":"Coming soon","source":"doubtful"`,
			catalog.Price{Base: money.None, Current: money.None, CurrentText: "Coming soon", DiscountPercent: catalog.NoPercent, Source: catalog.SourceDoubtful}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := read(t, price(tt.members))
			if diff := cmp.Diff(&tt.want, l.Price); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReaderFields checks that every field of the format is read.
func TestReaderFields(t *testing.T) {
	got := read(t, fullLine)
	want := fullListing()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const fullLine = `{"platform":"pcstore","region":"JPN","product":"offer-1","family":"f1","familyName":"Star Forge","slug":"star-forge","aliases":["star-forge-2026"],"titleIds":["PPSA00001","CUSA00002"],"title":"スターフォージ","locale":"ja-JP","titles":{"en":"Star Forge","ru":"Звёздная кузница"},"invariantName":"Star Forge Deluxe","edition":"デラックス","type":"edition","demo":true,"description":"Line 1\n\"quoted\" \\ & <b>","publisher":"Publisher","developer":"Developer","storeUrl":"https://pc.example/p/star-forge?a=1&b=2","releaseDate":"2026-10-01","genres":["RPG","Action"],"platforms":["Windows"],"rating":{"age":"18","system":"CERO"},"images":{"thumbnail":"https://img.example/t.jpg","cover":"https://img.example/c.jpg","logo":"https://img.example/l.png","screenshots":["https://img.example/1.jpg","https://img.example/2.jpg"]},"members":["offer-2","offer-3"],"popularity":12.5,"price":{"currency":"JPY","base":780000,"current":390000,"baseText":"¥7,800","currentText":"¥3,900","discountPercent":50,"discountLabel":"Autumn Sale","discountEndsAt":"2026-12-01T14:59:59.999Z","trial":true,"subscription":true,"source":"graphql"},"observedAt":"2026-11-20T03:00:00.123Z","firstSeenAt":"2025-01-01T00:00:00Z","pricedAt":"2026-11-19T00:00:00Z","withdrawn":true}`

func fullListing() catalog.Listing {
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.PCStore, Region: catalog.MustRegion("JP"), Product: "offer-1"},
		Facts: catalog.Facts{
			Family: "f1", FamilyName: "Star Forge", Slug: "star-forge", Aliases: []string{"star-forge-2026"},
			TitleIDs: []string{"PPSA00001", "CUSA00002"}, Title: "スターフォージ",
			Titles:        []catalog.LocalTitle{{Locale: "en", Title: "Star Forge"}, {Locale: "ru", Title: "Звёздная кузница"}},
			InvariantName: "Star Forge Deluxe", Edition: "デラックス", Type: catalog.EditionType, Demo: true,
			Platforms: []string{"Windows"}, Members: []string{"offer-2", "offer-3"},
		},
		Locale: "ja-JP",
		Prose: catalog.Prose{
			Description: "Line 1\n\"quoted\" \\ & <b>", Publisher: "Publisher", Developer: "Developer",
			ReleaseDate: "2026-10-01", Genres: []string{"RPG", "Action"}, RatingAge: "18", RatingSystem: "CERO",
			Thumbnail: "https://img.example/t.jpg", Cover: "https://img.example/c.jpg", Logo: "https://img.example/l.png",
			Screenshots: []string{"https://img.example/1.jpg", "https://img.example/2.jpg"},
		},
		StoreURL: "https://pc.example/p/star-forge?a=1&b=2", Popularity: 12.5,
		Price: &catalog.Price{
			Currency: "JPY", Base: 780000, Current: 390000, BaseText: "¥7,800", CurrentText: "¥3,900", DiscountPercent: 50,
			DiscountLabel: "Autumn Sale", DiscountEndsAt: 1796137199999, Trial: true, Subscription: true, Source: "graphql",
		},
		ObservedAt: 1795143600123, FirstSeenAt: 1735689600000, PricedAt: 1795046400000, Withdrawn: true,
	}
}
