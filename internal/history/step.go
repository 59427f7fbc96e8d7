package history

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// State is what a listing showed of its price.
type State uint8

// The states.
const (
	Priced   State = iota + 1 // a number
	Text                      // only a text
	Unpriced                  // announced, but not for sale
	Gone                      // withdrawn from the store
)

var states = [...]string{Priced: "priced", Text: "text", Unpriced: "unpriced", Gone: "gone"}

// String returns the name of the state in the API and in files.
func (s State) String() string {
	if int(s) >= len(states) {
		return ""
	}
	return states[s]
}

// ParseState returns the state of a name; ok is false if there is none.
func ParseState(name string) (s State, ok bool) {
	at := slices.Index(states[:], name)
	return State(max(at, 0)), at > 0
}

// Series is the history of a listing, oldest step first.
type Series struct {
	catalog.Key
	Steps []Step
}

// Part is a part of a series.
type Part struct {
	Series
	Since catalog.Millis // of the first step of the whole series
}

// Step is what a listing showed from some time on.
type Step struct {
	At            catalog.Millis
	State         State
	Currency      money.Currency
	Base, Current money.Amount   // money.None if not known; Current is known in the state Priced
	EndsAt        catalog.Millis // of the discount; 0: unknown, or no discount
	Trial         bool           // the price is that of a trial
	Subscription  bool           // only subscribers can buy
	Doubtful      bool
}

// Span is a period in which the price was the same.
type Span struct {
	Step                    // At is its first time
	Until    catalog.Millis // 0: it lasts
	Inferred bool           // the end of the discount began it; the listing was not read since
}

// AppendSpans appends the periods up to now of a listing with these steps, which are in the
// order of their times. The end of a discount ends its step: from then on the price is the
// base, until the next step.
func AppendSpans(spans []Span, steps []Step, now catalog.Millis) []Span {
	for i := range steps {
		s := &steps[i]
		if s.At > now {
			break
		}
		until, passed := catalog.Millis(0), now+1
		if i+1 < len(steps) && steps[i+1].At <= now {
			until = steps[i+1].At
			passed = until
		}
		if s.EndsAt == 0 || s.EndsAt >= passed || s.State != Priced || !s.Base.Known() {
			spans = append(spans, Span{Step: *s, Until: until})
			continue
		}
		if s.At < s.EndsAt {
			spans = append(spans, Span{Step: *s, Until: s.EndsAt})
		}
		spans = append(spans, Span{Step: s.afterDiscount(), Until: until, Inferred: true})
	}
	return spans
}

// Between returns the spans that include a time from since to until, both included.
func Between(spans []Span, since, until catalog.Millis) []Span {
	first := slices.IndexFunc(spans, func(s Span) bool { return s.Until == 0 || s.Until > since })
	if first < 0 {
		return nil
	}
	spans = spans[first:]
	if after := slices.IndexFunc(spans, func(s Span) bool { return s.At > until }); after >= 0 {
		spans = spans[:after]
	}
	return spans
}

// afterDiscount returns what holds when the discount of a step has ended.
func (s Step) afterDiscount() Step {
	s.At, s.EndsAt, s.Current = max(s.At, s.EndsAt), 0, s.Base
	s.Trial, s.Subscription = s.Trial && s.Base == 0, s.Subscription && s.Base == 0
	return s
}

// forAll reports whether everybody could buy at the price.
func (s *Step) forAll() bool {
	return s.State == Priced && !s.Trial && !s.Subscription && !s.Doubtful
}

// forAllIn reports whether everybody could buy at the price, in this currency.
func (s *Step) forAllIn(c money.Currency) bool { return s.Currency == c && s.forAll() }

// discounted reports whether everybody could buy below the base price.
func (s *Step) discounted() bool { return s.forAll() && s.Base.Known() && s.Current < s.Base }

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
	if n = len(steps); n > 0 {
		same := steps[n-1]
		if same.At = s.At; same == s {
			return steps
		}
	}
	return append(steps, s)
}

// ImportCounts counts what an import of history did.
type ImportCounts struct {
	Added   int // steps
	Overlap int // steps that are not older than the first one that is stored; they are left out
	Unknown int // series of listings that are not stored
}

// Add returns the sum of two counts.
func (c ImportCounts) Add(o ImportCounts) ImportCounts {
	return ImportCounts{c.Added + o.Added, c.Overlap + o.Overlap, c.Unknown + o.Unknown}
}

// Prepend returns a series that begins with the steps that are older than its first one,
// and how many these are. It does not change its arguments.
func Prepend(series, older []Step) (all []Step, added int) {
	for _, s := range older {
		if len(series) > 0 && s.At >= series[0].At {
			break
		}
		all, added = Record(all, s), added+1
	}
	for _, s := range series {
		all = Record(all, s)
	}
	return all, added
}

// Prices returns the periods up to now in which everybody could buy at one price: the
// currency, the base and the amount stayed. steps are in the order of their times.
func Prices(steps []Step, now catalog.Millis) (prices []Span) {
	for _, s := range AppendSpans(nil, steps, now) {
		if !s.forAll() {
			continue
		}
		if n := len(prices); n > 0 {
			last := &prices[n-1]
			if last.Until == s.At && last.Currency == s.Currency && last.Base == s.Base && last.Current == s.Current {
				last.Until = s.Until
				continue
			}
		}
		prices = append(prices, s)
	}
	return prices
}
