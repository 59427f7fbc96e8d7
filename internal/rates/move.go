package rates

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"gamedex/internal/money"
)

// Move is the difference of one currency's rate between two tables.
type Move struct {
	Currency      money.Currency
	Before, After string   // units per dollar, rounded
	ratio         *big.Rat // after/before
}

// Percent returns the change with its sign: "+3.2".
func (m Move) Percent() string {
	if m.ratio == nil {
		return "0.0"
	}
	change := new(big.Rat).Sub(m.ratio, big.NewRat(1, 1))
	text := change.Mul(change, big.NewRat(100, 1)).FloatString(1)
	if change.Sign() >= 0 {
		text = "+" + text
	}
	return text
}

// String describes the move for errors.
func (m Move) String() string {
	return fmt.Sprintf("%s moved from %s to %s per USD (%s%%)", m.Currency, m.Before, m.After, m.Percent())
}

// movesBetween returns the moves of the currencies in both tables, the largest first.
func movesBetween(before, after money.Rates) []Move {
	old, moves := perUSD(before), []Move(nil)
	for c, now := range perUSD(after) {
		then, ok := old[c]
		if !ok || then.Cmp(now) == 0 {
			continue
		}
		moves = append(moves, Move{
			Currency: c, Before: formatRate(then, shown), After: formatRate(now, shown),
			ratio: new(big.Rat).Quo(now, then),
		})
	}
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(size(b.ratio).Cmp(size(a.ratio)), cmp.Compare(a.Currency, b.Currency))
	})
	return moves
}

// size returns a ratio regardless of its direction: 1 or more.
func size(ratio *big.Rat) *big.Rat {
	if ratio.Cmp(big.NewRat(1, 1)) < 0 {
		return new(big.Rat).Inv(ratio)
	}
	return ratio
}

// near reports whether a and b differ by at most the given percentage, of the larger
// by the smaller.
func near(a, b *big.Rat, percent int64) bool {
	return size(new(big.Rat).Quo(a, b)).Cmp(big.NewRat(100+percent, 100)) <= 0
}

// perUSD returns the rates of a table as exact numbers per dollar, including the base.
func perUSD(r money.Rates) rateOf {
	out := make(rateOf)
	if r.IsZero() {
		return out
	}
	for _, c := range append(r.Currencies(), r.Base()) {
		out[c] = new(big.Rat).Quo(r.PerBase(c), r.PerBase(money.USD))
	}
	return out
}
