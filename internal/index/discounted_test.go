package index_test

import (
	"cmp"
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// sortedDiscounts checks the order of discounts, and returns them by card.
func sortedDiscounts(t *testing.T, s *index.Snapshot, d *index.Discounts) (byCard []index.Discount) {
	t.Helper()
	ranks := s.Columns().Ranks
	if !slices.IsSortedFunc(d.List, func(a, b index.Discount) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(ranks[a.Card], ranks[b.Card]))
	}) {
		t.Errorf("%+v are not in order", d.List)
	}
	byCard = slices.SortedFunc(slices.Values(d.List), func(a, b index.Discount) int { return cmp.Compare(a.Card, b.Card) })
	if !slices.Equal(d.ByCard, byCard) {
		t.Errorf("by card %+v, want %+v", d.ByCard, byCard)
	}
	for n := range s.Len() {
		i := slices.IndexFunc(byCard, func(of index.Discount) bool { return int(of.Card) == n })
		if got := d.Of(s.Card(n)); i < 0 && got != nil || i >= 0 && (got == nil || *got != byCard[i]) {
			t.Errorf("the discount of card %d is %+v", n, got)
		}
	}
	for lowest := 0; lowest <= 100; lowest += 9 {
		highest := (lowest + 40) % 101
		in := 0
		for i := range d.List {
			if percent := int(d.List[i].Percent); percent >= lowest && percent <= highest {
				in++
			}
		}
		part := d.Between(lowest, highest)
		if len(part) != in || slices.ContainsFunc(part, func(of index.Discount) bool { return int(of.Percent) < lowest || int(of.Percent) > highest }) {
			t.Errorf("between %d and %d: %+v", lowest, highest, part)
		}
	}
	return byCard
}

// TestDiscountsAgreeWithRows compares the discounts of each region with the rows of all
// cards without past prices, at the times when discounts end.
func TestDiscountsAgreeWithRows(t *testing.T) {
	made := asStoresPrice(300, 16)
	for i := range made.in.Entries {
		p := made.in.Entries[i].Price
		switch i % 13 {
		case 1:
			p.Trial = true
		case 2:
			p.Source = catalog.SourceDoubtful
		case 3:
			p.Subscription = true
		case 4:
			p.DiscountEndsAt = 0
		}
	}
	s := made.open(t)
	found := 0
	for region := range uint8(16) {
		var want []index.Discount
		for n := range s.Len() {
			row, listed := s.Card(n).Rows().InRegion(region)
			if !listed || !row.Discounted() || !row.Current.Known() || row.Trial || row.Doubtful {
				continue
			}
			want = append(want, index.Discount{Card: uint32(n), Percent: uint8(row.Percent), Currency: row.Currency, Subscription: row.Subscription,
				Base: row.Base, Current: row.Current, EndsAt: row.EndsAt, StartedAt: row.PricedAt})
		}
		lists := s.Discounts(region)
		got := sortedDiscounts(t, s, lists)
		if !slices.Equal(got, want) {
			t.Fatalf("region %d: %+v, want %+v", region, got, want)
		}
		for _, d := range got {
			row, _ := s.Card(int(d.Card)).Rows().InRegion(region)
			for _, now := range []int64{0, row.EndsAt - 1, row.EndsAt, row.EndsAt + 1} {
				if at := row.At(now); d.HasEnded(now) == at.Discounted() {
					t.Fatalf("%+v at %d: %+v", d, now, at)
				}
			}
		}
		found += len(got)
	}
	if found == 0 {
		t.Error("no discounts: the test compares nothing")
	}
}
