package bulk

import (
	"slices"

	"gamedex/internal/index"
)

// shownRow is a row as the answer shows it.
type shownRow struct {
	index.Row
	cents  int64 // in US cents, if hasUSD
	hasUSD bool
}

// read reads row i as it is at the time of the request.
func (s *shownRow) read(a *Answer, rows index.Rows, i int) {
	rows.Read(i, &s.Row)
	s.Pass(a.now)
	s.cents, s.hasUSD = a.View.USD(&s.Row)
}

// findRows reads the rows of a card that the answer shows, in its order.
func (a *Answer) findRows(rows index.Rows) {
	a.rowNumbers = a.AppendRows(a.rowNumbers[:0], rows)
	a.rows = slices.Grow(a.rows[:0], len(a.rowNumbers))[:len(a.rowNumbers)]
	for i, number := range a.rowNumbers {
		a.rows[i].read(a, rows, number)
	}
}

// cheapest returns the row with the lowest price in dollars, nil if there is
// none, and among how many rows it is the lowest. Trials never count. Prices
// that are doubtful, or that need a subscription, count only where no other
// price does. The first of equal ones wins.
func (a *Answer) cheapest() (row *shownRow, compared int) {
	var best, second *shownRow
	var others int // compared with second
	for i := range a.rows {
		row := &a.rows[i]
		if !row.hasUSD || row.Trial {
			continue
		}
		at, count := &best, &compared
		if row.Subscription || row.Doubtful {
			at, count = &second, &others
		}
		*count++
		if *at == nil || row.cents < (*at).cents {
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
