package web

import (
	"net/http"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Market is how a visitor looks at prices.
type Market struct {
	Country  string         // upper-case alpha-2; "": the cheapest country
	Currency money.Currency // to which prices are converted
}

// baseCurrency is the currency in which visitors see prices who chose none.
const baseCurrency = money.USD

// marketCookie holds the country and the currency: "UA.USD", ".EUR".
const marketCookie = "market"

// chosenMarket returns what the visitor chose; US dollars in the cheapest country, if nothing.
func chosenMarket(r *http.Request) Market {
	c, err := r.Cookie(marketCookie)
	if err != nil {
		return Market{Currency: baseCurrency}
	}
	country, currency, _ := strings.Cut(c.Value, ".")
	return parseMarket(country, currency)
}

// parseMarket returns the market of a country and a currency. A code that is not valid counts as
// no choice.
func parseMarket(country, currency string) Market {
	m := Market{Currency: baseCurrency}
	if region, err := catalog.ParseRegion(country); err == nil {
		m.Country = region.String()
	}
	if c, err := money.ParseCurrency(currency); err == nil {
		m.Currency = c
	}
	return m
}

// chooseMarket stores a choice in a cookie and returns to the page.
func (s *Site) chooseMarket(v *Visit) error {
	m := parseMarket(v.Form("country"), v.Form("currency"))
	s.setChoice(v.W, marketCookie, m.Country+"."+string(m.Currency))
	return v.Redirect(LocalPath(v.Form("back"), "/"))
}

// Amount formats an amount in the form of the currency's own country, so that prices in
// one currency look alike on all pages; "" for [money.None].
func (v *Visit) Amount(c money.Currency, a money.Amount) string {
	text := v.site.format.Format(c.Home(), c, a)
	// Countries call many dollars "$", and yuan and yen "¥", with a full-width sign that many
	// fonts lack; others write from right to left. The English form says which they are.
	if c != money.USD && strings.ContainsAny(text, "$¥￥\u200f") {
		return v.site.format.Format("", c, a)
	}
	return text
}
