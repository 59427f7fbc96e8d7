package pcstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

func categories(paths ...string) []any {
	var list []any
	for _, path := range paths {
		list = append(list, object{"path": path})
	}
	return list
}

func attributes(pairs ...any) []any {
	var list []any
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, object{"key": pairs[i], "value": pairs[i+1]})
	}
	return list
}

func TestOfferKinds(t *testing.T) {
	base := categories("games", "games/edition", "games/edition/base", "applications")
	tests := []struct {
		name  string
		offer object
		want  string // empty: not listed
	}{
		{"the game", offer("a"), "base"},
		{"an edition", offer("a", "offerType", "EDITION"), "edition"},
		{"a free weekend", offer("a", "offerType", "EDITION", "title", "Star Forge - Free Weekend"), "game demo"},
		{"a free weekend in Russian", offer("a", "offerType", "EDITION", "title", "Звёздная кузня: бесплатные выходные"), "game demo"},
		{"a demo among the editions", offer("a", "offerType", "EDITION", "title", "Star Forge: DEMO"), "game demo"},
		{"an edition of a game with such a name", offer("a", "offerType", "EDITION", "title", "Demon Weekend Deluxe"), "edition"},
		{"a bundle", offer("a", "offerType", "BUNDLE"), "bundle"},
		{"a demo", offer("a", "offerType", "DEMO"), "game demo"},
		{"an add-on", offer("a", "offerType", "ADD_ON"), "dlc"},
		{"a soundtrack", offer("a", "offerType", "DIGITAL_EXTRA"), "dlc"},
		{"coins", offer("a", "offerType", "VIRTUAL_CURRENCY", "categories", categories("hidden")), "dlc"},
		{"a season pass", offer("a", "offerType", "DLC", "title", "Star Forge: SEASON PASS 2"), "season-pass"},
		{"a season pass in Ukrainian", offer("a", "offerType", "DLC", "title", "Зоряна кузня – Сезонний пропуск"), "season-pass"},
		{"a game is no season pass", offer("a", "title", "Season Pass Simulator"), "base"},
		{"a wallet", offer("a", "offerType", "WALLET"), ""},
		{"an old game", offer("a", "offerType", nil, "categories", base), "base"},
		{"null is no type either", offer("a", "offerType", null, "categories", base), "base"},
		{"an old edition", offer("a", "offerType", nil, "categories", categories("games", "games/edition", "applications")), "edition"},
		{"an old bundle", offer("a", "offerType", nil, "categories", categories("bundles", "games", "bundles/games")), "bundle"},
		{"an old add-on", offer("a", "offerType", nil, "categories", categories("addons", "games", "addons/durable")), "dlc"},
		{"an old soundtrack", offer("a", "offerType", nil, "categories", categories("digitalextras/soundtrack", "games")), "dlc"},
		{"an old demo", offer("a", "offerType", nil, "categories", categories("games", "games/edition", "games/demo")), "game demo"},
		{"a test audience", offer("a", "offerType", nil, "categories", categories("games", "applications")), ""},
		{"no category at all", offer("a", "offerType", nil), ""},
		{"a new type, by category", offer("a", "offerType", "STARTER_KIT", "categories", categories("addons")), "dlc"},
		{"a mystery giveaway", offer("a", "offerType", "OTHERS", "categories", base, "price", cost("EUR", 2, 0, 0, "0", "0")), ""},
		{"an unveiled giveaway", offer("a", "offerType", "OTHERS", "categories", base, "price", cost("EUR", 2, 999, 0, "9,99 €", "0")), "base"},
		{"inactive", offer("a", "status", "SUNSET"), ""},
		{"not yet to be seen", offer("a", "viewableDate", "2026-11-20T12:00:01.000Z"), ""},
		{"just to be seen", offer("a", "viewableDate", "2026-11-20T12:00:00.000Z"), "base"},
		{"expired", offer("a", "expiryDate", "2026-11-20T12:00:00.000Z"), ""},
		{"a pre-order beside the game", offer("a", "customAttributes", attributes("isPrepurchase", "true")), "game"},
		{"expires later", offer("a", "expiryDate", "2026-11-21T12:00:00.000Z"), "base"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := one(t, tt.offer).mustRead("UA", sweep.Prices, "")
			got := ""
			for _, p := range page.Parts {
				got = p.Facts.Type.String()
				if p.Facts.Demo {
					got += " demo"
				}
			}
			if got != tt.want || len(page.Items) != len(page.Parts) || page.Interrupted {
				t.Errorf("it is %q, want %q; page is %s", got, tt.want, written(page))
			}
		})
	}
}

