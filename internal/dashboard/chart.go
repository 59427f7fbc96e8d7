package dashboard

import (
	"fmt"
	"math"
)

// value is one column of a chart.
type value struct {
	Title  string // what a pointer over the column reads
	Label  string // under the axis; "" none
	Minor  bool   // the label may be left out where there is little room
	Amount amount
}

// amount counts requests by what became of them.
type amount struct {
	Answered int64 // with what was asked for
	Refused  int64 // 429
	Failed   int64 // other errors
}

// sum is how many requests there were.
func (a amount) sum() int64 { return a.Answered + a.Refused + a.Failed }

func (a amount) plus(b amount) amount {
	return amount{a.Answered + b.Answered, a.Refused + b.Refused, a.Failed + b.Failed}
}

// bounded makes an amount that can be drawn and summed of any.
func (a amount) bounded() amount {
	const most = 1 << 50
	bound := func(n int64) int64 { return min(max(n, 0), most) }
	return amount{bound(a.Answered), bound(a.Refused), bound(a.Failed)}
}

// chartHeight is the height of the columns' room in CSS pixels. Across, all is
// in percent, so that a chart fits every window and its letters keep their size.
const chartHeight = 160

// leastPart is the height of a part that would be too small to be seen.
const leastPart = 2

// chart is what the template "chart" draws: columns of stacked parts on an
// axis.
type chart struct {
	Height  int
	Columns []column
	Ticks   []tick
	Labels  []label
}

// column is one stack of parts, from the axis up. Left and Width are its whole
// place, which answers the pointer.
type column struct {
	Left, Width string
	Title       string
	Parts       []part
}

// part is a rectangle of a column: Y is its upper edge.
type part struct {
	Kind        string // "answered", "refused", "failed": class of its filling
	Left, Width string
	Y, Height   float64
}

// tick is a line across the chart with its number.
type tick struct {
	Y      float64
	Number int64
	Unit   string // key of the text that the number, divided, is put into; "" for itself
}

// label is a text under the axis, its middle at X.
type label struct {
	X, Text string
	Minor   bool
}

// draw makes the chart of values.
func draw(values []value) chart {
	var highest int64
	for _, v := range values {
		highest = max(highest, v.Amount.bounded().sum())
	}
	step, top := scale(highest)
	c := chart{Height: chartHeight, Ticks: ticks(step, top)}
	width := 100 / float64(max(len(values), 1))
	for i, v := range values {
		left := float64(i) * width
		col := column{Left: percent(left), Width: percent(width), Title: v.Title}
		col.Parts = stack(v.Amount.bounded(), top, percent(left+width*.14), percent(width*.72))
		c.Columns = append(c.Columns, col)
		if v.Label != "" {
			c.Labels = append(c.Labels, label{percent(left + width/2), v.Label, v.Minor})
		}
	}
	return c
}

func percent(n float64) string { return fmt.Sprintf("%.2f%%", n) }

// stack makes the parts of one column.
func stack(a amount, top int64, left, width string) []part {
	var parts []part
	edge := chartHeight * 10
	for i, h := range heights([]int64{a.Answered, a.Refused, a.Failed}, top) {
		if h > 0 {
			edge -= h
			kind := [...]string{"answered", "refused", "failed"}[i]
			parts = append(parts, part{kind, left, width, float64(edge) / 10, float64(h) / 10})
		}
	}
	return parts
}

// heights are those of parts, in tenths of a pixel. They add up to the height
// of the sum, except that a part that would be too small to be seen takes from
// the largest what it lacks.
func heights(counts []int64, top int64) []int {
	all, largest := make([]int, len(counts)), 0
	sum, below, given := int64(0), 0, 0
	for i, n := range counts {
		sum += n
		edge := int(math.Round(float64(sum) / float64(top) * chartHeight * 10))
		all[i], below = edge-below, edge
		if n > counts[largest] {
			largest = i
		}
	}
	for i, n := range counts {
		if n > 0 && all[i] < leastPart*10 {
			given += leastPart*10 - all[i]
			all[i] = leastPart * 10
		}
	}
	if counts[largest] > 0 {
		all[largest] = max(all[largest]-given, leastPart*10)
	}
	return all
}

// scale gives a round distance of ticks, and the end of the axis: a multiple of
// it that is not below highest. There are two to four ticks.
func scale(highest int64) (step, top int64) {
	for decade := int64(1); ; decade *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if step = digit * decade; highest <= 4*step {
				return step, max((highest+step-1)/step, 2) * step
			}
		}
	}
}

// ticks are the lines above the axis, from the lowest.
func ticks(step, top int64) []tick {
	divisor, unit := int64(1), ""
	switch {
	case step%1_000_000_000 == 0:
		divisor, unit = 1_000_000_000, "usage.billions"
	case step%1_000_000 == 0:
		divisor, unit = 1_000_000, "usage.millions"
	case step%1000 == 0:
		divisor, unit = 1000, "usage.thousands"
	}
	var all []tick
	for n := step; n <= top; n += step {
		y := math.Round(chartHeight * 10 * (1 - float64(n)/float64(top)))
		all = append(all, tick{y / 10, n / divisor, unit})
	}
	return all
}
