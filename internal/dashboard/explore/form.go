package explore

import (
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// Choice is a select element: a parameter that this page and the API share. A value that is
// not among the options counts as the first one.
type Choice struct {
	Name    string // of the parameter
	Label   string // key
	Options Options
}

// Option is an option of a select element.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Options are the options of an element.
type Options []Option

// Elements returns the content of a select element, without end tags, which HTML does not need.
func (list Options) Elements() template.HTML {
	var m web.Markup
	for _, o := range list {
		m.Between(`<option value="`, o.Value, `"`)
		if o.Chosen {
			m.Tags(` selected`)
		}
		m.Tags(`>`)
		m.Text(o.Name)
	}
	return m.HTML()
}

// Boxes returns a checkbox with a name for each option.
func (list Options) Boxes(name string) template.HTML {
	var m web.Markup
	for _, o := range list {
		m.Between(`<label><input type=checkbox name="`, name, `" value="`)
		m.Text(o.Value)
		m.Tags(`"`)
		if o.Chosen {
			m.Tags(` checked`)
		}
		m.Between(`>`, o.Name, `</label>`)
	}
	return m.HTML()
}

// Named returns options by value and by the key of the name.
func Named(v *web.Visit, pairs ...string) (options []Option) {
	for pair := range slices.Chunk(pairs, 2) {
		options = append(options, Option{Value: pair[0], Name: v.T(pair[1])})
	}
	return options
}

// NewChoice returns a choice of what the visitor chose; the first option stands for none.
func NewChoice(v *web.Visit, name, label string, options ...Option) Choice {
	chosen := slices.IndexFunc(options, func(o Option) bool { return strings.EqualFold(o.Value, v.Form(name)) })
	options[max(chosen, 0)].Chosen = true
	return Choice{name, label, options}
}

func (c *Choice) chosen() Option {
	return c.Options[slices.IndexFunc(c.Options, func(o Option) bool { return o.Chosen })]
}

// set adds the parameter to a query, if something is chosen.
// StoreChoice lets visitors choose a store.
func (e *Explorer) StoreChoice(v *web.Visit) Choice {
	options := Named(v, "", "explore.all")
	for _, platform := range catalog.Platforms() {
		options = append(options, Option{Value: platform.String(), Name: e.Site.PlatformName(platform)})
	}
	return NewChoice(v, "platform", "explore.platform", options...)
}

// cardTypes are the types that cards have, in the order of the filter.
var cardTypes = [...]catalog.Type{catalog.Game, catalog.EditionType, catalog.Bundle, catalog.DLC, catalog.SeasonPass, catalog.Subscription}

// TypeChoice lets visitors choose a type of cards.
func TypeChoice(v *web.Visit) Choice {
	options := Named(v, "", "explore.all-types")
	for _, t := range cardTypes {
		options = append(options, Named(v, t.String(), "explore.types."+t.String())...)
	}
	return NewChoice(v, "types", "explore.type-label", options...)
}

// maxDevices is how many devices a filter lists. MaxDeviceName is the length of the longest
// name that a filter offers, in bytes.
const maxDevices, MaxDeviceName = 40, 40

// DeviceChoice lets visitors choose a device.
func DeviceChoice(v *web.Visit, live *overview.Catalog) Choice {
	options := Named(v, "", "explore.all-devices")
	for _, name := range live.Devices() {
		// The API would read a comma as the end of the name.
		if len(name) <= MaxDeviceName && !strings.ContainsAny(name, ",;") && len(options) <= maxDevices {
			options = append(options, Option{Value: name, Name: name})
		}
	}
	return NewChoice(v, "platforms", "explore.device", options...)
}

// MinQuery and MaxQuery bound the length of a query in characters, as the API does.
const MinQuery, MaxQuery = 2, 200

// SearchBox is the form on every page of the explorer.
type SearchBox struct {
	Text    string
	Filters []Choice // on the search page only
	Max     int      // length of the query
}

// NewSearchBox returns the form with what the visitor searches for.
func NewSearchBox(v *web.Visit, filters ...Choice) SearchBox {
	return SearchBox{Text: SearchText(v), Filters: filters, Max: MaxQuery}
}

// SearchText returns the text to search for, as the API accepts it.
func SearchText(v *web.Visit) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(v.Form("q"), " ")), " ")
}

// Query returns the visitor's search as parameters, which the API and this
// page share. A text that is too long is left out.
func (b *SearchBox) Query() url.Values {
	q := url.Values{}
	if b.Text != "" && utf8.RuneCountInString(b.Text) <= MaxQuery {
		q.Set("q", b.Text)
	}
	for _, c := range b.Filters {
		if value := c.chosen().Value; value != "" {
			q.Set(c.Name, value)
		}
	}
	return q
}

