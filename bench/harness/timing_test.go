package harness_test

import (
	"errors"
	"testing"
	"time"

	"gamedex/bench/harness"
)

func TestPercentiles(t *testing.T) {
	of := func(n int) []time.Duration {
		var took []time.Duration
		for i := n; i > 0; i-- { // the slowest first: they are sorted
			took = append(took, time.Duration(i)*time.Microsecond)
		}
		return took
	}
	for _, c := range []struct {
		name     string
		n        int
		p50, p99 float64
	}{
		{"one", 1, 1, 1}, {"two", 2, 2, 2}, {"a hundred", 100, 51, 100}, {"four hundred", 400, 201, 397},
	} {
		if s := harness.Percentiles(of(c.n)); s[harness.P50] != c.p50 || s[harness.P99] != c.p99 {
			t.Errorf("%s: %v, want p50 %v and p99 %v", c.name, s, c.p50, c.p99)
		}
	}
}

func TestRepeatStopsAtAnError(t *testing.T) {
	ran := 0
	var held [][]byte
	s, err := harness.Repeat("all", 50, func(i int) error {
		if i != ran {
			t.Errorf("got operation %d, want %d", i, ran)
		}
		ran++
		held = append(held, make([]byte, 1<<16))
		return nil
	}).Round(t.Context())
	if err != nil || ran != 50 || s[harness.Rate] <= 0 || s[harness.Allocs] < 1 {
		t.Errorf("%d operations returned %v, %v", ran, s, err)
	}
	broken := errors.New("broken")
	if _, err := harness.Repeat("broken", 50, func(int) error { return broken }).Round(t.Context()); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	if _, err := harness.Once("broken", func() error { return broken }).Round(t.Context()); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}
