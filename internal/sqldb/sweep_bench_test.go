package sqldb_test

import (
	"slices"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// benchListings is the number of listings in the database of these benchmarks.
const benchListings = 100_000

var benchRegions = []catalog.Region{{'U', 'A'}, {'T', 'R'}, {'P', 'L'}, {'I', 'N'}}

// filled returns a database with listings that a sweep of prices in four regions has
// seen.
func filled(b *testing.B) (w sweeping, parts []sweep.Part) {
	db := open(b, engines()[0].dsn(b))
	s := scope(sweep.Prices)
	must(b, db.Sweeps.SetCollection(b.Context(), sweep.Collection{Platform: s.Platform}, []sweep.State{{Scope: s, Regions: benchRegions}}))
	w = begin(b, db, sweep.Prices, noon)
	for _, l := range manyListings(benchListings, noon) {
		parts = append(parts, sweep.Part{Listing: l, Shows: everyField})
	}
	for at := 0; at < len(parts); at += listings.MaxBatch {
		w.benchBatch(parts[at:min(at+listings.MaxBatch, len(parts))], noon, sweep.Rules{})
	}
	return w, parts
}

const everyField = sweep.ShowsPopularity<<1 - 1

func (w sweeping) benchBatch(parts []sweep.Part, at catalog.Millis, rules sweep.Rules) {
	w.ruledBatch(at, rules, func(s *sweep.Batch) { s.Parts, s.Regions = parts, benchRegions })
}

func notCompared([]sweep.Part) sweep.Rules { return sweep.Rules{} }

// compareAll reads the prices that the parts are compared with, and finds nothing wrong.
func compareAll(parts []sweep.Part) sweep.Rules {
	rules := sweep.Rules{Judge: func(parts []sweep.Part, _ []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) { return parts, nil }}
	for i := range parts {
		rules.Products = append(rules.Products, parts[i].Product)
	}
	slices.Sort(rules.Products)
	rules.Products = slices.Compact(rules.Products)
	return rules
}

func BenchmarkSaveBatch(b *testing.B) {
	const size = 300
	for _, tt := range []struct {
		name   string
		change func(parts []sweep.Part, round int)
		rules  func(parts []sweep.Part) sweep.Rules
	}{
		{"unchanged", func([]sweep.Part, int) {}, notCompared},
		{"unchanged, compared", func([]sweep.Part, int) {}, compareAll},
		{"repriced", func(parts []sweep.Part, round int) {
			for i := range parts {
				p := *parts[i].Price
				p.Current -= 1
				parts[i].Price = &p
			}
		}, notCompared},
		{"new", func(parts []sweep.Part, round int) {
			for i := range parts {
				parts[i].Product += string(rune('a' + round%26))
			}
		}, notCompared},
	} {
		b.Run(tt.name, func(b *testing.B) {
			w, parts := filled(b)
			b.ResetTimer()
			var took time.Duration
			for round := range b.N {
				b.StopTimer()
				from := round * size % (benchListings - size)
				mine, at := parts[from:from+size], noon+1+catalog.Millis(round)
				for i := range mine {
					mine[i].ObservedAt = at
				}
				tt.change(mine, round)
				rules := tt.rules(mine)
				b.StartTimer()
				start := time.Now()
				w.benchBatch(mine, at, rules)
				took += time.Since(start)
			}
			b.ReportMetric(float64(size*b.N)/took.Seconds(), "parts/s")
		})
	}
}
