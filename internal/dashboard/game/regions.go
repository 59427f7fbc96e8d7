package game

import (
	"cmp"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// regionRow is the price of a card in one region.
type regionRow struct {
	Code      string // alpha-2
	Region    string // name of the country
	Address   string // of this page with the history in this country
	Store     string // address in the store of that country; ""
	Text      string // in the currency of the region; "": no amount
	Sold      bool
	Before    string // without discount; "" without one
	Off       int    // percent
	EndsAt    int64  // of the discount; 0: not known
	Converted string // to the visitor's currency; "" without a number or a rate, and for a trial
	NoRate    bool   // there is an amount, but no exchange rate
	Width     int    // of the bar, in percent of the highest price; 0 only if it is free
	Badges    []explore.Badge
	Best      bool

	dollars   money.Amount // None without a number or a rate, and for a trial
	converted money.Amount // as Converted
	currency  money.Currency
	price     *explore.RegionPrice
}

type pricesView struct {
	Rows     []regionRow
	Saving   string // "" where there is nothing to compare
	Compared string // among how many countries
	RatesAt  int64  // 0: without rates

	cheapest   string // code of the cheapest country; "" where there is nothing to compare
	firstPrice string // code of the first country with a price, in the order of the API; ""
}

// regionPrices returns the table, sorted by US dollars in every currency, as the API compares.
// Prices without dollars come last, by name; so do trials, which are not a price of the game.
func regionPrices(v *web.Visit, a *explore.PricesAnswer) pricesView {
	var view pricesView
	if a.Meta.ExchangeRates != nil {
		view.RatesAt = int64(a.Meta.ExchangeRates.UpdatedAt)
	}
	if len(a.Data.Items) == 0 {
		return view
	}
	item := a.Data.Items[0]
	var highest money.Amount
	for _, key := range a.Regions {
		p := item.Regions[key]
		p.Cheapest = item.CheapestPrice
		row := rowOf(v, &p)
		highest = max(highest, row.dollars)
		if row.Best = item.Cheapest != nil && item.Cheapest.Region == key; row.Best {
			view.cheapest = row.Code
		}
		if row.Sold && view.firstPrice == "" {
			view.firstPrice = row.Code
		}
		view.Rows = append(view.Rows, row)
	}
	slices.SortFunc(view.Rows, func(a, b regionRow) int {
		return cmp.Or(cmp.Compare(uint64(a.dollars), uint64(b.dollars)), v.CompareCountries(a.Code, b.Code))
	})
	for i := range view.Rows {
		if r := &view.Rows[i]; r.dollars > 0 {
			r.Width = max(1, int(math.Round(100*float64(r.dollars)/float64(highest))))
		}
	}
	view.Saving = saving(v, view.Rows)
	switch {
	case item.ComparedRegions == 0:
	case item.ComparedRegions < item.RegionsCount:
		view.Compared = v.T("card.compared", item.ComparedRegions, item.RegionsCount)
	default:
		view.Compared = v.N("card.compared.all", item.ComparedRegions)
	}
	return view
}

// Sold reports whether the game has a price in any country.
func (view pricesView) Sold() bool { return view.firstPrice != "" }

// in returns the row of a country; nil if the game has no price there.
func (view *pricesView) in(country string) *regionRow {
	i := slices.IndexFunc(view.Rows, func(r regionRow) bool { return r.Sold && r.Code == country })
	if i < 0 {
		return nil
	}
	return &view.Rows[i]
}

// rowOf returns the row of a price. It has the text of the store only where there is no
// amount: texts of one currency differ from region to region, and those of zero are in the
// language of the region.
func rowOf(v *web.Visit, p *explore.RegionPrice) regionRow {
	v.ValidUntil(int64(p.DiscountEndAt))
	row := regionRow{Code: p.Alpha2, Region: v.Country(p.Alpha2), Store: webAddress(p.StoreURL), Text: p.CurrentText,
		Sold: p.CurrentText != "" || p.Current != nil, dollars: money.None, currency: money.Currency(p.Currency), price: p}
	if p.Current != nil && *p.Current > 0 {
		row.Text = v.Amount(row.currency, money.Amount(*p.Current))
	}
	if p.DiscountPercent > 0 && p.Base != nil {
		row.Off, row.Before, row.EndsAt = p.DiscountPercent, v.Amount(row.currency, money.Amount(*p.Base)), int64(p.DiscountEndAt)
	}
	if p.USD != nil && !p.IsTrial {
		row.dollars = money.Amount(math.Round(*p.USD * 100))
	}
	row.convert(v, p)
	switch zero := p.Current != nil && *p.Current == 0; {
	case p.IsTrial:
		row.Text = v.T("card.trial")
	case p.IsSubPlus && zero:
		row.Text = v.T("card.subscription")
	case p.IsSubPlus:
		row.Badges = append(row.Badges, explore.Badge{Text: v.T("card.subscription"), Class: "accent"})
	case p.IsFree:
		row.Text = v.T("card.free")
		row.Converted = row.Text
	}
	if p.Source == catalog.SourceDoubtful {
		row.Badges = append(row.Badges, explore.Badge{Text: v.T("card.doubtful"), Class: "warn"})
	}
	if d := explore.Judge(p, v.Now()); d.Kind == explore.Good || d.Kind == explore.Ordinary || d.Kind == explore.NotBest {
		row.Badges = append(row.Badges, explore.Badge{Text: d.Word(v), Class: string(d.Kind)})
	}
	return row
}

func (r *regionRow) convert(v *web.Visit, p *explore.RegionPrice) {
	currency := v.Locale.Currency
	switch {
	case p.IsTrial:
		return
	case currency == money.USD && r.dollars.Known():
		r.converted = r.dollars
	case currency != money.USD && p.Converted != nil:
		_, r.converted = p.Converted.Amount()
	default:
		r.NoRate = p.Current != nil && *p.Current > 0
		return
	}
	r.Converted = v.Amount(currency, r.converted)
}

func saving(v *web.Visit, rows []regionRow) string {
	var best, highest *regionRow
	for i := range rows {
		r := &rows[i]
		if r.Best {
			best = r
		}
		if r.dollars.Known() && r.Converted != "" {
			highest = r
		}
	}
	if best == nil || best.Converted == "" || highest == nil || best.converted >= highest.converted {
		return ""
	}
	less := v.Amount(v.Locale.Currency, highest.converted-best.converted)
	percent := money.DiscountPercent(highest.dollars, best.dollars)
	return v.T("card.saving", best.Region, best.Converted, less, percent, highest.Region, highest.Converted)
}

// webAddress returns an address that a page or a preview may lead to, or "". One with a user could seem to be
// that of another host, and would show a password.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.Host, `"'<>*;,`) {
		return ""
	}
	return address
}

