package api_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// lowsView returns a catalog like bulkView in which every price has had a sale in each of
// ten months.
func lowsView(tb testing.TB, cards int) *index.View {
	tb.Helper()
	s, rng := newSample(), rand.New(rand.NewPCG(1, 2))
	for i := range cards {
		s.bulkCard(rng, i)
	}
	for n := range s.in.Entries {
		e := &s.in.Entries[n]
		if e.Price == nil {
			continue
		}
		var steps []history.Step
		for month := range catalog.Millis(10) {
			at := start - (11-month)*30*day + catalog.Millis(rng.IntN(600_000))
			p := *e.Price
			p.Current, p.DiscountEndsAt = p.Base*money.Amount(25+5*rng.IntN(12))/100, at+7*day
			steps = append(steps, history.StepOf(at, &p))
			p.Current, p.DiscountEndsAt = p.Base, 0
			steps = append(steps, history.StepOf(at+7*day+catalog.Millis(rng.IntN(600_000)), &p))
		}
		s.past(tb, uint32(n), steps)
	}
	return index.NewView(s.open(tb), sampleManifest(tb))
}

// BenchmarkBulkLows answers requests for 1000 of 5,000 games with and without lows in turn,
// and reports the medians, and how much longer a byte takes with lows. A byte is one before
// compression.
func BenchmarkBulkLows(b *testing.B) {
	view, rng := lowsView(b, 5000), rand.New(rand.NewPCG(3, 4))
	var sets []string
	for range bulkSets {
		var ids []string
		for range bulkIDs {
			ids = append(ids, gameID(rng.IntN(view.Len())))
		}
		sets = append(sets, `{"ids":["`+strings.Join(ids, `","`)+`"]`)
	}
	send := bulkRequester(b, view)
	includes := []string{`}`, `,"include":"lows"}`}
	var plain [2]int
	for i, include := range includes {
		plain[i] = send("", sets[0]+include).Len()
	}
	for _, coding := range []string{"identity", "gzip"} {
		b.Run(coding, func(b *testing.B) {
			var took [2][]float64
			for n := 0; b.Loop(); n++ {
				for i, include := range includes {
					began := time.Now()
					send(coding, sets[n%bulkSets]+include)
					took[i] = append(took[i], float64(time.Since(began).Nanoseconds())/1000)
				}
			}
			var median [2]float64
			for i, name := range []string{"without", "lows"} {
				slices.Sort(took[i])
				median[i] = took[i][len(took[i])/2]
				b.ReportMetric(median[i], name+"-µs")
				b.ReportMetric(float64(plain[i]), name+"-bytes")
			}
			b.ReportMetric(median[1]/median[0]*float64(plain[0])/float64(plain[1]), "lows/without-per-byte")
			b.ReportMetric(0, "ns/op")
		})
	}
}
