package history

import (
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// StepOf returns what a listing with a price shows from some time on. A nil price is not
// for sale.
func StepOf(at catalog.Millis, p *catalog.Price) Step {
	s := Step{At: at, State: Unpriced, Base: money.None, Current: money.None}
	if p == nil {
		return s
	}
	s.Currency, s.Base, s.Current, s.EndsAt = p.Currency, p.Base, p.Current, p.DiscountEndsAt
	s.Trial, s.Subscription, s.Doubtful = p.Trial, p.Subscription, p.Source == catalog.SourceDoubtful
	s.State = Priced
	if !p.Current.Known() {
		s.State = Text
	}
	return s
}

// StepGone returns the step of a listing that was withdrawn.
func StepGone(at catalog.Millis) Step {
	return Step{At: at, State: Gone, Base: money.None, Current: money.None}
}

// Record returns steps, which are in the order of their times, followed by a newer one.
// A step that shows the same as the last one adds nothing. A step that is not later than
// the last one replaces it. Record may change steps.
func Record(steps []Step, s Step) []Step {
	n := len(steps)
	if n == 0 {
		return append(steps, s)
	}
	if last := steps[n-1]; s.At <= last.At {
		s.At = last.At
		steps = steps[:n-1]
	}
	if n = len(steps); n > 0 && steps[n-1].showsSame(s) {
		return steps
	}
	return append(steps, s)
}

// showsSame reports whether two steps differ in their times at most.
func (s Step) showsSame(other Step) bool {
	other.At = s.At
	return s == other
}
