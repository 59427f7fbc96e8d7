package deals

import (
	"cmp"
	"math"
	"math/bits"
	"strings"

	"gamedex/internal/cardfilter"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/paging"
)

// Query selects deals and a page of them.
type Query struct {
	// Regions are the numbers of regions in which a card may be discounted, in the
	// order in which they are shown.
	Regions []uint8
	Cards   cardfilter.Filter

	MinDiscount, MaxDiscount int          // percent
	MaxPrice                 money.Amount // in the currency of the region; None: no bound
	MaxUSD                   money.Amount // US cents; None: no bound

	Low     history.Window // the price reaches this low; 0: any
	NearLow int            // the price is at most so many percent above Low, or AllTime if that is 0; Anywhere: any
	Real    bool           // the verdict is real

	EndsWithin, StartedWithin int64 // milliseconds; 0: any

	Free, Subscription Choice

	Sort  Sort
	Limit int
	After *paging.Place // nil: the first page
}

// Anywhere as NearLow selects prices whatever the low is.
const Anywhere = -1

// Choice says which of two kinds of prices a query selects.
type Choice uint8

// The choices.
const (
	Any  Choice = iota
	No          // those that are not of the kind
	Only        // those of the kind
)

// ChoiceNames are the names of the choices, in the order of the constants.
var ChoiceNames = [...]string{"any", "no", "only"}

// leavesOut reports whether the choice excludes a price, of the kind or not.
func (c Choice) leavesOut(is bool) bool { return c == No && is || c == Only && !is }

// Sort is an order of deals.
type Sort uint8

// The orders. Unknown values come last.
const (
	ByDiscount   Sort = iota // highest percentage first
	ByPrice                  // lowest first; of one region only
	ByUSD                    // lowest first
	BySaving                 // in dollars, highest first
	ByEnd                    // soonest first
	ByStart                  // newest first
	ByPopularity             // highest first
	ByTitle
)

// SortNames are the names of the orders, in the order of the constants.
var SortNames = [...]string{"discount", "price", "usd", "saving", "ends", "started", "popularity", "title"}

// Item is a card with its deal in the region shown: the one of the lowest price in
// dollars among those in which it passes.
type Item struct {
	Card      index.Card
	Row       index.Row // as it is now
	StartedAt int64     // Unix milliseconds
	Regions   []uint8   // in which the card passes, in the order of the query
}

// Page is a part of the list of deals that a query selects.
type Page struct {
	Items []Item
	Total int           // items of the whole list
	Next  *paging.Place // where the next page begins; nil: this is the last one
}

// Find returns a page of the deals at now (Unix milliseconds).
func Find(v *index.View, q Query, now int64) Page {
	f := finder{View: v, Query: q, now: now, cards: q.Cards.Compile(v.Snapshot)}
	candidates := f.candidates()
	// One more than the page tells whether there is a next one.
	top := paging.NewTop(q.Limit+1, item.compare)
	for i := range candidates {
		if it := f.item(&candidates[i]); q.After == nil || it.isAfter(q.After) {
			top.Add(it)
		}
	}
	page, items := Page{Total: len(candidates)}, top.Sorted()
	if len(items) > q.Limit {
		items = items[:q.Limit]
		last := items[q.Limit-1].place()
		page.Next = &last
	}
	for _, it := range items {
		page.Items = append(page.Items, f.show(it))
	}
	return page
}

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
			c := f.Card(int(n))
			row, ok := f.deal(c, region)
			if !ok {
				continue
			}
			found := candidate{n, region, f.cents(&row)}
			switch {
			case places == nil:
				list = append(list, found)
			case places[n] == 0:
				list = append(list, found)
				places[n] = int32(len(list))
			case found.cents < list[places[n]-1].cents:
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
		(f.MaxUSD == money.None || f.cents(&row) <= int64(f.MaxUSD)) &&
		(f.EndsWithin == 0 || row.EndsAt != 0 && row.EndsAt <= f.now+f.EndsWithin) &&
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
	if f.StartedWithin != 0 && f.startedAt(row) < f.now-f.StartedWithin {
		return false
	}
	if f.Low == 0 && f.NearLow == Anywhere && !f.Real {
		return true
	}
	lows, ok := f.lows(row)
	return ok && (!f.Real || lows.Reduction.Since != 0 && lows.Reduction.Verdict == history.Real) && f.matchLow(row, &lows)
}

