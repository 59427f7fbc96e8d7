package report

import (
	"fmt"
	"math"
	"strings"
)

// Panels shows measures over time, one below the other.
type Panels struct {
	Title  string
	XLabel string
	Panels []Panel
}

// Panel has the curves of one measure. Its axes are linear and begin at zero.
type Panel struct {
	Title string // with the unit
	Lines []Line
}

// The height of a panel, its distance from the next, and the space for names beside it.
const (
	panelHeight, panelGap = 90, 34
	panelLeft, panelRight = 50, 140
	panelTop, panelBottom = 50, 40
)

// SVG draws the panels in colours that suit light and dark pages.
func (p Panels) SVG() []byte {
	height := panelTop + len(p.Panels)*(panelHeight+panelGap) - panelGap + panelBottom
	last := 0.0
	for _, panel := range p.Panels {
		for _, l := range panel.Lines {
			for _, at := range l.Points {
				last = max(last, at.X)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="11" fill="#777">`+"\n",
		pictureWidth, height, pictureWidth, height)
	fmt.Fprintf(&b, `<title>%s</title>`+"\n", escape(p.Title))
	text(&b, panelLeft, 18, "start", 13, p.Title)
	for i, panel := range p.Panels {
		panel.draw(&b, float64(panelTop+i*(panelHeight+panelGap)), scaleOf(last))
	}
	step := tick(last)
	for x := 0.0; x <= last; x += step {
		text(&b, scaleOf(last)(x), float64(height-panelBottom+16), "middle", 11, Number(x))
	}
	text(&b, (panelLeft+pictureWidth-panelRight)/2, float64(height-6), "middle", 11, p.XLabel)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// scaleOf returns the horizontal place of a value up to last.
func scaleOf(last float64) func(x float64) float64 {
	return func(x float64) float64 {
		return panelLeft + x/max(last, math.SmallestNonzeroFloat64)*(pictureWidth-panelLeft-panelRight)
	}
}

// tick returns a distance of marks: 1, 2 or 5 times a power of ten, at least twice up to
// most.
func tick(most float64) float64 {
	if most <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most)))
	for _, step := range []float64{5, 2, 1} {
		if most >= 2*step*power {
			return step * power
		}
	}
	return power / 2
}

// draw draws a panel whose upper edge is at top.
func (p Panel) draw(b *strings.Builder, top float64, x func(float64) float64) {
	most := 0.0
	for _, l := range p.Lines {
		for _, at := range l.Points {
			most = max(most, at.Y)
		}
	}
	step := tick(most)
	most = max(math.Ceil(most/step), 1) * step
	y := func(v float64) float64 { return top + panelHeight*(1-v/most) }
	text(b, panelLeft, top-6, "start", 11, p.Title)
	for v := 0.0; v <= most; v += step {
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#999" stroke-opacity="0.4"/>`+"\n", panelLeft, y(v), pictureWidth-panelRight)
		text(b, panelLeft-5, y(v)+4, "end", 11, Number(v))
	}
	for i, l := range p.Lines {
		colour := colours[i%len(colours)]
		var path strings.Builder
		for j, at := range l.Points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], x(at.X), y(at.Y))
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", path.String(), colour)
		end := l.Points[len(l.Points)-1].Y
		fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s">%s: %s</text>`+"\n", pictureWidth-panelRight+8, top+10+float64(i*15), colour, escape(l.Name), Number(end))
	}
}
