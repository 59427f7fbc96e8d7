package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	. "gamedex/internal/history"
	"gamedex/internal/money"
)

const (
	minute = catalog.Millis(60_000)
	hour   = 60 * minute
	day    = 24 * hour
)

// walk is a history minute by minute, from the first minute of 1970 up to now.
type walk struct {
	now     int
	watched []bool
	amount  []money.Amount // at which everybody can buy, in the present currency; -1: nobody or not everybody
	cut     []bool         // the amount is below the base
	onSale  []bool         // in the present currency
}

// newWalk applies the rules for single moments: which step is in force, and the end of
// its discount.
func newWalk(steps []Step, now int) *walk {
	w := &walk{now: now}
	var currency money.Currency
	for _, s := range steps {
		if s.At <= catalog.Millis(now)*minute && s.State == Priced {
			currency = s.Currency
		}
	}
	next := 0
	for m := range now + 1 {
		at := catalog.Millis(m) * minute
		for next < len(steps) && steps[next].At <= at {
			next++
		}
		w.watched, w.amount, w.cut, w.onSale = append(w.watched, next > 0), append(w.amount, -1), append(w.cut, false), append(w.onSale, false)
		if next == 0 {
			continue
		}
		s := steps[next-1]
		if s.State != Priced || s.Currency != currency {
			continue
		}
		w.onSale[m] = true
		if s.EndsAt != 0 && at >= s.EndsAt && s.Base >= 0 {
			if s.Current = s.Base; s.Base > 0 {
				s.Trial, s.Subscription = false, false
			}
		}
		if !s.Trial && !s.Subscription && !s.Doubtful {
			w.amount[m], w.cut[m] = s.Current, s.Base >= 0 && s.Current < s.Base
		}
	}
	return w
}

// runAt returns the minutes of the run of one amount around a minute, and whether it counts.
func (w *walk) runAt(m int) (from, until int, counts bool) {
	for from = m; from > 0 && w.amount[from-1] == w.amount[m]; from-- {
	}
	for until = m + 1; until <= w.now && w.amount[until] == w.amount[m]; until++ {
	}
	return from, until, w.amount[m] >= 0 && (until > w.now || until-from >= 60)
}

// low walks a window.
func (w *walk) low(from, until int) (low Low) {
	for m := max(from, 0); m < until; {
		first, end, counts := w.runAt(m)
		if counts && w.amount[m] > 0 && (low.Times == 0 || w.amount[m] <= low.Current) {
			if low.Times == 0 || w.amount[m] < low.Current {
				low = Low{Current: w.amount[m], FirstAt: catalog.Millis(first) * minute}
			}
			low.Times++
			low.LastAt = catalog.Millis(end) * minute
			if end > w.now {
				low.LastAt = 0
			}
		}
		m = end
	}
	return low
}

func (w *walk) summary(released catalog.Millis, base, current money.Amount) *Summary {
	if !w.watched[w.now] {
		return nil
	}
	s := &Summary{}
	for m := w.now; m >= 0 && w.watched[m]; m-- {
		s.WatchedSince = catalog.Millis(m) * minute
	}
	today := w.now / 1440 * 1440
	s.AllTime, s.Year, s.Days90 = w.low(0, w.now+1), w.low(today-364*1440, w.now+1), w.low(today-89*1440, w.now+1)
	for window, low := range map[Window]Low{AllTime: s.AllTime, Year: s.Year, Days90: s.Days90} {
		if low.Times > 0 && low.Current == w.amount[w.now] {
			s.Meets = max(s.Meets, window)
		}
	}
	for m := 0; m <= w.now; {
		_, end, counts := w.runAt(m)
		if counts && w.amount[m] == 0 {
			s.Free = Free{true, catalog.Millis(end) * minute}
			if end > w.now {
				s.Free.LastAt = 0
			}
		}
		m = end
	}
	if w.cut[w.now] && w.amount[w.now] > 0 {
		s.Reduction = w.reduction(released, base, current)
	}
	return s
}

func (w *walk) reduction(released catalog.Millis, base, current money.Amount) Reduction {
	since := w.now
	for m, gap := w.now, 0; m >= 0 && gap < 60; m-- {
		if gap++; w.cut[m] {
			since, gap = m, 0
		}
	}
	r := Reduction{Since: catalog.Millis(since) * minute, Reference: money.None, ClaimedPercent: money.DiscountPercent(base, current)}
	for d := range 30 {
		for m := since - (d+1)*1440; m < since-d*1440; m++ {
			if m >= 0 && w.onSale[m] {
				r.Days++
				break
			}
		}
	}
	if low := w.low(since-30*1440, since); low.Times > 0 {
		r.Reference, r.RealPercent = low.Current, money.DiscountPercent(low.Current, current)
	}
	switch {
	case r.Reference < 0, r.Days < 30 && released < r.Since-30*day:
		r.Verdict = Unknown
	case current >= r.Reference:
		r.Verdict = None
	case r.ClaimedPercent > r.RealPercent+1:
		r.Verdict = Smaller
	default:
		r.Verdict = Real
	}
	return r
}

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
		var last Step
		if spans := Spans(steps, at); len(spans) > 0 {
			last = spans[len(spans)-1].Step
		}
		want := newWalk(steps, now).summary(released, last.Base, last.Current)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}
