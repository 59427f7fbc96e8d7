package sitemap

import (
	"cmp"
	"slices"

	"gamedex/internal/index"
)

// order has the cards of a view, the last changed first.
type order struct {
	view  *index.View
	cards []changedCard
}

type changedCard struct {
	number uint32
	at     int64 // Unix milliseconds
}

// newOrder sorts the cards by when one of their prices last changed, or when they were added.
func newOrder(view *index.View) *order {
	o := &order{view, make([]changedCard, view.Len())}
	var row index.Row
	for n := range o.cards {
		card := view.Card(n)
		at, rows := card.AddedAt(), card.Rows()
		for i := range rows.Len() {
			rows.Read(i, &row)
			at = max(at, row.PricedAt)
		}
		o.cards[n] = changedCard{uint32(n), at}
	}
	slices.SortFunc(o.cards, func(a, b changedCard) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.number, b.number))
	})
	return o
}

// changed returns when a card of the order last changed.
func (o *order) changed(i int) int64 { return o.cards[i].at }
