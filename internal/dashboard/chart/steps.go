package chart

import (
	"fmt"
	"math"
	"strings"

	"gamedex/internal/money"
)

// The size of a step chart. The style stretches it to the available width; lines
// keep their thickness. The margin is for lines on the edge.
const (
	stepsWidth, stepsHeight = 1000, 300
	stepsMargin             = 10
)

// Step is an amount from a moment (Unix milliseconds) until the next step.
type Step struct {
	At     int64
	Amount money.Amount // money.None: a gap
	Title  string
}

// Steps is a step chart. Its axes have labels at the beginning, the middle and the
// end.
type Steps struct {
	Width, Height int
	Line          string // path data, in parts where there are gaps
	Points        []Point
	Levels        [3]money.Amount // of the vertical axis, the highest first
	Rules         [3]int          // their positions
	Moments       [3]int64        // of the other axis, Unix milliseconds
}

// Point is where a step begins.
type Point struct {
	X, Y  int
	Title string
}

// DrawSteps draws steps, oldest first, up to a moment. Steps without an amount are
// gaps.
func DrawSteps(steps []Step, until int64) Steps {
	chart := Steps{Width: stepsWidth, Height: stepsHeight}
	if len(steps) == 0 {
		return chart
	}
	from := steps[0].At
	until = max(until, from)
	var highest money.Amount
	for _, s := range steps {
		until, highest = max(until, s.At), max(highest, s.Amount)
	}
	top := roundTop(highest)
	chart.Levels = [3]money.Amount{top, top / 2, 0}
	chart.Rules = [3]int{stepsMargin, stepsHeight / 2, stepsHeight - stepsMargin}
	chart.Moments = [3]int64{from, from + (until-from)/2, until}
	x := func(at int64) int {
		if until <= from {
			return stepsMargin
		}
		return stepsMargin + int(math.Round(float64(stepsWidth-2*stepsMargin)*float64(at-from)/float64(until-from)))
	}
	y := func(a money.Amount) int {
		return stepsHeight - stepsMargin - int(math.Round(float64(stepsHeight-2*stepsMargin)*float64(a)/float64(top)))
	}
	// The line is horizontal, with a vertical part where the next step begins.
	var line strings.Builder
	drawing := false
	for i, s := range steps {
		if drawing = drawing && s.Amount.Known(); !s.Amount.Known() {
			continue
		}
		if drawing {
			fmt.Fprintf(&line, "V%d", y(s.Amount))
		} else {
			fmt.Fprintf(&line, "M%d %d", x(s.At), y(s.Amount))
		}
		end := stepsWidth - stepsMargin
		if i+1 < len(steps) {
			end = x(steps[i+1].At)
		}
		fmt.Fprintf(&line, "H%d", max(end, x(s.At)))
		drawing = true
		chart.Points = append(chart.Points, Point{x(s.At), y(s.Amount), s.Title})
	}
	chart.Line = line.String()
	return chart
}

// roundTop returns a round amount that is at least a and at least one unit, and half
// of which is round, too.
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
