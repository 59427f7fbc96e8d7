package collect

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

const (
	doubtfulFactor = 20 // times the median, or that part of it
	fewestPrices   = 3  // that a median is taken of
)

// Doubtful reports whether a price is so far from what the same product costs in
// other regions that one of its digits must be wrong: its value in USD is more
// than 20 times the median's, or less than a twentieth. It takes three other
// prices to say so. Prices of trials and of subscribers, zeros and prices
// without a rate are not judged and do not count; nor does a price count that
// is doubtful itself.
func Doubtful(p catalog.Price, elsewhere []catalog.Price, rates money.Rates) bool {
	own, ok := dollars(p, rates)
	if !ok {
		return false
	}
	var others []float64
	for _, e := range elsewhere {
		if value, ok := dollars(e, rates); ok {
			others = append(others, value)
		}
	}
	if len(others) < fewestPrices {
		return false
	}
	slices.Sort(others)
	half := len(others) / 2
	m := others[half]
	if len(others)%2 == 0 {
		m = (others[half-1] + others[half]) / 2
	}
	return own > m*doubtfulFactor || own*doubtfulFactor < m
}

// dollars is a price's value in US cents, if it can be compared with others.
func dollars(p catalog.Price, rates money.Rates) (cents float64, ok bool) {
	if p.Trial || p.Subscription || p.Current <= 0 {
		return 0, false
	}
	n, ok := rates.USD(p.Currency).Cents(p.Current)
	return float64(n), ok
}
