package chart

import "time"

// Unit is what the ticks of an axis count.
type Unit uint8

// The units.
const (
	Hour Unit = iota
	Day
	Month
	Year
)

// TimeTick is a round time on the horizontal axis.
type TimeTick struct {
	X      string // from the left edge, in percent
	At     int64  // Unix milliseconds
	Unit   Unit
	Anchor string // of the text at X, so that it stays inside: start, middle or end
	Minor  bool   // the text may be left out where there is little room
}

const maxTimeTicks = 9

// TimeTicks returns round ticks of the period in UTC: the beginnings of hours, days,
// weeks, months or years, as many as there is room for.
func (p Plot) TimeTicks() []TimeTick {
	from, until := time.UnixMilli(p.from).UTC(), time.UnixMilli(p.until).UTC()
	for _, d := range distances() {
		if p.until-p.from > d.about()*(maxTimeTicks+1) {
			continue
		}
		at := d.first(from)
		var ticks []TimeTick
		for ; !at.After(until) && len(ticks) <= maxTimeTicks; at = d.next(at) {
			ticks = append(ticks, p.timeTick(at.UnixMilli(), d.unit))
		}
		if len(ticks) > maxTimeTicks {
			continue
		}
		for i := range ticks {
			ticks[i].Minor = i%((len(ticks)+3)/4) != 0
		}
		return ticks
	}
	return nil
}

func (p Plot) timeTick(at int64, unit Unit) TimeTick {
	x := p.X(at)
	m := TimeTick{X: percent(float64(x) * 100 / side), At: at, Unit: unit, Anchor: "middle"}
	switch {
	case x < 40:
		m.Anchor = "start"
	case x > side-40:
		m.Anchor = "end"
	}
	return m
}

const day = 24 * time.Hour

// distance is a distance between ticks of an axis: a number of months, counted from the year 0, or else
// of hours or days. Weeks begin on Mondays.
type distance struct {
	unit   Unit
	months int
	even   time.Duration
}

// distances returns the distances, from the smallest.
func distances() (list []distance) {
	for _, n := range []time.Duration{1, 3, 6, 12} {
		list = append(list, distance{unit: Hour, even: n * time.Hour})
	}
	for _, n := range []time.Duration{1, 2, 7, 14} {
		list = append(list, distance{unit: Day, even: n * day})
	}
	for _, n := range []int{1, 2, 3, 6} {
		list = append(list, distance{unit: Month, months: n})
	}
	for _, n := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		list = append(list, distance{unit: Year, months: 12 * n})
	}
	return list
}

// about returns about how long the distance is, in milliseconds.
func (d distance) about() int64 {
	return d.even.Milliseconds() + int64(d.months)*30*day.Milliseconds()
}

// first returns the first tick that is not before a time.
func (d distance) first(t time.Time) time.Time {
	at := t.Truncate(d.even) // counted from a Monday
	if d.months > 0 {
		months := t.Year()*12 + int(t.Month()) - 1
		at = time.Date(0, time.Month(months/d.months*d.months+1), 1, 0, 0, 0, 0, time.UTC)
	}
	if at.Before(t) {
		return d.next(at)
	}
	return at
}

func (d distance) next(t time.Time) time.Time { return t.AddDate(0, d.months, 0).Add(d.even) }
