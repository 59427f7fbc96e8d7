package index_test

import (
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index/pack"
	ct "gamedex/internal/testing/catalogtest"
)

// TestFromListings goes the whole way: lines of a feed, merged, composed,
// packed, opened, read.
func TestFromListings(t *testing.T) {
	game := []ct.Option{ct.Family("1"), ct.FamilyName("Star Forge"), ct.Name("Star Forge")}
	deluxe := []ct.Option{ct.Family("1"), ct.FamilyName("Star Forge"), ct.Name("Star Forge Deluxe Edition"), ct.Edition("Deluxe Edition")}
	with := func(common []ct.Option, own ...ct.Option) []ct.Option { return append(slices.Clone(common), own...) }
	var store ct.Listings
	store.Apply(
		ct.Console("UA", "EP1-STAR", with(game, ct.Title("Зоряна кузня"), ct.TitleIDs("CUSA00001"), ct.Price("UAH", 199900), ct.StoreURL("https://c.example/ua/EP1-STAR"))...),
		ct.Console("US", "UP1-STAR", with(game, ct.Title("Star Forge"), ct.TitleIDs("CUSA00002"), ct.Price("USD", 5999),
			ct.Prose(catalog.Prose{Publisher: "Sample Games"}))...),
		ct.Console("UA", "EP1-DELUXE", with(deluxe, ct.Title("Star Forge"), ct.Price("UAH", 299900))...),
		ct.Console("UA", "EP1-GOLD", ct.Family("1"), ct.Title("Кузня Gold"), ct.Name("Star Forge Gold"), ct.Edition("Gold")),
		ct.Console("UA", "EP1-MAP", ct.Family("1"), ct.Name("Star Forge Map"), ct.Title("Map"), ct.Type(catalog.DLC)),
		ct.Console("US", "UP1-FAR", ct.Family("2"), ct.Title("Far Away"), ct.Price("USD", 100)),
		ct.PC("TR", "base1", "star-forge", ct.Title("Star Forge"), ct.Type(catalog.Base), ct.Price("TRY", 60000)),
		ct.PC("TR", "gold1", "star-forge", ct.Title("Star Forge Gold"), ct.Edition("Gold"), ct.Type(catalog.EditionType)),
	)
	table, active := store.Table(), ct.Regions("UA", "TR")
	s := &sample{prose: map[catalog.ProseID]*catalog.Prose{}}
	for id := range table.Prose {
		s.prose[catalog.ProseID(id)] = &table.Prose[id]
	}
	groups := merge.Merge(table.Entries, override.Set{})
	s.in = pack.Input{Entries: table.Entries, Active: active, Prose: s.prose,
		Cards: merge.ComposeAll(groups, table.Entries, active, table.Fields)}
	snap := s.open(t)

	for q, want := range map[string]string{
		"зоряна кузня": "Зоряна кузня", "UP1-STAR": "Зоряна кузня", "CUSA00002_00": "Зоряна кузня",
		"star forge deluxe": "Star Forge - Deluxe Edition", "far away": "", "base1": "Star Forge",
		"star forge gold": "Star Forge - Gold", "кузня gold": "Кузня - Gold", "gold": "Кузня - Gold", // an invariant name is a title
		"star forge map": "Star Forge Map", "map": "Map",
		"https://c.example/ua/EP1-STAR": "Зоряна кузня",
	} {
		found, _, _ := snap.Find(q, 0, 1, 0, false, nil)
		if len(found) != min(1, len(want)) || len(found) == 1 && found[0].Title != want {
			t.Errorf("Find(%q) = %v, want %q", q, found, want)
		}
	}
	found, _, _ := snap.Find("UP1-STAR", 0, 1, 0, false, nil)
	star := found[0].Card
	if star.Publisher() != "Sample Games" || star.Rows().Len() != 2 || star.Related().Len() != 1 || star.Variants().Len() != 2 {
		t.Errorf("card of %q: publisher %q, %d rows, %d related, %d variants",
			star.Title(), star.Publisher(), star.Rows().Len(), star.Related().Len(), star.Variants().Len())
	}
	if row := inRegion(t, snap, star.Rows(), "US"); row.Product() != "UP1-STAR" {
		t.Errorf("the row in US is of product %q", row.Product())
	}
	if pc := find(t, snap, "Star-Forge"); pc.Offers().Len() != 2 || inRegion(t, snap, pc.Rows(), "TR").Variants != 2 {
		t.Errorf("the PC card has %d offers", pc.Offers().Len())
	}
}
