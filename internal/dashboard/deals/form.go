package deals

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

// dealsForm is the form with the filters of deals. Its fields have the names of the API's
// parameters, which check them.
type dealsForm struct {
	Fields   []field // those that most people use
	More     []field
	Open     bool             // show More
	Filtered bool             // there is something to clear
	Chosen   []explore.Chosen // the filters in the address, without region and order
}

type field struct {
	Name  string // of the parameter
	Label string // key
	Kind  string // "select", "text", "number" or "box"
	Value string // as in the address
	Wrong string // what is wrong with the value; ""

	Options []explore.Option // of a select element
}

// maxFilter bounds a text in the address, in bytes; a longer one is left out.
const maxFilter = 1000

func (p *pages) form(v *web.Visit, live *overview.Catalog, region string) dealsForm {
	store, types, devices := p.StoreChoice(v), explore.TypeChoice(v), explore.DeviceChoice(v, live)
	within := []string{"", "deals.anytime", "24h", "deals.day", "3d", "deals.three-days", "7d", "deals.week"}
	percents := explore.Named(v, "", "deals.any")
	for _, percent := range []string{"25", "50", "75", "90"} {
		percents = append(percents, explore.Option{Value: percent, Name: v.T("percent", percent)})
	}
	f := dealsForm{
		Fields: []field{
			countryField(v, live, region),
			selectField("minDiscount", "deals.min-discount", percents),
			selectField(devices.Name, devices.Label, devices.Options),
			selectField("low", "deals.low", explore.Named(v, "", "deals.any", "allTime", "deals.low.all",
				"year", "deals.low.year", "days90", "deals.low.days")),
			selectField("sort", "explore.order", explore.Named(v, "", "deals.order.discount", "usd", "deals.order.usd",
				"price", "deals.order.price", "saving", "deals.order.saving", "ends", "deals.order.ends", "started", "deals.order.started",
				"popularity", "explore.order.popularity", "title", "explore.order.title")),
		},
		More: []field{
			selectField(types.Name, types.Label, types.Options),
			selectField(store.Name, store.Label, store.Options),
			selectField("endsWithin", "deals.ends-within", explore.Named(v, within...)),
			selectField("startedWithin", "deals.started-within", explore.Named(v, within...)),
			selectField("free", "deals.free", explore.Named(v, "", "deals.with", "no", "deals.without", "only", "deals.only")),
			selectField("subscription", "deals.subscription",
				explore.Named(v, "", "deals.without", "any", "deals.with", "only", "deals.only")),
			{Name: "maxUsd", Label: "deals.max-usd", Kind: "text"},
			{Name: "maxPrice", Label: "deals.max-price", Kind: "text"},
			{Name: "maxDiscount", Label: "deals.max-discount", Kind: "number"},
			{Name: "nearLow", Label: "deals.near-low", Kind: "number"},
			selectField("genres", "deals.genre", genreOptions(v, live)),
			{Name: "publishers", Label: "deals.publisher", Kind: "text"},
			{Name: "real", Label: "deals.real", Kind: "box"},
		},
	}
	for _, field := range f.all() {
		if field.Value == "" {
			field.Value = sentValue(v, field.Name)
		}
		field.keepValue(v)
	}
	f.Open = slices.ContainsFunc(f.More, func(field field) bool { return field.Value != "" })
	f.Filtered = !strings.EqualFold(f.Fields[0].Value, cmp.Or(v.Locale.Country, web.MainRegions)) ||
		slices.ContainsFunc(f.all()[1:], func(field *field) bool { return field.Value != "" && field.Name != "sort" })
	f.Chosen = f.chosen(v)
	return f
}

// chosen returns each filter in the address, and each part of a list, with the address without it.
func (f *dealsForm) chosen(v *web.Visit) (chosen []explore.Chosen) {
	query := f.query()
	for _, field := range f.all()[1:] {
		if field.Value == "" || field.Name == "sort" {
			continue
		}
		parts := field.parts()
		for i, part := range parts[:min(len(parts), maxChosen)] {
			rest := web.With(query, field.Name, strings.Join(slices.Delete(slices.Clone(parts), i, i+1), separators[field.Name]))
			chosen = append(chosen, explore.Chosen{Label: v.T(field.Label), Name: field.nameOf(v, part), Address: v.Locale.Deals(f.Fields[0].Value, rest)})
		}
	}
	return chosen
}

// maxChosen is how many parts of a list can be removed by themselves.
const maxChosen = 10

// parts returns the parts of a list, or the value.
func (f *field) parts() []string {
	if separator := separators[f.Name]; separator != "" {
		return strings.Split(f.Value, separator)
	}
	return []string{f.Value}
}

// nameOf returns what the form shows for a value; "" for a box, whose label says it all.
func (f *field) nameOf(v *web.Visit, value string) string {
	if f.Kind == "box" {
		return ""
	} else if f.Name == "genres" {
		value = v.Genre(strings.TrimSpace(value))
	}
	for _, o := range f.Options {
		if strings.EqualFold(o.Value, strings.TrimSpace(value)) {
			return o.Name
		}
	}
	return web.Shorten(value, explore.MaxDeviceName)
}

