package collect

import (
	"cmp"
	"fmt"
	"time"

	"gamedex/internal/sweep"
)

// Intervals says how often scopes are swept. A zero field means its default.
type Intervals struct {
	Prices, Editions, AddOns, Titles, Details time.Duration // of active regions
	OtherPrices, OtherRest                    time.Duration // of all other regions
}

// DefaultIntervals are those that apply where a profile says nothing: what two
// requests a second suffice for (doc/operations.md, section 5).
func DefaultIntervals() Intervals {
	const day = 24 * time.Hour
	return Intervals{
		Prices: 10 * time.Minute, Editions: day / 2, AddOns: 3 * day, Titles: day, Details: 14 * day,
		OtherPrices: 6 * time.Hour, OtherRest: 28 * day,
	}
}

// Of is the interval of a kind, in an active region or another.
func (i Intervals) Of(kind sweep.Kind, active bool) time.Duration {
	switch {
	case !active && kind == sweep.Prices:
		return i.OtherPrices
	case !active:
		return i.OtherRest
	}
	switch kind {
	case sweep.Prices:
		return i.Prices
	case sweep.Editions:
		return i.Editions
	case sweep.AddOns:
		return i.AddOns
	case sweep.Titles:
		return i.Titles
	}
	return i.Details
}

// complete puts the defaults in and refuses what is no interval.
func (i Intervals) complete() (Intervals, error) {
	std := DefaultIntervals()
	fields := []struct {
		name string
		own  *time.Duration
		std  time.Duration
	}{
		{"prices", &i.Prices, std.Prices}, {"editions", &i.Editions, std.Editions},
		{"addons", &i.AddOns, std.AddOns}, {"titles", &i.Titles, std.Titles},
		{"details", &i.Details, std.Details},
		{"otherPrices", &i.OtherPrices, std.OtherPrices}, {"otherRest", &i.OtherRest, std.OtherRest},
	}
	for _, f := range fields {
		*f.own = cmp.Or(*f.own, f.std)
		if *f.own < time.Second {
			return i, fmt.Errorf("intervals.%s: %v is below one second", f.name, *f.own)
		}
	}
	return i, nil
}
