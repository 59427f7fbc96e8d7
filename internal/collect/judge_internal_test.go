package collect

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// TestDoubts checks that a step may mark a stored price of another region as
// doubtful or no longer doubtful, unless that price is doubtful for another reason.
func TestDoubts(t *testing.T) {
	rates, err := money.NewRates("USD", map[money.Currency]string{"USD": "1"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	priced := func(current money.Amount, text, source string) catalog.Price {
		return catalog.Price{Currency: "USD", Base: current, Current: current, BaseText: text, CurrentText: text, Source: source}
	}
	exact, doubtful := catalog.SourceExact, catalog.SourceDoubtful
	stored := func(region string, p catalog.Price) sweep.RegionPrice {
		return sweep.RegionPrice{Region: catalog.MustRegion(region), Product: "x", Price: p}
	}
	three := []sweep.RegionPrice{
		stored("TR", priced(1000, "10.00", exact)), stored("PL", priced(1100, "11.00", exact)), stored("IN", priced(900, "9.00", exact)),
	}
	high := []sweep.RegionPrice{ // the step reads 10.00 for DE
		stored("TR", priced(1000, "10.00", exact)), stored("PL", priced(100_000, "1,000.00", doubtful)), stored("DE", priced(100_000, "1,000.00", exact)),
	}
	for _, tt := range []struct {
		name   string
		others []sweep.RegionPrice // stored
		in     sweep.RegionPrice   // stored for UA
		want   []bool              // nothing, or the new judgement of the price in UA
	}{
		{"like the others", three, stored("UA", priced(1200, "12.00", exact)), nil},
		{"far from them", three, stored("UA", priced(100_000, "1,000.00", exact)), []bool{true}},
		{"far from them, and already doubtful", three, stored("UA", priced(100_000, "1,000.00", doubtful)), nil},
		{"no longer far", high, stored("UA", priced(1200, "12.00", doubtful)), []bool{false}},
		{"not far before either", three, stored("UA", priced(1200, "12.00", doubtful)), nil},
		{"no longer far, but its text disagrees", high, stored("UA", priced(1200, "120.00", doubtful)), nil},
		{"no longer far, but without a base", high, stored("UA", catalog.Price{Currency: "USD", Base: money.None, Current: 1200, Source: doubtful}), nil},
		{"read by the same step", three, stored("DE", priced(100_000, "1,000.00", exact)), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			price := priced(1000, "10.00", exact)
			part := sweep.Part{Listing: catalog.Listing{Price: &price,
				Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("DE"), Product: "x"}}}
			known := map[string][]sweep.RegionPrice{"x": append(slices.Clone(tt.others), tt.in)}
			var got []bool
			for _, d := range doubts([]sweep.Part{part}, known, rates) {
				if d.Region != catalog.MustRegion("UA") || d.Product != "x" {
					t.Errorf("a doubt about %v", d.Key)
				}
				got = append(got, d.Doubtful)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
