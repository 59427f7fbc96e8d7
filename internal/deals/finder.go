package deals

import (
	"math"
	"math/bits"

	"gamedex/internal/cardfilter"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// finder is one run of Find.
type finder struct {
	*index.View
	Query
	now   int64
	cards *cardfilter.Matcher
	past  history.Summary // of the row that readPast has read
}

// candidate is a card that passes in a region.
type candidate struct {
	card   uint32
	region uint8 // the one to show
	cents  int64 // its price there; MaxInt64: not known
	number int64 // see item
}

// candidates returns the cards that pass in a region.
func (f *finder) candidates() []candidate {
	var list []candidate
	var places []int32 // card → 1 + its place in list
	if len(f.Regions) > 1 {
		places = make([]int32, f.Len())
	}
	for _, region := range f.Regions {
		for _, n := range f.Discounted(region) {
			row, ok := f.deal(f.Card(int(n)), region)
			if !ok {
				continue
			}
			found := candidate{card: n, region: region, cents: f.cents(&row)}
			switch {
			case places == nil || places[n] == 0:
				found.number = f.number(&found, &row)
				list = append(list, found)
				if places != nil {
					places[n] = int32(len(list))
				}
			case found.cents < list[places[n]-1].cents:
				found.number = f.number(&found, &row)
				list[places[n]-1] = found
			}
		}
	}
	return list
}

// deal returns the row of a card in a region, and whether it passes all filters.
func (f *finder) deal(c index.Card, region uint8) (row index.Row, passes bool) {
	row, ok := c.Rows().InRegion(region)
	if !ok {
		return row, false
	}
	row.Pass(f.now)
	return row, row.Discounted() && row.Current.Known() && !row.Trial && !row.Doubtful &&
		row.Percent >= f.MinDiscount && row.Percent <= f.MaxDiscount &&
		!f.Free.leavesOut(row.Current == 0) && !f.Subscription.leavesOut(row.Subscription) &&
		(f.MaxPrice == money.None || row.Current <= f.MaxPrice) &&
		(f.EndsWithin == 0 || row.EndsAt != 0 && row.EndsAt <= f.now+f.EndsWithin) &&
		(f.MaxUSD == money.None || f.cents(&row) <= int64(f.MaxUSD)) &&
		f.cards.Match(c) && f.matchPast(&row)
}

// cents returns the price in US cents, MaxInt64 if it is not known.
func (f *finder) cents(row *index.Row) int64 {
	if cents, ok := f.USD(row); ok {
		return cents
	}
	return math.MaxInt64
}

// matchPast reports whether a row passes the filters that need past prices.
func (f *finder) matchPast(row *index.Row) bool {
	if f.StartedWithin == 0 && f.Low == 0 && f.NearLow == Anywhere && !f.Real {
		return true
	}
	f.readPast(row)
	return (f.StartedWithin == 0 || f.startedAt(row) >= f.now-f.StartedWithin) &&
		(!f.Real || f.past.Reduction.Verdict == history.Real) &&
		f.matchLow(row)
}

// readPast reads what past prices say of a row; the zero value if no price ever counted.
func (f *finder) readPast(row *index.Row) {
	if !row.Lows(f.now, &f.past) || f.past.AllTime.Times == 0 {
		f.past = history.Summary{}
	}
}

// matchLow reports whether a price, whose past was read, reaches a low or is near it. A
// price of zero or for subscribers is near none.
func (f *finder) matchLow(row *index.Row) bool {
	if f.NearLow == Anywhere {
		return f.past.Meets >= f.Low
	}
	low := &f.past.AllTime
	switch f.Low {
	case history.Year:
		low = &f.past.Year
	case history.Days90:
		low = &f.past.Days90
	}
	return low.Times > 0 && row.Current > 0 && !row.Subscription && !above(row.Current, low.Current, f.NearLow)
}

// above reports whether a is more than a percentage above b.
func above(a, b money.Amount, percent int) bool {
	hi, lo := bits.Mul64(uint64(a), 100)
	limitHi, limitLo := bits.Mul64(uint64(b), uint64(100+percent))
	return hi > limitHi || hi == limitHi && lo > limitLo
}

// startedAt returns when the discount of a row, whose past was read, began, as far as is
// known.
func (f *finder) startedAt(row *index.Row) int64 {
	if since := f.past.Reduction.Since; since != 0 {
		return int64(since)
	}
	return row.PricedAt
}

// show returns what a page shows of an item.
func (f *finder) show(it item) Item {
	shown := Item{Card: it.card}
	for _, region := range f.Regions {
		if row, ok := f.deal(it.card, region); ok {
			shown.Regions = append(shown.Regions, region)
			if region == it.region {
				shown.Row = row
			}
		}
	}
	f.readPast(&shown.Row)
	shown.StartedAt = f.startedAt(&shown.Row)
	return shown
}