// Table returns the rows of the table that part-prices.html frames. A game may be sold in
// sixty countries and more, so the cells have no classes, no end tags and no quotes, which HTML does not
// need: the style sheet knows the columns. There, b is a badge and i is text for screen readers alone.
func (view pricesView) Table(v *web.Visit) template.HTML {
	var m web.Markup
	for i := range view.Rows {
		row := &view.Rows[i]
		row.addName(&m)
		row.addConverted(&m, v)
		row.addPrice(&m, v)
		row.addRest(&m, v)
	}
	return m.HTML()
}

func (r *regionRow) addName(m *web.Markup) {
	if r.Best {
		m.Tags(`<tr class="best">`)
	} else {
		m.Tags(`<tr>`)
	}
	m.Between(`<th scope=row><a href="`, r.Address, `#history">`)
	m.Text(r.Region)
	m.Tags("</a>\n")
}

func (r *regionRow) addConverted(m *web.Markup, v *web.Visit) {
	m.Tags(`<td><svg aria-hidden=true><rect width=`)
	m.Number(r.Width)
	m.Tags(`% /></svg>`)
	switch {
	case r.Converted != "":
		m.Text(r.Converted)
	case r.NoRate:
		m.Between(`<span class="muted">`, v.T("card.no-rate"), `</span>`)
	default:
		m.Tags(`<span class="muted">–</span>`)
	}
	m.Tags("\n")
}

func (r *regionRow) addPrice(m *web.Markup, v *web.Visit) {
	m.Tags(`<td>`)
	switch {
	case !r.Sold:
		m.Between(`<span class="muted">`, v.T("card.not-sold"), `</span>`)
	case r.Text == "":
		m.Text(v.T("card.no-number"))
	default:
		m.Text(r.Text)
	}
	m.Tags("\n")
}

// addRest ends the row with what else is known about the price.
func (r *regionRow) addRest(m *web.Markup, v *web.Visit) {
	m.Tags(`<td>`)
	if r.Best {
		m.Between(`<b>`, v.T("card.best"), `</b> `)
	}
	if r.Off > 0 {
		m.Between(`<b>−`, v.T("percent", v.Number(r.Off)), `</b> <s><i>`)
		m.Text(v.T("card.before"))
		m.Between(` </i>`, r.Before, `</s> `)
	}
	for _, b := range r.Badges {
		m.Between(`<b class="`, b.Class, `">`)
		m.Text(b.Text)
		m.Tags(`</b> `)
	}
	switch {
	case r.EndsAt > 0:
		addDay(m, v, "card.until", r.EndsAt)
	case r.price.Since > 0:
		addDay(m, v, "card.since", int64(r.price.Since))
	case r.price.PricedAt > 0:
		addDay(m, v, "card.checked", int64(r.price.PricedAt))
	}
	if r.Store != "" {
		m.Between(`<a href="`, r.Store, `">`)
		m.Text(v.T("card.to-store"))
		m.Between(`<i>: `, r.Region, `</i></a>`)
	}
	m.Tags("\n")
}

func addDay(m *web.Markup, v *web.Visit, key string, at int64) {
	m.Text(v.T(key))
	m.Tags(` `)
	m.Escaped(v.Date(at))
	m.Tags(` `)
}
