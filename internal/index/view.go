package index

import (
	"slices"
	"sync/atomic"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// View is everything that an answer is made of, taken at one time: cards,
// prices, rates and platform states agree with each other.
type View struct {
	*Snapshot
	Rates        money.Rates // zero: no table yet
	Platforms    []PlatformState
	Seq          int64 // of the manifest
	IndexBuiltAt int64 // Unix milliseconds

	usd []money.Converter // by currency number
}

// Published is what is published with a snapshot.
type Published struct {
	Seq       int64       // of the manifest
	Rates     money.Rates // zero: no table yet
	Platforms []PlatformState
	BuiltAt   catalog.Millis // when the snapshot was built
}

// NewView joins a snapshot with what is published with it.
func NewView(s *Snapshot, p Published) *View {
	v := &View{Snapshot: s, Rates: p.Rates, Platforms: p.Platforms, Seq: p.Seq, IndexBuiltAt: int64(p.BuiltAt)}
	for _, c := range s.prices.Currencies {
		v.usd = append(v.usd, p.Rates.USD(c))
	}
	return v
}

// USD converts the row's current price to cents of the dollar; false if it has
// no number or its currency no rate.
func (v *View) USD(r *Row) (cents int64, ok bool) { return v.Cents(r.Currency, r.Current) }

// Cents converts an amount in the currency with the number of a row to cents of the dollar;
// false if it is None or the currency has no rate.
func (v *View) Cents(currency uint8, a money.Amount) (cents int64, ok bool) {
	return v.usd[currency].Cents(a)
}

// State returns what is known about a platform; the zero state if nothing is.
func (v *View) State(p catalog.Platform) PlatformState {
	for _, s := range v.Platforms {
		if s.Platform == p {
			return s
		}
	}
	return PlatformState{Platform: p}
}

// PlatformState is what answers show of a platform in addition to its listings.
type PlatformState struct {
	Platform catalog.Platform
	// Status is "operational", "degraded" or "outage".
	Status string
	// Collecting reports whether collection from the store is switched on, and
	// FirstSweepDone whether its first sweep of every active region is complete.
	Collecting, FirstSweepDone bool
	// Freshness is how old the listings are, region by region, sorted by region.
	Freshness []catalog.Freshness
}

// Equal reports whether s and o lead to the same answers.
func (s PlatformState) Equal(o PlatformState) bool {
	return s.Platform == o.Platform && s.Status == o.Status && s.Collecting == o.Collecting &&
		s.FirstSweepDone == o.FirstSweepDone && slices.Equal(s.Freshness, o.Freshness)
}

// Live holds the newest view. The zero value holds none. It is safe for
// concurrent use.
type Live struct {
	view atomic.Pointer[View]
}

// View returns the newest view, nil before the first.
func (l *Live) View() *View { return l.view.Load() }

// Swap makes v the view of all requests that begin after it.
func (l *Live) Swap(v *View) { l.view.Store(v) }
