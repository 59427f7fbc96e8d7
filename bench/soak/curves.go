package main

import (
	"fmt"
	"slices"
	"strings"

	"gamedex/bench/report"
)

// measure is what a curve shows.
type measure struct {
	title string
	// What grows by more than this share and this amount in the second half of a run is a
	// leak. A share of 0 is not judged.
	share, amount float64
}

// measures are the panels of the picture, from top to bottom.
var measures = []measure{
	{"resident memory, MB", 0.1, 16},
	{"heap after a collection, MB", 0.1, 4},
	{"open descriptors", 0.1, 10},
	{"goroutines", 0.1, 10},
	{"disk, MB", 0.2, 16},
	{"answers, ms", 0, 0},
}

// The panels by their number in measures.
const (
	resident = iota
	heap
	descriptors
	goroutines
	disk
	answers
)

// curves are what was measured, over the minutes of the run.
type curves struct{ panels []report.Panel }

func newCurves() *curves {
	c := &curves{}
	for _, m := range measures {
		c.panels = append(c.panels, report.Panel{Title: m.title})
	}
	return c
}

// add adds a value to a line of a panel.
func (c *curves) add(panel int, line string, minute, value float64) {
	p := &c.panels[panel]
	i := slices.IndexFunc(p.Lines, func(l report.Line) bool { return l.Name == line })
	if i < 0 {
		i = len(p.Lines)
		p.Lines = append(p.Lines, report.Line{Name: line})
	}
	p.Lines[i].Points = append(p.Lines[i].Points, report.Point{X: minute, Y: value})
}

// growth is how much a line has risen in the second half of a run.
type growth struct {
	measure
	line             string
	mean, rise, most float64
}

// growths returns the rise of all lines that are judged, by the line of least squares through the
// lowest value of each minute: a leak raises it, what a build needs for seconds does not.
func (c *curves) growths(minutes float64) (list []growth) {
	for i, p := range c.panels {
		for _, l := range p.Lines {
			late := lowest(slices.DeleteFunc(slices.Clone(l.Points), func(at report.Point) bool {
				return at.X < minutes/2 || at.X >= minutes // the last minute would have a single value
			}))
			if len(late) < 3 || measures[i].share == 0 {
				continue
			}
			mean, slope := fit(late)
			list = append(list, growth{measures[i], l.Name, mean, slope * minutes / 2, max(measures[i].share*mean, measures[i].amount)})
		}
	}
	return list
}

// lowest returns the lowest point of each minute.
func lowest(points []report.Point) (list []report.Point) {
	for _, p := range points {
		last := len(list) - 1
		if last < 0 || int(p.X) > int(list[last].X) {
			list = append(list, p)
		} else if p.Y < list[last].Y {
			list[last] = p
		}
	}
	return list
}

// fit returns the mean of the values, and the slope of the line of least squares.
func fit(points []report.Point) (mean, slope float64) {
	var x, xx, xy float64
	for _, p := range points {
		x += p.X / float64(len(points))
		mean += p.Y / float64(len(points))
	}
	for _, p := range points {
		xx += (p.X - x) * (p.X - x)
		xy += (p.X - x) * (p.Y - mean)
	}
	return mean, xy / xx
}

// csv returns all values, a line for each.
func (c *curves) csv() []byte {
	var b strings.Builder
	b.WriteString("minute,measure,line,value\n")
	for _, p := range c.panels {
		for _, l := range p.Lines {
			for _, at := range l.Points {
				fmt.Fprintf(&b, "%.2f,%q,%s,%.3f\n", at.X, p.Title, l.Name, at.Y)
			}
		}
	}
	return []byte(b.String())
}