func TestAnnounced(t *testing.T) {
	preorder := attributes("isPrepurchase", "true")
	for _, tt := range []struct {
		name  string
		offer object
		sold  bool
	}{
		{"on sale", offer("a"), true},
		{"on sale from now on", offer("a", "effectiveDate", "2026-11-20T12:00:00.000Z"), true},
		{"on sale later", offer("a", "effectiveDate", "2026-11-20T12:00:01.000Z"), false},
		{"some day", offer("a", "effectiveDate", "2099-01-01T00:00:00.000Z"), false},
		{"a pre-order", offer("a", "effectiveDate", "2026-12-20T12:00:00.000Z", "customAttributes", preorder), true},
		{"a pre-order without a price", offer("a", "effectiveDate", "2026-12-20T12:00:00.000Z", "customAttributes", preorder, "price", cost("EUR", 2, 0, 0, "0", "0")), false},
		{"for codes alone", offer("a", "isCodeRedemptionOnly", true), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := one(t, tt.offer).mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != 1 || page.Parts[0].Shows&sweep.ShowsPrice == 0 || (page.Parts[0].Price != nil) != tt.sold {
				t.Errorf("page is %s", written(page))
			}
		})
	}
}

// TestCountries checks that countries of a price region share prices, but not
// which offers are sold.
func TestCountries(t *testing.T) {
	for _, tt := range []struct {
		name  string
		offer object
		want  string
	}{
		{"no list", offer("a"), "DE AT FR"},
		{"null lists", offer("a", "countriesBlacklist", null, "countriesWhitelist", null), "DE AT FR"},
		{"a black list", offer("a", "countriesBlacklist", []any{"AT", "KR"}), "DE FR"},
		{"a white list", offer("a", "countriesWhitelist", []any{"DE", "US"}), "DE"},
		{"an empty white list", offer("a", "countriesWhitelist", []any{}), "DE AT FR"},
		{"both", offer("a", "countriesWhitelist", []any{"DE", "AT"}, "countriesBlacklist", []any{"DE"}), "AT"},
		{"a black list in a text", offer("a", "countriesBlacklist", "at,FR"), "DE"},
		{"an attribute", offer("a", "customAttributes", attributes("com.pc.example.app.blacklist", "DE,CN")), "AT FR"},
		{"an attribute that is no list", offer("a", "customAttributes", attributes("com.pc.example.app.blacklist", "[]")), "DE AT FR"},
		{"one that is another none", offer("a", "customAttributes", attributes("com.pc.example.app.blacklist", "{}")), "DE AT FR"},
		{"the empty text", offer("a", "customAttributes", attributes("com.pc.example.app.blacklist", "")), "DE AT FR"},
		{"nowhere", offer("a", "countriesWhitelist", []any{"US"}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := one(t, tt.offer).mustRead("DE", sweep.Prices, "")
			var got []string
			for i, p := range page.Parts {
				got = append(got, p.Region.String())
				if i > 0 && p.Price == page.Parts[0].Price {
					t.Error("two countries share one price in memory")
				}
			}
			if strings.Join(got, " ") != tt.want || (len(page.Items) == 1) != (tt.want != "") {
				t.Errorf("listed in %s, want %s; items %v", got, tt.want, page.Items)
			}
		})
	}
}

