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

// reductionOf returns the reduction that holds in the last span; nil if there is none.
func reductionOf(spans []Span, runs []run, c money.Currency, released catalog.Millis) *Reduction {
	last := &spans[len(spans)-1]
	if !last.discounted(c) || last.Current == 0 {
		return nil
	}
	r := &Reduction{Since: reducedSince(spans, c), Reference: money.None, ClaimedPercent: money.DiscountPercent(last.Base, last.Current)}
	from := r.Since - referenceDays*day
	if low := lowOf(runs, from, r.Since-1); low != nil {
		r.Reference = low.Current
		r.RealPercent = money.DiscountPercent(low.Current, last.Current)
	}
	r.Days = daysOnSale(spans, c, from)
	switch {
	case r.Reference == money.None, r.Days < referenceDays && released < from:
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
		if spans[i].discounted(c) {
			since = spans[i].At
		}
	}
	return since
}

// daysOnSale returns on how many of the 30 days that begin at a moment the product was on
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
