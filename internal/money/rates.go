package money

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Rates is a table of exchange rates: the units of each currency per unit of the base. It
// is immutable; the zero value is not a table.
type Rates struct {
	base      Currency
	updatedAt int64
	hash      uint64
	order     []Currency
	texts     map[Currency]string
	values    map[Currency]*big.Rat
	skipped   string
}

const maxTime = 253402300799999

// NewRates returns a table of decimals, which are JSON numbers by currency, as of
// updatedAt (milliseconds since 1970). It refuses a table without a base or without USD,
// a base whose own rate is not 1, and entries that ParseRates skips. Errors name the field.
func NewRates(base Currency, decimals map[Currency]string, updatedAt int64) (Rates, error) {
	r, err := newRates(base, decimals, updatedAt)
	if err == nil && r.skipped != "" {
		return Rates{}, fmt.Errorf("rates: %s", r.skipped)
	}
	return r, err
}

// newRates is NewRates for a table whose bad entries are skipped.
func newRates(base Currency, decimals map[Currency]string, updatedAt int64) (Rates, error) {
	if base == "" {
		return Rates{}, errors.New("base: is missing")
	}
	if updatedAt < 0 || updatedAt > maxTime {
		return Rates{}, fmt.Errorf("updatedAt: %d ms is not between 1970 and 9999", updatedAt)
	}
	if _, err := ParseCurrencyAt(string(base), updatedAt); err != nil {
		return Rates{}, fmt.Errorf("base: %w", err)
	}
	r := Rates{
		base: base, updatedAt: updatedAt,
		texts:  make(map[Currency]string, len(decimals)),
		values: make(map[Currency]*big.Rat, len(decimals)+1),
	}
	var unknown, invalid []string
	for _, c := range slices.Sorted(maps.Keys(decimals)) {
		if !c.inUse(updatedAt) {
			unknown = append(unknown, fmt.Sprintf("%.20q", c))
			continue
		}
		d, err := ParseDecimal(decimals[c])
		if err != nil {
			invalid = append(invalid, fmt.Sprintf("%s (%.60q %v)", c, decimals[c], err))
			continue
		}
		r.order, r.texts[c], r.values[c] = append(r.order, c), decimals[c], d
	}
	if len(unknown) > 0 {
		r.skipped = several(unknown) + " (no ISO 4217 code in use at the time of the table)"
	}
	r = r.Skipping(invalid...)
	if own, ok := r.values[base]; ok && own.Cmp(one) != 0 {
		return Rates{}, fmt.Errorf("rates.%s: the base's own rate is %s, want 1", base, r.texts[base])
	}
	r.values[base] = one
	if _, ok := r.values[USD]; !ok {
		err := errors.New("rates.USD: is missing, so there would be no prices in dollars")
		if r.skipped != "" {
			err = fmt.Errorf("%w; skipped: %s", err, r.skipped)
		}
		return Rates{}, err
	}
	h := fnv.New64a()
	h.Write(r.AppendJSON(nil))
	r.hash = h.Sum64()
	return r, nil
}

// Skipped names the entries of the table that are no rates, with the reasons: "" without
// any.
func (r Rates) Skipped() string { return r.skipped }

// Skipping returns the table with further entries that were skipped.
func (r Rates) Skipping(entries ...string) Rates {
	r.skipped = strings.Trim(r.skipped+", "+several(entries), ", ")
	return r
}

// maxNamed is how many entries of a list are named.
const maxNamed = 20

func several(list []string) string {
	if more := len(list) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNamed], ", "), more)
	}
	return strings.Join(list, ", ")
}

// IsZero reports whether there is no table.
func (r Rates) IsZero() bool { return r.base == "" }

// Base returns the base currency.
func (r Rates) Base() Currency { return r.base }

// UpdatedAt returns the time of the rates in milliseconds since 1970.
func (r Rates) UpdatedAt() int64 { return r.updatedAt }

// Hash identifies the whole content, including the time; 0 for no table.
func (r Rates) Hash() uint64 { return r.hash }

// Currencies returns the currencies with a rate in the table, sorted. The base is among
// them only if the table has its rate.
func (r Rates) Currencies() []Currency { return slices.Clone(r.order) }

var one = big.NewRat(1, 1)

// PerBase returns the exact units of c per unit of the base. The result must not be
// changed; it is nil if the table has no rate of c.
func (r Rates) PerBase(c Currency) *big.Rat { return r.values[c] }

// USD returns the Converter from c to US cents, which is computed once for many amounts.
// It is the zero Converter if the table has no rate of c.
func (r Rates) USD(c Currency) Converter { return r.quotient(c, USD) }

// Converter returns the Converter from one currency to another. Amounts of one currency
// need no rate and no table; else it is the zero Converter if the table lacks a rate of
// either.
func (r Rates) Converter(from, to Currency) Converter {
	if from == to && from != "" {
		return Converter{num: 1, den: 1}
	}
	return r.quotient(from, to)
}

func (r Rates) quotient(from, to Currency) Converter {
	over, ok := r.values[from]
	rate, known := r.values[to]
	if !ok || !known {
		return Converter{}
	}
	ratio := new(big.Rat).Quo(rate, over)
	num, den := ratio.Num(), ratio.Denom()
	if num.IsUint64() && den.IsUint64() {
		return Converter{num: num.Uint64(), den: den.Uint64()}
	}
	return Converter{wide: &wideRatio{num, den}}
}

// AppendJSON appends the table in the format of ParseRates, with sorted currencies and
// the original decimals; null for no table.
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
	dst = time.UnixMilli(r.updatedAt).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, `"}`...)
}

// Converter converts amounts of one currency to another: to US cents, unless it is of
// [Rates.Converter]. It may be copied and used from several goroutines. The zero value
// has no rate.
type Converter struct {
	// num/den is rate(other)/rate(currency) in lowest terms. Both are 0 if
	// the ratio needs more than 64 bits or there is no rate.
	num, den uint64
	wide     *wideRatio
}

type wideRatio struct{ num, den *big.Int }

// Known reports whether there is a rate.
func (k Converter) Known() bool { return k.den != 0 || k.wide != nil }

// Convert returns a × rate(other)/rate(currency) in hundredths, computed exactly and
// rounded half up once. It returns None for None, without a rate, and if the result does
// not fit into an Amount.
func (k Converter) Convert(a Amount) Amount {
	n, ok := k.Cents(a)
	if !ok {
		return None
	}
	return Amount(n)
}

// Cents is Convert for US cents; false takes the place of None.
func (k Converter) Cents(a Amount) (int64, bool) {
	if a < 0 || !k.Known() {
		return 0, false
	}
	if k.wide != nil {
		return k.wide.cents(a)
	}
	hi, lo := bits.Mul64(uint64(a), k.num)
	if hi >= k.den {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, k.den)
	roundUp := r >= k.den-r
	if q > math.MaxInt64 || q == math.MaxInt64 && roundUp {
		return 0, false
	}
	if roundUp {
		q++
	}
	return int64(q), true
}

// cents computes the same for ratios that need more than 64 bits.
func (w *wideRatio) cents(a Amount) (int64, bool) {
	n := new(big.Int).Mul(big.NewInt(int64(a)), w.num)
	q, r := n.QuoRem(n, w.den, new(big.Int))
	if r.Lsh(r, 1).Cmp(w.den) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), q.IsInt64()
}
