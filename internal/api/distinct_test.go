package api_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/money"
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

// TestDistinctGames reads lists in which a game has several cards.
func TestDistinctGames(t *testing.T) {
	s := newSample()
	console := func(id, family string, popularity float64, cents money.Amount) {
		s.console(catalog.Card{ID: id, Family: family, Type: catalog.Game, Title: "Nova " + family, Popularity: popularity}, "P"+id, "", offer{"UA", number("UAH", 9000, off(cents, 0))})
	}
	console("NOVA1PS4", "1", 3, 6000)
	console("NOVA1PS5", "1", 2, 5000)
	console("NOVA2PS5", "2", 1, 4000)
	w := worldOf(t, s)
	for path, want := range map[string]string{
		"/catalog/browse?sort=popularity":                 "NOVA1PS4 NOVA1PS5 NOVA2PS5",
		"/catalog/browse?sort=popularity&distinct=games":  "NOVA1PS4 NOVA2PS5",
		"/catalog/browse?sort=title&distinct=GAMES":       "NOVA1PS4 NOVA2PS5",
		"/catalog/search?q=nova&distinct=games":           "NOVA1PS4 NOVA2PS5",
		"/catalog/search?q=nova&distinct=games&limit=1":   "NOVA1PS4",
		"/catalog/search?q=nova&distinct=games&offset=1":  "NOVA2PS5",
		"/catalog/deals?sort=popularity":                  "NOVA1PS4 NOVA1PS5 NOVA2PS5",
		"/catalog/deals?sort=popularity&distinct=games":   "NOVA1PS5 NOVA2PS5", // the cheaper one
		"/catalog/deals?distinct=games&maxDiscount=40":    "NOVA1PS4",
		"/catalog/deals?sort=usd&distinct=games&limit=50": "NOVA2PS5 NOVA1PS5",
	} {
		r := w.get(path).want(200)
		items, _ := r.at("data.items").([]any)
		if strings.Contains(path, "search") {
			items = r.at("data.results").([]any)
		}
		var ids []string
		for _, item := range items {
			ids = append(ids, item.(map[string]any)["id"].(string))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	w.get("/catalog/browse?distinct=games").is("data.total", "2")
	w.get("/catalog/search?q=nova&distinct=games&limit=1").is("data.total", "2")
	w.get("/catalog/deals?distinct=games&limit=1").is("data.total", "2")
}
