package index

import (
	"sync/atomic"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// View is everything that an answer is made of, taken at one moment: cards,
// prices, rates and platform states agree with each other.
type View struct {
	*Snapshot
	Rates        money.Rates // zero: no table yet
	Platforms    []PlatformState
	Seq          int64 // of the manifest
	IndexBuiltAt int64 // Unix milliseconds

	usd []money.Converter // by currency number
}

// NewView joins a snapshot with what its manifest says beside it.
func NewView(s *Snapshot, m Manifest) *View {
	v := &View{
		Snapshot: s, Rates: m.Rates, Platforms: m.Platforms,
		Seq: m.Seq, IndexBuiltAt: int64(m.BuiltAt),
		usd: make([]money.Converter, len(s.currencies)),
	}
	for i, c := range s.currencies {
		if c != "" {
			v.usd[i] = m.Rates.USD(c)
		}
	}
	return v
}

// USD converts the row's current price to cents of the dollar; false if it has
// no number or its currency no rate.
func (v *View) USD(r *Row) (cents int64, ok bool) { return v.usd[r.Currency].Cents(r.Current) }

// State returns what is known of a platform; the zero state if nothing is.
func (v *View) State(p catalog.Platform) PlatformState {
	for _, s := range v.Platforms {
		if s.Platform == p {
			return s
		}
	}
	return PlatformState{Platform: p}
}

// Live holds the newest view. The zero value holds none. It is safe for
// concurrent use.
type Live struct {
	view atomic.Pointer[View]
}

// View returns the newest view, nil before the first.
func (l *Live) View() *View { return l.view.Load() }

// Swap puts a view in place for all requests that begin after it.
func (l *Live) Swap(v *View) { l.view.Store(v) }
