package index

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// LowsDay returns the start of the day (Unix milliseconds) that the windows of the lows
// end with; 0 if the snapshot has no lows.
func (s *Snapshot) LowsDay() int64 {
	if s.lows == nil {
		return 0
	}
	return int64(s.lows.Today)
}

// Lows fills in what past prices say of the row at now (Unix milliseconds), whatever the
// row was passed to. It returns false if the snapshot has no lows.
func (r *Row) Lows(now int64, into *history.Summary) bool {
	lows := r.s.lows
	if lows == nil {
		return false
	}
	var row Row // as it was published
	r.s.readRow(r.n, r.card, &row)
	step := row.step()
	var past history.Past
	if record, ok := lows.Record(r.n); !ok {
		past = history.PastOfOne(&step)
	} else if lows.ReadPast(record, &past) != nil {
		return false // OpenLows has read it without an error
	}
	released := catalog.Millis(0)
	if past.Reduction.NeedsRelease() {
		released = releasedAt(Card{r.s, r.card}.ReleaseDate())
	}
	*into = past.Summary(&step, released, lows.Today, catalog.Millis(now))
	return true
}

// step returns the step that the row shows.
func (r *Row) step() history.Step {
	s := history.Step{
		At: catalog.Millis(r.PricedAt), State: history.Unpriced, Base: r.Base, Current: r.Current, EndsAt: catalog.Millis(r.EndsAt),
		Trial: r.Trial, Subscription: r.Subscription, Doubtful: r.Doubtful,
	}
	switch {
	case r.Current != money.None:
		s.State = history.Priced
	case r.Priced:
		s.State = history.Text
	}
	return s
}

// releasedAt returns the start of a release date; 0 if it is none.
func releasedAt(date string) catalog.Millis {
	if date == "" {
		return 0
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return catalog.MillisOf(t)
}
