package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Metric is what is measured, with its unit.
type Metric string

// The metrics that several subjects share.
const (
	CPU      Metric = "CPU µs/request" // user and system time of the server's processes
	Rate     Metric = "requests/s"
	P50      Metric = "p50 µs"
	P99      Metric = "p99 µs"
	CPUCall  Metric = "CPU µs/call" // of this process
	Time     Metric = "ms"
	CPUTotal Metric = "CPU ms" // of this process
	Bytes    Metric = "bytes"
	Allocs   Metric = "allocations"
	RowsRate Metric = "rows/s"
	HitRate  Metric = "hit rate"
)

// Values are the results of one round of one candidate.
type Values map[Metric]float64

// Candidate is one side of a comparison.
type Candidate struct {
	Name string
	// Round measures once. It leaves no work behind that would run during the
	// next candidate's round.
	Round func(ctx context.Context) (Values, error)
}

// Results are the values of all rounds by candidate.
type Results struct {
	Names  []string // in the order of the report
	rounds map[string][]Values
}

// NewResults returns empty results for candidates.
func NewResults(names ...string) *Results { return &Results{names, map[string][]Values{}} }

// Add adds the next round of a candidate. Comparable candidates have the same
// number of rounds.
func (r *Results) Add(name string, v Values) {
	if !slices.Contains(r.Names, name) {
		r.Names = append(r.Names, name)
	}
	r.rounds[name] = append(r.rounds[name], v)
}

// Rounds runs every candidate once in each of n rounds, in random order. It
// calls progress, unless nil, after each one, and stops at the first error.
func Rounds(ctx context.Context, n int, rng *rand.Rand, candidates []Candidate, progress func(round int, name string, v Values)) (*Results, error) {
	results := NewResults()
	for _, c := range candidates {
		results.Names = append(results.Names, c.Name)
	}
	for round := range n {
		for _, i := range rng.Perm(len(candidates)) {
			c := candidates[i]
			v, err := c.Round(ctx)
			if err != nil {
				return results, fmt.Errorf("%s, round %d: %w", c.Name, round+1, err)
			}
			results.Add(c.Name, v)
			if progress != nil {
				progress(round+1, c.Name, v)
			}
		}
	}
	return results, nil
}

// Figure is the median of all rounds, with the lowest and the highest value.
type Figure struct{ Median, Low, High float64 }

// Exactly returns the figure of a value that was not measured several times.
func Exactly(v float64) Figure { return Figure{v, v, v} }

// figureOf returns the figure of at least one value.
func figureOf(values []float64) Figure {
	slices.Sort(values)
	mid := len(values) / 2
	median := values[mid]
	if len(values)%2 == 0 {
		median = (values[mid-1] + median) / 2
	}
	return Figure{median, values[0], values[len(values)-1]}
}

// Of returns a candidate's figure. It returns false if no round has the metric.
func (r *Results) Of(name string, m Metric) (Figure, bool) {
	var values []float64
	for _, round := range r.rounds[name] {
		if v, ok := round[m]; ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Figure{}, false
	}
	return figureOf(values), true
}

// Ratio returns name's figure divided by base's, taken within each round. It
// panics if a round lacks the metric.
func (r *Results) Ratio(m Metric, name, base string) Figure {
	return r.combine(m, name, base, func(a, b float64) float64 { return a / b })
}

// RatioOfRatios returns name's ratio to base, divided by the same ratio of two others. All
// four are taken within each round. It panics if a round lacks the metric.
func (r *Results) RatioOfRatios(m Metric, name, base, otherName, otherBase string) Figure {
	var values []float64
	for i := range r.rounds[name] {
		ratio := func(a, b string) float64 { return r.value(m, a, i) / r.value(m, b, i) }
		values = append(values, ratio(name, base)/ratio(otherName, otherBase))
	}
	return figureOf(values)
}

// Difference returns name's figure minus base's, taken within each round. It
// panics if a round lacks the metric.
func (r *Results) Difference(m Metric, name, base string) Figure {
	return r.combine(m, name, base, func(a, b float64) float64 { return a - b })
}

func (r *Results) combine(m Metric, name, base string, f func(a, b float64) float64) Figure {
	var values []float64
	for i := range r.rounds[name] {
		values = append(values, f(r.value(m, name, i), r.value(m, base, i)))
	}
	return figureOf(values)
}

func (r *Results) value(m Metric, name string, round int) float64 {
	v, ok := r.rounds[name][round][m]
	if !ok {
		panic(fmt.Sprintf("%s: round %d lacks %s", name, round+1, m))
	}
	return v
}
