package dashboard

import (
	"math"
	"strconv"

	"gamedex/internal/money"
)

// The box of a step chart: the style stretches it to the width there is, and
// the lines keep theirs. The margin is for what is drawn on the very edge.
const (
	stepWidth, stepHeight = 1000, 300
	stepMargin            = 10
)

// step is an amount from a moment (Unix milliseconds) until the next step.
type step struct {
	At     int64
	Amount money.Amount // money.None: a gap
	Title  string
}

// stepChart is a drawn line of steps. Axes are in parts of the same size: the
// labels stand at their beginning, middle and end.
type stepChart struct {
	Width, Height int
	Line          string // path data, in parts where there are gaps
	Points        []stepPoint
	Levels        [3]money.Amount // of the upright axis, the highest first
	Rules         [3]int          // where those are
	Moments       [3]int64        // of the other axis, Unix milliseconds
}

// stepPoint is where a step begins.
type stepPoint struct {
	X, Y  int
	Title string
}

// newStepChart draws steps, the oldest first, up to a moment. Without an
// amount there is no line.
func newStepChart(steps []step, until int64) stepChart {
	c := stepChart{Width: stepWidth, Height: stepHeight}
	if len(steps) == 0 {
		return c
	}
	from := steps[0].At
	until = max(until, from)
	var highest money.Amount
	for _, s := range steps {
		until, highest = max(until, s.At), max(highest, s.Amount)
	}
	top := roundTop(highest)
	c.Levels = [3]money.Amount{top, top / 2, 0}
	c.Rules = [3]int{stepMargin, stepHeight / 2, stepHeight - stepMargin}
	c.Moments = [3]int64{from, from + (until-from)/2, until}
	c.draw(steps, func(at int64) int { return across(at-from, until-from) }, func(a money.Amount) int { return down(a, top) })
	return c
}

// draw makes line and points: along, and up or down where the next step begins
// on another level.
func (c *stepChart) draw(steps []step, x func(int64) int, y func(money.Amount) int) {
	var line []byte
	command := func(letter byte, numbers ...int) {
		line = append(line, letter)
		for i, n := range numbers {
			if i > 0 {
				line = append(line, ' ')
			}
			line = strconv.AppendInt(line, int64(n), 10)
		}
	}
	drawing := false
	for i, s := range steps {
		if drawing = drawing && s.Amount.Known(); !s.Amount.Known() {
			continue
		}
		end := stepWidth - stepMargin
		if i+1 < len(steps) {
			end = x(steps[i+1].At)
		}
		if drawing {
			command('V', y(s.Amount))
		} else {
			command('M', x(s.At), y(s.Amount))
		}
		command('H', max(end, x(s.At)))
		drawing = true
		c.Points = append(c.Points, stepPoint{x(s.At), y(s.Amount), s.Title})
	}
	c.Line = string(line)
}

// across is the place of a moment in a span of time.
func across(passed, span int64) int {
	if span <= 0 {
		return stepMargin
	}
	return stepMargin + int(math.Round(float64(stepWidth-2*stepMargin)*float64(passed)/float64(span)))
}

// down is the place of an amount under the highest level.
func down(a, top money.Amount) int {
	return stepHeight - stepMargin - int(math.Round(float64(stepHeight-2*stepMargin)*float64(a)/float64(top)))
}

// roundTop is a round amount, not below a and of at least one unit, of which
// the half is round, too.
func roundTop(a money.Amount) money.Amount {
	for unit := money.Amount(100); unit <= math.MaxInt64/100; unit *= 10 {
		for _, n := range []money.Amount{1, 2, 3, 4, 5, 6, 8} {
			if n*unit >= a {
				return n * unit
			}
		}
	}
	return a // no price is that high
}
