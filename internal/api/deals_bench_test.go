package api_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/lists/deals"
	"gamedex/internal/money"
)

// dealsView returns a catalog of 100,000 cards in four regions. A third of its prices are
// reduced, and half of those were reduced before.
var dealsView = sync.OnceValues(func() (*index.View, error) {
	s, rng := newSample(), rand.New(rand.NewPCG(1, 2))
	for i := range bulkCards {
		s.bulkCard(rng, i)
		s.in.Cards[i].Popularity = float64(rng.IntN(1000))
	}
	for n := range s.in.Entries {
		e := &s.in.Entries[n]
		if e.Price == nil || rng.IntN(3) > 0 {
			continue
		}
		p := number(e.Price.Currency, e.Price.Base, off(e.Price.Base*money.Amount(10+5*rng.IntN(18))/100, start+catalog.Millis(1+rng.IntN(300))*hour))
		if e.Price = p; rng.IntN(20) == 0 {
			p.Subscription = true
		}
		if rng.IntN(2) == 0 {
			before := *p
			before.Current, before.DiscountEndsAt = p.Base*money.Amount(10+5*rng.IntN(18))/100, 0
			steps := []history.Step{history.StepOf(start-200*day, number(p.Currency, p.Base)), history.StepOf(start-90*day, &before),
				history.StepOf(start-80*day, number(p.Currency, p.Base)), history.StepOf(e.PricedAt, p)}
			if err := s.lows.Set(uint32(n), e, steps); err != nil {
				return nil, err
			}
		}
	}
	snap, err := s.snapshot()
	if err != nil {
		return nil, err
	}
	rates, err := money.ParseRates([]byte(`{"base":"USD","rates":{"UAH":41.3,"TRY":34.5,"PLN":4.09,"INR":84.4},"updatedAt":"2026-11-20T06:00:00Z"}`))
	return index.NewView(snap, index.Published{Seq: 1, Rates: rates, BuiltAt: start}), err
})

func dealsOf(v *index.View, change func(*deals.Query)) deals.Query {
	q := deals.Query{Regions: []uint8{v.Active()[0].No}, MaxDiscount: 100, MaxPrice: money.None, MaxUSD: money.None, NearLow: deals.Anywhere, Free: deals.Any, Limit: 50}
	change(&q)
	return q
}

// BenchmarkFindDeals finds the first 50 deals of a query and their number.
func BenchmarkFindDeals(b *testing.B) {
	v, err := dealsView()
	must(b, err)
	all := func(q *deals.Query) {
		q.Regions = nil
		for _, r := range v.Active() {
			q.Regions = append(q.Regions, r.No)
		}
	}
	for _, c := range []struct {
		name   string
		change func(*deals.Query)
	}{
		{"one region", func(*deals.Query) {}},
		{"four filters", func(q *deals.Query) {
			q.Cards.Types, q.MinDiscount, q.MaxUSD, q.EndsWithin = []catalog.Type{catalog.Game}, 50, 2000, 7*day
		}},
		{"four filters, four regions", func(q *deals.Query) {
			all(q)
			q.Cards.Types, q.MinDiscount, q.MaxUSD, q.EndsWithin = []catalog.Type{catalog.Game}, 50, 2000, 7*day
		}},
		{"real and near a low", func(q *deals.Query) { q.Real, q.NearLow = true, 10 }},
		{"four regions", all},
		{"by usd", func(q *deals.Query) { q.Sort = deals.ByUSD }},
		{"by saving", func(q *deals.Query) { q.Sort = deals.BySaving }},
		{"by start", func(q *deals.Query) { q.Sort = deals.ByStart }},
		{"by title", func(q *deals.Query) { q.Sort = deals.ByTitle }},
		{"second page", func(q *deals.Query) { q.After = &lists.Position{Number: -90, Platform: catalog.ConsoleStore, ID: "5"} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			q := dealsOf(v, c.change)
			total := 0
			b.ReportAllocs()
			for b.Loop() {
				total = deals.Find(v, q, start).Total
			}
			b.ReportMetric(float64(total), "deals")
		})
	}
}
