package game

import (
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
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
	Price   priceTag
	Here    bool // the card of this page
}

// priceTag is the price of an edition or an add-on; zero without a price.
type priceTag struct {
	Text   string
	Off    int    // percent; 0: no discount
	Before string // the price without it
}

// priceTagOf returns the short form of a price. An amount above zero looks like the other
// amounts in its currency on the page; anything else is in the words of the API.
func priceTagOf(v *web.Visit, p *simplePrice) priceTag {
	if p == nil {
		return priceTag{}
	}
	tag, currency := priceTag{Text: p.Formatted}, money.Currency(p.Currency)
	if p.Value != nil && *p.Value > 0 {
		tag.Text = v.Amount(currency, money.Amount(*p.Value))
	}
	if p.Discount != nil && p.Discount.Percentage > 0 {
		v.ValidUntil(int64(p.Discount.EndsAt))
		tag.Off, tag.Before = p.Discount.Percentage, v.Amount(currency, money.Amount(p.Discount.OriginalPrice))
	}
	return tag
}

// lineRows returns the rows of a table. With linked, rows lead to their own pages.
func (p *Pages) lineRows(v *web.Visit, list []cardLine, linked bool) []lineRow {
	live := p.Live.View()
	rows := make([]lineRow, len(list))
	for i, e := range list {
		rows[i] = lineRow{Title: e.Title, Type: explore.TypeKey(e.Type), Price: priceTagOf(v, e.Price)}
		if !linked {
			continue
		}
		rows[i].Address = explore.Address(v.Place, live, catalog.ConsoleStore.String(), e.ID, nil)
		if live != nil {
			if c, ok := live.Lookup(catalog.ConsoleStore, e.ID); ok {
				rows[i].Devices = explore.Devices(c)
			}
		}
	}
	return rows
}

func (view *cardView) addList(heading string, rows []lineRow) {
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), shownEntries)]
	view.Lists = append(view.Lists, entryList{Heading: heading, Rows: shown, Left: len(rows) - len(shown)})
}
