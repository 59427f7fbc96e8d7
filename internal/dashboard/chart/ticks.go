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

// maxTimeTicks is the most ticks of an axis.
const maxTimeTicks = 9

// TimeTicks returns round ticks of the period in UTC: the beginnings of hours, days,
// weeks, months or years, as many as there is room for.
func (p Plot) TimeTicks() []TimeTick {
	from, until := time.UnixMilli(p.from).UTC(), time.UnixMilli(p.until).UTC()
	for _, d := range distances() {
		if p.until-p.from > d.about*(maxTimeTicks+1) {
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
	m := TimeTick{At: at, Unit: unit, Anchor: "middle"}
	x := p.X(at)
	m.X = percent(float64(x) * 100 / side)
	switch {
	case x < 40:
		m.Anchor = "start"
	case x > side-40:
		m.Anchor = "end"
	}
	return m
}

// distance is a distance between ticks of an axis.
type distance struct {
	unit  Unit
	about int64                     // milliseconds
	first func(time.Time) time.Time // the first time that is not before one
	next  func(time.Time) time.Time
}

const day = 24 * time.Hour

// distances returns the distances, from the smallest.
func distances() (list []distance) {
	for _, n := range []time.Duration{1, 3, 6, 12} {
		list = append(list, evenly(Hour, n*time.Hour, 0))
	}
	list = append(list, evenly(Day, day, 0), evenly(Day, 2*day, 0))
	monday := 4 * day // the first one of Unix time
	list = append(list, evenly(Day, 7*day, monday), evenly(Day, 14*day, monday))
	for _, n := range []int{1, 2, 3, 6} {
		list = append(list, monthly(Month, n))
	}
	for n := 1; n <= 5000; n *= 10 {
		list = append(list, monthly(Year, 12*n), monthly(Year, 24*n), monthly(Year, 60*n))
	}
	return list
}

// evenly returns a distance whose ticks are multiples of it, after an offset.
func evenly(unit Unit, d, offset time.Duration) distance {
	return distance{unit: unit, about: d.Milliseconds(),
		first: func(t time.Time) time.Time {
			ms, step := t.UnixMilli()-offset.Milliseconds(), d.Milliseconds()
			over := (ms%step + step) % step
			if over > 0 {
				ms += step - over
			}
			return time.UnixMilli(ms + offset.Milliseconds()).UTC()
		},
		next: func(t time.Time) time.Time { return t.Add(d) },
	}
}

// monthly returns a distance of n months, counted from the year 0.
func monthly(unit Unit, n int) distance {
	return distance{unit: unit, about: int64(n) * 30 * day.Milliseconds(),
		first: func(t time.Time) time.Time {
			months := t.Year()*12 + int(t.Month()) - 1
			months = (months + n - 1) / n * n
			at := time.Date(months/12, time.Month(months%12+1), 1, 0, 0, 0, 0, time.UTC)
			if at.Before(t) {
				at = at.AddDate(0, n, 0)
			}
			return at
		},
		next: func(t time.Time) time.Time { return t.AddDate(0, n, 0) },
	}
}
