package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/measure"
)

// counting gives 1, 2, 3, … times step in its rounds.
func counting(name string, step float64, order *[]string) measure.Candidate {
	n := 0.0
	return measure.Candidate{Name: name, Round: func(context.Context) (measure.Sample, error) {
		n++
		*order = append(*order, name)
		return measure.Sample{measure.Rate: n * step}, nil
	}}
}

func TestRatiosAreTakenInsideRounds(t *testing.T) {
	var order []string
	all := []measure.Candidate{counting("a", 1, &order), counting("b", 10, &order)}
	runs, err := measure.Rounds(t.Context(), 4, rand.New(rand.NewPCG(1, 1)), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := runs.Of("a", measure.Rate); !ok || got != (measure.Figure{Median: 2.5, Low: 1, High: 4}) {
		t.Errorf("a = %+v, %v", got, ok)
	}
	if got := runs.Ratio(measure.Rate, "b", "a"); got != (measure.Figure{Median: 10, Low: 10, High: 10}) {
		t.Errorf("b/a = %+v: the machine's pace is the same within a round", got)
	}
	if got := runs.Difference(measure.Rate, "b", "a"); got != (measure.Figure{Median: 22.5, Low: 9, High: 36}) {
		t.Errorf("b-a = %+v", got)
	}
	if _, ok := runs.Of("a", measure.CPU); ok {
		t.Error("a has a figure that nobody measured")
	}
	if diff := cmp.Diff([]string{"a", "b"}, runs.Names); diff != "" {
		t.Error(diff)
	}
}

func TestEveryRoundHasEveryCandidateInRandomOrder(t *testing.T) {
	var order []string
	all := []measure.Candidate{counting("a", 1, &order), counting("b", 1, &order), counting("c", 1, &order)}
	if _, err := measure.Rounds(t.Context(), 50, rand.New(rand.NewPCG(1, 1)), all, nil); err != nil {
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

func TestTheFirstErrorEndsIt(t *testing.T) {
	broken := errors.New("broken")
	_, err := measure.Rounds(t.Context(), 3, rand.New(rand.NewPCG(1, 1)), []measure.Candidate{
		{Name: "a", Round: func(context.Context) (measure.Sample, error) { return nil, broken }},
	}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}
