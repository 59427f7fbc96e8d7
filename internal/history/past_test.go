package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	. "gamedex/internal/history"
	"gamedex/internal/testing/historytest"
)

// TestPastGivesTheSummaryOfLaterTimes checks that the past, which is computed once,
// gives what all steps give at each time of the day, ends of discounts in between.
func TestPastGivesTheSummaryOfLaterTimes(t *testing.T) {
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		steps, _ := drawSteps(t)
		if len(steps) == 0 {
			return
		}
		last := &steps[len(steps)-1]
		if rapid.Bool().Draw(t, "discounted") { // drawn steps rarely end with one
			*last = Step{At: last.At, State: Priced, Currency: "UAH", Base: 10000, Current: 5000, EndsAt: last.At + 30*minute}
		}
		now := last.At + catalog.Millis(rapid.SampledFrom([]int{0, 1, 29, 30, 59, 60, 61, 1439, 1440, 1441, 20000, 200000}).Draw(t, "later"))*minute
		released := catalog.Millis(rapid.SampledFrom([]catalog.Millis{0, 1, now - 31*day, now - 20*day}).Draw(t, "released"))
		today := now - now%day
		past := PastOf(steps, today)
		got := past.Summary(last, released, today, now)
		want := historytest.Summarize(steps, minute, released, now)
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		if last.EndsAt > last.At && last.EndsAt <= now {
			ended++
		}
	})
	if ended == 0 {
		t.Error("no discount ended after the last step")
	}
}

// TestWindowsStandForADay checks that after midnight the windows are those of the day
// before, while the end of a discount is over at once.
func TestWindowsStandForADay(t *testing.T) {
	steps := []Step{full(0, 60), full(10, 80), full(20, 100), with(price(95, 70, 100), func(s *Step) { s.EndsAt = onDay(99.1) })}
	past := PastOf(steps, onDay(98))
	got := past.Summary(&steps[3], 0, onDay(98), onDay(99.2))
	if want := (Low{6000, onDay(0), onDay(10), 1}); got.Days90 != want || got.Reduction.Since != 0 || got.Meets != 0 {
		t.Errorf("after midnight and the end of the discount: %+v, want the low %+v", got, want)
	}
	past = PastOf(steps, onDay(99))
	got = past.Summary(&steps[3], 0, onDay(99), onDay(99.2))
	if want := (Low{7000, onDay(95), onDay(99.1), 1}); got.Days90 != want {
		t.Errorf("after the pass of the day: %+v, want %+v", got.Days90, want)
	}
}

// TestPastOfOneStep checks the past of a listing that has shown only one step.
func TestPastOfOneStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps, now := drawSteps(t)
		for i := range steps {
			want := PastOf(steps[i:i+1], catalog.Millis(now)*minute/day*day)
			if diff := cmp.Diff(want, PastOfOne(&steps[i])); diff != "" {
				t.Fatalf("%+v (-PastOf +PastOfOne):\n%s", steps[i], diff)
			}
		}
	})
}
