package api_test

import (
	"encoding/json"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

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
