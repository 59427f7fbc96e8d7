package rates

import (
	"errors"
	"math/big"
	"strings"

	"gamedex/internal/money"
)

const (
	minRate = 1e-9 // of any currency against any other
	maxRate = 1e9
	kept    = 12 // significant digits of a rate in a table
	shown   = 6  // in errors
)

var (
	errNotDecimal = errors.New("is not a decimal number")
	errBounds     = errors.New("is not between 1e-9 and 1e9")
)

// parseRate reads a decimal as providers write it, exactly.
func parseRate(s string) (*big.Rat, error) {
	r, err := money.ParseDecimal(s)
	switch {
	case errors.Is(err, money.ErrNotNumber):
		return nil, errNotDecimal
	case err != nil || !inBounds(r):
		return nil, errBounds
	}
	return r, nil
}

// inBounds reports whether a rate may be stored.
func inBounds(r *big.Rat) bool {
	f, _ := r.Float64()
	return f >= minRate && f <= maxRate
}

// formatRate writes r rounded to so many significant digits, half up, without
// an exponent and without zeros at the end.
func formatRate(r *big.Rat, significant int) string {
	decimals := significant
	if whole := new(big.Int).Quo(r.Num(), r.Denom()); whole.Sign() > 0 {
		decimals -= len(whole.String())
	} else {
		decimals += leadingZeros(r)
	}
	text := r.FloatString(max(decimals, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// leadingZeros counts the zeros between the point and the first other digit of
// a fraction below 1.
func leadingZeros(r *big.Rat) int {
	ten, scaled := big.NewInt(10), new(big.Int).Set(r.Num())
	n := -1
	for ; n < 2*kept && scaled.Cmp(r.Denom()) < 0; n++ {
		scaled.Mul(scaled, ten)
	}
	return n
}
