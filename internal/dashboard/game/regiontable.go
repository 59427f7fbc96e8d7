package game

import (
	"html/template"

	"gamedex/internal/dashboard/web"
)

// Table returns the rows of the table that part-prices.html frames. A game may be sold in
// sixty countries and more, so the cells have no classes and no end tags, which HTML does not need:
// the style sheet knows the columns. There, b is a badge and i is text for screen readers alone.
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

// addName begins the row with its country.
func (r *regionRow) addName(m *web.Markup) {
	if r.Best {
		m.Tags(`<tr class="best">`)
	} else {
		m.Tags(`<tr>`)
	}
	m.Tags(`<th scope="row"><a href="`)
	m.Text(r.Address)
	m.Tags(`#history">`)
	m.Text(r.Region)
	m.Tags("</a>\n")
}

// addConverted adds the bar and the price in the visitor's currency.
func (r *regionRow) addConverted(m *web.Markup, v *web.Visit) {
	m.Tags(`<td><svg aria-hidden="true"><rect width="`)
	m.Number(r.Width)
	m.Tags(`%"/></svg>`)
	switch {
	case r.Converted != "":
		m.Text(r.Converted)
	case r.NoRate:
		m.Tags(`<span class="muted">`)
		m.Text(v.T("card.no-rate"))
		m.Tags(`</span>`)
	default:
		m.Tags(`<span class="muted">–</span>`)
	}
	m.Tags("\n")
}

// addPrice adds the price in the currency of the country.
func (r *regionRow) addPrice(m *web.Markup, v *web.Visit) {
	m.Tags(`<td>`)
	switch {
	case !r.Sold:
		m.Tags(`<span class="muted">`)
		m.Text(v.T("card.not-sold"))
		m.Tags(`</span>`)
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
		m.Tags(`<b>`)
		m.Text(v.T("card.best"))
		m.Tags(`</b> `)
	}
	if r.Off > 0 {
		m.Tags(`<b>−`)
		m.Text(v.T("percent", v.Number(r.Off)))
		m.Tags(`</b> <s><i>`)
		m.Text(v.T("card.before"))
		m.Tags(` </i>`)
		m.Text(r.Before)
		m.Tags(`</s> `)
	}
	for _, b := range r.Badges {
		if b.Class == "good" { // as b without a class
			m.Tags(`<b>`)
		} else {
			m.Tags(`<b class="`)
			m.Text(b.Class)
			m.Tags(`">`)
		}
		m.Text(v.T(b.Key))
		m.Tags(`</b> `)
	}
	switch {
	case r.EndsAt > 0:
		addDay(m, v, "card.until", r.EndsAt)
	case r.Priced > 0:
		addDay(m, v, "card.since", r.Priced)
	}
	if r.Store != "" {
		m.Tags(`<a href="`)
		m.Text(r.Store)
		m.Tags(`">`)
		m.Text(v.T("card.to-store"))
		m.Tags(`</a>`)
	}
	m.Tags("\n")
}

func addDay(m *web.Markup, v *web.Visit, key string, at int64) {
	m.Text(v.T(key))
	m.Tags(` `)
	m.Escaped(v.Date(at))
	m.Tags(` `)
}
