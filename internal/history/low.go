package history

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

const (
	hour = catalog.Millis(time.Hour / time.Millisecond)
	day  = 24 * hour
)

// run is an unbroken period of one amount at which everybody could buy.
type run struct {
	amount      money.Amount
	from, until catalog.Millis // until is 0 while it lasts
}

// counts reports whether the amount stood for an hour, or stands now.
func (r *run) counts() bool { return r.until == 0 || r.until-r.from >= hour }

// currencyOf returns the currency of the last price; "" if there was none.
func currencyOf(spans []Span) money.Currency {
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].State == Priced {
			return spans[i].Currency
		}
	}
	return ""
}

// appendRuns appends the runs of the spans in a currency, in order. A run that ended
// within an hour is left out.
func appendRuns(runs []run, spans []Span, c money.Currency) []run {
	for i := 0; i < len(spans); {
		first := &spans[i]
		i++
		if !first.forAllIn(c) {
			continue
		}
		r := run{first.Current, first.At, first.Until}
		for ; i < len(spans) && spans[i].forAllIn(c) && spans[i].Current == r.amount; i++ {
			r.until = spans[i].Until
		}
		if r.counts() {
			runs = append(runs, r)
		}
	}
	return runs
}

// Low is the lowest price above zero of a window.
type Low struct {
	Current money.Amount
	// FirstAt is when it began to stand, which may be before the window. LastAt is when it
	// ended last, 0 while it stands.
	FirstAt, LastAt catalog.Millis
	Times           int // how many separate runs it stood; 0: there is no low
}

// lowOf returns the low of the runs that have not ended before from.
func lowOf(runs []run, from catalog.Millis) (low Low) {
	for i := range runs {
		low.add(&runs[i], from)
	}
	return low
}

// add adds a run that is later than those before, if it has not ended before from.
func (low *Low) add(r *run, from catalog.Millis) {
	switch {
	case r.amount == 0 || r.until != 0 && r.until <= from:
	case low.Times == 0 || r.amount < low.Current:
		*low = Low{r.amount, r.from, r.until, 1}
	case r.amount == low.Current:
		low.LastAt = r.until
		low.Times++
	}
}

// Window is a period up to now for which a low is given.
type Window uint8

// The windows, from the shortest. Those of days are whole UTC days up to and with today.
const (
	Days90 Window = iota + 1
	Year          // 365 days
	AllTime
)

// from returns the start of the window that ends with a day.
func (w Window) from(today catalog.Millis) catalog.Millis {
	if w == AllTime {
		return 0
	}
	return today - (watchedDays[w]-1)*day
}

// Bit returns the window as a bit of a set of windows; 0 for none.
func (w Window) Bit() uint8 { return 1 << w >> 1 }

// watchedDays is how many days a listing must be watched for a claim about the low of a window.
var watchedDays = [...]catalog.Millis{Days90: 90, Year: 365, AllTime: 30}

// Counts reports whether a listing was watched long enough for a claim about the low of the
// window: 365 days for Year, 90 for Days90, 30 for AllTime. today is the start of the
// window's last day.
func (w Window) Counts(watchedSince, today catalog.Millis) bool {
	return watchedSince <= today-watchedDays[w]*day
}

// Summary is what a listing's steps say about its price now.
type Summary struct {
	WatchedSince          catalog.Millis
	AllTime, Year, Days90 Low       // Times is 0 if no price counts
	Meets                 Window    // the longest that counts and whose low the present price reaches; 0: none
	Free                  Free      // whether it was given away
	Reduction             Reduction // Since is 0 without a discount
	// Since is when the present amount began to stand for everybody; 0 if not everybody can
	// buy at it, or if that is not known: see SawBegin.
	Since catalog.Millis
}

// SawBegin reports whether at counts as the time when something that still lasts began. What
// was there when the watching began may be older: it counts after 30 days. today is as in
// Window.Counts.
func (s *Summary) SawBegin(at, today catalog.Millis) bool {
	return at > s.WatchedSince || AllTime.Counts(s.WatchedSince, today)
}

// MetWindows returns the set of windows that count and whose low the present price reaches.
// AllTime counts before the others. today is as in Window.Counts.
func (s *Summary) MetWindows(today catalog.Millis) (set uint8) {
	for w := Days90; w <= s.Meets; w++ {
		if w.Counts(s.WatchedSince, today) {
			set |= w.Bit()
		}
	}
	return set
}

// Free reports whether the price of a listing was ever zero.
type Free struct {
	Ever   bool
	LastAt catalog.Millis // when it ended last, 0 while it lasts
}

// Summarize returns the summary of the steps of a listing, which are in the order of their
// times. released is the start of the product's release date, 0 if it has none. It
// returns nil if there was no step until now.
func Summarize(steps []Step, released, now catalog.Millis) *Summary {
	for len(steps) > 0 && steps[len(steps)-1].At > now {
		steps = steps[:len(steps)-1]
	}
	if len(steps) == 0 {
		return nil
	}
	today := now - now%day
	past := PastOf(steps, today)
	s := past.Summary(&steps[len(steps)-1], released, today, now)
	return &s
}

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
// released is as in Summarize; watched reports whether the past is long enough to judge.
func (r Reduction) judged(last *Step, released catalog.Millis, watched bool) Reduction {
	r.ClaimedPercent = money.DiscountPercent(last.Base, last.Current)
	if r.Reference != money.None {
		r.RealPercent = money.DiscountPercent(r.Reference, last.Current)
	}
	switch {
	case !watched, r.Reference == money.None, r.NeedsRelease() && released < r.Since-referenceDays*day:
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
