package harness_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/harness"
)

// counting returns a candidate whose rounds measure step, 2*step, 3*step, ….
func counting(name string, step float64, order *[]string) harness.Candidate {
	n := 0.0
	return harness.Candidate{Name: name, Round: func(context.Context) (harness.Values, error) {
		n++
		*order = append(*order, name)
		return harness.Values{harness.Rate: n * step}, nil
	}}
}

func TestRatiosAreTakenWithinRounds(t *testing.T) {
	var order []string
	all := []harness.Candidate{counting("a", 1, &order), counting("b", 10, &order)}
	results, err := harness.Rounds(t.Context(), 4, rand.New(rand.NewPCG(1, 1)), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := results.Of("a", harness.Rate); !ok || got != (harness.Figure{Median: 2.5, Low: 1, High: 4}) {
		t.Errorf("a = %+v, %v", got, ok)
	}
	if got := results.Ratio(harness.Rate, "b", "a"); got != harness.Exactly(10) {
		t.Errorf("b/a = %+v, want 10 in every round", got)
	}
	if got := results.Difference(harness.Rate, "b", "a"); got != (harness.Figure{Median: 22.5, Low: 9, High: 36}) {
		t.Errorf("b-a = %+v", got)
	}
	if got := results.RatioOfRatios(harness.Rate, "b", "a", "a", "b"); got != harness.Exactly(100) {
		t.Errorf("b/a divided by a/b = %+v, want 100 in every round", got)
	}
	if _, ok := results.Of("a", harness.CPU); ok {
		t.Error("a has a figure that was not measured")
	}
	if diff := cmp.Diff([]string{"a", "b"}, results.Names); diff != "" {
		t.Error(diff)
	}
}

func TestEveryRoundHasEveryCandidateInRandomOrder(t *testing.T) {
	var order []string
	all := []harness.Candidate{counting("a", 1, &order), counting("b", 1, &order), counting("c", 1, &order)}
	if _, err := harness.Rounds(t.Context(), 50, rand.New(rand.NewPCG(1, 1)), all, nil); err != nil {
		t.Fatal(err)
	}
	first := map[string]int{}
	for i := 0; i < len(order); i += 3 {
		seen := map[string]bool{order[i]: true, order[i+1]: true, order[i+2]: true}
		if len(seen) != 3 {
			t.Fatalf("round %d is %v", i/3, order[i:i+3])
		}
		first[order[i]]++
	}
	for _, name := range []string{"a", "b", "c"} {
		if first[name] < 5 {
			t.Errorf("%s was first in %d of 50 rounds", name, first[name])
		}
	}
}

func TestRoundsStopAtTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	_, err := harness.Rounds(t.Context(), 3, rand.New(rand.NewPCG(1, 1)), []harness.Candidate{
		{Name: "a", Round: func(context.Context) (harness.Values, error) { return nil, broken }},
	}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}
