package deals

import (
	"math"
	"math/bits"
	"sort"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
	"gamedex/internal/lists"
	"gamedex/internal/money"
)

// finder is one run of Find.
type finder struct {
	*index.View
	Query
	now     int64
	cards   cardset.Bits // that pass Query.Cards
	columns *index.Columns

	meets uint8 // the window whose low a price has to reach: history.Window.Bit
	// By currency number: the highest price that passes MaxPrice and MaxUSD, computed when
	// the first price in a currency comes.
	highest [math.MaxUint8 + 1]money.Amount
	known   [math.MaxUint8 + 1]bool

	prefetched uint64 // the sum that index.PrefetchCards returns
}

// blockSize is how many cards candidates collects at a time: their memory fits the first
// cache of a processor.
const blockSize = 512

// candidate is a card that passes in a region.
type candidate struct {
	discount *index.Discount // in the region to show; nil: the card does not pass
	region   uint8
	cents    int64 // the price there, if it matters; MaxInt64: not known
}

// first returns the items that follow the previous page, and how many the whole list has.
// It returns one more than the page has, if there is a next page.
func (f *finder) first() (items []item, total int) {
	if f.Distinct {
		return f.firstOfGames()
	}
	if f.Sort == ByDiscount && len(f.Regions) == 1 {
		return f.firstInOrder(f.Regions[0])
	}
	top := lists.NewTop(f.Limit+1, item.compare)
	total = f.candidates(func(found candidate) {
		number := f.number(found)
		if last, full := top.Last(); full && number > last.Number {
			return
		}
		if it := f.item(found, number); it.IsAfter(f.After, f.Snapshot) {
			top.Add(it)
		}
	})
	return top.Sorted(), total
}

// firstInOrder returns the same as first for one region, whose list is in the order of
// ByDiscount. Find takes 1.2 times as long if it reads the whole list, and again 1.2 times
// if it sorts (100,000 cards, four filters).
func (f *finder) firstInOrder(region uint8) (items []item, total int) {
	items = make([]item, 0, f.Limit+1)
	list := f.Discounts(region).Between(f.MinDiscount, f.MaxDiscount)
	for i := range list {
		d := &list[i]
		if !f.match(d, region) {
			continue
		}
		total++
		if len(items) > f.Limit {
			continue
		}
		found := candidate{d, region, f.cents(d)}
		if it := f.item(found, f.number(found)); it.IsAfter(f.After, f.Snapshot) {
			items = append(items, it)
		}
	}
	return items, total
}

// firstOfGames returns the same as first with one deal of each game: the one with the lowest
// price in dollars, of equal ones the first.
func (f *finder) firstOfGames() (items []item, total int) {
	type gameDeal struct {
		item
		cents int64
	}
	var list []gameDeal
	games := f.Games()
	numbers := make([]uint32, f.Len()) // by Games.First: the number in list, plus one
	f.candidates(func(found candidate) {
		deal, at := gameDeal{f.item(found, f.number(found)), found.cents}, &numbers[games.First(found.discount.Card)]
		if *at == 0 {
			list = append(list, deal)
			*at = uint32(len(list))
		} else if best := &list[*at-1]; deal.cents < best.cents || deal.cents == best.cents && deal.compare(best.item) < 0 {
			*best = deal
		}
	})
	top := lists.NewTop(f.Limit+1, item.compare)
	for _, deal := range list {
		if deal.IsAfter(f.After, f.Snapshot) {
			top.Add(deal.item)
		}
	}
	return top.Sorted(), len(list)
}

// candidates calls each for the cards that pass in a region, and returns how many do. The
// lists of the regions, which are sorted by card, are read side by side.
func (f *finder) candidates(each func(candidate)) (total int) {
	lists := make([][]index.Discount, len(f.Regions))
	for i, region := range f.Regions {
		lists[i] = f.Discounts(region).ByCard
	}
	var block [blockSize]candidate
	var found []int // indexes in block
	for first := 0; first < f.Len(); first += blockSize {
		found = found[:0]
		for i, region := range f.Regions {
			n := 0
			for ; n < len(lists[i]) && int(lists[i][n].Card) < first+blockSize; n++ {
				d := &lists[i][n]
				if !f.match(d, region) {
					continue
				}
				at := &block[int(d.Card)-first]
				if cents := f.cents(d); at.discount == nil {
					*at = candidate{d, region, cents}
					found = append(found, int(d.Card)-first)
				} else if cents < at.cents {
					*at = candidate{d, region, cents}
				}
			}
			lists[i] = lists[i][n:]
		}
		for _, i := range found {
			each(block[i])
			block[i].discount = nil
		}
		total += len(found)
	}
	return total
}

