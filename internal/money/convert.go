package money

import (
	"math"
	"math/big"
	"math/bits"
)

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
