package index_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func TestCheapest(t *testing.T) {
	rates, err := money.ParseRates([]byte(`{"base":"USD","rates":{"UAH":40,"PLN":4,"USD":1},"updatedAt":"2026-11-20T00:00:00Z"}`))
	must(t, err)
	in := func(currency money.Currency, a money.Amount, change ...func(*catalog.Price)) *catalog.Price {
		return price(a, append(change, func(p *catalog.Price) { p.Currency = currency })...)
	}
	doubtful := func(p *catalog.Price) { p.Source = catalog.SourceDoubtful }
	ended := func(p *catalog.Price) { p.Current, p.DiscountEndsAt = 1, 1000 }
	for _, tt := range []struct {
		name       string
		ua, pl, de *catalog.Price
		want       string
	}{
		{"in dollars", in("UAH", 4000), in("PLN", 300), in("PLN", 500), "PL"},
		{"outside of the active regions", in("UAH", 4000), in("PLN", 300), in("PLN", 200), "DE"},
		{"of equal ones the first active one", in("UAH", 4000), in("PLN", 400), in("PLN", 400), "PL"},
		{"for everybody", in("UAH", 1000, subscription), in("PLN", 300), in("PLN", 10, doubtful), "PL"},
		{"if there is nothing for everybody", in("UAH", 1000, subscription), nil, in("PLN", 10, doubtful), "DE"},
		{"never a trial", in("UAH", 0, trial), nil, in("PLN", 900, subscription), "DE"},
		{"nothing but a trial", in("UAH", 0, trial), nil, nil, "UA"},
		{"without a rate", in("KZT", 100), nil, in("KZT", 50), "UA"},
		{"a text", nil, nil, textPrice("Soon"), "DE"},
		{"a discount that has ended", in("UAH", 4000, ended), in("PLN", 300), nil, "PL"},
		{"nothing", nil, nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample("PL", "UA")
			s.console("AAAAAAAA", "1", "Star", []uint32{s.row("DE", "P", tt.de), s.row("PL", "P", tt.pl), s.row("UA", "P", tt.ua)})
			v := index.NewView(s.open(t), index.Published{Rates: rates})
			got := ""
			if row, ok := v.Cheapest(v.Card(0).Rows(), 2000); ok {
				got = v.Region(row.Region).Alpha2
			}
			if got != tt.want {
				t.Errorf("the cheapest region is %q, want %q", got, tt.want)
			}
		})
	}
}
