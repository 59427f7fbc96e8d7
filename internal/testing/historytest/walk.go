package historytest

import (
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

const (
	minute = catalog.Millis(60_000)
	hour   = 60 * minute
	day    = 24 * hour
)

// Summarize returns what history.Summarize does. The times of the steps, the ends of
// discounts, and now must be multiples of a cell, which divides an hour.
func Summarize(steps []history.Step, cell, released, now catalog.Millis) *history.Summary {
	if len(steps) == 0 || steps[0].At > now {
		return nil
	}
	first := steps[0].At - 31*day
	first -= first % day
	w := &walk{steps: steps, cell: cell, first: first, now: int((now - first) / cell)}
	w.walk()
	return w.summary(released)
}

// walk is a history cell by cell, from a day before everything that matters until now.
type walk struct {
	steps   []history.Step
	cell    catalog.Millis
	first   catalog.Millis // time of cell 0
	now     int            // the last cell
	watched []bool
	amount  []money.Amount // at which everybody can buy, in the present currency; -1: nobody or not everybody
	cut     []bool         // the amount is below the base
	onSale  []bool         // in the present currency
	base    money.Amount   // in the last cell
	other   []bool         // a price in another currency
}

func (w *walk) at(cell int) catalog.Millis { return w.first + catalog.Millis(cell)*w.cell }

// cells returns how many cells a period has.
func (w *walk) cells(period catalog.Millis) int { return int(period / w.cell) }

// walk applies the rules for single times: which step is in force, and the end of its
// discount.
func (w *walk) walk() {
	var currency money.Currency
	for _, s := range w.steps {
		if s.At <= w.at(w.now) && s.State == history.Priced {
			currency = s.Currency
		}
	}
	w.watched, w.cut, w.onSale, w.other = make([]bool, w.now+1), make([]bool, w.now+1), make([]bool, w.now+1), make([]bool, w.now+1)
	w.amount = make([]money.Amount, w.now+1)
	next := 0
	for c := range w.now + 1 {
		at := w.at(c)
		for next < len(w.steps) && w.steps[next].At <= at {
			next++
		}
		w.watched[c], w.amount[c] = next > 0, -1
		if next == 0 {
			continue
		}
		s := w.steps[next-1]
		if w.other[c] = s.State == history.Priced && s.Currency != currency; w.other[c] || s.State != history.Priced {
			continue
		}
		w.onSale[c] = true
		if s.EndsAt != 0 && at >= s.EndsAt && s.Base >= 0 {
			if s.Current = s.Base; s.Base > 0 {
				s.Trial, s.Subscription = false, false
			}
		}
		if !s.Trial && !s.Subscription && !s.Doubtful {
			w.amount[c], w.cut[c] = s.Current, s.Base >= 0 && s.Current < s.Base
		}
		w.base = s.Base
	}
}

// runAt returns the cells of the run of one amount around a cell, and whether it counts.
func (w *walk) runAt(c int) (from, until int, counts bool) {
	for from = c; from > 0 && w.amount[from-1] == w.amount[c]; from-- {
	}
	for until = c + 1; until <= w.now && w.amount[until] == w.amount[c]; until++ {
	}
	return from, until, w.amount[c] >= 0 && (until > w.now || until-from >= w.cells(hour))
}

// otherAt reports whether a cell is in an hour or more of prices in another currency.
func (w *walk) otherAt(c int) bool {
	from, until := c, c
	for ; from > 0 && w.other[from-1]; from-- {
	}
	for ; until <= w.now && w.other[until]; until++ {
	}
	return w.other[c] && until-from >= w.cells(hour)
}

// low walks a window.
func (w *walk) low(from, until int) (low history.Low) {
	for c := max(from, 0); c < until; {
		first, end, counts := w.runAt(c)
		if counts && w.amount[c] > 0 && (low.Times == 0 || w.amount[c] <= low.Current) {
			if low.Times == 0 || w.amount[c] < low.Current {
				low = history.Low{Current: w.amount[c], FirstAt: w.at(first)}
			}
			low.Times++
			low.LastAt = w.at(end)
			if end > w.now {
				low.LastAt = 0
			}
		}
		c = end
	}
	return low
}

func (w *walk) summary(released catalog.Millis) *history.Summary {
	s := &history.Summary{}
	for c := w.now; c >= 0 && w.watched[c] && !w.otherAt(c); c-- {
		s.WatchedSince = w.at(c)
	}
	today := w.now / w.cells(day) * w.cells(day)
	s.AllTime, s.Year, s.Days90 = w.low(0, w.now+1), w.low(today-364*w.cells(day), w.now+1), w.low(today-89*w.cells(day), w.now+1)
	for window, low := range map[history.Window]history.Low{history.AllTime: s.AllTime, history.Year: s.Year, history.Days90: s.Days90} {
		days := map[history.Window]catalog.Millis{history.AllTime: 30, history.Year: 365, history.Days90: 90}[window]
		if low.Times > 0 && low.Current == w.amount[w.now] && s.WatchedSince <= w.at(today)-days*day {
			s.Meets = max(s.Meets, window)
		}
	}
	for c := 0; c <= w.now; {
		_, end, counts := w.runAt(c)
		if counts && w.amount[c] == 0 {
			s.Free = history.Free{Ever: true, LastAt: w.at(end)}
			if end > w.now {
				s.Free.LastAt = 0
			}
		}
		c = end
	}
	if from, _, _ := w.runAt(w.now); w.amount[w.now] >= 0 && (w.at(from) > s.WatchedSince || s.WatchedSince <= w.at(today)-30*day) {
		s.Since = w.at(from)
	}
	if w.cut[w.now] && w.amount[w.now] > 0 {
		s.Reduction = w.reduction(released)
		if s.WatchedSince > w.at(today)-30*day {
			s.Reduction.Verdict = history.Unknown
		}
	}
	return s
}

func (w *walk) reduction(released catalog.Millis) history.Reduction {
	since, current := w.now, w.amount[w.now]
	for c, gap := w.now, 0; c >= 0 && gap < w.cells(hour); c-- {
		if gap++; w.cut[c] {
			since, gap = c, 0
		}
	}
	r := history.Reduction{Since: w.at(since), Reference: money.None, ClaimedPercent: money.DiscountPercent(w.base, current)}
	for d := range 30 {
		for c := since - w.cells(catalog.Millis(d+1)*day); c < since-w.cells(catalog.Millis(d)*day); c++ {
			if c >= 0 && w.onSale[c] {
				r.Days++
				break
			}
		}
	}
	if low := w.low(since-w.cells(30*day), since); low.Times > 0 {
		r.Reference, r.RealPercent = low.Current, money.DiscountPercent(low.Current, current)
	}
	switch {
	case r.Reference < 0, r.Days < 30 && released < r.Since-30*day:
		r.Verdict = history.Unknown
	case current >= r.Reference:
		r.Verdict = history.None
	case r.ClaimedPercent > r.RealPercent+1:
		r.Verdict = history.Smaller
	default:
		r.Verdict = history.Real
	}
	return r
}
