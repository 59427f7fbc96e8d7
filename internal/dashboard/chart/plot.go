package chart

import (
	"fmt"
	"math"
	"strings"

	"gamedex/internal/money"
)

// Plot is a box with time from left to right and amounts from bottom to top. Paths are in
// a square of 1000 by 1000 units, which the caller stretches; levels and ticks have
// their positions in percent, so that their texts keep their size.
type Plot struct {
	from, until int64 // Unix milliseconds
	unit, top   money.Amount
}

// side is the length of the square's sides.
const side = 1000

// maxTime is the end of the year 9999 in Unix milliseconds, maxAmount the highest
// amount of a plot.
const (
	maxTime   = 253_402_300_799_999
	maxAmount = money.Amount(1) << 60
)

// NewPlot returns a plot of a period (Unix milliseconds) and of amounts from 0 to at
// least highest.
func NewPlot(from, until int64, highest money.Amount) Plot {
	p := Plot{from: min(max(from, 0), maxTime)}
	p.until = min(max(until, p.from), maxTime)
	p.unit = unitOf(min(max(highest, 1), maxAmount))
	p.top = (min(max(highest, 1), maxAmount) + p.unit - 1) / p.unit * p.unit
	return p
}

// unitOf returns the smallest round distance with which four levels reach an amount.
func unitOf(highest money.Amount) money.Amount {
	for decade := money.Amount(1); ; decade *= 10 {
		for _, tenths := range []money.Amount{10, 20, 25, 50} {
			if unit := tenths * decade / 10; tenths*decade%10 == 0 && highest <= 4*unit {
				return unit
			}
		}
	}
}

// X returns the position of a time, in units. Times outside of the period are on
// its edges.
func (p Plot) X(at int64) int {
	if p.until == p.from {
		return 0
	}
	at = min(max(at, p.from), p.until)
	return int(math.Round(side * float64(at-p.from) / float64(p.until-p.from)))
}

// Y returns the position of an amount, in units from the upper edge.
func (p Plot) Y(a money.Amount) int {
	return side - int(math.Round(side*float64(min(max(a, 0), p.top))/float64(p.top)))
}

// Step is an amount from a time (Unix milliseconds) until the next step.
type Step struct {
	At     int64
	Amount money.Amount // money.None: a gap
}

// Line returns the path of steps, oldest first, the last of which lasts until the end
// of the period. It is horizontal, vertical where the next step begins, and in parts where
// there are gaps.
func (p Plot) Line(steps []Step) string {
	var path strings.Builder
	drawing := false
	for i, s := range steps {
		if !s.Amount.Known() {
			drawing = false
			continue
		}
		x, y := p.X(s.At), p.Y(s.Amount)
		switch {
		case !drawing:
			fmt.Fprintf(&path, "M%d %d", x, y)
		case s.Amount != steps[i-1].Amount:
			fmt.Fprintf(&path, "V%d", y)
		}
		end := side
		if i+1 < len(steps) {
			end = p.X(steps[i+1].At)
		}
		fmt.Fprintf(&path, "H%d", max(end, x))
		drawing = true
	}
	return path.String()
}

// Level returns the path of a line across a period at an amount; "" outside of the plot.
func (p Plot) Level(from, until int64, a money.Amount) string {
	if !a.Known() || a > p.top || until <= p.from || from >= p.until {
		return ""
	}
	return fmt.Sprintf("M%d %dH%d", p.X(from), p.Y(a), p.X(until))
}

// Box returns the path of a rectangle between two amounts; "" outside of the period.
func (p Plot) Box(from, until int64, low, high money.Amount) string {
	if until <= p.from || from >= p.until {
		return ""
	}
	x := p.X(from)
	return fmt.Sprintf("M%d %dH%dV%dH%dZ", x, p.Y(high), p.X(until), p.Y(low), x)
}

// Level is a round amount on the vertical axis.
type Level struct {
	Y      string // from the upper edge, in percent
	Amount money.Amount
}

// Levels returns two to five levels, from 0.
func (p Plot) Levels() (levels []Level) {
	for a := money.Amount(0); a <= p.top; a += p.unit {
		levels = append(levels, Level{percent(100 * (1 - float64(a)/float64(p.top))), a})
	}
	return levels
}

// Thin returns at most limit steps, for a line or a table that would be too long with all
// of them. The limit must be at least 4. Thin keeps the first step and divides the steps
// into parts of equal length. Of each part it keeps the last step, the first of the lowest
// ones, and the one after it: the low of every part stays, and lasts as long as it did.
func Thin[S any](steps []S, limit int, amount func(S) money.Amount) []S {
	if len(steps) <= limit {
		return steps
	}
	parts := (limit - 1) / 3
	kept, last := []S{steps[0]}, 0 // last is the last one kept
	keep := func(i int) {
		if i > last && i < len(steps) {
			kept, last = append(kept, steps[i]), i
		}
	}
	for part := range parts {
		from, to := len(steps)*part/parts, len(steps)*(part+1)/parts
		lowest := -1
		for i := from; i < to; i++ {
			if a := amount(steps[i]); a.Known() && (lowest < 0 || a < amount(steps[lowest])) {
				lowest = i
			}
		}
		if lowest >= 0 {
			keep(lowest)
			keep(lowest + 1)
		}
		keep(to - 1)
	}
	return kept
}
