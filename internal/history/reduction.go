package history

import (
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Verdict says whether a discount is genuine.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // too little was seen before the reduction
	None                   // the price is not below the reference
	Smaller                // the discount is smaller than claimed, by more than a point
	Real
)

var verdicts = [...]string{Unknown: "unknown", None: "none", Smaller: "smaller", Real: "real"}

// String returns the name of the verdict in the API.
func (v Verdict) String() string { return verdicts[v] }

// referenceDays is how many days before a reduction count for its reference.
const referenceDays = 30

// Reduction is a discount that holds now.
type Reduction struct {
	Since catalog.Millis // when the price was reduced
	// Reference is the lowest price that counts of the 30 days before Since, money.None if
	// there is none.
	Reference      money.Amount
	Days           int // of the 30, on which the product was on sale
	ClaimedPercent int // what the price is below the base
	RealPercent    int // what it is below the reference; 0 without one
	Verdict        Verdict
}

// reductionOf returns Since, Reference and Days of the reduction that holds in the last
// span; the zero value if there is none.
func reductionOf(spans []Span, runs []run, c money.Currency) Reduction {
	last := &spans[len(spans)-1]
	if !last.discounted() || last.Current == 0 {
		return Reduction{}
	}
	r := Reduction{Since: reducedSince(spans, c), Reference: money.None}
	from := r.Since - referenceDays*day
	before := 0 // runs that began before the reduction
	for before < len(runs) && runs[before].from < r.Since {
		before++
	}
	if low := lowOf(runs[:before], from); low.Times > 0 {
		r.Reference = low.Current
	}
	r.Days = daysOnSale(spans, c, from)
	return r
}

// NeedsRelease reports whether the verdict depends on when the product was released.
func (r *Reduction) NeedsRelease() bool {
	return r.Since != 0 && r.Reference != money.None && r.Days < referenceDays
}

// judged returns a reduction with its percentages and its verdict for the step that holds.
// released is as in Summarize.
func (r Reduction) judged(last *Step, released catalog.Millis) Reduction {
	r.ClaimedPercent = money.DiscountPercent(last.Base, last.Current)
	if r.Reference != money.None {
		r.RealPercent = money.DiscountPercent(r.Reference, last.Current)
	}
	switch {
	case r.Reference == money.None, r.NeedsRelease() && released < r.Since-referenceDays*day:
		r.Verdict = Unknown
	case last.Current >= r.Reference:
		r.Verdict = None
	case r.ClaimedPercent-r.RealPercent > 1:
		r.Verdict = Smaller
	default:
		r.Verdict = Real
	}
	return r
}

// reducedSince returns when the unbroken run of discounted spans began that includes the
// last one. A gap of less than an hour does not break it.
func reducedSince(spans []Span, c money.Currency) catalog.Millis {
	since := spans[len(spans)-1].At
	for i := len(spans) - 2; i >= 0 && since-spans[i].Until < hour; i-- {
		if spans[i].discounted() && spans[i].Currency == c {
			since = spans[i].At
		}
	}
	return since
}

// daysOnSale returns on how many of the 30 days that begin at a time the product was on
// sale in a currency, at least for a part of the day.
func daysOnSale(spans []Span, c money.Currency, from catalog.Millis) (days int) {
	for d := from; d < from+referenceDays*day; d += day {
		for i := range spans {
			if s := &spans[i]; s.State == Priced && s.Currency == c && s.At < d+day && (s.Until == 0 || s.Until > d) {
				days++
				break
			}
		}
	}
	return days
}
