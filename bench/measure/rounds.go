package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Metric names a figure and its unit.
type Metric string

// The metrics that most subjects have.
const (
	CPU      Metric = "CPU µs/request" // user and system time of the server's processes
	Rate     Metric = "requests/s"
	P50      Metric = "p50 µs"
	P99      Metric = "p99 µs"
	Time     Metric = "ms"
	Bytes    Metric = "bytes"
	Allocs   Metric = "allocations"
	RowsRate Metric = "rows/s"
	HitRate  Metric = "hit rate"
)

// Sample is what one round of one candidate gave.
type Sample map[Metric]float64

// Candidate is one side of a comparison.
type Candidate struct {
	Name string
	// Round measures once. It leaves no work behind that would fall into the
	// next candidate's round.
	Round func(ctx context.Context) (Sample, error)
}

// Runs are the samples of all rounds by candidate.
type Runs struct {
	Names   []string // in the order given
	samples map[string][]Sample
}

// Rounds measures every candidate n times, once in each round, in a random
// order. told, if not nil, hears of each sample. The first error ends it.
func Rounds(ctx context.Context, n int, rng *rand.Rand, candidates []Candidate, told func(round int, name string, s Sample)) (Runs, error) {
	runs := Runs{samples: map[string][]Sample{}}
	for _, c := range candidates {
		runs.Names = append(runs.Names, c.Name)
	}
	for round := range n {
		for _, i := range rng.Perm(len(candidates)) {
			c := candidates[i]
			s, err := c.Round(ctx)
			if err != nil {
				return runs, fmt.Errorf("%s, round %d: %w", c.Name, round+1, err)
			}
			runs.samples[c.Name] = append(runs.samples[c.Name], s)
			if told != nil {
				told(round+1, c.Name, s)
			}
		}
	}
	return runs, nil
}

// Figure is the middle of what the rounds gave, with the lowest and the
// highest.
type Figure struct{ Median, Low, High float64 }

// figure needs at least one value.
func figure(values []float64) Figure {
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	median := sorted[mid]
	if len(sorted)%2 == 0 {
		median = (sorted[mid-1] + sorted[mid]) / 2
	}
	return Figure{median, sorted[0], sorted[len(sorted)-1]}
}

// Of is a candidate's figure; false if no round of it has that metric.
func (r Runs) Of(name string, m Metric) (Figure, bool) {
	var values []float64
	for _, s := range r.samples[name] {
		if v, ok := s[m]; ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Figure{}, false
	}
	return figure(values), true
}

// Ratio is a candidate's figure divided by another's, taken within each round.
// Both must have the metric in all rounds, or it panics: a subject that asks
// for what it did not measure is wrong.
func (r Runs) Ratio(m Metric, name, by string) Figure {
	return r.both(m, name, by, func(a, b float64) float64 { return a / b })
}

// Difference is a candidate's figure less another's, as [Runs.Ratio] has it.
func (r Runs) Difference(m Metric, name, less string) Figure {
	return r.both(m, name, less, func(a, b float64) float64 { return a - b })
}

func (r Runs) both(m Metric, one, other string, f func(a, b float64) float64) Figure {
	var values []float64
	for i, s := range r.samples[one] {
		a, okA := s[m]
		b, okB := r.samples[other][i][m]
		if !okA || !okB {
			panic(fmt.Sprintf("%s and %s: round %d has no %s", one, other, i+1, m))
		}
		values = append(values, f(a, b))
	}
	return figure(values)
}

// Collected are samples that a subject takes in an order of its own, because
// one follows from another. Each candidate needs one in every round.
type Collected map[string][]Sample

// Add notes the next sample of a candidate.
func (c Collected) Add(name string, s Sample) { c[name] = append(c[name], s) }

// Runs gives the samples of the named candidates.
func (c Collected) Runs(names ...string) Runs { return Runs{Names: names, samples: c} }
