package api_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/index"
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

// TestSearchOfDistinctGames compares a search for the first card of each game with all hits.
func TestSearchOfDistinctGames(t *testing.T) {
	w := newWorld(t, unlimited)
	repeats := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := drawBrowsed(rt)
		for i := range s.in.Cards {
			c := &s.in.Cards[i]
			c.Title = rapid.SampledFrom([]string{"Nova", "Nova Star", "Star"}).Draw(rt, "title")
			c.Titles, c.Names = []string{c.Title}, []catalog.Name{{Text: c.Title}}
		}
		w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		query := url.Values{"q": {"nova"}, "limit": {"100"}}
		find := func() (ids []string, total int) {
			var answer struct {
				Data struct {
					Results []struct{ ID string }
					Total   int
				}
			}
			r := w.get("/catalog/search?" + query.Encode())
			if err := json.Unmarshal(r.want(200).body, &answer); err != nil {
				rt.Fatal(err)
			}
			for _, hit := range answer.Data.Results {
				ids = append(ids, hit.ID)
			}
			return ids, answer.Data.Total
		}
		all, _ := find()
		want := firstOfGames(s, all, func(id string) string { return id })
		repeats += len(all) - len(want)
		query.Set("distinct", "games")
		if got, total := find(); !slices.Equal(got, want) || total != len(want) {
			rt.Fatalf("%v: %v, total %d; want %v of %v", query, got, total, want, all)
		}
		query.Set("offset", "1")
		if got, total := find(); !slices.Equal(got, want[min(1, len(want)):]) || total != len(want) {
			rt.Fatalf("%v: %v, total %d; want the rest of %v", query, got, total, want)
		}
	})
	if repeats == 0 {
		t.Error("no search found two cards of a game: the test compares nothing")
	}
}
