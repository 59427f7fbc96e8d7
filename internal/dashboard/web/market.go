package web

import (
	"html/template"
	"net/url"

	xlanguage "golang.org/x/text/language"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Market is the country and the currency of prices.
type Market struct {
	Country  string         // upper-case alpha-2; "": the cheapest country
	Currency money.Currency // to which prices are converted
}

// Own returns the currency of the country: that of an address that names none.
func (m Market) Own() money.Currency {
	if c, ok := money.RegionCurrency(m.Country); ok {
		return c
	}
	return money.USD
}

// market returns the market of a country and a currency. A code that is not valid counts as no
// choice. Without a choice the currency is that of the country, or dollars if that has no exchange
// rate.
func (s *Site) market(country, currency string) Market {
	m := Market{Currency: money.USD}
	if region, err := catalog.ParseRegion(country); err == nil {
		m.Country = region.String()
	}
	if c, err := money.ParseCurrency(currency); err == nil {
		m.Currency = c
	} else if own := m.Own(); s.HasRate != nil && s.HasRate(own) {
		m.Currency = own
	}
	return m
}

// SetCountry makes the page one of a country; "" is the cheapest. Its prices are in the currency of the
// query, else in that of the country.
func (v *Visit) SetCountry(alpha2 string) {
	v.Locale.Market = v.site.market(alpha2, v.Form("currency"))
}

// UseOwnMarket sets the market to the visitor's own, unless the address names one. The visitor's country is
// the one that a trusted proxy names, else that of the browser's preferred language. served reports whether
// there are prices in a country. Without prices there, the page shows the cheapest countries, in the visitor's
// currency unless the country is only a guess. The page must not be a public one.
func (v *Visit) UseOwnMarket(served func(alpha2 string) bool) {
	if query := v.R.URL.Query(); query.Has("country") || query.Has("currency") {
		return
	}
	country, guessed := v.origin()
	switch {
	case served(country):
		v.SetCountry(country)
	case !guessed:
		v.Locale.Currency = v.site.market(country, "").Currency
	}
}

// origin returns the visitor's country as an alpha-2 code, "" if nothing names one. It is guessed if it is the
// likely one of a language, such as the US for English.
func (v *Visit) origin() (alpha2 string, guessed bool) {
	if v.site.Country != nil {
		if region, err := catalog.ParseRegion(v.site.Country(v.R)); err == nil {
			return region.String(), false
		}
	}
	// A header that cannot be parsed prefers nothing.
	preferred, _, _ := xlanguage.ParseAcceptLanguage(v.R.Header.Get("Accept-Language"))
	if len(preferred) == 0 {
		return "", true
	}
	named, confidence := preferred[0].Region()
	region, err := catalog.ParseRegion(named.String())
	if err != nil {
		return "", true
	}
	return region.String(), confidence < xlanguage.Exact
}

// MarketPicker is the form in which visitors choose a country and a currency.
type MarketPicker struct {
	Now                   string        // the choice in words
	Action                string        // address of the form
	Countries, Currencies template.HTML // options of select elements
	Keep                  url.Values    // the rest of the query, which the form also sends
}
