package rates

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxRateText = 40   // bytes; real rates have 15 digits at most
	minRate     = 1e-9 // of any currency against any other
	maxRate     = 1e9
	kept        = 12 // significant digits of a rate in a table
	shown       = 6  // in errors
)

var (
	errNotDecimal = errors.New("is not a decimal number")
	errBounds     = errors.New("is not between 1e-9 and 1e9")
)

// parseRate reads a decimal as providers write it, exactly. The bounds are
// looked at first, so that no exponent makes a number of a million digits.
func parseRate(s string) (*big.Rat, error) {
	if len(s) > maxRateText || strings.Trim(s, "0123456789.eE+-") != "" {
		return nil, errNotDecimal
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, errBounds
	case err != nil:
		return nil, errNotDecimal
	case f < minRate || f > maxRate:
		return nil, errBounds
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, errNotDecimal
	}
	return r, nil
}

// inBounds says whether a rate that was worked out is one that may be stored.
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
	for ; n < maxRateText && scaled.Cmp(r.Denom()) < 0; n++ {
		scaled.Mul(scaled, ten)
	}
	return n
}
