package measure

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Repeat makes a candidate that runs an operation n times in each round, with
// the garbage of the round before collected; see [Latency].
func Repeat(name string, n int, op func(i int) error) Candidate {
	return Candidate{Name: name, Round: func(context.Context) (Sample, error) {
		runtime.GC()
		return Latency(n, op)
	}}
}

// Once makes a candidate that runs an operation once in each round, with the
// garbage of the round before collected; see [Took].
func Once(name string, op func() error) Candidate {
	return Candidate{Name: name, Round: func(context.Context) (Sample, error) {
		runtime.GC()
		return Took(op)
	}}
}

// Latency runs an operation n times, at least once, and gives [P50] and [P99],
// [Rate] of the whole, and the [Allocs] of this process for each. It ends with
// the first error.
func Latency(n int, op func(i int) error) (Sample, error) {
	took := make([]time.Duration, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	for i := range n {
		began := time.Now()
		if err := op(i); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
	}
	all := time.Since(started)
	runtime.ReadMemStats(&after)
	s := Times(took)
	s[Rate], s[Allocs] = float64(n)/all.Seconds(), float64(after.Mallocs-before.Mallocs)/float64(n)
	return s, nil
}

// Times gives [P50] and [P99] of what operations took, at least one. It sorts.
func Times(took []time.Duration) Sample {
	slices.Sort(took)
	n := len(took)
	return Sample{P50: micros(took[n/2]), P99: micros(took[min(n-1, n*99/100)])}
}

// Took gives [Time], in milliseconds, of one operation.
func Took(op func() error) (Sample, error) {
	began := time.Now()
	err := op()
	return Sample{Time: time.Since(began).Seconds() * 1000}, err
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