// Chosen is a filter in the address of a page, and the address without it. Name is "" if the label
// says all.
type Chosen struct{ Label, Name, Address string }

// Chosen returns the chosen filters, without the order.
func (b SearchBox) Chosen(v *web.Visit) (chosen []Chosen) {
	query := b.Query()
	for _, c := range b.Filters {
		if o := c.chosen(); o.Value != "" && c.Name != "sort" {
			chosen = append(chosen, Chosen{v.T(c.Label), o.Name, v.Locale.Browse(web.With(query, c.Name, ""))})
		}
	}
	return chosen
}

// ShowMarket puts the form with the visitor's country and currency into the header, and returns it. The
// form also sends keep, the rest of the query.
func (e *Explorer) ShowMarket(v *web.Visit, live *overview.Catalog, keep url.Values) *web.MarketPicker {
	market := v.Locale.Market
	now := v.T("market.cheapest")
	if market.Country != "" {
		now = v.Country(market.Country)
	}
	if market.Currency != market.Own() {
		now += " · " + string(market.Currency)
	}
	countries := slices.Insert(CountryOptions(v, live, market.Country), 0, Option{Name: v.T("market.any"), Chosen: market.Country == ""})
	currencies := slices.Insert(currencyOptions(live, market), 0, Option{Name: v.T("market.own"), Chosen: market.Currency == market.Own()})
	v.Market = &web.MarketPicker{Now: now, Action: v.R.URL.EscapedPath(), Keep: keep,
		Countries: countries.Elements(), Currencies: currencies.Elements()}
	return v.Market
}

// CountryOptions returns all countries with listings, by name, and the chosen one.
func CountryOptions(v *web.Visit, live *overview.Catalog, chosen string) (options Options) {
	for _, region := range live.Regions {
		code := region.String()
		options = append(options, Option{code, v.Country(code), code == chosen})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o Option) bool { return o.Chosen }) {
		options = append(options, Option{chosen, v.Country(chosen), true})
	}
	slices.SortFunc(options, func(a, b Option) int { return v.CompareCountries(a.Value, b.Value) })
	return options
}

// currencyOptions returns the currencies with an exchange rate, and that of the market: the
// best-known ones and those of the active regions first, then the others by code. That of the country is
// not chosen: another option stands for it.
func currencyOptions(live *overview.Catalog, market web.Market) (options Options) {
	chosen := market.Currency
	list := []money.Currency{money.USD, "EUR"}
	for _, r := range live.Active {
		if c, ok := money.RegionCurrency(r.String()); ok {
			list = append(list, c)
		}
	}
	list = append(list, slices.Sorted(slices.Values(append(live.Rates.Currencies(), live.Rates.Base(), chosen)))...)
	known := map[money.Currency]bool{}
	for _, c := range list {
		if !known[c] && (c == chosen || live.Rates.PerBase(c) != nil) {
			known[c] = true
			options = append(options, Option{string(c), string(c), c == chosen && c != market.Own()})
		}
	}
	return options
}

// takesArticle reports whether English puts "the" before the name of a country.
func takesArticle(alpha2 string) bool {
	switch alpha2 {
	case "AE", "AX", "BQ", "BS", "CC", "CD", "CF", "CG", "CK", "DO", "FK", "FO", "GB", "GM", "GS", "HM", "IC", "IM", "IO", "KM", "KY", "MH", "MP", "MV", "NL", "PH", "PN", "SB",
		"SC", "TC", "TF", "UM", "US", "VG", "VI":
		return true
	}
	return false
}

// HasListings reports whether the catalog has listings in a country; "" is all countries.
func HasListings(live *overview.Catalog, country string) bool {
	code, err := catalog.ParseRegion(country)
	return country == "" || err == nil && slices.Contains(live.Regions, code)
}

// MainCountries names the active regions: "Ukraine, Turkey + 2".
func MainCountries(v *web.Visit, live *overview.Catalog) string {
	const most, named = 3, 2
	var names []string
	for _, r := range live.Active {
		names = append(names, v.Country(r.String()))
	}
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:named], ", ") + " + " + v.Number(len(names)-named)
}

var decimal = regexp.MustCompile(`^(\d{1,15})(?:[.,](\d{1,2}))?$`)

// Hundredths returns an amount as people enter it, 19.99 or 19,99, in hundredths; ok is false if it is none.
func Hundredths(text string) (hundredths string, ok bool) {
	part := decimal.FindStringSubmatch(text)
	if part == nil {
		return "", false
	}
	return part[1] + (part[2] + "00")[:2], true
}

// ActiveCodes returns the codes of the active regions, as the API takes them.
func ActiveCodes(live *overview.Catalog) string { return catalog.JoinRegions(live.Active, ",") }