// separators are those of the lists of the API.
var separators = map[string]string{"regions": ",", "types": ",", "platforms": ",", "genres": ";", "publishers": ";"}

// sentValue returns a filter in the address. A list that was sent in parts is one text.
func sentValue(v *web.Visit, name string) string {
	value := v.Form(name)
	if separator, ok := separators[name]; ok {
		value = strings.TrimSpace(strings.Join(v.R.Form[name], separator))
	}
	if len(value) > maxFilter {
		return ""
	}
	return strings.ToValidUTF8(value, "\uFFFD")
}

func (f *dealsForm) all() []*field {
	var all []*field
	for _, list := range [][]field{f.Fields, f.More} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

func selectField(name, label string, options []explore.Option) field {
	return field{Name: name, Label: label, Kind: "select", Options: options}
}

// allRegions stands for all regions in the API and in addresses.
const allRegions = "all"

// countryField lets visitors choose the active countries together, all, or one. Without a
// choice in the address it is the country of their market, else the active ones.
func countryField(v *web.Visit, live *overview.Catalog, region string) field {
	f := selectField("regions", "market.country", slices.Insert(explore.CountryOptions(v, live, ""), 0,
		explore.Option{Value: web.MainRegions, Name: explore.MainCountries(v, live)},
		explore.Option{Value: allRegions, Name: v.T("deals.everywhere")}))
	f.Value = cmp.Or(region, sentValue(v, "regions"), v.Locale.Country, web.MainRegions)
	return f
}

const maxGenres = 100

// genreOptions lets visitors choose a genre by its name in their language. Its value is all
// spellings of the stores.
func genreOptions(v *web.Visit, live *overview.Catalog) []explore.Option {
	var options []explore.Option
	for _, stored := range live.Genres() {
		name := v.Genre(stored)
		at := slices.IndexFunc(options, func(o explore.Option) bool { return o.Name == name })
		switch {
		case len(stored) > explore.MaxDeviceName || strings.Contains(stored, ";"):
		case at >= 0:
			options[at].Value += ";" + stored
		case len(options) < maxGenres:
			options = append(options, explore.Option{Value: stored, Name: name})
		}
	}
	slices.SortFunc(options, func(a, b explore.Option) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Insert(options, 0, explore.Option{Name: v.T("deals.any")})
}

// keepValue marks the option with the value as chosen. For a value that the form does not
// offer it adds an option, so that the value stays in the address.
func (f *field) keepValue(v *web.Visit) {
	if f.Kind != "select" {
		return
	}
	for i := range f.Options {
		f.Options[i].Chosen = strings.EqualFold(f.Options[i].Value, f.Value)
	}
	if !slices.ContainsFunc(f.Options, func(o explore.Option) bool { return o.Chosen }) {
		var names []string
		for _, part := range f.parts() {
			names = append(names, f.nameOf(v, part))
		}
		f.Options = append(f.Options, explore.Option{Value: f.Value, Name: web.Shorten(strings.Join(names, ", "), explore.MaxDeviceName), Chosen: true})
	}
}

// apiQuery returns the request of the API for deals that pass the filters. A text that is not an
// amount stays as it is, and the API refuses it.
func (f *dealsForm) apiQuery(v *web.Visit, live *overview.Catalog, limit int) url.Values {
	q := url.Values{"distinct": {"games"}, "currency": {string(v.Locale.Currency)}, "lang": {v.Lang()}, "limit": {strconv.Itoa(limit)}}
	for _, field := range f.all() {
		if field.Value == "" {
			continue
		}
		value := field.Value
		if hundredths, ok := explore.Hundredths(value); ok {
			switch field.Name {
			case "maxUsd":
				value = strings.Replace(value, ",", ".", 1)
			case "maxPrice": // in hundredths
				value = hundredths
			}
		}
		if field.Name == "regions" && value == web.MainRegions {
			value = explore.ActiveCodes(live)
		}
		q.Set(field.Name, value)
	}
	return q
}

// blame shows what the API refused next to the field that it is about. It reports false if
// the form has no such field.
func (f *dealsForm) blame(v *web.Visit, refused *explore.RefusedError) bool {
	for _, field := range f.all() {
		if field.Name == refused.Details.Field {
			constraint := refused.Details.Constraint
			if field.Name == "maxPrice" && constraint == "integer" { // people enter it with decimals
				constraint = "number"
			}
			field.Wrong = constraintText(v, constraint)
			f.Open = true
			return true
		}
	}
	return false
}

func constraintText(v *web.Visit, constraint string) string {
	name, bound, _ := strings.Cut(constraint, ":")
	switch name {
	case "min":
		return v.T("deals.wrong.min", bound)
	case "max":
		return v.T("deals.wrong.max", bound)
	}
	return v.T(cmp.Or(wrongKeys[name], "deals.wrong.value"))
}

// wrongKeys are the keys of the sentences about constraints without a bound.
var wrongKeys = map[string]string{
	"oneRegion": "deals.wrong.country", "integer": "deals.wrong.integer",
	"number": "deals.wrong.number", "duration": "deals.wrong.duration",
}
