package chart

import (
	"fmt"
	"math"
)

// Value is the content of one column.
type Value struct {
	Title  string  // shown when the pointer is over the column
	Label  string  // under the axis; "" none
	Minor  bool    // the label may be left out where there is little room
	Counts []Count // from the axis up
}

// Count is how many there are of a kind. DrawColumns limits N to 0 to 2^50.
type Count struct {
	Kind string
	N    int64
}

// Columns is a chart of stacked columns. Heights are in CSS pixels and horizontal
// positions in percent, so that a chart fits every window and its text keeps its
// size.
type Columns struct {
	Height  int // of the columns' room
	Columns []Column
	Ticks   []Tick // two to four, from the lowest; the last is the upper edge
	Unit    int64  // 1, a thousand, a million or a billion: every tick is a multiple
	Labels  []Label
}

// Column is one stack of parts, from the axis up. Left and Width are those of the
// area that shows the title when the pointer is over it.
type Column struct {
	Left, Width string
	Title       string
	Parts       []Part // of the counts that are not 0
}

// Part is a rectangle of a column. Y is its upper edge. It is always high enough to
// be visible.
type Part struct {
	Kind        string
	Left, Width string
	Y, Height   float64
}

// Tick is a line across the chart with its number.
type Tick struct {
	Y      float64
	Number int64
}

// Label is a text under the axis, its middle at X.
type Label struct {
	X, Text string
	Minor   bool
}

const (
	columnsHeight = 160
	// minPart is the height of a part that would be too small to be seen.
	minPart = 2
)

// DrawColumns draws a column for each of the values, on one scale.
func DrawColumns(values []Value) Columns {
	stacks := make([][]Count, len(values))
	var highest int64
	for i, v := range values {
		sum := int64(0)
		for _, c := range v.Counts {
			c.N = min(max(c.N, 0), 1<<50)
			sum += c.N
			stacks[i] = append(stacks[i], c)
		}
		highest = max(highest, sum)
	}
	step, top := scale(highest)
	chart := Columns{Height: columnsHeight, Unit: 1}
	for _, large := range []int64{1e3, 1e6, 1e9} {
		if step%large == 0 {
			chart.Unit = large
		}
	}
	for n := step; n <= top; n += step {
		y := math.Round(columnsHeight * 10 * (1 - float64(n)/float64(top)))
		chart.Ticks = append(chart.Ticks, Tick{y / 10, n})
	}
	width := 100 / float64(max(len(values), 1))
	for i, v := range values {
		left := float64(i) * width
		column := Column{Left: percent(left), Width: percent(width), Title: v.Title}
		edge := columnsHeight * 10
		for j, h := range heights(stacks[i], top) {
			if h > 0 {
				edge -= h
				column.Parts = append(column.Parts, Part{stacks[i][j].Kind, percent(left + width*.14), percent(width * .72), float64(edge) / 10, float64(h) / 10})
			}
		}
		chart.Columns = append(chart.Columns, column)
		if v.Label != "" {
			chart.Labels = append(chart.Labels, Label{percent(left + width/2), v.Label, v.Minor})
		}
	}
	return chart
}

func percent(n float64) string { return fmt.Sprintf("%.2f%%", n) }

// heights returns the heights of parts, in tenths of a pixel. They add up to the
// height of the sum. A part that would be too small to be visible grows at the cost
// of the largest.
func heights(counts []Count, top int64) []int {
	all, largest := make([]int, len(counts)), 0
	sum, below, given := int64(0), 0, 0
	for i, c := range counts {
		sum += c.N
		edge := int(math.Round(float64(sum) / float64(top) * columnsHeight * 10))
		all[i], below = edge-below, edge
		if c.N > counts[largest].N {
			largest = i
		}
	}
	for i, c := range counts {
		if c.N > 0 && all[i] < minPart*10 {
			given += minPart*10 - all[i]
			all[i] = minPart * 10
		}
	}
	if given > 0 {
		all[largest] = max(all[largest]-given, minPart*10)
	}
	return all
}

// scale returns a round distance between ticks, and the end of the axis: a multiple
// of it that is at least highest. There are two to four ticks.
func scale(highest int64) (step, top int64) {
	for decade := int64(1); ; decade *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if step = digit * decade; highest <= 4*step {
				return step, max((highest+step-1)/step, 2) * step
			}
		}
	}
}
