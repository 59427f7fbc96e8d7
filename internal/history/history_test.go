package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	. "gamedex/internal/history"
	"gamedex/internal/money"
)

// price is a step on a day, in whole units; from its base.
func price(on float64, current, base money.Amount) Step {
	return Step{At: onDay(on), State: Priced, Currency: "PLN", Base: base * 100, Current: current * 100}
}

// full is a step without a discount.
func full(on float64, amount money.Amount) Step { return price(on, amount, amount) }

func gone(on float64) Step {
	return Step{At: onDay(on), State: Gone, Base: money.None, Current: money.None}
}

func with(s Step, change func(*Step)) Step { change(&s); return s }

func doubtful(s *Step) { s.Doubtful = true }

// onDay returns the time of a day of the history, which begins in 2026.
func onDay(on float64) catalog.Millis {
	return 1_767_225_600_000 + catalog.Millis(on*float64(day))
}

const nineMinutes = 9.0 / 1440

func TestReductions(t *testing.T) {
	reduction := func(since float64, reference money.Amount, days, claimed, real int, v Verdict) Reduction {
		if reference > 0 {
			reference *= 100
		}
		return Reduction{Since: onDay(since), Reference: reference, Days: days, ClaimedPercent: claimed, RealPercent: real, Verdict: v}
	}
	for _, tt := range []struct {
		name     string
		steps    []Step
		now      float64
		released float64
		want     Reduction
	}{
		{"real", []Step{full(0, 100), price(60, 75, 100)}, 61, 0, reduction(60, 100, 30, 25, 25, Real)},
		{"80, 100, 90", []Step{full(0, 80), full(40, 100), price(60, 90, 100)}, 61, 0, reduction(60, 80, 30, 10, 0, None)},
		{"80 too long ago", []Step{full(0, 80), full(30, 100), price(60, 90, 100)}, 61, 0, reduction(60, 100, 30, 10, 10, Real)},
		{"a little of it", []Step{full(0, 80), full(40, 100), price(60, 60, 100)}, 61, 0, reduction(60, 80, 30, 40, 25, Smaller)},
		{"one point less", []Step{full(0, 99), full(40, 100), price(60, 50, 100)}, 61, 0, reduction(60, 99, 30, 50, 49, Real)},
		{"two points less", []Step{full(0, 96), full(40, 100), price(60, 50, 100)}, 61, 0, reduction(60, 96, 30, 50, 48, Smaller)},
		{"the base doubled on the day", []Step{full(0, 80), price(60, 80, 160)}, 61, 0, reduction(60, 80, 30, 50, 0, None)},
		{"deeper in the middle of a sale", []Step{full(0, 100), price(60, 80, 100), price(65, 50, 100)}, 70, 0, reduction(60, 100, 30, 50, 50, Real)},
		{"a sale before this one", []Step{full(0, 100), price(40, 60, 100), full(50, 100), price(60, 75, 100)}, 61, 0, reduction(60, 60, 30, 25, 0, None)},
		{"three weeks old", []Step{full(40, 100), price(61, 75, 100)}, 70, 40, reduction(61, 100, 21, 25, 25, Real)},
		{"three weeks old, watched for 29 days", []Step{full(40, 100), price(61, 75, 100)}, 69.9, 40, reduction(61, 100, 21, 25, 25, Unknown)},
		{"watched for a day", []Step{full(60, 100), price(60.5, 75, 100)}, 60.9, 60, reduction(60.5, 100, 1, 25, 25, Unknown)},
		{"released when the window begins", []Step{full(40, 100), price(61, 75, 100)}, 70, 31, reduction(61, 100, 21, 25, 25, Real)},
		{"watched for three weeks", []Step{full(40, 100), price(61, 75, 100)}, 62, 30, reduction(61, 100, 21, 25, 25, Unknown)},
		{"watched for three weeks, without a date", []Step{full(40, 100), price(61, 75, 100)}, 62, -1, reduction(61, 100, 21, 25, 25, Unknown)},
		{"first seen in a sale", []Step{price(60, 75, 100)}, 61, 60, reduction(60, money.None, 0, 25, 0, Unknown)},
		{"a giveaway inside a sale", []Step{full(0, 100), price(60, 80, 100), price(62, 0, 100), price(63, 80, 100)}, 64, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"a giveaway now", []Step{full(0, 100), price(60, 0, 100)}, 61, 0, Reduction{}},
		{"a giveaway before", []Step{full(0, 100), price(50, 0, 100), full(52, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"a glitch of nine minutes before", []Step{full(0, 100), full(50, 1), full(50+nineMinutes, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"a glitch of nine minutes within", []Step{full(0, 100), price(60, 80, 100), full(65, 100), price(65+nineMinutes, 80, 100)}, 66, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"a doubtful price before", []Step{full(0, 100), with(full(50, 1), doubtful), full(52, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"doubtful now", []Step{full(0, 100), with(price(60, 80, 100), doubtful)}, 61, 0, Reduction{}},
		{"confirmed", []Step{full(0, 100), with(price(60, 80, 100), doubtful), price(62, 80, 100)}, 63, 0, reduction(62, 100, 30, 20, 20, Real)},
		{"off sale in the window", []Step{full(0, 100), gone(40), full(50, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 20, 20, 20, Unknown)},
		{"off sale for a part of a day", []Step{full(0, 100), gone(40), full(40.5, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"another currency in the window", []Step{with(full(0, 9), func(s *Step) { s.Currency = "EUR" }), full(45, 100), price(60, 80, 100)}, 61, 0, reduction(60, 100, 15, 20, 20, Unknown)},
		{"ended by the clock", []Step{full(0, 100), with(price(60, 80, 100), func(s *Step) { s.EndsAt = onDay(70) })}, 71, 0, Reduction{}},
		{"prolonged", []Step{full(0, 100), with(price(60, 80, 100), func(s *Step) { s.EndsAt = onDay(70) }), with(price(65, 80, 100), func(s *Step) { s.EndsAt = onDay(75) })},
			71, 0, reduction(60, 100, 30, 20, 20, Real)},
		{"for subscribers", []Step{full(0, 100), with(price(60, 80, 100), func(s *Step) { s.Subscription = true })}, 61, 0, Reduction{}},
	} {
		released := catalog.Millis(0)
		if tt.released >= 0 {
			released = onDay(tt.released)
		}
		got := Summarize(tt.steps, released, onDay(tt.now)).Reduction
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLows(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []Step
		now   float64
		want  *Summary
	}{
		{"none yet", []Step{full(1, 100)}, 0, nil},
		{"watched for 29 days", []Step{full(0, 100)}, 29.9, &Summary{WatchedSince: onDay(0),
			AllTime: Low{10000, onDay(0), 0, 1}, Year: Low{10000, onDay(0), 0, 1}, Days90: Low{10000, onDay(0), 0, 1}}},
		{"the lowest of minutes", []Step{full(0, 100), price(0.1, 50, 100)}, 0.2, &Summary{WatchedSince: onDay(0), Since: onDay(0.1),
			AllTime: Low{5000, onDay(0.1), 0, 1}, Year: Low{5000, onDay(0.1), 0, 1}, Days90: Low{5000, onDay(0.1), 0, 1},
			Reduction: Reduction{Since: onDay(0.1), Reference: 10000, Days: 1, ClaimedPercent: 50, RealPercent: 50}}},
		{"another currency before", []Step{with(full(0, 5), func(s *Step) { s.Currency = "TRY" }), full(400, 100)}, 401, &Summary{WatchedSince: onDay(400),
			AllTime: Low{10000, onDay(400), 0, 1}, Year: Low{10000, onDay(400), 0, 1}, Days90: Low{10000, onDay(400), 0, 1}}},
		{"one price", []Step{full(0, 100)}, 30, &Summary{WatchedSince: onDay(0), Since: onDay(0), Meets: AllTime,
			AllTime: Low{10000, onDay(0), 0, 1}, Year: Low{10000, onDay(0), 0, 1}, Days90: Low{10000, onDay(0), 0, 1}}},
		{"the same low twice", []Step{full(0, 100), price(10, 60, 100), full(20, 100), price(30, 60, 100), full(40, 100)}, 50, &Summary{WatchedSince: onDay(0), Since: onDay(40),
			AllTime: Low{6000, onDay(10), onDay(40), 2}, Year: Low{6000, onDay(10), onDay(40), 2}, Days90: Low{6000, onDay(10), onDay(40), 2}}},
		{"the window of 90 days begins with a day", []Step{full(0, 60), full(10.5, 80), full(20, 100)}, 99.9, &Summary{WatchedSince: onDay(0), Since: onDay(20),
			AllTime: Low{6000, onDay(0), onDay(10.5), 1}, Year: Low{6000, onDay(0), onDay(10.5), 1}, Days90: Low{6000, onDay(0), onDay(10.5), 1}}},
		{"and leaves out the day before", []Step{full(0, 60), full(10, 80), full(20, 100)}, 99, &Summary{WatchedSince: onDay(0), Since: onDay(20),
			AllTime: Low{6000, onDay(0), onDay(10), 1}, Year: Low{6000, onDay(0), onDay(10), 1}, Days90: Low{8000, onDay(10), onDay(20), 1}}},
		{"80, 100, 90", []Step{full(0, 80), full(40, 100), price(60, 90, 100)}, 61, &Summary{WatchedSince: onDay(0), Since: onDay(60),
			AllTime: Low{8000, onDay(0), onDay(40), 1}, Year: Low{8000, onDay(0), onDay(40), 1}, Days90: Low{8000, onDay(0), onDay(40), 1},
			Reduction: Reduction{Since: onDay(60), Reference: 8000, Days: 30, ClaimedPercent: 10, Verdict: None}}},
		{"a giveaway inside a sale, of which the low counts twice", []Step{full(0, 100), price(10, 80, 100), price(12, 0, 100), price(13, 80, 100), full(20, 100)}, 30, &Summary{WatchedSince: onDay(0), Since: onDay(20),
			AllTime: Low{8000, onDay(10), onDay(20), 2}, Year: Low{8000, onDay(10), onDay(20), 2}, Days90: Low{8000, onDay(10), onDay(20), 2}, Free: Free{Ever: true, LastAt: onDay(13)}}},
		{"a glitch of nine minutes", []Step{full(0, 100), full(10, 1), full(10+nineMinutes, 100)}, 40, &Summary{WatchedSince: onDay(0), Since: onDay(10 + nineMinutes), Meets: AllTime,
			AllTime: Low{10000, onDay(0), 0, 2}, Year: Low{10000, onDay(0), 0, 2}, Days90: Low{10000, onDay(0), 0, 2}}},
		{"off sale", []Step{full(0, 100), gone(10), full(15, 100)}, 40, &Summary{WatchedSince: onDay(0), Since: onDay(15), Meets: AllTime,
			AllTime: Low{10000, onDay(0), 0, 2}, Year: Low{10000, onDay(0), 0, 2}, Days90: Low{10000, onDay(0), 0, 2}}},
		{"another base", []Step{full(0, 100), price(10, 60, 100), price(20, 60, 90)}, 25, &Summary{WatchedSince: onDay(0), Since: onDay(10),
			AllTime: Low{6000, onDay(10), 0, 1}, Year: Low{6000, onDay(10), 0, 1}, Days90: Low{6000, onDay(10), 0, 1},
			Reduction: Reduction{Since: onDay(10), Reference: 10000, Days: 10, ClaimedPercent: 33, RealPercent: 40}}},
		{"only doubtful", []Step{with(full(0, 1), doubtful)}, 10, &Summary{WatchedSince: onDay(0)}},
		{"given away now", []Step{full(0, 0)}, 10, &Summary{WatchedSince: onDay(0), Free: Free{Ever: true}}},
		{"a free game's trial is over", []Step{with(full(0, 0), func(s *Step) { s.Trial, s.EndsAt = true, onDay(1) })}, 10, &Summary{WatchedSince: onDay(0)}},
	} {
		if diff := cmp.Diff(tt.want, Summarize(tt.steps, 0, onDay(tt.now))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestInferredEnd(t *testing.T) {
	sale := with(price(10, 60, 100), func(s *Step) { s.EndsAt = onDay(20) })
	for _, tt := range []struct {
		name  string
		steps []Step
		want  []Span
	}{
		{"it lasts", []Step{with(sale, func(s *Step) { s.EndsAt = onDay(90) })}, []Span{{Step: with(sale, func(s *Step) { s.EndsAt = onDay(90) })}}},
		{"it has ended", []Step{sale}, []Span{{Step: sale, Until: onDay(20)}, {Step: full(20, 100), Inferred: true}}},
		{"it was read again later", []Step{sale, full(30, 100)}, []Span{{Step: sale, Until: onDay(20)}, {Step: full(20, 100), Until: onDay(30), Inferred: true}, {Step: full(30, 100)}}},
		{"it was read again when it ended", []Step{sale, full(20, 100)}, []Span{{Step: sale, Until: onDay(20)}, {Step: full(20, 100)}}},
		{"it had ended before it was read", []Step{with(sale, func(s *Step) { s.EndsAt = onDay(5) })}, []Span{{Step: full(10, 100), Inferred: true}}},
		{"the base is not known", []Step{with(sale, func(s *Step) { s.Base = money.None })}, []Span{{Step: with(sale, func(s *Step) { s.Base = money.None })}}},
	} {
		if diff := cmp.Diff(tt.want, AppendSpans(nil, tt.steps, onDay(50))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
