package index_test

import (
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// TestGames lists the games of a catalog, each as the ids of its cards.
func TestGames(t *testing.T) {
	s := newSample("UA")
	console := func(id, family, title string, change ...func(*catalog.Card)) {
		s.console(id, family, title, s.rows("p-"+id, "UA"), change...)
	}
	pc := func(slug, title string, change ...func(*catalog.Card)) {
		s.pc(slug, title, []catalog.Offer{{Type: catalog.Game, Rows: s.rows("p-"+slug, "UA")}}, change...)
	}
	kind := func(of catalog.Type, class catalog.Class) func(*catalog.Card) {
		return func(c *catalog.Card) { c.Type, c.Class = of, class }
	}
	edition, dlc := kind(catalog.EditionType, catalog.GameClass), kind(catalog.DLC, catalog.AddOnClass)

	console("FORGE_P4", "forge", "Star Forge")
	console("FORGE_P5", "forge", "Star Forge")
	console("FORGE_DX", "forge", "Star Forge - Deluxe", edition)
	console("FORGE_DM", "forge", "Star Forge", kind(catalog.Game, catalog.DemoClass))
	pc("star-forge", "STAR FORGE™")
	pc("star-forge-goty", "Star Forge - Deluxe", kind(catalog.Bundle, catalog.GameClass)) // another type

	console("SKINS_P4", "forge", "Skins", dlc)
	console("SKINS_P5", "forge", "skins", dlc)
	console("HATS", "forge", "Hats", dlc)
	console("SKINS_OT", "other", "Skins", dlc)
	pc("skins", "Skins", dlc)
	console("STAR_P4", "forge", "★", dlc) // nothing is left of these titles
	console("STAR_P5", "forge", "★", dlc)
	console("HEART", "forge", "♥", dlc)

	console("WITCHER", "witcher", "Відьмак", func(c *catalog.Card) { c.InvariantName = "The Witcher" })
	pc("the-witcher", "The Witcher")

	console("FORGE_MOON", "moon", "Forge & Moon")
	pc("forge-and-moon", "Forge and Moon")
	console("SAGA_7", "saga", "Saga VII + Maps")
	pc("saga-7", "Saga 7 plus Maps")
	console("HERO_X", "hero x", "Hero X") // not the tenth
	pc("hero-10", "Hero 10")

	console("PREY_06", "prey 2006", "Prey") // two games of one store: which one is meant is not known
	console("PREY_17", "prey 2017", "Prey")
	pc("prey", "Prey")

	console("TWIN", "twin", "Twin", func(c *catalog.Card) { c.InvariantName = "Twin Remastered" }) // the names of two games
	pc("twin", "Twin")
	pc("twin-remastered", "Twin Remastered")

	console("NO_FAM_1", "", "Alone")
	console("NO_FAM_2", "", "Alone 2")
	pc("silent", "!!!") // nothing is left of the title
	console("SILENT", "silent", "???")

	snap := s.open(t)
	var got []string
	for n := range uint32(snap.Len()) {
		if snap.Games().First(n) == n {
			got = append(got, strings.Join(gameOf(snap, n), " "))
		}
	}
	slices.Sort(got)
	want := []string{
		"FORGE_DM FORGE_DX FORGE_P4 FORGE_P5 star-forge", "FORGE_MOON forge-and-moon", "HATS", "HEART", "HERO_X", "NO_FAM_1", "NO_FAM_2", "PREY_06", "PREY_17", "SAGA_7 saga-7", "SILENT", "SKINS_OT",
		"SKINS_P4 SKINS_P5", "STAR_P4 STAR_P5", "TWIN", "WITCHER the-witcher", "hero-10", "prey", "silent", "skins", "star-forge-goty", "twin", "twin-remastered",
	}
	if !slices.Equal(got, want) {
		t.Errorf("games:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// gameOf returns the ids of the cards that are the same game as card n, sorted.
func gameOf(s *index.Snapshot, n uint32) []string {
	ids := []string{s.Card(int(n)).ID()}
	for other := range s.Games().Others(n) {
		ids = append(ids, s.Card(int(other)).ID())
	}
	slices.Sort(ids)
	return ids
}
