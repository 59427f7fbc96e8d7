package merge_test

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/money"
	. "gamedex/internal/testing/catalogtest"
)

// offer returns an offer of the slug "forge".
func offer(region, product string, typ catalog.Type, options ...Option) catalog.Listing {
	return PC(region, product, "forge", append([]Option{Type(typ), Title(product)}, options...)...)
}

// TestLeadingOffer checks which offer provides the facts, type and title of a
// PC card.
func TestLeadingOffer(t *testing.T) {
	tests := []struct {
		name  string
		lines []catalog.Listing
		title string
		typ   catalog.Type
	}{
		{"the base offer, though dearer and in no active region", []catalog.Listing{
			offer("US", "b", catalog.Base, Price("USD", 900)), offer("TR", "a", catalog.Game, Price("TRY", 1)),
		}, "b", catalog.Game},
		{"without one the cheapest game", []catalog.Listing{
			offer("TR", "a", catalog.Game, Price("TRY", 900)), offer("TR", "b", catalog.Game, Price("TRY", 500)),
			offer("TR", "c", catalog.EditionType, Price("TRY", 1)),
		}, "b", catalog.Game},
		{"cheapest where an active region has prices", []catalog.Listing{
			offer("DE", "a", catalog.Game, Price("EUR", 1)), offer("PL", "a", catalog.Game, Price("PLN", 900)),
			offer("DE", "b", catalog.Game, Price("EUR", 2)), offer("PL", "b", catalog.Game, Price("PLN", 500)),
			offer("UA", "a", catalog.Game), offer("PL", "c", catalog.Game),
		}, "b", catalog.Game},
		{"ties by id", []catalog.Listing{
			offer("TR", "b", catalog.Game, Price("TRY", 5)), offer("TR", "a", catalog.Game, Price("TRY", 5)),
		}, "a", catalog.Game},
		{"then the cheapest edition", []catalog.Listing{
			offer("TR", "a", catalog.Bundle, Price("TRY", 1)), offer("TR", "b", catalog.EditionType, Price("TRY", 5), Edition("Gold")),
		}, "b - Gold", catalog.EditionType},
		{"then the cheapest bundle", []catalog.Listing{
			offer("TR", "a", catalog.DLC, Price("TRY", 1)), offer("TR", "b", catalog.Bundle),
		}, "b", catalog.Bundle},
		{"else the first by id", []catalog.Listing{
			offer("TR", "b", catalog.DLC, Price("TRY", 1)), offer("TR", "a", catalog.SeasonPass),
		}, "a", catalog.SeasonPass},
		{"the base offer is the game, whatever edition it names", []catalog.Listing{
			offer("TR", "b Gold", catalog.Base, Edition("Gold")),
		}, "b Gold", catalog.Game},
		{"base in one region is base in all", []catalog.Listing{
			offer("TR", "b", catalog.Game, Price("TRY", 900)), offer("PL", "b", catalog.Base), offer("TR", "a", catalog.Game, Price("TRY", 1)),
		}, "b", catalog.Game},
		{"a game before its demo", []catalog.Listing{
			offer("TR", "a", catalog.Game, Demo(), Price("TRY", 0)), offer("TR", "b", catalog.Game, Price("TRY", 500)),
		}, "b", catalog.Game},
		{"a demo alone", []catalog.Listing{
			offer("TR", "a", catalog.Game, Demo(), Price("TRY", 0)),
		}, "a - Demo", catalog.Game},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			card := cardOf(t, tt.lines[0].Product, tt.lines...)
			if card.Title != tt.title || card.Type != tt.typ || card.ID != "forge" {
				t.Errorf("card %s is %s %q, want forge, %s %q", card.ID, card.Type, card.Title, tt.typ, tt.title)
			}
		})
	}
}

// TestSlugOfManyOffers checks that the cheapest offer leads, also in a feed with one
// placeholder slug for every product.
func TestSlugOfManyOffers(t *testing.T) {
	const offers = 5_000
	lines := make([]catalog.Listing, offers)
	for i := range lines {
		lines[i] = offer("TR", fmt.Sprintf("p%05d", i), catalog.Game, Price("TRY", money.Amount(offers-i)))
	}
	if card := cardOf(t, "p00000", lines...); len(card.Offers) != offers || card.Title != "p04999" {
		t.Errorf("%d offers led by %q, want %d led by the cheapest", len(card.Offers), card.Title, offers)
	}
}

