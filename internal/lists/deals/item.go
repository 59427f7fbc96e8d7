package deals

import (
	"cmp"
	"math"
	"strings"

	"gamedex/internal/index"
	"gamedex/internal/lists"
)

// item is a deal with what it is sorted by.
type item struct {
	number   int64
	text     string
	rank     uint32 // by store and id
	region   uint8
	discount *index.Discount
}

func (f *finder) item(found candidate, number int64) item {
	n := found.discount.Card
	it := item{number: number, rank: f.columns.Ranks[n], region: found.region, discount: found.discount}
	if f.Sort == ByTitle {
		it.text = f.columns.SortTitles[n]
	}
	return it
}

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

func (f *finder) position(i item) lists.Position {
	c := f.Card(int(i.discount.Card))
	return lists.Position{Number: i.number, Text: i.text, Platform: c.Platform(), ID: c.ID()}
}

func (i item) compare(o item) int {
	if order := cmp.Compare(i.number, o.number); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(i.text, o.text), cmp.Compare(i.rank, o.rank))
}

// isAfter reports whether an item comes after the page before.
func (f *finder) isAfter(i item) bool {
	return f.After == nil || i.number > f.After.Number || i.number == f.After.Number && f.position(i).Compare(*f.After) > 0
}