// matchLow reports whether a price reaches a low, or is near it. A price of zero or for
// subscribers is near none.
func (f *finder) matchLow(row *index.Row, lows *history.Summary) bool {
	if f.NearLow == Anywhere {
		return lows.Meets >= f.Low
	}
	low := &lows.AllTime
	switch f.Low {
	case history.Year:
		low = &lows.Year
	case history.Days90:
		low = &lows.Days90
	}
	return low.Times > 0 && row.Current > 0 && !row.Subscription && !above(row.Current, low.Current, f.NearLow)
}

// above reports whether a is more than a percentage above b.
func above(a, b money.Amount, percent int) bool {
	hi, lo := bits.Mul64(uint64(a), 100)
	limitHi, limitLo := bits.Mul64(uint64(b), uint64(100+percent))
	return hi > limitHi || hi == limitHi && lo > limitLo
}

// startedAt returns when the discount of a row began, as far as is known.
func (f *finder) startedAt(row *index.Row) int64 {
	if lows, ok := f.lows(row); ok && lows.Reduction.Since != 0 {
		return int64(lows.Reduction.Since)
	}
	return row.PricedAt
}

// lows returns what past prices say of a row; false if no price ever counted.
func (f *finder) lows(row *index.Row) (lows history.Summary, ok bool) {
	ok = row.Lows(f.now, &lows)
	return lows, ok && lows.AllTime.Times > 0
}

// item is a deal with what it is sorted by before platform and id.
type item struct {
	number    int64
	text      string
	card      index.Card
	candidate *candidate
}

// item returns the item of a candidate. It reads the row again: most candidates come on no
// page, and a row is large.
func (f *finder) item(found *candidate) item {
	it := item{number: math.MaxInt64, card: f.Card(int(found.card)), candidate: found}
	row, _ := it.card.Rows().InRegion(found.region)
	row.Pass(f.now)
	switch f.Sort {
	case ByDiscount:
		it.number = -int64(row.Percent)
	case ByPrice:
		it.number = int64(row.Current)
	case ByUSD:
		it.number = found.cents
	case BySaving:
		if cents, ok := f.Cents(row.Currency, row.Base-row.Current); ok && row.Base.Known() {
			it.number = -cents
		}
	case ByEnd:
		if row.EndsAt != 0 {
			it.number = row.EndsAt
		}
	case ByStart:
		it.number = -f.startedAt(&row)
	case ByPopularity:
		it.number = paging.HighestFirst(it.card.Popularity())
	case ByTitle:
		it.number, it.text = 0, f.Columns().SortTitles[found.card]
	}
	return it
}

func (i item) place() paging.Place {
	return paging.Place{Number: i.number, Text: i.text, Platform: i.card.Platform(), ID: i.card.ID()}
}

// compare reads platform and id only of items that are equal otherwise.
func (i item) compare(o item) int {
	if order := cmp.Compare(i.number, o.number); order != 0 {
		return order
	}
	if order := strings.Compare(i.text, o.text); order != 0 {
		return order
	}
	return i.place().Compare(o.place())
}

func (i item) isAfter(p *paging.Place) bool {
	return i.number > p.Number || i.number == p.Number && i.place().Compare(*p) > 0
}

// show returns what a page shows of an item.
func (f *finder) show(it item) Item {
	shown := Item{Card: it.card}
	for _, region := range f.Regions {
		if row, ok := f.deal(it.card, region); ok {
			shown.Regions = append(shown.Regions, region)
			if region == it.candidate.region {
				shown.Row = row
			}
		}
	}
	shown.StartedAt = f.startedAt(&shown.Row)
	return shown
}
