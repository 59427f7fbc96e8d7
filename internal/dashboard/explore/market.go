package explore

import (
	"net/url"
	"slices"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// MarketPicker is the form in which visitors choose a country and a currency.
type MarketPicker struct {
	Now                   string // the choice in words
	Countries, Currencies Options
	Keep                  url.Values // the rest of the query, which the form also sends
}

// MarketPicker returns the form with the visitor's country and currency. The form also sends
// keep, the rest of the query.
func (e *Explorer) MarketPicker(v *web.Visit, live *index.View, keep url.Values) MarketPicker {
	market := v.Locale.Market
	picker := MarketPicker{Keep: keep, Countries: CountryOptions(v, live, market.Country), Currencies: currencyOptions(live, market.Currency)}
	country := v.T("market.cheapest")
	if market.Country != "" {
		country = v.Country(market.Country)
	}
	picker.Now = v.T("market.now", country, string(market.Currency))
	picker.Countries = slices.Insert(picker.Countries, 0, Option{Name: v.T("market.any"), Chosen: market.Country == ""})
	return picker
}

// CountryOptions returns all countries with listings, by name, and the chosen one.
func CountryOptions(v *web.Visit, live *index.View, chosen string) []Option {
	var options []Option
	for _, region := range live.ListedRegions() {
		code := region.String()
		options = append(options, Option{code, v.Country(code), code == chosen})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o Option) bool { return o.Chosen }) {
		options = append(options, Option{chosen, v.Country(chosen), true})
	}
	slices.SortFunc(options, func(a, b Option) int { return v.CompareCountries(a.Value, b.Value) })
	return options
}

// currencyOptions returns the currencies with an exchange rate: the best-known ones and
// those of the active regions first, then the others by code.
func currencyOptions(live *index.View, chosen money.Currency) []Option {
	list := []money.Currency{money.USD, "EUR"}
	for _, r := range live.Active() {
		if c, ok := money.RegionCurrency(r.Alpha2); ok {
			list = append(list, c)
		}
	}
	list = append(list, slices.Sorted(slices.Values(append(live.Rates.Currencies(), chosen)))...)
	var options []Option
	known := map[money.Currency]bool{}
	for _, c := range list {
		if !known[c] {
			known[c] = true
			options = append(options, Option{string(c), string(c), c == chosen})
		}
	}
	return options
}
