package money

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// A rate is a JSON number above zero. The bounds keep a hostile table from
// costing more than a few machine words: real rates have 15 digits at most.
const (
	maxRateDigits   = 40
	maxRateExponent = 40
)

var (
	errNotNumber   = errors.New("is not a JSON number")
	errNotPositive = errors.New("must be above zero")
	errTooLong     = errors.New("has too many digits or too large an exponent")
)

// decimal is coefficient × 10^exponent, exactly.
type decimal struct {
	coefficient *big.Int
	exponent    int
}

// parseDecimal reads a JSON number above zero.
func parseDecimal(s string) (decimal, error) {
	if strings.HasPrefix(s, "-") && isNumber(s[1:]) {
		return decimal{}, errNotPositive
	}
	if !isNumber(s) {
		return decimal{}, errNotNumber
	}
	mantissa, exp, err := splitExponent(s)
	if err != nil {
		return decimal{}, err
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	exp -= len(fraction)
	if len(digits) > maxRateDigits || exp < -maxRateExponent || exp > maxRateExponent {
		return decimal{}, errTooLong
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return decimal{}, errNotNumber
	}
	if n.Sign() <= 0 {
		return decimal{}, errNotPositive
	}
	return decimal{n, exp}, nil
}

// splitExponent takes "4.1e2" apart into "4.1" and 2.
func splitExponent(s string) (mantissa string, exp int, err error) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, 0, nil
	}
	exp, err = strconv.Atoi(s[i+1:])
	if err != nil || exp < -maxRateExponent || exp > maxRateExponent {
		return "", 0, errTooLong
	}
	return s[:i], exp, nil
}

// isNumber says whether s is a JSON number without a sign in front.
func isNumber(s string) bool {
	rest, n := skipDigits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	if strings.HasPrefix(rest, ".") {
		if rest, n = skipDigits(rest[1:]); n == 0 {
			return false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		if rest, n = skipDigits(rest); n == 0 {
			return false
		}
	}
	return rest == ""
}

// skipDigits returns what follows the digits at the start of s, and how many
// they were.
func skipDigits(s string) (rest string, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[n:], n
}

// isOne says whether d is exactly 1.
func (d decimal) isOne() bool {
	num, den := d.over(one())
	return num.Cmp(den) == 0
}

// over is d divided by e, as a fraction in lowest terms.
func (d decimal) over(e decimal) (num, den *big.Int) {
	num, den = new(big.Int).Set(d.coefficient), new(big.Int).Set(e.coefficient)
	if shift := d.exponent - e.exponent; shift >= 0 {
		num.Mul(num, powerOfTen(shift))
	} else {
		den.Mul(den, powerOfTen(-shift))
	}
	g := new(big.Int).GCD(nil, nil, num, den)
	return num.Quo(num, g), den.Quo(den, g)
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

func one() decimal { return decimal{big.NewInt(1), 0} }
