package index

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Lows is an opened lows blob.
type Lows = layout.Lows

// OpenLows checks a lows blob and keeps it. Errors are those of [Open].
func OpenLows(blob []byte) (*Lows, error) { return layout.OpenLows(blob) }

// lows are the lows of a snapshot.
type lows struct {
	regions []*layout.Lows // by number
	today   catalog.Millis // start of the day that the windows end with
	size    int
}

// WithLows returns the snapshot with the lows of all its regions. Lows of another catalog
// are a [*snapshot.DamageError].
func (s *Snapshot) WithLows(of ...*Lows) (*Snapshot, error) {
	all := &lows{regions: make([]*layout.Lows, len(s.catalog.regions))}
	for _, l := range of {
		if err := all.add(s, l); err != nil {
			return nil, err
		}
	}
	for no, l := range all.regions {
		if l == nil {
			return nil, snapshot.Damaged(layout.SectionMeta, "there are no lows of region %s", s.catalog.regions[no].Alpha2)
		}
	}
	return &Snapshot{s.catalog, s.prices, all, new(discounts)}, nil
}

// add adds an opened blob.
func (all *lows) add(s *Snapshot, l *layout.Lows) error {
	if err := l.CheckBelongs(s.prices.Catalog, s.Len()); err != nil {
		return err
	}
	if all.size > 0 && l.Today != all.today {
		return snapshot.Damaged(layout.SectionMeta, "lows of the days %d and %d", l.Today, all.today)
	}
	all.today = l.Today
	all.size += l.Size
	no, known := s.RegionNo(l.Region)
	if !known || all.regions[no] != nil {
		return snapshot.Damaged(layout.SectionMeta, "lows of region %q, which is unknown or has some already", l.Region)
	}
	all.regions[no] = l
	return nil
}

// LowsDay returns the start of the day (Unix milliseconds) that the windows of the lows
// end with; 0 if the snapshot has no lows.
func (s *Snapshot) LowsDay() int64 {
	if s.lows == nil {
		return 0
	}
	return int64(s.lows.today)
}

// Lows fills in what past prices say about the row at now (Unix milliseconds), whatever the
// row was passed to. It returns false if the snapshot has no lows. The row must be one of
// a card, not of an offer.
func (r *Row) Lows(now int64, into *history.Summary) bool {
	lows := r.s.lows
	if lows == nil {
		return false
	}
	of := lows.regions[r.Region]
	step := r.step()
	if r.passed {
		var published Row
		r.s.readRow(r.n, r.card, &published)
		step = published.step()
	}
	var past history.Past
	if record, ok := of.Record(r.card); !ok {
		past = history.PastOfOne(&step)
	} else if of.ReadPast(record, &past) != nil {
		return false // OpenLows has read it without an error
	}
	released := catalog.Millis(0)
	if past.Reduction.NeedsRelease() {
		released = releasedAt(Card{r.s, r.card}.ReleaseDate())
	}
	*into = past.Summary(&step, released, lows.today, catalog.Millis(now))
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
