package history

import "gamedex/internal/catalog"

// Prices returns the periods up to now in which everybody could buy at one price: the
// currency, the base and the amount stayed. steps are in the order of their times.
func Prices(steps []Step, now catalog.Millis) (prices []Span) {
	for _, s := range AppendSpans(nil, steps, now) {
		if !s.forAll() {
			continue
		}
		if n := len(prices); n > 0 {
			last := &prices[n-1]
			if last.Until == s.At && last.Currency == s.Currency && last.Base == s.Base && last.Current == s.Current {
				last.Until = s.Until
				continue
			}
		}
		prices = append(prices, s)
	}
	return prices
}
