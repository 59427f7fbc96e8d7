package money

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/big"
	"slices"
	"time"
)

// Rates is one table of exchange rates: how many units of each currency one
// unit of the base is worth. It is immutable; the zero value is no table.
type Rates struct {
	base      Currency
	updatedAt int64
	hash      uint64
	order     []Currency
	texts     map[Currency]string
	values    map[Currency]*big.Rat
}

const maxTime = 253402300799999

// NewRates makes a table of decimals as JSON numbers, per currency, taken at
// updatedAt (milliseconds since 1970). It refuses a table without a base or
// without USD, and a base whose own rate is not 1; errors name the field.
func NewRates(base Currency, decimals map[Currency]string, updatedAt int64) (Rates, error) {
	if base == "" {
		return Rates{}, errors.New("base: is missing")
	}
	if updatedAt < 0 || updatedAt > maxTime {
		return Rates{}, fmt.Errorf("updatedAt: %d ms is not between 1970 and 9999", updatedAt)
	}
	r := Rates{
		base: base, updatedAt: updatedAt,
		texts:  maps.Clone(decimals),
		order:  slices.Sorted(maps.Keys(decimals)),
		values: make(map[Currency]*big.Rat, len(decimals)+1),
	}
	for _, c := range append([]Currency{base}, r.order...) {
		if known, err := ParseCurrency(string(c)); err != nil || known != c {
			return Rates{}, fmt.Errorf("rates.%s: not an ISO 4217 code in use", c)
		}
	}
	for _, c := range r.order {
		d, err := ParseDecimal(r.texts[c])
		if err != nil {
			return Rates{}, fmt.Errorf("rates.%s: %.60q %w", c, r.texts[c], err)
		}
		r.values[c] = d
	}
	if own, ok := r.values[base]; ok && own.Cmp(one) != 0 {
		return Rates{}, fmt.Errorf("rates.%s: the base's own rate is %s, want 1", base, r.texts[base])
	}
	r.values[base] = one
	if _, ok := r.values[USD]; !ok {
		return Rates{}, errors.New("rates.USD: is missing: without it no price has a dollar value")
	}
	h := fnv.New64a()
	h.Write(r.AppendJSON(nil))
	r.hash = h.Sum64()
	return r, nil
}

// IsZero reports whether there is no table.
func (r Rates) IsZero() bool { return r.base == "" }

// Base is the currency whose unit the rates are for.
func (r Rates) Base() Currency { return r.base }

// UpdatedAt is when the rates were taken, in milliseconds since 1970.
func (r Rates) UpdatedAt() int64 { return r.updatedAt }

// Hash identifies the whole content, the time included; 0 for no table.
func (r Rates) Hash() uint64 { return r.hash }

// Currencies lists what the table writes a rate for, sorted. The base is among
// them only if the table wrote it.
func (r Rates) Currencies() []Currency { return slices.Clone(r.order) }

var one = big.NewRat(1, 1)

// PerBase returns how many units of c one unit of the base is worth, exactly. It
// must not be changed; it is nil where the table has no rate of c.
func (r Rates) PerBase(c Currency) *big.Rat { return r.values[c] }

// USD is the way from c to US cents, resolved once for many amounts. It is the
// zero Converter where the table has no rate of c.
func (r Rates) USD(c Currency) Converter {
	from, ok := r.values[c]
	if !ok {
		return Converter{}
	}
	ratio := new(big.Rat).Quo(r.values[USD], from)
	num, den := ratio.Num(), ratio.Denom()
	if num.IsUint64() && den.IsUint64() {
		return Converter{num: num.Uint64(), den: den.Uint64()}
	}
	return Converter{wide: &wideRatio{num, den}}
}

// AppendJSON appends the table as ParseRates reads it, currencies sorted and
// decimals as they were written; null for no table.
func (r Rates) AppendJSON(dst []byte) []byte {
	if r.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"base":"`...)
	dst = append(dst, r.base...)
	dst = append(dst, `","rates":{`...)
	for i, c := range r.order {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, c...)
		dst = append(dst, `":`...)
		dst = append(dst, r.texts[c]...)
	}
	dst = append(dst, `},"updatedAt":"`...)
	dst = time.UnixMilli(r.updatedAt).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999Z")
	return append(dst, `"}`...)
}
