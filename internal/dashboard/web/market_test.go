package web

import (
	"net/url"
	"path"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

func TestAmountsLookAlike(t *testing.T) {
	v := &Visit{site: &Site{}}
	for _, tt := range []struct {
		currency money.Currency
		amount   money.Amount
		want     string
	}{
		{"INR", 74900, "₹749.00"}, {"USD", 844, "$8.44"}, {"EUR", 1250, "€12.50"}, {"JPY", 100000, "¥1,000"}, {"UAH", 129900, "1\u00a0299,00\u00a0₴"},
		{"AUD", 1295, "A$12.95"}, {"ARS", 129900, "ARS\u00a01,299.00"}, {"BRL", 12990, "R$129.90"}, {"CNY", 9900, "CN¥99.00"}, {"SAR", 9999, "SAR\u00a099.99"},
		{"USD", 0, "$0.00"}, {"USD", money.None, ""},
	} {
		if got := v.Amount(tt.currency, tt.amount); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.currency, tt.amount, got, tt.want)
		}
	}
}

// TestMarketOfAnyText reads what addresses may hold: the API accepts the result.
func TestMarketOfAnyText(t *testing.T) {
	site := &Site{Config: Config{HasRate: func(c money.Currency) bool { return c != "TRY" }}}
	text := rapid.OneOf(rapid.StringMatching(`[A-Za-z]{0,4}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		m := site.market(text.Draw(t, "country"), text.Draw(t, "currency"))
		if _, err := money.ParseCurrency(string(m.Currency)); err != nil {
			t.Error(err)
		}
		if m.Country == "" {
			return
		}
		if region, err := catalog.ParseRegion(m.Country); err != nil || region.String() != m.Country {
			t.Errorf("country %q, %v", m.Country, err)
		}
		for _, region := range []string{"", MainRegions, "TR", m.Country} { // links keep the market
			l := Locale{"en", m}
			u, err := url.Parse(l.Deals(region, nil))
			if err != nil {
				t.Fatal(err)
			}
			there := site.market(u.Query().Get("country"), u.Query().Get("currency"))
			if code, err := catalog.ParseRegion(path.Base(u.Path)); err == nil {
				there = site.market(code.String(), u.Query().Get("currency"))
			}
			if there != m && (there.Country == m.Country || there.Currency != m.Currency && m.Currency != m.Own()) {
				t.Errorf("from %v to %s: %v", m, u, there)
			}
		}
	})
}
