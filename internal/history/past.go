package history

import (
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Past is what the steps of a listing say about the time before its present price. Together
// with the last step it gives the summary at any time until the next one, so that
// answers need no series.
type Past struct {
	WatchedSince catalog.Millis // the first time, or when the last price in another currency was over
	Currency     money.Currency // of the last price; "" if there was none

	// The lows of the windows without the present amount. Times is 0 where there is none.
	AllTime, Year, Days90 Low

	FreeUntil catalog.Millis // when the last giveaway that is over ended; 0: there was none
	// Since is when the present amount began to stand, 0 if not everybody can buy at it.
	Since catalog.Millis
	// Over reports that the end of the discount had passed when the price was read: the
	// present price is the base.
	Over bool
	// Reduction has Since, Reference and Days of the discount that holds now; Since is 0
	// if there is none.
	Reduction Reduction
}

// stackSpans is how many spans of a listing PastOf handles without allocating memory.
const stackSpans = 48

// PastOf returns the past of a listing with these steps, which are in the order of their
// times; there is at least one. The windows end with the day that begins at today.
func PastOf(steps []Step, today catalog.Millis) Past {
	last := &steps[len(steps)-1]
	var memory [stackSpans]Span // of most listings; a daily pass calls this for all
	spans := AppendSpans(memory[:0], steps, last.At)
	p := Past{Currency: currencyOf(spans), Over: last.endedBy(last.At)}
	p.WatchedSince = watchedSince(spans, p.Currency)
	var runsMemory [stackSpans]run
	runs := appendRuns(runsMemory[:0], spans, p.Currency)
	p.Reduction = reductionOf(spans, runs, p.Currency)
	if n := len(runs); n > 0 && runs[n-1].until == 0 {
		p.Since = runs[n-1].from
		runs = runs[:n-1]
	}
	p.AllTime, p.Year, p.Days90 = lowOf(runs, AllTime.from(today)), lowOf(runs, Year.from(today)), lowOf(runs, Days90.from(today))
	for i := range runs {
		if r := &runs[i]; r.amount == 0 {
			p.FreeUntil = r.until
		}
	}
	return p
}

// watchedSince returns since when all prices are in a currency: earlier ones may have been lower, and cannot be compared.
// Those that stood for less than an hour do not count.
func watchedSince(spans []Span, c money.Currency) catalog.Millis {
	other := func(i int) bool { return spans[i].State == Priced && spans[i].Currency != c }
	for i := len(spans) - 1; i >= 0; i-- {
		if !other(i) {
			continue
		}
		until := spans[i].Until
		for i > 0 && other(i-1) {
			i--
		}
		if until-spans[i].At >= hour {
			return until
		}
	}
	return spans[0].At
}

// PastOfOne returns what PastOf returns for a listing that has shown only one step.
func PastOfOne(s *Step) Past {
	p := Past{WatchedSince: s.At, Over: s.endedBy(s.At)}
	if s.State == Priced {
		p.Currency = s.Currency
	}
	present := s.present(p.Over)
	if present.forAll() {
		p.Since = s.At
	}
	if present.discounted() && present.Current > 0 {
		p.Reduction = Reduction{Since: s.At, Reference: money.None}
	}
	return p
}

// endedBy reports whether the discount of a step has ended at a time.
func (s *Step) endedBy(now catalog.Millis) bool {
	return s.EndsAt != 0 && s.EndsAt <= now && s.State == Priced && s.Base.Known()
}

// present returns what a step shows once it was read, or once its discount is over.
func (s *Step) present(over bool) Step {
	if over {
		return s.afterDiscount()
	}
	return *s
}

// Summary returns the summary at a time of a listing that has shown last since the past.
// released is as in Summarize, today as in PastOf.
func (p *Past) Summary(last *Step, released, today, now catalog.Millis) Summary {
	s := Summary{WatchedSince: p.WatchedSince, AllTime: p.AllTime, Year: p.Year, Days90: p.Days90}
	if p.FreeUntil != 0 {
		s.Free = Free{Ever: true, LastAt: p.FreeUntil}
	}
	ended := !p.Over && last.endedBy(now)
	var memory [2]run
	runs := p.presentRuns(memory[:0], last, ended)
	present := money.None
	for i := range runs {
		r := &runs[i]
		if r.amount == 0 {
			s.Free = Free{Ever: true, LastAt: r.until}
		}
		if r.until == 0 {
			present = r.amount
			if s.SawBegin(r.from, today) {
				s.Since = r.from
			}
		}
		s.AllTime.add(r, AllTime.from(today))
		s.Year.add(r, Year.from(today))
		s.Days90.add(r, Days90.from(today))
	}
	for i, low := range [...]*Low{&s.Days90, &s.Year, &s.AllTime} {
		if w := Days90 + Window(i); present > 0 && low.Current == present && w.Counts(p.WatchedSince, today) {
			s.Meets = w
		}
	}
	if p.Reduction.Since != 0 && !ended {
		s.Reduction = p.Reduction.judged(last, released, AllTime.Counts(p.WatchedSince, today))
	}
	return s
}

// presentRuns appends the runs that begin or last in the present: that of the last step
// and, once its discount has ended, that of the base.
func (p *Past) presentRuns(runs []run, last *Step, ended bool) []run {
	before := last.present(p.Over)
	if before.forAll() {
		runs = append(runs, run{before.Current, p.Since, 0})
	}
	if !ended {
		return runs
	}
	after := last.afterDiscount()
	if len(runs) > 0 {
		if after.forAll() && after.Current == before.Current {
			return runs // the amount stands on
		}
		if runs[0].until = last.EndsAt; !runs[0].counts() {
			runs = runs[:0]
		}
	}
	if after.forAll() {
		runs = append(runs, run{after.Current, last.EndsAt, 0})
	}
	return runs
}
