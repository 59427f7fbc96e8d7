package deals

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

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
		discounts := f.Discounts(region)
		for i := range discounts {
			d := &discounts[i]
			if !f.match(d, region) {
				continue
			}
			found := candidate{card: d.Card, region: region, cents: f.cents(d)}
			switch {
			case places == nil || places[d.Card] == 0:
				found.number = f.number(&found, d)
				list = append(list, found)
				if places != nil {
					places[d.Card] = int32(len(list))
				}
			case found.cents < list[places[d.Card]-1].cents:
				found.number = f.number(&found, d)
				list[places[d.Card]-1] = found
			}
		}
	}
	return list
}

// match reports whether a discount passes all filters. What costs most comes last.
func (f *finder) match(d *index.Discount, region uint8) bool {
	percent := int(d.Percent)
	return percent >= f.MinDiscount && percent <= f.MaxDiscount && !d.HasEnded(f.now) &&
		!f.Free.leavesOut(d.Current == 0) && !f.Subscription.leavesOut(d.Subscription) &&
		(f.MaxPrice == money.None || d.Current <= f.MaxPrice) &&
		(f.EndsWithin == 0 || d.EndsAt != 0 && d.EndsAt <= f.now+f.EndsWithin) &&
		(f.StartedWithin == 0 || d.StartedAt >= f.now-f.StartedWithin) &&
		(!f.Real || d.Real) && (f.NearLow != Anywhere || d.Meets >= f.Low) &&
		(f.MaxUSD == money.None || f.cents(d) <= int64(f.MaxUSD)) &&
		f.cards.Match(f.Card(int(d.Card))) &&
		(f.NearLow == Anywhere || f.matchNear(d, region))
}

// cents returns the price in US cents, MaxInt64 if it is not known.
func (f *finder) cents(d *index.Discount) int64 {
	if cents, ok := f.Cents(d.Currency, d.Current); ok {
		return cents
	}
	return math.MaxInt64
}

// matchNear reports whether a price is near the low. A price of zero or for subscribers
// is near none.
func (f *finder) matchNear(d *index.Discount, region uint8) bool {
	if d.Current == 0 || d.Subscription {
		return false
	}
	var past history.Summary
	row, ok := f.Card(int(d.Card)).Rows().InRegion(region)
	if !ok || !row.Lows(f.now, &past) {
		return false
	}
	low := &past.AllTime
	switch f.Low {
	case history.Year:
		low = &past.Year
	case history.Days90:
		low = &past.Days90
	}
	return low.Times > 0 && !above(d.Current, low.Current, f.NearLow)
}

// above reports whether a is more than a percentage above b.
func above(a, b money.Amount, percent int) bool {
	hi, lo := bits.Mul64(uint64(a), 100)
	limitHi, limitLo := bits.Mul64(uint64(b), uint64(100+percent))
	return hi > limitHi || hi == limitHi && lo > limitLo
}

// show returns what a page shows of an item.
func (f *finder) show(it item) Item {
	shown := Item{Card: it.card}
	for _, region := range f.Regions {
		d := f.find(it.card, region)
		if d == nil || !f.match(d, region) {
			continue
		}
		shown.Regions = append(shown.Regions, region)
		if region == it.region {
			shown.Row, _ = it.card.Rows().InRegion(region)
			shown.Row.Pass(f.now)
			shown.StartedAt = d.StartedAt
		}
	}
	return shown
}

// find returns the discount of a card in a region, nil if there is none.
func (f *finder) find(c index.Card, region uint8) *index.Discount {
	discounts := f.Discounts(region)
	i, ok := slices.BinarySearchFunc(discounts, uint32(c.Number()), func(d index.Discount, n uint32) int { return cmp.Compare(d.Card, n) })
	if !ok {
		return nil
	}
	return &discounts[i]
}
