package account

import "testing"

// TestSeeingAPrice follows the price of a watched game over visits: it is compared with that of the visit
// before in the same market, however often the page is opened and whatever is seen of other markets.
func TestSeeingAPrice(t *testing.T) {
	const hour = 60 * 60 * 1000
	lira := func(amount int64) SeenPrice { return SeenPrice{"TR", "TRY", amount} }
	zloty := func(amount int64) SeenPrice { return SeenPrice{"PL", "PLN", amount} }
	cheapest := func(currency string, amount int64) SeenPrice { return SeenPrice{"", currency, amount} }
	convert := func(amount int64, from, to string) int64 {
		perDollar := map[string]int64{"TRY": 40, "UAH": 20, "USD": 1}
		if perDollar[from] == 0 || perDollar[to] == 0 {
			return NotSeen
		}
		return amount * perDollar[to] / perDollar[from]
	}
	w := Watch{Game: "pcstore/a", Price: SeenPrice{Amount: NotSeen}, Prior: NotSeen}
	for i, tt := range []struct {
		price   SeenPrice
		now     int64
		prior   int64 // as compared with the price
		changed bool
	}{
		{lira(1000), 10 * hour, NotSeen, true},
		{lira(900), 11 * hour, NotSeen, false}, // the same visit
		{lira(900), 34 * hour, 1000, true},
		{lira(900), 35 * hour, 1000, false}, // still says what changed
		{lira(800), 60 * hour, 900, true},
		{zloty(100), 68 * hour, NotSeen, false}, // one look
		{cheapest("TRY", 100), 68 * hour, NotSeen, false},
		{lira(800), 68 * hour, 800, true},
		{lira(NotSeen), 90 * hour, 800, false}, // not for sale
		{lira(700), 120 * hour, 800, true},
		{zloty(100), 287 * hour, NotSeen, false},
		{zloty(100), 288 * hour, NotSeen, true}, // lives there now
		{zloty(90), 300 * hour, 100, true},
		{zloty(80), 290 * hour, 90, true}, // the clock was set back
		{cheapest("UAH", 2000), 900 * hour, NotSeen, true},
		{cheapest("UAH", 2000), 910 * hour, 2000, true},
		{cheapest("TRY", 360), 920 * hour, 4000, true}, // another country is cheaper by 91 %
		{cheapest("UAH", 1900), 921 * hour, 2000, false},
		{cheapest("EUR", 90), 930 * hour, NotSeen, true}, // without a rate
	} {
		seen, changed := w.See(tt.price, tt.now, convert)
		if prior := seen.Before(tt.price, convert); prior != tt.prior || changed != tt.changed || seen.Game != w.Game {
			t.Errorf("step %d: %+v, %v, compared with %d; want %+v", i, seen, changed, prior, tt)
		}
		w = seen
	}
}
