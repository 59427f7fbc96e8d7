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

// overlaps reports whether the run has a moment in a period.
func (r *run) overlaps(from, until catalog.Millis) bool {
	return r.from < until && (r.until == 0 || r.until > from)
}

// currencyOf returns the currency of the last price; "" if there was none.
func currencyOf(spans []Span) money.Currency {
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].State == Priced {
			return spans[i].Currency
		}
	}
	return ""
}

// runsOf returns the runs of the spans in a currency, in order. A run that ended within
// an hour is left out.
func runsOf(spans []Span, c money.Currency) []run {
	var runs []run
	for i := 0; i < len(spans); {
		first := &spans[i]
		i++
		if !first.forAll(c) {
			continue
		}
		r := run{first.Current, first.At, first.Until}
		for ; i < len(spans) && spans[i].forAll(c) && spans[i].Current == r.amount; i++ {
			r.until = spans[i].Until
		}
		if r.until == 0 || r.until-r.from >= hour {
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
	Times           int // how many separate runs it stood
}

// lowOf returns the low of the runs that have a moment from one on; nil if none has.
func lowOf(runs []run, from, now catalog.Millis) *Low {
	var low *Low
	for i := range runs {
		r := &runs[i]
		switch {
		case r.amount == 0 || !r.overlaps(from, now+1):
		case low == nil || r.amount < low.Current:
			low = &Low{r.amount, r.from, r.until, 1}
		case r.amount == low.Current:
			low.LastAt = r.until
			low.Times++
		}
	}
	return low
}

// Window is a period up to now for which a low is given.
type Window uint8

// The windows, from the shortest. Those of days are whole UTC days up to and with today.
const (
	Days90 Window = iota + 1
	Year          // 365 days
	AllTime
)

// from returns the first moment of the window.
func (w Window) from(now catalog.Millis) catalog.Millis {
	today := now - now%day
	switch w {
	case Days90:
		return today - 89*day
	case Year:
		return today - 364*day
	}
	return 0
}

// Summary is what a listing's steps say of its price now.
type Summary struct {
	WatchedSince          catalog.Millis
	AllTime, Year, Days90 *Low       // nil: no price counts
	Meets                 Window     // the longest whose low the present price reaches; 0: none
	Free                  *Free      // nil: it was never given away
	Reduction             *Reduction // nil: no discount
}

// Free is that a listing was given away: its price was zero.
type Free struct {
	LastAt catalog.Millis // when it ended last, 0 while it lasts
}

// Summarize returns the summary of the steps of a listing, which are in the order of their
// moments. released is the start of the product's release date, 0 if it has none. It
// returns nil if there was no step until now.
func Summarize(steps []Step, released, now catalog.Millis) *Summary {
	spans := Spans(steps, now)
	if len(spans) == 0 {
		return nil
	}
	currency := currencyOf(spans)
	runs := runsOf(spans, currency)
	s := &Summary{WatchedSince: spans[0].At}
	present := money.None
	for i := range runs {
		r := &runs[i]
		if r.until == 0 {
			present = r.amount
		}
		if r.amount == 0 {
			s.Free = &Free{r.until}
		}
	}
	for w, low := range map[Window]**Low{AllTime: &s.AllTime, Year: &s.Year, Days90: &s.Days90} {
		*low = lowOf(runs, w.from(now), now)
		if *low != nil && (*low).Current == present {
			s.Meets = max(s.Meets, w)
		}
	}
	s.Reduction = reductionOf(spans, runs, currency, released)
	return s
}
