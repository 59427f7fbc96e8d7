package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// Planned is a scope with its place in the plan.
type Planned struct {
	State sweep.State
	// At is the earliest time of its next run: now, unless it is due later or
	// requests to its store are stopped until later.
	At catalog.Millis
	// Class is how urgent it is: 1 for the prices of active regions, 2 for their
	// editions and add-ons, 3 and 4 for the same of other regions, 5 for titles
	// and details. An overdue scope moves up one class, but never into class 1.
	Class int
	// Overdue reports that the last complete sweep was more than five intervals
	// ago.
	Overdue bool
	Running bool // a process holds its lease
	Why     string
}

const (
	pricesClass  = 1 // of active regions; no other scope moves into it
	overdueAfter = 5 // intervals since the last complete sweep
	activeItems  = 2
	otherPrices  = 3
	otherItems   = 4
	slowest      = 5
)

// Plan returns the scopes in the order in which they would run, with the time and
// the reason: first those that are running, then those that are due, the most
// urgent first, then the others by time. It omits the scopes of platforms that are
// not collected.
func Plan(sweeps []sweep.State, collections []sweep.Collection, now catalog.Millis) []Planned {
	plan := make([]Planned, 0, len(sweeps))
	for _, s := range sweeps {
		i := slices.IndexFunc(collections, func(c sweep.Collection) bool { return c.Platform == s.Scope.Platform })
		if i >= 0 {
			plan = append(plan, planned(s, collections[i], now))
		}
	}
	// Among scopes that are due the class decides, then editions before add-ons,
	// then what was swept longest ago.
	slices.SortStableFunc(plan, func(a, b Planned) int {
		return cmp.Or(
			cmp.Compare(one(b.Running), one(a.Running)),
			cmp.Compare(a.At, b.At),
			cmp.Compare(a.Class, b.Class),
			cmp.Compare(one(a.State.Scope.Kind == sweep.AddOns), one(b.State.Scope.Kind == sweep.AddOns)),
			cmp.Compare(a.State.Completed, b.State.Completed),
			cmp.Compare(a.State.DueAt, b.State.DueAt),
			cmp.Compare(a.State.Scope.Platform, b.State.Scope.Platform),
			a.State.Scope.Region.Compare(b.State.Scope.Region),
			cmp.Compare(a.State.Scope.Kind, b.State.Scope.Kind),
		)
	})
	return plan
}

func planned(s sweep.State, c sweep.Collection, now catalog.Millis) Planned {
	p := Planned{
		State: s, At: max(now, s.DueAt, c.StoppedUntil),
		Running: s.RunBy != "" && s.RunUntil > now,
	}
	if p.Running {
		p.At = now
	}
	p.Overdue = now-max(s.Completed, c.Since) > overdueAfter*s.Interval
	p.Class = class(s)
	if p.Overdue && p.Class > activeItems {
		p.Class--
	}
	p.Why = why(p, c, now)
	return p
}

// class returns how urgent a scope is while it is not overdue.
func class(s sweep.State) int {
	switch kind := s.Scope.Kind; {
	case kind == sweep.Prices && s.Active:
		return pricesClass
	case kind == sweep.Prices:
		return otherPrices
	case kind != sweep.Editions && kind != sweep.AddOns:
		return slowest
	case s.Active:
		return activeItems
	}
	return otherItems
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// why returns the reason for a scope's place in a plan.
func why(p Planned, c sweep.Collection, now catalog.Millis) string {
	s := p.State
	text := progress(s, now)
	switch {
	case p.Running:
		return "running: " + text
	case c.StoppedUntil > now && c.StoppedUntil >= s.DueAt:
		return "no requests to the store before " + clock(c.StoppedUntil) + ": " + c.StopReason
	case s.Attempts > 0:
		text = fmt.Sprintf("failed %d times in a row: %s", s.Attempts, text)
		if s.Attempts == 1 {
			text = "failed once: " + progress(s, now)
		}
	case s.HeldBack > 0:
		text = fmt.Sprintf("held back, %d would be withdrawn or lose their price at once: %s", s.HeldBack, text)
	}
	if p.Overdue {
		text += ", overdue"
	}
	return text
}

// progress describes a scope's sweeps.
func progress(s sweep.State, now catalog.Millis) string {
	paged := s.Scope.Kind.Paged()
	switch {
	case s.Began != 0 && paged:
		return "sweep began " + clock(s.Began)
	case s.Began != 0:
		return fmt.Sprintf("sweep began %s, items left: %s", clock(s.Began), s.PendingText())
	case !paged && s.Pending > 0:
		return "items due: " + s.PendingText()
	case s.Completed == 0:
		return "never swept"
	}
	return fmt.Sprintf("swept %s ago, every %s", span(now-s.Completed), span(s.Interval))
}

func clock(at catalog.Millis) string { return at.Time().Format(time.DateTime) }

func span(m catalog.Millis) string { return Span(time.Duration(m) * time.Millisecond) }

// Span formats a duration for people: 45s, 10m, 2m8s, 72h, 13h5m. It omits the
// seconds of durations of an hour or more.
func Span(d time.Duration) string {
	if d = d.Round(time.Second); d >= time.Hour {
		d = d.Round(time.Minute)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Intervals are the intervals between sweeps. A zero field means its default.
type Intervals struct {
	// Of active regions.
	Prices   time.Duration `json:"prices"`
	Editions time.Duration `json:"editions"`
	AddOns   time.Duration `json:"addons"`
	Titles   time.Duration `json:"titles"`
	Details  time.Duration `json:"details"`
	// Of all other regions.
	OtherPrices time.Duration `json:"otherPrices"`
	OtherRest   time.Duration `json:"otherRest"`
}

// DefaultIntervals returns the intervals for a profile that sets none. Two requests
// a second are enough for them (doc/operations/collecting.md).
func DefaultIntervals() Intervals {
	const day = 24 * time.Hour
	return Intervals{
		Prices: 10 * time.Minute, Editions: day / 2, AddOns: 3 * day, Titles: day, Details: 14 * day,
		OtherPrices: 6 * time.Hour, OtherRest: 28 * day,
	}
}

// Of returns the interval of a kind in an active or another region.
func (i Intervals) Of(kind sweep.Kind, active bool) time.Duration {
	switch {
	case !active && kind == sweep.Prices:
		return i.OtherPrices
	case !active:
		return i.OtherRest
	}
	return [...]time.Duration{sweep.Prices: i.Prices, sweep.Editions: i.Editions, sweep.AddOns: i.AddOns,
		sweep.Titles: i.Titles, sweep.Details: i.Details}[kind]
}

// complete returns i with the defaults filled in. It refuses invalid intervals.
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
