package index

import (
	"math"
	"sync"

	"gamedex/internal/history"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
)

// Discount is a row that shows a discount, with what lists of deals filter and sort by.
// Until it ends nothing of it changes.
type Discount struct {
	Card          uint32
	Percent       uint8
	Currency      uint8 // number, see Snapshot.Currency
	Subscription  bool
	Meets         history.Window // the longest window whose low the price reaches; 0: none
	Real          bool           // the verdict is real
	Base, Current money.Amount   // Current is known
	EndsAt        int64          // 0: unknown
	StartedAt     int64          // when the reduction began, or since when the price is the present one
}

// HasEnded reports whether the discount is over at now (Unix milliseconds).
func (d *Discount) HasEnded(now int64) bool { return d.EndsAt != 0 && d.EndsAt <= now }

// Discounts returns the discounts of a region when the snapshot was built, no trials and
// no doubtful prices, by rising number of the card. Callers must not change it. The first
// call for a region makes the list.
func (s *Snapshot) Discounts(region uint8) []Discount {
	l := &s.discounts[region]
	l.once.Do(func() { l.list = s.readDiscounts(region) })
	return l.list
}

// discounts are the lists of a snapshot by region.
type discounts [math.MaxUint8 + 1]struct {
	once sync.Once
	list []Discount
}

func (s *Snapshot) readDiscounts(region uint8) []Discount {
	cards := s.discounted()[region]
	list := make([]Discount, 0, len(cards))
	var past history.Summary
	for _, n := range cards {
		row, ok := s.Card(int(n)).Rows().InRegion(region)
		if !ok || !row.Current.Known() {
			continue
		}
		d := Discount{Card: n, Percent: uint8(row.Percent), Currency: row.Currency, Subscription: row.Subscription,
			Base: row.Base, Current: row.Current, EndsAt: row.EndsAt, StartedAt: row.PricedAt}
		// At this moment no discount has ended.
		if row.Lows(row.PricedAt, &past) && past.AllTime.Times > 0 {
			d.Meets, d.Real = past.Meets, past.Reduction.Verdict == history.Real
			if since := past.Reduction.Since; since != 0 {
				d.StartedAt = int64(since)
			}
		}
		list = append(list, d)
	}
	return list
}

// discountedCards returns by region the cards with a row that has a percentage, and is
// neither a trial nor doubtful.
func discountedCards(p *layout.Prices) [][]uint32 {
	lists := make([][]uint32, math.MaxUint8+1)
	for card := range p.CardRows.Len() / 2 {
		first, n := int(p.CardRows.At(2*card)), int(p.CardRows.At(2*card+1))
		for row := first; row < first+n; row++ {
			b := p.Rows[row*layout.RowSize : (row+1)*layout.RowSize]
			if percent := b[layout.RowPercent]; percent == 0 || percent == layout.NoPercent {
				continue
			}
			extra := int(layout.U32(b, layout.RowExtra))
			if flags := p.Extras[extra*layout.ExtraSize+layout.ExtraFlags]; flags&(layout.FlagTrial|layout.FlagDoubtful) == 0 {
				lists[b[layout.RowRegion]] = append(lists[b[layout.RowRegion]], uint32(card))
			}
		}
	}
	return lists
}
