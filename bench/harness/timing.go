package harness

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Repeat returns a candidate that calls op n times in each round; see [Latency].
// It collects garbage before each round.
func Repeat(name string, n int, op func(i int) error) Candidate {
	return Candidate{Name: name, Round: func(context.Context) (Values, error) {
		runtime.GC()
		return Latency(n, op)
	}}
}

// Once returns a candidate that calls op once in each round and measures [Time] and
// [CPUTotal]. It collects garbage before each round.
func Once(name string, op func() error) Candidate {
	return Candidate{Name: name, Round: func(context.Context) (Values, error) {
		runtime.GC()
		return Measure(op)
	}}
}

// Measure calls op and measures [Time] and [CPUTotal].
func Measure(op func() error) (Values, error) {
	before, err := OwnCPU()
	if err != nil {
		return nil, err
	}
	took, err := Milliseconds(op)
	if err != nil {
		return nil, err
	}
	after, err := OwnCPU()
	return Values{Time: took, CPUTotal: (after - before).Seconds() * 1000}, err
}

// Milliseconds returns how long op takes.
func Milliseconds(op func() error) (float64, error) {
	began := time.Now()
	err := op()
	return time.Since(began).Seconds() * 1000, err
}

// Latency calls op n times, at least once, and measures [P50], [P99], the [Rate]
// of all calls, and [CPUCall] and [Allocs] of the whole process for each call. It
// stops at the first error.
func Latency(n int, op func(i int) error) (Values, error) {
	took := make([]time.Duration, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, err := OwnCPU()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	for i := range n {
		began := time.Now()
		if err := op(i); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
	}
	all := time.Since(started)
	ended, err := OwnCPU()
	if err != nil {
		return nil, err
	}
	runtime.ReadMemStats(&after)
	v := Percentiles(took)
	v[CPUCall] = float64((ended - began).Microseconds()) / float64(n)
	v[Rate], v[Allocs] = float64(n)/all.Seconds(), float64(after.Mallocs-before.Mallocs)/float64(n)
	return v, nil
}

// Percentiles returns [P50] and [P99] of at least one duration. It sorts took.
func Percentiles(took []time.Duration) Values {
	slices.Sort(took)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	n := len(took)
	return Values{P50: micros(took[n/2]), P99: micros(took[min(n-1, n*99/100)])}
}
