package deals

import (
	"math"

	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/money"
)

// Query selects deals and a page of them.
type Query struct {
	// Regions are the numbers of the regions in which a card may be discounted, in the
	// order in which they are shown.
	Regions []uint8
	Cards   lists.Filter

	MinDiscount, MaxDiscount int          // percent, both included
	MaxPrice                 money.Amount // in the currency of the region; None: no bound
	MaxUSD                   money.Amount // US cents; None: no bound

	Low     history.Window // the price reaches this low; 0: any price
	NearLow int            // by how many percent the price may be above Low, or above AllTime if that is 0; Anywhere: any price
	Real    bool           // the verdict is real

	EndsWithin, StartedWithin int64 // milliseconds; 0: any time

	Free, Subscription Choice

	Distinct bool // of each game (index.Games) only the deal with the lowest price in dollars

	Sort  Sort
	Limit int
	After *lists.Position // nil: the first page
}

// Anywhere as NearLow selects prices whatever the low is.
const Anywhere = -1

// Choice says which prices a query selects: those of a kind, the others, or both.
type Choice uint8

// The choices.
const (
	No   Choice = iota // those that are not of the kind
	Only               // those of the kind
	Any
)

// ChoiceNames are the names of the choices, in the order of the constants.
var ChoiceNames = [...]string{"no", "only", "any"}

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

// Item is a card with its deal in the region shown: the one with the lowest price in
// dollars of those in which it passes.
type Item struct {
	Card      index.Card
	Row       index.Row // as it is now
	StartedAt int64     // Unix milliseconds
	Regions   []uint8   // in which the card passes, in the order of the query
}

// Page is a part of the list of deals that a query selects.
type Page struct {
	Items []Item
	Total int             // items of the whole list
	Next  *lists.Position // where the next page begins; nil: this is the last one
}

// Find returns a page of the deals at now (Unix milliseconds).
func Find(v *index.View, q Query, now int64) Page {
	f := finder{View: v, Query: q, now: now, cards: q.Cards.Select(v.Snapshot), columns: v.Columns()}
	if q.NearLow == Anywhere {
		f.meets = q.Low.Bit()
	}
	items, total := f.first()
	page := Page{Total: total}
	if len(items) > q.Limit {
		items = items[:q.Limit]
		last := items[q.Limit-1].Position(v.Snapshot)
		page.Next = &last
	}
	page.Items = f.show(items)
	return page
}

// item is a deal with what it is sorted by.
type item struct {
	lists.Item
	region   uint8
	discount *index.Discount
}

func (f *finder) item(found candidate, number int64) item {
	n := found.discount.Card
	it := item{lists.Item{Number: number, Rank: f.columns.Ranks[n], Card: n}, found.region, found.discount}
	if f.Sort == ByTitle {
		it.Text = f.columns.SortTitles[n]
	}
	return it
}

func (i item) compare(o item) int { return i.Compare(o.Item) }

// number returns the number by which a candidate is sorted, MaxInt64 if it is not known.
func (f *finder) number(found candidate) int64 {
	d := found.discount
	switch f.Sort {
	case ByDiscount:
		return -int64(d.Percent)
	case ByPrice:
		return int64(d.Current)
	case ByUSD:
		return found.cents
	case BySaving:
		if cents, ok := f.Cents(d.Currency, d.Base-d.Current); ok && d.Base.Known() {
			return -cents
		}
		return math.MaxInt64
	case ByEnd:
		if d.EndsAt == 0 {
			return math.MaxInt64
		}
		return d.EndsAt
	case ByStart:
		return -d.StartedAt
	case ByPopularity:
		return lists.HighestFirst(f.Card(int(d.Card)).Popularity())
	}
	return 0
}