// match reports whether a discount passes all filters. What costs most comes last.
func (f *finder) match(d *index.Discount, region uint8) bool {
	if !f.known[d.Currency] {
		f.known[d.Currency], f.highest[d.Currency] = true, f.findHighest(d.Currency)
	}
	// Price and low share one branch, because each is hard to predict: with two branches
	// Find takes 1.12 times as long.
	if !f.cards.Has(d.Card) || one(d.Current <= f.highest[d.Currency])&one(d.Meets&f.meets == f.meets) == 0 {
		return false
	}
	percent := int(d.Percent)
	return percent >= f.MinDiscount && percent <= f.MaxDiscount && !d.HasEnded(f.now) &&
		!f.Free.leavesOut(d.Current == 0) && !f.Subscription.leavesOut(d.Subscription) &&
		(f.EndsWithin == 0 || d.EndsAt != 0 && d.EndsAt <= f.now+f.EndsWithin) &&
		(f.StartedWithin == 0 || d.StartedAt >= f.now-f.StartedWithin) &&
		(!f.Real || d.Real) && (f.NearLow == Anywhere || f.matchNear(d, region))
}

// one returns 1 for true.
func one(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// findHighest returns the highest price in a currency that passes MaxPrice and MaxUSD; None
// if no price does.
func (f *finder) findHighest(currency uint8) money.Amount {
	highest := money.Amount(math.MaxInt64)
	if f.MaxPrice != money.None {
		highest = f.MaxPrice
	}
	if f.MaxUSD == money.None {
		return highest
	}
	tooHigh := sort.Search(math.MaxInt, func(a int) bool {
		cents, ok := f.Cents(currency, money.Amount(a))
		return !ok || cents > int64(f.MaxUSD)
	})
	return min(highest, money.Amount(tooHigh)-1)
}

// cents returns the price in US cents, MaxInt64 if it is not known, or if it does not
// matter: one region has nothing to compare with, unless versions of a game are compared.
func (f *finder) cents(d *index.Discount) int64 {
	if len(f.Regions) == 1 && f.Sort != ByUSD && !f.Distinct {
		return math.MaxInt64
	}
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
	low, window := &past.AllTime, history.AllTime
	switch f.Low {
	case history.Year:
		low, window = &past.Year, history.Year
	case history.Days90:
		low, window = &past.Days90, history.Days90
	}
	return low.Times > 0 && window.Counts(past.WatchedSince, catalog.Millis(f.LowsDay())) && !above(d.Current, low.Current, f.NearLow)
}

// above reports whether a is more than a percentage above b.
func above(a, b money.Amount, percent int) bool {
	hi, lo := bits.Mul64(uint64(a), 100)
	limitHi, limitLo := bits.Mul64(uint64(b), uint64(100+percent))
	return hi > limitHi || hi == limitHi && lo > limitLo
}

// show returns what a page shows of its items. Without PrefetchCards a request for a page
// of 50 deals takes 1.1 times as long, on a busy machine 1.3 times.
func (f *finder) show(items []item) []Item {
	cards, shown := make([]index.Card, len(items)), make([]Item, len(items))
	for i := range items {
		cards[i] = f.Card(int(items[i].Card))
	}
	for i := range items {
		if i%index.PrefetchStep == 0 {
			f.prefetched += f.PrefetchCards(cards[i:], f.Regions)
		}
		shown[i] = f.showOne(cards[i], &items[i])
	}
	return shown
}

func (f *finder) showOne(c index.Card, it *item) Item {
	shown := Item{Card: c, StartedAt: it.discount.StartedAt}
	shown.Row, _ = c.Rows().InRegion(it.region)
	shown.Row.Pass(f.now)
	for _, region := range f.Regions {
		if region != it.region {
			if d := f.Discounts(region).Of(c); d == nil || !f.match(d, region) {
				continue
			}
		}
		shown.Regions = append(shown.Regions, region)
	}
	return shown
}
