package index

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gamedex/internal/history"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
)

// Discount is a row that shows a discount, with what lists of deals filter and sort by. It
// does not change until it ends.
type Discount struct {
	Card          uint32
	Percent       uint8
	Currency      uint8 // number, see Snapshot.Currency
	Subscription  bool
	Meets         uint8        // the windows that count and whose low the price reaches: history.Window.Bit
	Real          bool         // the verdict is real
	Base, Current money.Amount // Current is known
	EndsAt        int64        // 0: unknown
	StartedAt     int64        // when the reduction began, or since when the price is the present one
}

// HasEnded reports whether the discount is over at now (Unix milliseconds).
func (d *Discount) HasEnded(now int64) bool { return d.EndsAt != 0 && d.EndsAt <= now }

// Discounts are the discounts of a region.
type Discounts struct {
	// List begins with the highest percentage; those of one percentage are in the order
	// of Columns.Ranks.
	List []Discount
	// ByCard has the same discounts sorted by the number of the card. Lists of several
	// regions read it in order; indexes into List would take them 3 times as long.
	ByCard []Discount
}

// Between returns the part of List with percentages from lowest to highest.
func (d *Discounts) Between(lowest, highest int) []Discount {
	from := sort.Search(len(d.List), func(i int) bool { return int(d.List[i].Percent) <= highest })
	to := sort.Search(len(d.List), func(i int) bool { return int(d.List[i].Percent) < lowest })
	return d.List[from:max(from, to)]
}

// Of returns the discount of a card, nil if there is none.
func (d *Discounts) Of(c Card) *Discount {
	i := sort.Search(len(d.ByCard), func(i int) bool { return d.ByCard[i].Card >= c.n })
	if i == len(d.ByCard) || d.ByCard[i].Card != c.n {
		return nil
	}
	return &d.ByCard[i]
}

// Discounts returns the discounts of a region when the snapshot was built, no trials and
// no doubtful prices. Callers must not change them. The first call for a region makes the
// lists.
func (s *Snapshot) Discounts(region uint8) *Discounts {
	return s.discounts[region].get(func() Discounts { return s.makeDiscounts(region) })
}

// discounts are those of a snapshot by region.
type discounts [math.MaxUint8 + 1]lazy[Discounts]

func (s *Snapshot) makeDiscounts(region uint8) Discounts {
	byCard, ranks := s.readDiscounts(region), s.Columns().Ranks
	list := slices.Clone(byCard)
	slices.SortFunc(list, func(a, b Discount) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(ranks[a.Card], ranks[b.Card]))
	})
	return Discounts{list, byCard}
}

// readDiscounts returns the discounts of a region in the order of the cards.
func (s *Snapshot) readDiscounts(region uint8) []Discount {
	cards := s.prices.discounted()[region]
	list := make([]Discount, 0, len(cards))
	var past history.Summary
	for _, n := range cards {
		row, ok := s.Card(int(n)).Rows().InRegion(region)
		if !ok || !row.Current.Known() {
			continue
		}
		d := Discount{Card: n, Percent: uint8(row.Percent), Currency: row.Currency, Subscription: row.Subscription,
			Base: row.Base, Current: row.Current, EndsAt: row.EndsAt, StartedAt: row.PricedAt}
		// At that time no discount has ended.
		if row.Lows(row.PricedAt, &past) && past.AllTime.Times > 0 {
			d.Meets, d.Real = past.MetWindows(s.lows.today), past.Reduction.Verdict == history.Real
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
