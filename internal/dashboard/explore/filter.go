package explore

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// choice is a select element: a parameter that this page and the API share. What is not
// among the options is not chosen.
type choice struct {
	Name    string // of the parameter
	Label   string // key
	Options []option
}

// option is an option of a select element.
type option struct {
	Value, Name string
	Chosen      bool
}

// newChoice returns a choice of what the visitor chose; the first option stands for none.
func newChoice(v *web.Visit, name, label string, options ...option) choice {
	chosen := slices.IndexFunc(options, func(o option) bool { return strings.EqualFold(o.Value, v.Form(name)) })
	options[max(chosen, 0)].Chosen = true
	return choice{name, label, options}
}

// value returns the chosen value.
func (c *choice) value() string {
	return c.Options[slices.IndexFunc(c.Options, func(o option) bool { return o.Chosen })].Value
}

// set adds the parameter to a query, if something is chosen.
func (c *choice) set(q url.Values) {
	if value := c.value(); value != "" {
		q.Set(c.Name, value)
	}
}

func (p *Pages) storeChoice(v *web.Visit) choice {
	options := []option{{Name: v.T("explore.all")}}
	for _, platform := range catalog.Platforms() {
		options = append(options, option{Value: platform.String(), Name: p.site.PlatformName(platform)})
	}
	return newChoice(v, "platform", "explore.platform", options...)
}

// cardTypes are the types that cards have, in the order of the filter.
var cardTypes = [...]catalog.Type{catalog.Game, catalog.EditionType, catalog.Bundle, catalog.DLC, catalog.SeasonPass, catalog.Subscription}

func typeChoice(v *web.Visit) choice {
	options := []option{{Name: v.T("explore.all-types")}}
	for _, t := range cardTypes {
		options = append(options, option{Value: t.String(), Name: v.T("explore.types." + t.String())})
	}
	return newChoice(v, "types", "explore.type-label", options...)
}

// maxDevices is how many devices the filter lists, and of how many characters at most.
const maxDevices, maxDevice = 40, 40

func deviceChoice(v *web.Visit, live *index.View) choice {
	options := []option{{Name: v.T("explore.all-devices")}}
	for _, name := range slices.Sorted(slices.Values(live.Columns().Devices.Values)) {
		// The API would read a comma as the end of the name.
		if len(name) <= maxDevice && !strings.ContainsAny(name, ",;") && len(options) <= maxDevices {
			options = append(options, option{Value: name, Name: name})
		}
	}
	return newChoice(v, "platforms", "explore.device", options...)
}

func orderChoice(v *web.Visit) choice {
	return newChoice(v, "sort", "explore.order", option{Name: v.T("explore.order.popularity")}, option{Value: "title", Name: v.T("explore.order.title")},
		option{Value: "released", Name: v.T("explore.order.released")}, option{Value: "added", Name: v.T("explore.order.added")})
}

// marketPicker is the form in which visitors choose a country and a currency.
type marketPicker struct {
	Now                   string // the choice in words
	Countries, Currencies []option
}

func (p *Pages) marketPicker(v *web.Visit, live *index.View) marketPicker {
	market := v.Market()
	picker := marketPicker{Countries: countryOptions(v, live, market.Country), Currencies: currencyOptions(live, market.Currency)}
	country := v.T("market.cheapest")
	if market.Country != "" {
		country = countryName(v, market.Country)
	}
	picker.Now = v.T("market.now", country, string(market.Currency))
	picker.Countries = slices.Insert(picker.Countries, 0, option{Name: v.T("market.any"), Chosen: market.Country == ""})
	return picker
}

// countryOptions returns all countries with listings, by name, and the chosen one.
func countryOptions(v *web.Visit, live *index.View, chosen string) []option {
	var options []option
	for _, region := range live.ListedRegions() {
		code := region.String()
		options = append(options, option{code, countryName(v, code), code == chosen})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o option) bool { return o.Chosen }) {
		options = append(options, option{chosen, countryName(v, chosen), true})
	}
	slices.SortFunc(options, func(a, b option) int { return cmp.Compare(a.Name, b.Name) })
	return options
}

// currencyOptions returns the currencies with an exchange rate: the best-known ones and
// those of the active regions first, then the others by code.
func currencyOptions(live *index.View, chosen money.Currency) []option {
	list := []money.Currency{money.USD, "EUR"}
	for _, r := range live.Active() {
		if c, ok := money.RegionCurrency(r.Alpha2); ok {
			list = append(list, c)
		}
	}
	list = append(list, slices.Sorted(slices.Values(append(live.Rates.Currencies(), chosen)))...)
	var options []option
	known := map[money.Currency]bool{}
	for _, c := range list {
		if !known[c] {
			known[c] = true
			options = append(options, option{string(c), string(c), c == chosen})
		}
	}
	return options
}
