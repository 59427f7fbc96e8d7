package measure

import (
	"slices"
	"time"
)

// Latency runs each operation once and gives [P50], [P99] in microseconds, and
// [Rate] of the whole. At least one operation is needed.
func Latency(n int, op func(i int)) Sample {
	took := make([]time.Duration, n)
	started := time.Now()
	for i := range n {
		began := time.Now()
		op(i)
		took[i] = time.Since(began)
	}
	all := time.Since(started)
	slices.Sort(took)
	return Sample{
		P50:  micros(took[n/2]),
		P99:  micros(took[min(n-1, n*99/100)]),
		Rate: float64(n) / all.Seconds(),
	}
}

// Took gives [Time], in milliseconds, of one operation.
func Took(op func() error) (Sample, error) {
	began := time.Now()
	err := op()
	return Sample{Time: time.Since(began).Seconds() * 1000}, err
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
