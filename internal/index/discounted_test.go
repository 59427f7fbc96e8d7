package index_test

import (
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// TestDiscountsAgreeWithRows compares the discounts of each region with the rows of all
// cards without past prices, at the moments when discounts end.
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
		got := s.Discounts(region)
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
