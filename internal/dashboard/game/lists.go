package game

import (
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

const shownEntries = 40 // of editions, add-ons, offers

// entryList is a table of other cards or offers.
type entryList struct {
	Heading string // key
	Rows    []lineRow
	Left    int // not shown
}

// lineRow is an edition, an add-on or an offer.
type lineRow struct {
	Address string // of its page; ""
	Title   string
	Type    string // key
	Devices string
	Price   explore.ShortPrice // in the visitor's country, or the cheapest one
	Here    bool               // the card of this page
}

// addCards adds a table of cards of the console store. The card with the id here is that of the page.
func (p *Pages) addCards(v *web.Visit, view *cardView, heading string, list []cardLine, here string) {
	live := p.Live.View()
	view.addList(heading, list, func(e *cardLine) lineRow {
		row := lineRow{Here: e.ID == here, Address: explore.Address(v.Locale, live, catalog.ConsoleStore.String(), e.ID, nil)}
		if c, ok := explore.Lookup(live, catalog.ConsoleStore.String(), e.ID); ok {
			row.Devices, row.Price = explore.Devices(c), shortPrice(v, live, c.Rows())
		}
		return row
	})
}

// addOffers adds the table of the offers of a card of the PC store.
func (p *Pages) addOffers(v *web.Visit, view *cardView, slug string, list []cardLine) {
	live, rows := p.Live.View(), map[string]index.Rows{}
	if c, ok := explore.Lookup(live, catalog.PCStore.String(), slug); ok {
		for i := range c.Offers().Len() {
			o := c.Offers().At(i)
			rows[o.ID()] = o.Rows()
		}
	}
	view.addList("card.offers", list, func(e *cardLine) lineRow {
		if of, ok := rows[e.ID]; ok {
			return lineRow{Price: shortPrice(v, live, of)}
		}
		return lineRow{}
	})
}

// addList adds a table of the first entries of a list. It sets what all rows have.
func (view *cardView) addList(heading string, list []cardLine, rowOf func(*cardLine) lineRow) {
	if len(list) == 0 {
		return
	}
	shown := list[:min(len(list), shownEntries)]
	table := entryList{Heading: heading, Rows: make([]lineRow, len(shown)), Left: len(list) - len(shown)}
	for i := range shown {
		table.Rows[i] = rowOf(&shown[i])
		table.Rows[i].Title, table.Rows[i].Type = shown[i].Title, explore.TypeKey(shown[i].Type)
	}
	view.Lists = append(view.Lists, table)
}

// version is the same game for another device or in the other store.
type version struct {
	Name    string
	Address string
	Price   string // in the visitor's country, or the cheapest one; "" without an amount
}

// versions returns the other versions of the game of a page.
func (p *Pages) versions(v *web.Visit, live *index.View, shown shownCard) (list []version) {
	all := explore.GameOf(live, explore.ListedCard{Platform: shown.platform.String(), ID: shown.id}, explore.VersionFilter{}).Versions()
	for i, c := range all {
		if i > 0 {
			list = append(list, version{p.VersionName(c), explore.Address(v.Locale, live, c.Platform().String(), c.ID(), nil), shortPrice(v, live, c.Rows()).Main})
		}
	}
	return list
}

// shortPrice returns a price in the visitor's country or, if they chose none, in the cheapest one;
// the zero value if there is none. It asks the index: bulk prices of forty cards in sixty countries
// are a megabyte of JSON, and they lack those of offers.
func shortPrice(v *web.Visit, live *index.View, rows index.Rows) explore.ShortPrice {
	row, ok := explore.RowFor(v, live, rows)
	if !ok {
		return explore.ShortPrice{}
	}
	currency := live.Currency(row.Currency)
	price := explore.RegionPrice{Alpha2: live.Region(row.Region).Alpha2, Currency: string(currency), CurrentText: row.CurrentText(),
		DiscountPercent: max(row.Percent, 0), DiscountEndAt: explore.Moment(row.EndsAt), IsTrial: row.Trial, IsSubPlus: row.Subscription, Source: row.Source()}
	if row.Current.Known() {
		price.Current = (*int64)(&row.Current)
	}
	if to := live.Rates.Converter(currency, v.Locale.Currency).Convert(row.Current); to.Known() {
		price.Converted = &explore.Converted{Currency: string(v.Locale.Currency), Value: int64(to)}
	}
	return explore.ShortPriceOf(v, &price)
}
