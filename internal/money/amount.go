package money

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/bojanz/currency"
	cldr "golang.org/x/text/currency"
)

// Amount is a price in hundredths of its currency, even if the currency has more or
// fewer decimals. It is never negative, except None.
type Amount int64

// None means that there is no number: null on the wire.
const None Amount = -1

// Known reports whether a is a number.
func (a Amount) Known() bool { return a >= 0 }

// maxMinorDigits is above the decimals of any currency (CLF has 4).
const maxMinorDigits = 9

// FromMinor turns units, counted in the minor unit of a currency with the given
// number of decimals, into hundredths: 1000 yen (0 decimals) are 100000. It rounds
// smaller fractions (the third decimal of a dinar) half up.
func FromMinor(units int64, digits int) (Amount, error) {
	if units < 0 {
		return None, fmt.Errorf("convert minor units: %d is negative", units)
	}
	if digits < 0 || digits > maxMinorDigits {
		return None, fmt.Errorf("convert minor units: %d decimals, want 0 to %d", digits, maxMinorDigits)
	}
	for ; digits < 2; digits++ {
		if units > math.MaxInt64/10 {
			return None, fmt.Errorf("convert minor units: %d is too large", units)
		}
		units *= 10
	}
	div := int64(1)
	for ; digits > 2; digits-- {
		div *= 10
	}
	q, r := units/div, units%div
	if r >= div-r {
		q++
	}
	return Amount(q), nil
}

// DiscountPercent returns the discount of current from base in whole percent, rounded
// half up, but at least 1 if current is below base: 0 to 100. It is 0 if there is nothing to compare: an unknown or zero base, an
// unknown current, or a current above base.
func DiscountPercent(base, current Amount) int {
	if base <= 0 || current < 0 || current > base {
		return 0
	}
	hi, lo := bits.Mul64(uint64(base-current), 100)
	q, r := bits.Div64(hi, lo, uint64(base))
	if r >= uint64(base)-r || q == 0 && r > 0 {
		q++
	}
	return int(q)
}

// AppendUSD appends cents as a JSON number of dollars, in the shortest form:
// 1250 is 12.5, 1200 is 12, 7 is 0.07.
func AppendUSD(dst []byte, cents int64) []byte {
	u := uint64(cents)
	if cents < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = strconv.AppendUint(dst, u/100, 10)
	tenths, rest := byte(u%100/10), byte(u%10)
	switch {
	case rest != 0:
		return append(dst, '.', '0'+tenths, '0'+rest)
	case tenths != 0:
		return append(dst, '.', '0'+tenths)
	}
	return dst
}

// Currency is an ISO 4217 code in upper case: "UAH". The zero value is not a
// currency.
type Currency string

// USD is the currency in which prices of different regions are compared.
const USD Currency = "USD"

// ParseCurrency parses the ISO 4217 code of a currency that is in use now, in any case,
// with or without white space around it.
func ParseCurrency(s string) (Currency, error) {
	if c := codeOf(s); currency.IsValid(string(c)) && c != "" {
		return c, nil
	}
	return "", fmt.Errorf("parse currency: %.20q is not an ISO 4217 code in use", s)
}

// Digits returns the number of decimals of the currency: 2 for most, 0 for JPY, 3 for
// KWD. It is 2 for a code that is not a currency.
func (c Currency) Digits() int {
	if d, ok := currency.GetDigits(string(c)); ok {
		return int(d)
	}
	return 2
}

// cashDigits returns the number of decimals of the currency in cash: 0 for CZK, which has
// no smaller coins, and that of Digits if x/text does not know the currency.
func (c Currency) cashDigits() int {
	if unit, err := cldr.ParseISO(string(c)); err == nil {
		cash, _ := cldr.Cash.Rounding(unit)
		return min(cash, c.Digits())
	}
	return c.Digits()
}

// RegionCurrency returns the currency of a region, given as upper-case alpha-2 code.
func RegionCurrency(alpha2 string) (Currency, bool) {
	code, ok := currency.ForCountryCode(alpha2)
	return Currency(code), ok
}

// Home returns the region whose form the amounts of a currency have where no region is
// given: the country whose alpha-2 code begins that of the currency (UA for UAH). It is ""
// for a currency that is not of such a country, as EUR; the Formatter knows that as the
// English form.
func (c Currency) Home() string {
	if len(c) != 3 {
		return ""
	}
	alpha2 := string(c[:2])
	if own, ok := RegionCurrency(alpha2); !ok || own != c {
		return ""
	}
	return alpha2
}

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
	r, _ := new(big.Rat).SetString(s) // which reads each JSON number
	if r.Sign() <= 0 {
		return nil, errNotPositive
	}
	return r, nil
}
