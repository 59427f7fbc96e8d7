package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// TestDealsWhilePricesChange publishes other prices, cards or rates after each page. What
// did not change must come exactly once.
func TestDealsWhilePricesChange(t *testing.T) {
	w := newWorld(t, unlimited)
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		w.now.Store(start)
		s, m := drawDiscounts(t, rt), sampleManifest(t)
		p := &plainDeals{query: url.Values{"subscription": {"any"}, "limit": {fmt.Sprint(rapid.IntRange(1, 3).Draw(rt, "limit"))}}}
		p.query.Set("sort", rapid.SampledFrom(dealSorts).Draw(rt, "sort"))
		p.query.Set("regions", rapid.SampledFrom([]string{"UA", "UA,TR"}).Draw(rt, "regions"))
		steady, times := map[string][]float64{}, map[string]int{}
		for page := 0; ; page++ {
			v := index.NewView(s.open(t), m)
			w.live.Swap(v)
			p.now, p.rates, p.cards = w.now.Load(), v.Rates, w.bulkRows(rt, s.cardList(), p.query.Get("regions"), "")
			keepSteady(steady, p, page == 0)
			got := w.deals(rt, p.query)
			if got.Data.Total != len(p.list()) {
				rt.Fatalf("%v: total %d, want %d", p.query, got.Data.Total, len(p.list()))
			}
			for _, deal := range got.Data.Items {
				times[deal.ID]++
			}
			if got.Data.NextCursor == nil {
				break
			}
			p.query.Set("cursor", *got.Data.NextCursor)
			if page < 6 {
				m = w.changeDeals(t, rt, s, m)
			}
		}
		compared += len(steady)
		for id := range steady {
			if times[id] != 1 {
				rt.Fatalf("%v: %s came %d times", p.query, id, times[id])
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was steady")
	}
}

func (s *sample) cardList() (list []*catalog.Card) {
	for i := range s.in.Cards {
		list = append(list, &s.in.Cards[i])
	}
	return list
}

// keepSteady keeps the deals whose sort value is still what it was, and on the first page
// all.
func keepSteady(steady map[string][]float64, p *plainDeals, first bool) {
	now := map[string][]float64{}
	for _, d := range p.list() {
		now[d.ID] = p.sortedBy(d)
		if first {
			steady[d.ID] = now[d.ID]
		}
	}
	for id, value := range steady {
		if !slices.Equal(now[id], value) {
			delete(steady, id)
		}
	}
}

// changeDeals changes a price, the cards, the rates or the time, and returns what is
// published next.
func (w *world) changeDeals(tb testing.TB, t *rapid.T, s *sample, m index.Published) index.Published {
	i := rapid.IntRange(0, len(s.in.Cards)-1).Draw(t, "card")
	switch rapid.IntRange(0, 4).Draw(t, "change") {
	case 0:
		for _, n := range s.in.Cards[i].Rows {
			s.in.Entries[n].Price, s.in.Entries[n].PricedAt = drawDiscount(t), start
		}
		s.lows = pack.NewLows(start / day)
	case 1:
		if len(s.in.Cards) > 1 {
			s.in.Cards = slices.Delete(s.in.Cards, i, i+1)
		}
	case 2:
		id := fmt.Sprintf("BORN%04d", len(s.in.Entries))
		s.console(catalog.Card{ID: id, Title: "T", Type: catalog.Game}, "new", "", offer{"UA", drawDiscount(t)})
	case 3:
		rates, err := money.ParseRates([]byte(`{"base":"USD","rates":{"UAH":41.3,"TRY":40},"updatedAt":"2026-11-20T07:00:00Z"}`))
		if err != nil {
			tb.Fatal(err)
		}
		m.Rates = rates
	case 4:
		w.now.Add(hour / 2)
	}
	return m
}

func TestCursorsOfOtherDeals(t *testing.T) {
	w := worldOf(t, twoDeals())
	var page dealsPage
	if err := json.Unmarshal(w.get("/catalog/deals?limit=1&minDiscount=10").want(200).body, &page); err != nil || page.Data.NextCursor == nil {
		t.Fatalf("no cursor, %v", err)
	}
	cursor := "&cursor=" + *page.Data.NextCursor
	w.get("/catalog/deals?minDiscount=10&limit=2&currency=EUR"+cursor).want(200).is("data.items.0.id", `"BBBBBBBB"`).is("data.items.1", "null").
		is("data.total", "2").is("data.nextCursor", "null")
	for _, query := range []string{"", "minDiscount=11", "minDiscount=10&sort=usd", "minDiscount=10&regions=UA", "minDiscount=10&endsWithin=7d", "minDiscount=10&distinct=games"} {
		w.get("/catalog/deals?"+query+cursor).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
	}
	w.get("/catalog/browse?"+cursor).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
	w.get("/catalog/deals?minDiscount=10"+cursor[:len(cursor)-2]).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
}

// twoDeals returns a catalog with two deals.
func twoDeals() *sample {
	s := newSample()
	for _, id := range []string{"AAAAAAAA", "BBBBBBBB"} {
		s.console(catalog.Card{ID: id, Type: catalog.Game, Title: id}, "P"+id, "",
			offer{"UA", number("UAH", 1000, off(500, 0))}, offer{"TR", number("TRY", 1000, off(800, 0))})
	}
	return s
}

// TestTagsOfDeals changes one thing at a time, and checks that the tag follows the data.
func TestTagsOfDeals(t *testing.T) {
	for name, change := range map[string]func(*world, *sample, *index.Published){
		"another day of the lows": func(_ *world, s *sample, _ *index.Published) { s.lows = pack.NewLows(start/day + 1) },
		"the lows": func(_ *world, s *sample, _ *index.Published) {
			s.past(t, 1, []history.Step{history.StepOf(1, number("UAH", 900))})
		},
		"another region": func(_ *world, s *sample, _ *index.Published) {
			s.in.Entries[0].Price = number("TRY", 1000, off(100, 0))
		},
		"the title":     func(_ *world, s *sample, _ *index.Published) { s.in.Cards[0].Title = "C" },
		"one deal less": func(_ *world, s *sample, _ *index.Published) { s.in.Cards = s.in.Cards[:1] },
		"the rates":     func(_ *world, _ *sample, m *index.Published) { m.Rates = money.Rates{} },
	} {
		t.Run(name, func(t *testing.T) {
			w, s, m := worldOf(t, twoDeals()), twoDeals(), sampleManifest(t)
			const path = "/catalog/deals?limit=1&regions=UA,TR"
			before := w.get(path).want(200).header.Get("ETag")
			w.live.Swap(index.NewView(s.open(t), m))
			if w.get(path).want(200).header.Get("ETag") != before {
				t.Fatal("the tag changed with a rebuild")
			}
			change(w, s, &m)
			w.live.Swap(index.NewView(s.open(t), m))
			if w.get(path).want(200).header.Get("ETag") == before {
				t.Error("the tag is the same")
			}
		})
	}
	w := worldOf(t, twoDeals())
	seen := map[string]string{}
	for _, query := range []string{"", "limit=1", "limit=1&sort=title", "currency=EUR", "currency=USD", "regions=UA,TR", "regions=TR", "regions=TR,UA", "regions=pl"} {
		tag := w.get("/catalog/deals?" + query).want(200).header.Get("ETag")
		if other, ok := seen[tag]; ok {
			t.Errorf("%q has the tag of %q", query, other)
		}
		seen[tag] = query
	}
}