func TestPCCard(t *testing.T) {
	card := cardOf(t, "base",
		offer("TR", "base", catalog.Base, Title("Forge"), Locale("tr"), Aliases("old-forge", "forge"), Platforms("Windows"),
			Prose(catalog.Prose{Cover: "c"}), StoreURL("https://x.example/p/forge"), Popularity(1)),
		offer("PL", "base", catalog.Base, Title("Kuźnia"), Locale("pl")),
		offer("TR", "gold", catalog.EditionType, Title("Forge Gold"), Edition("Gold"), Popularity(5), Platforms("Mac"),
			Prose(catalog.Prose{Cover: "g", Logo: "g"}), Price("TRY", 900)),
		offer("PL", "gold", catalog.EditionType, Title("Kuźnia złota"), Edition("Złota")),
		offer("IN", "gold", catalog.EditionType, Title("Forge Gold"), Price("INR", 7)),
		offer("IN", "pack", catalog.Bundle, Title("Forge Pack"), Price("INR", 1)),
		offer("DE", "hat", catalog.DLC, Title("A Hat"), Also("pl", "Kapelusz"), Price("EUR", 1)),
	)
	texts := []catalog.Texts{{Language: "pl", Title: "Kuźnia"}, {Language: "tr", Title: "Forge"}}
	want := catalog.Card{
		ID: "forge", Aliases: []string{"old-forge"}, Platform: catalog.PCStore, Class: catalog.GameClass, Type: catalog.Game,
		Family: "forge", Title: "Forge", Titles: []string{"Forge", "Kuźnia"},
		Names: []catalog.Name{
			{Text: "Forge"}, {Text: "Kuźnia", Shown: 1},
			{Text: "Forge Gold", Shown: catalog.NotOwn}, {Text: "Kuźnia złota", Shown: catalog.NotOwn},
			{Text: "Forge Pack", Shown: catalog.NotOwn}, {Text: "A Hat", Shown: catalog.NotOwn}, {Text: "Kapelusz", Shown: catalog.NotOwn},
		},
		Texts:     texts,
		Platforms: []string{"Mac", "Windows"}, Popularity: 5, FirstSeen: Day(1),
		Prose: catalog.ProseChoice{Cover: 1}, StoreURL: "https://x.example/p/forge",
		Rows: []uint32{4, 1, 0}, // India has no base offer: its edition; Germany sells a hat alone
		Lead: "base",
		Offers: []catalog.Offer{
			{ID: "base", Title: "Forge", Type: catalog.Base, Rows: []uint32{1, 0}, Texts: texts},
			{ID: "gold", Title: "Forge Gold", Type: catalog.EditionType, Edition: "Gold", Rows: []uint32{4, 3, 2}},
			{ID: "pack", Title: "Forge Pack", Type: catalog.Bundle, Rows: []uint32{5}},
			{ID: "hat", Title: "A Hat", Type: catalog.DLC, Rows: []uint32{6}, Texts: []catalog.Texts{{Language: "pl", Title: "Kapelusz"}}},
		},
	}
	if d := diff(want, card); d != "" {
		t.Errorf("card (-want +got):\n%s", d)
	}
}

func TestOverriddenOffer(t *testing.T) {
	entries := Entries(offer("TR", "a", catalog.Base), offer("TR", "b", catalog.Game, Edition("Gold")), offer("PL", "c", catalog.Game))
	plain, season, none := "Plain", catalog.SeasonPass, ""
	groups := merge.Merge(entries, override.New(
		override.Rule{Platform: catalog.PCStore, Product: "b", Edition: &none, Type: &season},
		override.Rule{Platform: catalog.PCStore, Product: "c", Edition: &plain},
	))
	card := merge.Compose(groups[:1], entries, Regions("TR"), nil)[0]
	want := []catalog.Offer{
		{ID: "a", Title: "a", Type: catalog.Base, Rows: []uint32{0}},
		{ID: "c", Title: "c", Type: catalog.Game, Pinned: true, Edition: "Plain", Rows: []uint32{2}},
		{ID: "b", Title: "b", Type: catalog.SeasonPass, Pinned: true, Rows: []uint32{1}},
	}
	if d := diff(want, card.Offers); d != "" {
		t.Errorf("offers (-want +got):\n%s", d)
	}
}

// TestOneProductUnderTwoSlugs checks that a slug is one card, even where
// regions list one product under several slugs.
func TestOneProductUnderTwoSlugs(t *testing.T) {
	entries := Entries(PC("UA", "p", "forge", Title("Forge")), PC("TR", "p", "ocak", Title("Ocak")), PC("PL", "p", "forge", Title("Forge")))
	got := map[string][]uint32{}
	for _, g := range merge.Merge(entries, override.Set{}) {
		got[g.ID] = g.Entries
	}
	if d := diff(map[string][]uint32{"forge": {2, 0}, "ocak": {1}}, got); d != "" {
		t.Errorf("cards (-want +got):\n%s", d)
	}
}
