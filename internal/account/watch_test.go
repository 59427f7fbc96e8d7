package account

import "testing"

// TestSeeingAPrice follows the price of a watched game over visits: it is compared with that of the
// visit before, however often the page is opened, and never with that of another country.
func TestSeeingAPrice(t *testing.T) {
	const hour = 60 * 60 * 1000
	lira := func(amount int64) SeenPrice { return SeenPrice{"TR", "TRY", amount} }
	w := Watch{Game: "pcstore/a", AddedAt: 1, Prior: NotSeen}
	for i, tt := range []struct {
		price   SeenPrice
		now     int64
		prior   int64
		priorAt int64
		changed bool
	}{
		{lira(1000), 10 * hour, NotSeen, 0, true},
		{lira(900), 11 * hour, NotSeen, 0, false}, // the same visit
		{lira(900), 34 * hour, 1000, 10 * hour, true},
		{lira(900), 35 * hour, 1000, 10 * hour, false}, // still says what changed
		{lira(800), 60 * hour, 900, 34 * hour, true},
		{SeenPrice{"PL", "PLN", 100}, 61 * hour, NotSeen, 0, true},
		{SeenPrice{"PL", "PLN", NotSeen}, 90 * hour, 100, 61 * hour, true}, // no longer for sale
		{SeenPrice{"PL", "PLN", 90}, 80 * hour, NotSeen, 90 * hour, true},  // the clock was set back
	} {
		seen, changed := w.See(tt.price, tt.now)
		if seen.Prior != tt.prior || seen.PriorAt != tt.priorAt || changed != tt.changed || seen.Game != w.Game || seen.AddedAt != w.AddedAt {
			t.Errorf("step %d: %+v, %v; want %+v", i, seen, changed, tt)
		}
		w = seen
	}
}
