package collect_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/money"
)

// testRates returns rates by which a dollar is 40 hryvnias.
func testRates(t testing.TB) money.Rates {
	t.Helper()
	rates, err := money.NewRates("USD", map[money.Currency]string{"USD": "1", "UAH": "40"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rates
}

func price(currency money.Currency, current money.Amount) catalog.Price {
	return catalog.Price{Currency: currency, Base: current, Current: current, DiscountPercent: catalog.NoPercent}
}

func TestDoubtful(t *testing.T) {
	trial, subscription, doubtful := price("USD", 1000), price("USD", 1000), price("USD", 1000)
	trial.Trial, subscription.Subscription, doubtful.Source = true, true, catalog.SourceDoubtful
	three := []catalog.Price{price("USD", 1000), price("USD", 900), price("UAH", 50_000)} // median 10.00
	tests := []struct {
		name      string
		price     catalog.Price
		elsewhere []catalog.Price
		want      bool
	}{
		{"like the others", price("USD", 1200), three, false},
		{"twenty times", price("USD", 20_000), three, false},
		{"more than twenty times", price("USD", 20_001), three, true},
		{"in another currency", price("UAH", 800_100), three, true},
		{"a twentieth", price("USD", 50), three, false},
		{"less than a twentieth", price("USD", 49), three, true},
		{"no rate for its currency", price("EUR", 1), three, false},
		{"zero", price("USD", 0), three, false},
		{"no number", price("USD", money.None), three, false},
		{"a trial", func() catalog.Price { p := trial; p.Current = 1; return p }(), three, false},
		{"subscribers only", func() catalog.Price { p := subscription; p.Current = 1; return p }(), three, false},
		{"a doubtful price is judged again", func() catalog.Price { p := doubtful; p.Current = 1; return p }(), three, true},
		{"two others", price("USD", 1), three[:2], false},
		{"a trial does not count", price("USD", 1), append(three[:2:2], trial), false},
		{"a subscriber's price does not count", price("USD", 1), append(three[:2:2], subscription), false},
		{"a zero does not count", price("USD", 1), append(three[:2:2], price("USD", 0)), false},
		{"a price without a rate does not count", price("USD", 1), append(three[:2:2], price("EUR", 1000)), false},
		{"a doubtful price does not change the median", price("USD", 1), append(three[:2:2], doubtful), true},
		{"the median of four is the mean of the middle two", price("USD", 21_000), append(three[:3:3], price("USD", 1100)), false}, // (10 + 11) / 2 × 20 = 210
		{"four: above it", price("USD", 21_001), append(three[:3:3], price("USD", 1100)), true},
		{"no other prices", price("USD", 1), nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := collect.Doubtful(tt.price, tt.elsewhere, testRates(t)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if collect.Doubtful(price("USD", 1), three, money.Rates{}) {
		t.Error("a price is doubtful although there are no rates")
	}
}
