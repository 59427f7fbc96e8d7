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
	switch w {
	case Days90:
		return today - 89*day
	case Year:
		return today - 364*day
	}
	return 0
}

// Summary is what a listing's steps say about its price now.
type Summary struct {
	WatchedSince          catalog.Millis
	AllTime, Year, Days90 Low       // Times is 0 if no price counts
	Meets                 Window    // the longest whose low the present price reaches; 0: none
	Free                  Free      // whether it was given away
	Reduction             Reduction // Since is 0 without a discount
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
