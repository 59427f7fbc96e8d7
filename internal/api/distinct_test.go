package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
)

// plainGames numbers the games of a catalog by the plain reading of the contract: two cards
// are the same game if they have the same number.
func plainGames(cards []catalog.Card) map[string]int {
	game := map[string]int{}
	for i := range cards {
		game[cards[i].ID] = i
	}
	joinAll := func(same func(a, b *catalog.Card) bool) {
		for i := range cards {
			for j := range cards {
				if from, to := game[cards[j].ID], game[cards[i].ID]; same(&cards[i], &cards[j]) {
					for id, g := range game {
						if g == from {
							game[id] = to
						}
					}
				}
			}
		}
	}
	joinAll(func(a, b *catalog.Card) bool {
		if a.Platform != catalog.ConsoleStore || b.Platform != catalog.ConsoleStore || a.Family != b.Family || a.Family == "" {
			return false
		}
		if a.Class == catalog.AddOnClass && b.Class == catalog.AddOnClass {
			return fold.Fold(a.Title) == fold.Fold(b.Title) && (fold.Fold(a.Title) != "" || a.Title == b.Title)
		}
		return a.Class == catalog.GameClass && (b.Class == catalog.GameClass || b.Class == catalog.DemoClass)
	})
	families := map[string]int{}
	for id, g := range game {
		families[id] = g
	}
	of := func(name string, kind catalog.Type, p catalog.Platform) map[int]bool { // the games that have a name in a store
		found := map[int]bool{}
		for _, c := range cards {
			if c.Platform == p && c.Class == catalog.GameClass && c.Type == kind && slices.Contains(namesOf(&c), name) {
				found[families[c.ID]] = true
			}
		}
		return found
	}
	meansOneGame := func(name string, kind catalog.Type) bool {
		return name != "" && len(of(name, kind, catalog.ConsoleStore)) == 1 && len(of(name, kind, catalog.PCStore)) == 1
	}
	contradicted := func(name string, kind catalog.Type) bool {
		return slices.ContainsFunc(cards, func(c catalog.Card) bool {
			return c.Class == catalog.GameClass && c.Type == kind && slices.Contains(namesOf(&c), name) && slices.ContainsFunc(namesOf(&c), func(second string) bool {
				return meansOneGame(second, kind) && (!maps.Equal(of(name, kind, catalog.ConsoleStore), of(second, kind, catalog.ConsoleStore)) ||
					!maps.Equal(of(name, kind, catalog.PCStore), of(second, kind, catalog.PCStore)))
			})
		})
	}
	joinAll(func(a, b *catalog.Card) bool {
		return a.Platform != b.Platform && a.Class == catalog.GameClass && b.Class == catalog.GameClass && a.Type == b.Type &&
			slices.ContainsFunc(namesOf(a), func(name string) bool {
				return slices.Contains(namesOf(b), name) && meansOneGame(name, a.Type) && !contradicted(name, a.Type)
			})
	})
	return game
}

func namesOf(c *catalog.Card) []string {
	return []string{fold.Fold(c.Title), fold.Fold(c.InvariantName)}
}

// firstOfGames returns the first item of each game.
func firstOfGames[T any](s *sample, list []T, id func(T) string) []T {
	games, seen := plainGames(s.in.Cards), map[int]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool {
		repeated := seen[games[id(item)]]
		seen[games[id(item)]] = true
		return repeated
	})
}

// cheapestOfGames returns the deal of each game with the lowest price in dollars, of equal ones
// the first.
func (p *plainDeals) cheapestOfGames(s *sample, list []plainDeal) []plainDeal {
	byPrice := slices.Clone(list)
	slices.SortStableFunc(byPrice, func(a, b plainDeal) int { return cmp.Compare(dollars(a), dollars(b)) })
	cheapest := map[string]bool{}
	for _, d := range firstOfGames(s, byPrice, func(d plainDeal) string { return d.ID }) {
		cheapest[d.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(d plainDeal) bool { return !cheapest[d.ID] })
}

func dollars(d plainDeal) float64 {
	if d.shown.USD == nil {
		return math.Inf(1)
	}
	return *d.shown.USD
}

// TestDistinctSearch searches for games of which one has two cards. The lists of browse and deals
// are compared with plain ones at random.
func TestDistinctSearch(t *testing.T) {
	s := newSample()
	for i, family := range []string{"1", "1", "2"} {
		s.console(catalog.Card{ID: fmt.Sprint("NOVA000", i), Family: family, Type: catalog.Game, Title: "Nova " + family, Popularity: float64(3 - i)},
			fmt.Sprint("P", i), "", offer{"UA", number("UAH", 9000)})
	}
	w := worldOf(t, s)
	for query, want := range map[string]string{
		"distinct=games": "NOVA0000 NOVA0002", "distinct=GAMES&limit=1": "NOVA0000", "distinct=games&offset=1": "NOVA0002",
	} {
		r := w.get("/catalog/search?q=nova&"+query).want(200).is("data.total", "2")
		if got := strings.Join(idsIn(t, r.body), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
