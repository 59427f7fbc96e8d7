package money

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// The bounds of a decimal limit the cost of a hostile number to a few machine words: real
// rates have at most 15 digits.
const (
	maxDigits   = 40
	maxExponent = 40
)

// The errors of ParseDecimal, which do not repeat the text.
var (
	ErrNotNumber   = errors.New("is not a JSON number")
	errNotPositive = errors.New("must be above zero")
	errTooLong     = errors.New("has too many digits or too large an exponent")
)

// ParseDecimal parses a JSON number above zero exactly.
func ParseDecimal(s string) (*big.Rat, error) {
	if strings.Trim(s, "0123456789.eE+-") != "" || !json.Valid([]byte(s)) {
		return nil, ErrNotNumber
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	n, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || n < -maxExponent || n > maxExponent || len(mantissa) > maxDigits+len("-.") {
		return nil, errTooLong
	}
	r, ok := new(big.Rat).SetString(s)
	switch {
	case !ok:
		return nil, ErrNotNumber
	case r.Sign() <= 0:
		return nil, errNotPositive
	}
	return r, nil
}
