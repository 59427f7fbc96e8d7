package sample_test

import (
	"testing"

	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
)

func TestSeriesLeadToTheListings(t *testing.T) {
	s := sample.New(1, 300)
	s.Steps = 20
	present := map[catalog.Key]catalog.Listing{}
	publishers, percents := map[string]bool{}, map[int]bool{}
	for l := range s.Listings(4) {
		present[l.Key] = *l
		publishers[l.Prose.Publisher] = true
		if l.Price != nil && l.Price.DiscountPercent > 0 {
			percents[l.Price.DiscountPercent] = true
		}
	}
	if len(publishers) < 50 || len(percents) < 10 {
		t.Errorf("%d publishers, %d discounts", len(publishers), len(percents))
	}
	for series := range s.Series(4) {
		l, ok := present[series.Key]
		if !ok {
			t.Fatalf("a series of %v, which is not listed or has two", series.Key)
		}
		delete(present, series.Key)
		steps := history.Record(series.Steps, history.StepOf(l.ObservedAt, l.Price))
		if len(steps) != s.Steps {
			t.Errorf("%v has %d steps, want %d", series.Key, len(steps), s.Steps)
		}
		if err := history.Check(steps); err != nil {
			t.Errorf("%v: %v", series.Key, err)
		}
		for i := 1; i < len(steps)-1; i++ {
			if before, step := steps[i-1], steps[i]; before.EndsAt != 0 && (step.At < before.EndsAt || step.At > before.EndsAt+3_600_000 || step.EndsAt != 0) {
				t.Errorf("%v: after %+v comes %+v, want the full price within an hour of the sale's end", series.Key, before, step)
			}
		}
	}
	if len(present) > 0 {
		t.Errorf("%d listings have no series", len(present))
	}
}

func TestSeriesOfASeed(t *testing.T) {
	first := map[catalog.Key]history.Step{}
	for round := range 2 {
		s := sample.New(1, 50)
		s.Steps = 8
		for series := range s.Series(3) {
			last := series.Steps[len(series.Steps)-1]
			if round == 0 {
				first[series.Key] = last
			} else if first[series.Key] != last {
				t.Errorf("%v ends with %+v, and with %+v in a second run", series.Key, first[series.Key], last)
			}
		}
	}
}
