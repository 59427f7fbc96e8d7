package deals

import (
	"cmp"
	"math"
	"strings"

	"gamedex/internal/index"
	"gamedex/internal/paging"
)

// item is a deal with what it is sorted by.
type item struct {
	number int64
	text   string
	rank   uint32 // by store and id
	card   index.Card
	region uint8
}

func (f *finder) item(found candidate, number int64) item {
	n := found.discount.Card
	it := item{number: number, rank: f.columns.Ranks[n], card: f.Card(int(n)), region: found.region}
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
		return paging.HighestFirst(f.Card(int(d.Card)).Popularity())
	}
	return 0
}

func (i item) place() paging.Place {
	return paging.Place{Number: i.number, Text: i.text, Platform: i.card.Platform(), ID: i.card.ID()}
}

func (i item) compare(o item) int {
	if order := cmp.Compare(i.number, o.number); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(i.text, o.text), cmp.Compare(i.rank, o.rank))
}

func (i item) isAfter(p *paging.Place) bool {
	return i.number > p.Number || i.number == p.Number && i.place().Compare(*p) > 0
}
