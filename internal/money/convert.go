package money

import (
	"math"
	"math/big"
	"math/bits"
)

// Converter turns amounts of one currency into US cents. It is a value, free to
// copy and to use from several goroutines; the zero value knows no rate.
type Converter struct {
	// num/den is rate(USD)/rate(currency) in lowest terms. Both are 0 where
	// the ratio needs more than 64 bits or there is no rate.
	num, den uint64
	wide     *wideRatio
}

type wideRatio struct{ num, den *big.Int }

// Known reports whether there is a rate.
func (k Converter) Known() bool { return k.den != 0 || k.wide != nil }

// Cents is a/100 × rate(USD)/rate(currency) in US cents, computed exactly and
// rounded half up once. There is no answer for None, without a rate, and where
// the result would not fit an int64.
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
	if q >= math.MaxInt64 {
		return 0, false
	}
	if r >= k.den-r {
		q++
	}
	return int64(q), true
}

// cents does the same beyond 128 bits.
func (w *wideRatio) cents(a Amount) (int64, bool) {
	n := new(big.Int).Mul(big.NewInt(int64(a)), w.num)
	q, r := n.QuoRem(n, w.den, new(big.Int))
	if r.Lsh(r, 1).Cmp(w.den) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), q.IsInt64()
}
