package consolestore_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/sweep"
)

// grid is the store's list of games, which a test can change.
type grid struct {
	games  []string
	change func(g *grid) // before every page but the first
	said   func(page fields)
}

// answer returns the requested page. Every game has one product.
func (g *grid) answer(t testing.TB) func(q question) string {
	return func(q question) string {
		var asked struct {
			PageArgs struct{ Size, Offset int }
		}
		if err := json.Unmarshal([]byte(q.Variables), &asked); err != nil {
			t.Error(err)
		}
		offset, size := asked.PageArgs.Offset, asked.PageArgs.Size
		if offset > 0 && g.change != nil {
			g.change(g)
		}
		end := min(offset+size, len(g.games))
		concepts := []fields{}
		for _, id := range g.games[min(offset, end):end] {
			concepts = append(concepts, fields{"id": id, "name": "Game " + id + " " + q.Locale, "products": []fields{{"id": "P-" + id}}})
		}
		page := fields{"concepts": concepts, "pageInfo": fields{"totalCount": len(g.games), "offset": offset, "size": size, "isLast": end == len(g.games)}}
		if g.said != nil {
			g.said(page)
		}
		return body(t, fields{"data": fields{"categoryGridRetrieve": page}})
	}
}

func games(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(10_000_000 + i)
	}
	return list
}

// sweep reads all pages of a kind and returns the games' products in order.
func (s *shop) sweep(t testing.TB, kind sweep.Kind) (products []string, interrupted bool, pages int) {
	t.Helper()
	for cursor := ""; ; pages++ {
		page := s.read(t, "UA", kind, cursor)
		products = append(products, page.Present...)
		for _, part := range page.Parts {
			products = append(products, part.Product)
		}
		interrupted = interrupted || page.Interrupted
		if cursor = page.Next; cursor == "" {
			return products, interrupted, pages + 1
		}
		if pages > 1000 {
			t.Fatal("the sweep does not end")
		}
	}
}

func products(games []string) []string {
	list := make([]string, len(games))
	for i, id := range games {
		list[i] = "P-" + id
	}
	return list
}

// TestPagesOverlap reads pages of three with an overlap of one.
func TestPagesOverlap(t *testing.T) {
	for _, tt := range []struct{ games, pages int }{{1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 3}, {7, 3}, {20, 10}} {
		t.Run(fmt.Sprint(tt.games), func(t *testing.T) {
			g := &grid{games: games(tt.games)}
			s := open(t, small(), g.answer(t))
			got, interrupted, pages := s.sweep(t, sweep.Prices)
			if interrupted || pages != tt.pages || !slices.Equal(got, products(g.games)) {
				t.Errorf("%d pages, interrupted %t: %v", pages, interrupted, got)
			}
		})
	}
}

// TestInterruptedSweeps checks the cases that must not count as a complete sweep.
func TestInterruptedSweeps(t *testing.T) {
	once := func(change func(g *grid)) func(*grid) {
		done := false
		return func(g *grid) {
			if !done {
				change(g)
			}
			done = true
		}
	}
	tests := []struct {
		name string
		grid grid
	}{
		{"an entry left", grid{change: once(func(g *grid) { g.games = g.games[1:] })}},
		{"an entry came", grid{change: once(func(g *grid) { g.games = append([]string{"9"}, g.games...) })}},
		{"an entry came at the end", grid{change: once(func(g *grid) { g.games = append(g.games, "99999999") })}},
		{"two changed places", grid{change: once(func(g *grid) { g.games[2], g.games[3] = g.games[3], g.games[2] })}},
		{"most are gone", grid{change: once(func(g *grid) { g.games = g.games[:2] })}},
		{"an entry without id", grid{said: func(page fields) { page["concepts"].([]fields)[0]["id"] = nil }}},
		{"an entry of the wrong type", grid{said: func(page fields) { page["concepts"].([]fields)[0]["name"] = 5 }}},
		{"a product without id", grid{said: func(page fields) { page["concepts"].([]fields)[0]["products"] = []fields{{}} }}},
		{"one entry and no more", grid{said: func(page fields) {
			page["concepts"], page["pageInfo"].(fields)["isLast"] = page["concepts"].([]fields)[:1], false
		}}},
		{"the last one too early", grid{said: func(page fields) { page["pageInfo"].(fields)["isLast"] = true }}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.grid.games = games(7)
			s := open(t, small(), tt.grid.answer(t))
			if _, interrupted, _ := s.sweep(t, sweep.Prices); !interrupted {
				t.Error("the sweep is not interrupted")
			}
		})
	}
}

// TestWholeSweepsMissNothing checks that an uninterrupted sweep names every game that was
// listed all the time, with any other changes between the pages.
func TestWholeSweepsMissNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &grid{games: games(rapid.IntRange(1, 15).Draw(rt, "games"))}
		stayed := slices.Clone(g.games)
		fresh := 0
		g.change = func(g *grid) {
			for range rapid.IntRange(0, 2).Draw(rt, "changes") {
				at := rapid.IntRange(0, len(g.games)-1).Draw(rt, "at")
				if rapid.Bool().Draw(rt, "come") {
					fresh++
					g.games = slices.Insert(g.games, at, fmt.Sprint(fresh))
				} else if len(g.games) > 1 {
					gone := g.games[at]
					g.games = slices.Delete(g.games, at, at+1)
					stayed = slices.DeleteFunc(stayed, func(id string) bool { return id == gone })
				}
			}
		}
		s := open(t, small(), g.answer(t))
		got, interrupted, _ := s.sweep(t, sweep.Prices)
		for _, id := range stayed {
			if !interrupted && !slices.Contains(got, "P-"+id) {
				rt.Fatalf("%s was not named: %v", id, got)
			}
		}
	})
}

