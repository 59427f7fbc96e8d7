package money

import (
	"cmp"
	"fmt"
	"time"

	"github.com/bojanz/currency"
	cldr "golang.org/x/text/currency"
)

// ended has the last days, in CLDR 48, of currencies that have none in x/text (CLDR 32).
var ended = map[Currency]string{
	"ANG": "2025-06-30", "BGN": "2026-01-31", "CUC": "2021-06-01", "HRK": "2023-01-14", "MRO": "2018-06-30",
	"SLL": "2023-12-31", "VEF": "2018-08-20", "ZWL": "2024-08-31",
}

// ParseCurrencyAt is ParseCurrency for a time in milliseconds since 1970: it also parses
// the code of a currency that ended after it.
func ParseCurrencyAt(s string, at int64) (Currency, error) {
	if c := codeOf(s); c.inUse(at) {
		return c, nil
	}
	return "", fmt.Errorf("parse currency: %.20q is not an ISO 4217 code in use on %s", s, time.UnixMilli(at).UTC().Format(time.DateOnly))
}

// inUse reports whether c is in use now, or was legal tender anywhere at a time.
func (c Currency) inUse(at int64) bool {
	if c != "" && currency.IsValid(string(c)) {
		return true
	}
	unit, err := cldr.ParseISO(string(c))
	if err != nil {
		return false
	}
	day := time.UnixMilli(at).UTC().Format(time.DateOnly)
	for tender := cldr.Query(cldr.Historical); tender.Next(); {
		if tender.Unit() != unit {
			continue
		}
		from, _ := tender.From()
		to, known := tender.To()
		last := cmp.Or(ended[c], to.Format(time.DateOnly))
		if (known || ended[c] != "") && from.Format(time.DateOnly) <= day && day <= last {
			return true
		}
	}
	return false
}
