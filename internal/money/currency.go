package money

import (
	"fmt"
	"strings"

	"github.com/bojanz/currency"
)

// Currency is an ISO 4217 code in upper case: "UAH". The zero value is no
// currency.
type Currency string

// USD is the currency in which prices of different regions are compared.
const USD Currency = "USD"

// ParseCurrency reads an ISO 4217 code in any case, with or without white space
// around it. Codes that are no longer, or never were, on the list are refused.
func ParseCurrency(s string) (Currency, error) {
	trimmed := strings.TrimSpace(s)
	if len(trimmed) != 3 {
		return "", fmt.Errorf("parse currency: %.20q is not an ISO 4217 code", s)
	}
	code := strings.ToUpper(trimmed)
	if !currency.IsValid(code) {
		return "", fmt.Errorf("parse currency: %q is not an ISO 4217 code in use", code)
	}
	return Currency(code), nil
}

// Digits is the number of decimals that the currency is used with: 2 for most,
// 0 for JPY, 3 for KWD. It is 2 for a code that is not a currency.
func (c Currency) Digits() int {
	if d, ok := currency.GetDigits(string(c)); ok {
		return int(d)
	}
	return 2
}

// RegionCurrency is the currency of a region, given as upper-case alpha-2 code.
func RegionCurrency(alpha2 string) (Currency, bool) {
	code, ok := currency.ForCountryCode(alpha2)
	return Currency(code), ok
}
