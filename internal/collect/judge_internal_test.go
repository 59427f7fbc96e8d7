package collect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// TestDoubts checks that a batch may mark a stored price of another region as
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
	high := []sweep.RegionPrice{ // the batch reads 10.00 for DE
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
		{"read by the same batch", three, stored("DE", priced(100_000, "1,000.00", exact)), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			price := priced(1000, "10.00", exact)
			part := sweep.Part{Listing: catalog.Listing{Price: &price,
				Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("DE"), Product: "x"}}}
			var got []bool
			_, doubts := judge([]sweep.Part{part}, append(slices.Clone(tt.others), tt.in), rates)
			for _, d := range doubts {
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

// TestJudgementIsTheSameInAnyOrder checks that the marks depend on the last prices alone,
// however the prices of regions come in batches.
func TestJudgementIsTheSameInAnyOrder(t *testing.T) {
	rates, err := money.NewRates("USD", map[money.Currency]string{"USD": "1"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	regions := []string{"TR", "UA", "PL", "IN", "DE", "US"}
	amount := rapid.SampledFrom([]money.Amount{0, 100, 110, 2000, 2300, 50_000})
	rapid.Check(t, func(t *rapid.T) {
		stored := map[catalog.Key]catalog.Price{}
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var parts []sweep.Part
			for range rapid.IntRange(1, 3).Draw(t, "parts") {
				key := catalog.Key{Platform: catalog.PCStore, Product: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "product"),
					Region: catalog.MustRegion(rapid.SampledFrom(regions).Draw(t, "region"))}
				current := amount.Draw(t, "amount")
				text := fmt.Sprintf("%d.%02d", current/100, current%100)
				parts = append(parts, sweep.Part{Listing: catalog.Listing{Key: key, Price: &catalog.Price{Currency: "USD", Base: current, Current: current,
					BaseText: text, CurrentText: text, Source: catalog.SourceExact}}})
			}
			var known []sweep.RegionPrice
			for key, p := range stored {
				known = append(known, sweep.RegionPrice{Region: key.Region, Product: key.Product, Price: p})
			}
			judged, doubts := judge(parts, known, rates)
			for _, p := range judged {
				stored[p.Key] = *p.Price
			}
			for _, d := range doubts {
				p := stored[d.Key]
				p.Source = map[bool]string{true: catalog.SourceDoubtful, false: catalog.SourceExact}[d.Doubtful]
				stored[d.Key] = p
			}
		}
		for key, p := range stored {
			var others []catalog.Price
			for other, op := range stored {
				if other.Product == key.Product && other.Region != key.Region {
					others = append(others, op)
				}
			}
			if want := Doubtful(p, others, rates); want != (p.Source == catalog.SourceDoubtful) {
				t.Fatalf("%s %s at %d is %q, but doubtful is %v beside %v", key.Region, key.Product, p.Current, p.Source, want, others)
			}
		}
	})
}
