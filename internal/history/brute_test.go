package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	. "gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/testing/historytest"
)

const (
	minute = catalog.Millis(60_000)
	hour   = 60 * minute
	day    = 24 * hour
)

// drawSteps returns steps of up to 450 days, many of them close together, and the present
// minute.
func drawSteps(t *rapid.T) (steps []Step, now int) {
	at := catalog.Millis(rapid.IntRange(100, 3000).Draw(t, "first"))
	for range rapid.IntRange(0, 25).Draw(t, "steps") {
		s := Step{At: at * minute, State: Priced, Currency: "UAH", Base: money.Amount(rapid.SampledFrom([]int{8, 10, 10, 10, 20}).Draw(t, "base") * 1000)}
		s.Current = s.Base
		switch rapid.IntRange(0, 11).Draw(t, "what") {
		case 0:
			s.State, s.Base, s.Current = Gone, money.None, money.None
		case 1:
			s.State, s.Base, s.Current = Text, money.None, money.None
		case 2:
			s.Currency = "USD"
		case 3:
			s.Doubtful, s.Current = true, 1
		case 4:
			s.Current = 0
		case 5:
			s.Current, s.Trial = 0, true
		case 6:
			s.Current, s.Subscription = s.Base/2, true
		case 7:
			s.Base = money.None
		case 8, 9, 10:
			s.Current = s.Base * money.Amount(rapid.SampledFrom([]int{50, 75, 99}).Draw(t, "share")) / 100
		}
		if s.Current != s.Base && rapid.Bool().Draw(t, "ends") {
			s.EndsAt = (at + catalog.Millis(rapid.SampledFrom([]int{-30, 0, 30, 59, 60, 61, 1440, 20000}).Draw(t, "end"))) * minute
		}
		steps = append(steps, s)
		at += catalog.Millis(rapid.SampledFrom([]int{1, 9, 59, 60, 61, 300, 1440, 5000, 20000, 60000, 130000}).Draw(t, "pause"))
	}
	now = int(at) + rapid.IntRange(-2000, 40).Draw(t, "now")
	return steps, max(now, 0)
}

func TestSummaryIsThatOfEveryMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps, now := drawSteps(t)
		released := catalog.Millis(rapid.SampledFrom([]int{0, 1, now - 1440*31, now - 1440*20}).Draw(t, "released")) * minute
		at := catalog.Millis(now) * minute
		got := Summarize(steps, released, at)
		want := historytest.Summarize(steps, minute, released, at)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}
