package bulk

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// shownRow is a row as the answer shows it.
type shownRow struct {
	index.Row
	price *price
}

// read reads row i as it is at the time of the request.
func (s *shownRow) read(a *Answer, platform catalog.Platform, rows index.Rows, i int) {
	rows.Read(i, &s.Row)
	s.Pass(a.now)
	if s.EndsAt != 0 {
		a.until = min(a.until, s.EndsAt)
	}
	s.price = a.findPrice(platform, &s.Row)
}

// findRows reads the rows of a card that the answer shows, in its order.
func (a *Answer) findRows(c index.Card) {
	platform, rows := c.Platform(), c.Rows()
	a.own.clear()
	a.rowNumbers = a.AppendRows(a.rowNumbers[:0], rows)
	a.rows = slices.Grow(a.rows[:0], len(a.rowNumbers))[:len(a.rowNumbers)]
	for i, number := range a.rowNumbers {
		a.rows[i].read(a, platform, rows, number)
	}
}

// cheapest returns the row with the lowest price in dollars, nil if there is
// none, and among how many rows it is the lowest. Trials never count. Prices
// that are doubtful, or that need a subscription, count only where no other
// price does. The first of equal ones wins. Without a table of rates, dollars are
// compared only if no price is in another currency.
func (a *Answer) cheapest() (row *shownRow, compared int) {
	var best, second *shownRow
	var others int // compared with second
	for i := range a.rows {
		row := &a.rows[i]
		if row.Trial {
			continue
		}
		if !row.price.hasUSD {
			if row.Current.Known() && a.View.Rates.IsZero() {
				return nil, 0
			}
			continue
		}
		at, count := &best, &compared
		if row.Subscription || row.Doubtful {
			at, count = &second, &others
		}
		*count++
		if *at == nil || row.price.cents < (*at).price.cents {
			*at = row
		}
	}
	if best == nil {
		return second, others
	}
	return best, compared
}

// freshest returns the newest time of a price: of the rows shown, or of all
// rows of the card if none is.
func (a *Answer) freshest(rows index.Rows) int64 {
	var newest int64
	for i := range a.rows {
		newest = max(newest, a.rows[i].PricedAt)
	}
	if len(a.rows) == 0 {
		for i := range rows.Len() {
			newest = max(newest, rows.At(i).PricedAt)
		}
	}
	return newest
}