// TestTitlesOfEveryLocale checks that one sweep reads one grid after the
// other.
func TestTitlesOfEveryLocale(t *testing.T) {
	g := &grid{games: games(4)}
	s := open(t, small(), g.answer(t))
	got, interrupted, pages := s.sweep(t, sweep.Titles)
	want := append(products(g.games), products(g.games)...)
	if interrupted || pages != 4 || !slices.Equal(got, want) {
		t.Errorf("%d pages, interrupted %t: %v", pages, interrupted, got)
	}
	var locales []string
	for _, q := range s.asked {
		locales = append(locales, q.Locale)
	}
	if got := strings.Join(locales, " "); got != "ru-ua ru-ua en-ua en-ua" {
		t.Errorf("requests in %s", got)
	}
}

// TestForeignCursors checks that foreign cursors start over, and that the
// sweep is interrupted.
func TestForeignCursors(t *testing.T) {
	for _, cursor := range []string{"x", "uk-ua|2", "pl-pl|2|7|10000002", "uk-ua|-2|7|", "uk-ua|2|many|", "uk-ua|99999999999|7|x"} {
		t.Run(cursor, func(t *testing.T) {
			g := &grid{games: games(3)}
			s := open(t, small(), g.answer(t))
			page := s.read(t, "UA", sweep.Prices, cursor)
			if !page.Interrupted || !slices.Equal(page.Present, products(g.games)) {
				t.Errorf("interrupted %t: %v", page.Interrupted, page.Present)
			}
		})
	}
}

// TestEndlessLists checks that lists longer than any store's are cut off,
// and that the sweep is interrupted.
func TestEndlessLists(t *testing.T) {
	many := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	gridOf := func(concepts string) string {
		return `{"data":{"categoryGridRetrieve":{"concepts":[` + concepts + `],"pageInfo":{"totalCount":1,"isLast":true}}}}`
	}
	var ids strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&ids, `{"id":"%d"},`, i)
	}
	for _, tt := range []struct {
		name, answer   string
		items, present int
	}{
		{"games", gridOf(many(`{"id":"1"}`, 20_000)), 20_000, 0},
		{"products of a game", gridOf(`{"id":"1","products":[` + strings.TrimSuffix(ids.String(), ",") + `]}`), 2, 10_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := open(t, small(), always(tt.answer)).read(t, "UA", sweep.Prices, "")
			if len(page.Items) != tt.items || len(page.Present) != tt.present || !page.Interrupted {
				t.Errorf("%d items, %d products, interrupted %t", len(page.Items), len(page.Present), page.Interrupted)
			}
		})
	}
}

// TestInvalidPages checks that a sweep of invalid pages does not count as
// complete.
func TestInvalidPages(t *testing.T) {
	page := func(entries ...fields) string {
		return body(t, fields{"data": fields{"categoryGridRetrieve": fields{"concepts": entries, "pageInfo": fields{"totalCount": 100}}}})
	}
	odd := fields{"id": "1", "price": fields{"basePriceValue": -1}}
	var same []fields
	for _, id := range games(10) {
		same = append(same, fields{"id": id})
	}
	for _, tt := range []struct{ name, answer, says string }{
		{"the same again", page(same...), "the page at 9 is the same as the page before it"},
		{"nothing readable", page(odd, odd, odd), "no entry of the page can be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, small(), always(tt.answer)).try(t, "UA", sweep.Prices, "uk-ua|9|100|10000009")
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestItemMarks checks that a mark is the same while prices and products are, in
// any order.
func TestItemMarks(t *testing.T) {
	game := fields{"id": "10000001", "name": "Star Forge", "products": []fields{{"id": "A"}, {"id": "B"}},
		"price": fields{"basePrice": "₴10", "discountedPrice": "₴10"}}
	first := mark(t, game)
	tests := []struct {
		name string
		more fields
		same bool
	}{
		{"repeated", fields{}, true},
		{"another name", fields{"name": "Star Forge!"}, true},
		{"another order", fields{"products": []fields{{"id": "B"}, {"id": "A"}}}, true},
		{"another price", fields{"price": fields{"basePrice": "₴10", "discountedPrice": "₴9"}}, false},
		{"a number", fields{"price": fields{"basePrice": "₴10", "discountedPrice": "₴10", "basePriceValue": 1000}}, false},
		{"included now", fields{"price": fields{"basePrice": "₴10", "discountedPrice": "₴10", "isTiedToSubscription": true}}, false},
		{"no price", fields{"price": nil}, false},
		{"a product less", fields{"products": []fields{{"id": "A"}}}, false},
		{"another product", fields{"products": []fields{{"id": "A"}, {"id": "C"}}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mark(t, game.with(tt.more)); (got == first) != tt.same {
				t.Errorf("the mark is %s, before it was %s", got, first)
			}
		})
	}
}

func mark(t *testing.T, game fields) string {
	t.Helper()
	answer := fields{"data": fields{"categoryGridRetrieve": fields{"concepts": []fields{game}, "pageInfo": fields{"totalCount": 1}}}}
	page := open(t, small(), always(body(t, answer))).read(t, "UA", sweep.Prices, "")
	return page.Items[0].Mark
}