func TestEditionName(t *testing.T) {
	const stalker = "S.T.A.L.K.E.R. 2: Heart of Chernobyl"
	for _, tt := range []struct {
		title, game, want string
		guess             bool
	}{
		{"Star Forge Deluxe Edition", "Star Forge", "Deluxe Edition", false},
		{"Star Forge - Deluxe Edition", "Star Forge", "Deluxe Edition", false},
		{"STAR FORGE: Gold", "Star Forge", "Gold", false},
		{"Star Forge™ Ultimate", "Star Forge", "Ultimate", false},
		{"Star Forge Ultimate", "Star Forge™", "Ultimate", false},
		{"Star Forge: Ultimate", "Star Forge® Standard Edition", "Ultimate", false},
		{"Star Forge + Soundtrack Bundle", "Star Forge", "", false}, // another product
		{"Star Forge Remastered Gold", "Star Forge", "Gold", false},
		{"Star Forge (2005)", "Star Forge", "", false},
		{"Star Forger - Remastered", "Star Forge", "", true},
		{"Star Forge – Edycja cyfrowa", "Star Forge", "Edycja cyfrowa", false},
		{"Star Forge", "Star Forge", "", false},
		{stalker + " Deluxe Edition", stalker, "Deluxe Edition", false},
		{"S.T.A.L.K.E.R. 2 Heart of Chernobyl - Deluxe Edition", stalker + "™", "Deluxe Edition", false},
		{"S.T.A.L.K.E.R. 2: Heart of Chornobyl Deluxe Edition", stalker, "Deluxe Edition", true},
		{stalker + " Deluxe Edition", "", "Deluxe Edition", true},
		{"Star Forger Deluxe", "Star Forge", "Deluxe", true}, // another game
		{"The Forge of Stars - Gold", "Star Forge", "Gold", true},
		{"Star Forger: Ashes - Gold Album", "Star Forge", "Gold Album", true},
		{"Star Forger: Ashes", "Star Forge", "", true},
		{"Deluxe Edition", "Star Forge", "Deluxe Edition", true},
	} {
		s := (&shop{search: finds(offer("e", "offerType", "EDITION", "title", tt.title), offer("a", "title", tt.game))}).open(t)
		got := s.mustRead("UA", sweep.Prices, "").Parts[0]
		if got.Facts.Edition != tt.want || (got.Guesses&sweep.ShowsEdition != 0) != tt.guess || (got.Shows&sweep.ShowsEdition == 0) != tt.guess {
			t.Errorf("edition of %q is %q (guesses %b), want %q, guess %t", tt.title, got.Facts.Edition, got.Guesses, tt.want, tt.guess)
		}
	}
}

