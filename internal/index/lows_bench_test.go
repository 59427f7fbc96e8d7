package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// store is a store with a sale in every month, whose pages show 50 products at the same
// time.
type store struct {
	rng    *rand.Rand
	lows   *pack.Lows
	months int
	alone  bool // no two products are read at the same time
}

// series returns the steps of one product in one region. Sales begin for all products at
// once and end on a full hour; the store is read every ten minutes.
func (w *store) series(region, product int, base money.Amount) (steps []history.Step) {
	seen := func(at catalog.Millis) catalog.Millis { // the next time its page is read
		page := uint64(product / 50)
		if w.alone {
			page = uint64(product)
		}
		return at + catalog.Millis(rand.New(rand.NewPCG(uint64(at)+uint64(region), page)).IntN(int(10*minute)))
	}
	first := builtAt - catalog.Millis(w.months)*30*day
	steps = []history.Step{{At: seen(first), State: history.Priced, Currency: "UAH", Base: base, Current: base}}
	for m := range w.months {
		begins := first + catalog.Millis(m)*30*day + 7*day + catalog.Millis(region)*60*minute
		ends := begins + []catalog.Millis{7 * day, 14 * day, 26 * day}[w.rng.IntN(3)] // some last until now
		percent := []money.Amount{20, 25, 30, 33, 40, 50, 50, 60, 67, 75}[w.rng.IntN(10)]
		s := history.Step{At: seen(begins), State: history.Priced, Currency: "UAH", Base: base, Current: base * (100 - percent) / 100 / 100 * 100, EndsAt: ends}
		steps = append(steps, s)
		if after := seen(ends); after < builtAt {
			steps = append(steps, history.Step{At: after, State: history.Priced, Currency: "UAH", Base: base, Current: base})
		}
	}
	return steps
}

// BenchmarkLowsBlob packs lows in which every price has changed, and says how many bytes
// each takes.
func BenchmarkLowsBlob(b *testing.B) {
	for _, months := range []int{10, 24} {
		for _, alone := range []bool{false, true} {
			b.Run(fmt.Sprintf("months=%d/alone=%v", months, alone), func(b *testing.B) {
				const cards, regions = 1500, 16
				w := &store{rng: rand.New(rand.NewPCG(1, 2)), lows: pack.NewLows(builtDay), months: months, alone: alone}
				s := large(cards, regions)
				for n := range s.in.Entries {
					e, product := &s.in.Entries[n], n/regions
					base := money.Amount(1+w.rng.IntN(60)) * 10000
					steps := w.series(n%regions, product, base-100)
					last := steps[len(steps)-1]
					e.PricedAt = last.At
					e.Price = discounted(last.Base, last.Current, last.EndsAt)
					must(b, w.lows.Set(uint32(n), e, steps))
				}
				blobs, repricer, err := pack.Build(s.in)
				must(b, err)
				var of [][]byte
				for b.Loop() {
					of = packed(b, repricer, w.lows, s)
				}
				size := joined(b, open(b, blobs), of...).Size() - len(blobs.Catalog) - len(blobs.Prices)
				b.ReportMetric(float64(size)/float64(len(s.in.Entries)), "bytes/price")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.in.Entries)), "ns/price")
			})
		}
	}
}

// BenchmarkLows reads the lows of rows, and opens their blob.
func BenchmarkLows(b *testing.B) {
	const cards, regions = 1500, 16
	w := &store{rng: rand.New(rand.NewPCG(1, 2)), lows: pack.NewLows(builtDay), months: 24}
	s := large(cards, regions)
	for n := range s.in.Entries {
		steps := w.series(n%regions, n/regions, 199900)
		must(b, w.lows.Set(uint32(n), &s.in.Entries[n], steps))
	}
	blobs, repricer, err := pack.Build(s.in)
	must(b, err)
	of := packed(b, repricer, w.lows, s)
	snap := joined(b, open(b, blobs), of...)
	b.Run("read", func(b *testing.B) {
		var summary history.Summary
		n := 0
		for b.Loop() {
			rows := snap.Card(n % cards).Rows()
			for i := range rows.Len() {
				row := rows.At(i)
				row.Lows(int64(builtAt), &summary)
			}
			n++
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*regions), "ns/price")
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			opened(b, of)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*cards*regions), "ns/price")
	})
}