// TestProse checks values that the store shows in several places, and
// placeholders.
func TestProse(t *testing.T) {
	const both, guess = sweep.ShowsPublisher | sweep.ShowsDeveloper, "guess "
	word := func(p sweep.Part, value string, field sweep.Shows) string {
		if p.Guesses&field != 0 {
			return guess + value
		}
		if p.Shows&field == 0 && value != "" {
			t.Errorf("%q is neither shown nor guessed", value)
		}
		return value
	}
	for _, tt := range []struct {
		name  string
		offer object
		want  string
	}{
		{"its own fields", offer("a", "publisherDisplayName", "Anvil", "developerDisplayName", "Smiths", "seller", object{"name": "S"}), "Anvil|Smiths|guess 2024-05-02"},
		{"attributes", offer("a", "customAttributes", attributes("publisherName", "Anvil", "developerName", "Smiths")), "guess Anvil|guess Smiths|guess 2024-05-02"},
		{"no publisher but a seller", offer("a", "seller", object{"name": "Anvil Trading"}), "guess Anvil Trading||guess 2024-05-02"},
		{"placeholders", offer("a", "customAttributes", attributes("publisherName", "[]", "developerName", "{}")), "||guess 2024-05-02"},
		{"a release date", offer("a", "releaseDate", "2023-01-16T23:00:00.000Z"), "||2023-01-16"},
		{"one for this store", offer("a", "releaseDate", "2023-01-16T23:00:00.000Z", "pcReleaseDate", "2022-12-01T00:00:00Z"), "||2022-12-01"},
		{"none yet", offer("a", "releaseDate", "2099-01-01T00:00:00.000Z", "effectiveDate", "2050-08-01T10:05:00.000Z"), "||"},
		{"no date", offer("a", "releaseDate", "soon", "effectiveDate", null), "||"},
		{"the sale of a pre-order", offer("a", "customAttributes", attributes("isPrepurchase", true)), "||"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := one(t, tt.offer).mustRead("UA", sweep.Prices, "").Parts[0]
			if p.Shows&both&p.Guesses != 0 {
				t.Error("a field is both shown and guessed")
			}
			got := fmt.Sprintf("%s|%s|%s", word(p, p.Prose.Publisher, sweep.ShowsPublisher),
				word(p, p.Prose.Developer, sweep.ShowsDeveloper), word(p, p.Prose.ReleaseDate, sweep.ShowsReleaseDate))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTextsAndImages(t *testing.T) {
	shown := offer("a", "description", " Forge <stars>. ", "tags", []any{object{"id": "1"}, object{"id": "2", "name": "Action", "groupName": "genre"}, object{"name": "Co-op", "groupName": "feature"}, object{"name": "Winter Sale"}},
		"keyImages", []any{
			object{"type": "OfferImageTall", "url": "https://img.pc.example/tall.jpg"},
			object{"type": "OfferImageTall", "url": "https://img.pc.example/other.jpg"},
			object{"type": "Thumbnail", "url": "https://img.pc.example/thumb.jpg"},
			object{"type": "DieselGameBoxLogo", "url": "https://img.pc.example/logo.png"},
			object{"type": "Screenshot", "url": "https://img.pc.example/1.jpg"},
			object{"type": "featuredMedia", "url": "https://img.pc.example/2.jpg"},
			object{"type": "GalleryImage", "url": "//img.pc.example/3.jpg"},
			object{"type": "OfferImageWide", "url": "https://img.pc.example/wide.jpg"},
		})
	page := func(texts, images bool) sweep.Part {
		s := (&shop{texts: texts, images: images, search: finds(shown)}).open(t)
		return s.mustRead("UA", sweep.Prices, "").Parts[0]
	}
	without := page(false, false)
	if d := cmp.Diff(catalog.Prose{ReleaseDate: "2024-05-02", Genres: []string{"Action"}}, without.Prose); d != "" {
		t.Errorf("without texts and images (-want +got):\n%s", d)
	}
	if without.Shows&(sweep.ShowsDescription|sweep.ShowsImages) != 0 {
		t.Error("texts or images are shown although they are off")
	}
	with := page(true, true)
	want := catalog.Prose{
		ReleaseDate: "2024-05-02", Genres: []string{"Action"}, Description: "Forge <stars>.",
		Cover: "https://img.pc.example/tall.jpg", Thumbnail: "https://img.pc.example/thumb.jpg", Logo: "https://img.pc.example/logo.png",
		Screenshots: []string{"https://img.pc.example/1.jpg", "https://img.pc.example/2.jpg"},
	}
	if d := cmp.Diff(want, with.Prose); d != "" {
		t.Errorf("with texts and images (-want +got):\n%s", d)
	}
	const fields = sweep.ShowsDescription | sweep.ShowsImages
	if with.Shows&fields != fields || with.Guesses&sweep.ShowsGenres == 0 {
		t.Errorf("shows %b guesses %b", with.Shows, with.Guesses)
	}
}
